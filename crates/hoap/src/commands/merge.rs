//! `hoap merge`: the folders of several driver machines become one.

use hoap_drive::folder::{read_ledger, read_run};
use hoap_drive::record::Check;
use hoap_report::Style;
use hoap_workload::Error;
use hoap_workload::ch2::contribution::Contribution;
use hoap_workload::ch2::note::{self, DataNote};
use serde_json::json;

use super::run::after_the_run;
use super::{Context, open};
use crate::args::Merge;
use crate::failure::Failure;

/// Merges, prints the summary, and fails where a check failed.
pub async fn merge(context: &Context, args: &Merge) -> Result<(), Failure> {
    let joint = match &args.operational {
        Some(url) => Some(joint_checks(context, args, url).await?),
        None => None,
    };
    let run = hoap_drive::merge(&args.runs, &args.out, std::env::args().collect(), joint)?;
    context.result(&json!({ "folder": args.out, "run": run }), || {
        let folder = args.out.display().to_string();
        hoap_report::summary(&run, Style { folder: Some(&folder), ..context.console.style() })
    });
    super::run::verdict(context, &run)
}

/// Holds what all drivers together saw acknowledged against the database.
async fn joint_checks(context: &Context, args: &Merge, url: &str) -> Result<Vec<Check>, Failure> {
    let runs = args.runs.iter().map(|folder| read_run(folder)).collect::<Result<Vec<_>, _>>()?;
    let Some(schema) = runs.first().and_then(|run| run.benchmark.parse().ok()) else {
        let benchmark = runs.first().map_or("nothing", |run| run.benchmark.as_str());
        return Err(Failure::usage(format!(
            "hold the runs against {}: {benchmark} keeps no ledger of transactions; leave \
             --operational away",
            hoap_target::url::redact(url)
        )));
    };
    let read = |folder: &std::path::PathBuf| -> Result<_, Error> {
        let name = folder.display().to_string();
        let ledger = Contribution::read(&format!("{name}/ledger.json"), &read_ledger(folder)?)?;
        Ok((name, ledger))
    };
    let all = args.runs.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let Some(Contribution { before, ledger, .. }) = Contribution::join(all)? else {
        return Ok(Vec::new());
    };
    let target = open(url).await?;
    let (_, data) = note::expect_loaded(&*target, schema).await?;
    if runs.iter().any(|run| run.data != json!(DataNote::of(data.spec()))) {
        return Err(Failure::usage(format!(
            "hold the runs against {}: it holds another data set than they ran on",
            hoap_target::url::redact(url)
        )));
    }
    context.console.say("checking the data after all runs");
    let documents = target.documents().map_err(Error::from)?;
    let (checks, _) = after_the_run(documents, &data, &ledger, &before).await?;
    Ok(checks)
}
