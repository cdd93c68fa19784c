//! `hoap merge`: the folders of several driver machines become one.

use std::path::PathBuf;

use hoap_data::Schema;
use hoap_databases::{open_any, with_key_value};
use hoap_record::folder::read_ledger;
use hoap_record::merge::Merge;
use hoap_record::{Check, Run};
use hoap_report::Style;
use hoap_workload::capability::NonTransactional;
use hoap_workload::ch2::contribution::Contribution;
use hoap_workload::ch2::note::{self as ch2_note, DataNote};
use hoap_workload::load::Source;
use hoap_workload::ycsb::{self, Memory, UserTable};
use hoap_workload::{Error, contribution, note};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::faults::or_gone;
use super::run::after_the_run;
use super::{Context, open};
use crate::args;
use crate::failure::Failure;

/// Merges, prints the summary, and fails where a check failed.
pub async fn merge(context: &Context, args: &args::Merge) -> Result<(), Failure> {
    let merge = Merge::open(&args.runs)?;
    let joint = match &args.operational {
        Some(url) => Some(joint_checks(context, args, url, merge.first()).await?),
        None => None,
    };
    let run = merge.write(&args.out, std::env::args().collect(), joint)?;
    context.result(&json!({ "folder": args.out, "run": run }), || {
        let folder = args.out.display().to_string();
        hoap_report::summary(&run, Style { folder: Some(&folder), ..context.console.style() })
    });
    super::run::verdict(context, &run)
}

/// Holds what all drivers together saw acknowledged against the database. The runs belong together: what
/// the first one ran on all did.
async fn joint_checks(
    context: &Context,
    args: &args::Merge,
    url: &str,
    first: &Run,
) -> Result<Vec<Check>, Failure> {
    match (first.benchmark.parse::<Schema>(), first.benchmark.starts_with("ycsb-")) {
        (Ok(schema), _) => of_ch2(context, args, url, (schema, first)).await,
        (_, true) => of_ycsb(context, args, url, first).await,
        _ => Err(refuse(
            url,
            &format!(
                "{} only reads, and keeps no ledger; leave --operational away",
                first.benchmark
            ),
        )),
    }
}

fn refuse(url: &str, why: &str) -> Failure {
    Failure::usage(format!("hold the runs against {}: {why}", hoap_databases::url::redact(url)))
}

/// Refuses a database that holds other data than the runs'.
fn same_data(url: &str, first: &Run, there: Value) -> Result<(), Failure> {
    match first.data == there {
        true => Ok(()),
        false => Err(refuse(url, "it holds another data set than they ran on")),
    }
}

/// What each driver left, with the name of its file.
fn ledgers<T: DeserializeOwned>(args: &args::Merge) -> Result<Vec<(String, T)>, Error> {
    let read = |folder: &PathBuf| {
        let name = folder.join("ledger.json").display().to_string();
        let text = read_ledger(folder).map_err(|e| {
            e.advise("only a run of CH2 or CH2++ that was given --part and ended leaves one")
        })?;
        let ledger = contribution::read(&name, &text)?;
        Ok((name, ledger))
    };
    args.runs.iter().map(read).collect()
}

async fn of_ch2(
    context: &Context,
    args: &args::Merge,
    url: &str,
    (schema, first): (Schema, &Run),
) -> Result<Vec<Check>, Failure> {
    let mut all = ledgers::<Contribution>(args)?.into_iter();
    let Some((name, mut joined)) = all.next() else { return Ok(Vec::new()) };
    for (other_name, other) in all {
        joined.join(&name, other, &other_name)?;
    }
    // Where the runs were allowed to do without transactions, so are their checks, which only read.
    let (target, caveat) = NonTransactional::allow(open(url).await?);
    let (_, data) = ch2_note::expect_loaded(&*target, schema).await?;
    same_data(url, first, json!(DataNote::of(data.spec())))?;
    context.console.say("checking the data after all runs");
    let Contribution { before, ledger } = joined;
    let checked = after_the_run((&*target, caveat), &data, &ledger, &before).await;
    Ok(or_gone(checked.map(|(checks, _)| checks))?)
}

async fn of_ycsb(
    context: &Context,
    args: &args::Merge,
    url: &str,
    first: &Run,
) -> Result<Vec<Check>, Failure> {
    let all = ledgers::<ycsb::Contribution>(args)?;
    let target = open_any(url).await?;
    let note = note::expect_loaded(target.target(), "ycsb").await?;
    let table = UserTable::from_parameters(&note.data)?;
    same_data(url, first, table.parameters())?;
    let (mut memory, mut unsure) = (Memory::nothing(), 0);
    for (name, driver) in all {
        unsure += driver.unsure_inserts;
        memory.merge(driver.memory(&name, &table.records)?);
    }
    context.console.say("checking the data after all runs");
    let boxed = target.clone();
    let documents = boxed.target().documents().map_err(Error::from)?;
    let (place, known) = ((&table.table(), &table.records), (&memory, unsure));
    let checked = with_key_value!(target, |kv| {
        ycsb::verify(&kv, place, documents, known, "after the run").await
    });
    Ok(or_gone(checked.map_err(Error::from)?)?)
}
