//! `hoap load` and `hoap run` on several databases by one command.

use std::path::Path;

use hoap_conduct::Chosen;
use hoap_conduct::repeat::{Done, Entrant, repeat};
use hoap_record::Run;
use hoap_record::output;
use hoap_report::compare::{
    Comparison, Question, RELEVANT, Side, json as compared, plain, side_by_side,
};
use hoap_report::{Named, kinds, verdict_line};
use serde_json::json;

use super::context::Context;
use super::{load, planned, run};
use crate::args::{Command, LiveArgs};
use crate::failure::Failure;

/// The page of all, in their folder.
const PAGE: &str = "report.html";

/// Loads or runs each; the commands are alike but for their database.
pub async fn each(context: &Context, commands: Vec<(String, Command)>) -> Result<(), Failure> {
    let (mut entrants, mut dry) = (Vec::new(), false);
    for (name, command) in commands {
        match command {
            Command::Load { how, benchmark } => {
                context.console.say(format!("load {name}"));
                load::load(context, &*benchmark.0, &how).await?;
            }
            Command::Run { live, benchmark } => {
                dry |= live.dry_run;
                entrants.push(entrant(name, &live, benchmark.0)?);
            }
            _ => unreachable!("only these are split"),
        }
    }
    match entrants.split_first_mut() {
        None => Ok(()),
        Some((first, others)) if dry => {
            others.iter().try_for_each(|one| one.chosen.planned().map(drop))?;
            context.console.say(format!("on each of {} databases, by turns:", others.len() + 1));
            planned::dry_run(context, &mut first.chosen)
        }
        Some(_) => run_all(context, entrants).await,
    }
}

/// Refuses what is of one run: other drivers, who watches, an export.
fn entrant(name: String, live: &LiveArgs, mut chosen: Chosen) -> Result<Entrant, Failure> {
    let conduct = &chosen.common().conduct;
    let of_one = [
        ("--meet", conduct.meet.is_some()),
        ("--part", conduct.part.is_some()),
        ("--start-at", conduct.start_at.is_some()),
        ("--metrics", live.metrics.is_some()),
        ("--otlp", live.otlp.is_some()),
        ("--export", !live.export.is_empty()),
    ];
    match of_one.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(Failure::usage(format!(
            "run several databases with {flag}, which is of one; run them one by one, and compare \
             their folders with `hoap compare`"
        ))),
        None => Ok(Entrant { name, chosen }),
    }
}

/// Runs them by turns, holds each against the first, and makes their page.
async fn run_all(context: &Context, entrants: Vec<Entrant>) -> Result<(), Failure> {
    let names: Vec<String> = entrants.iter().map(|one| one.name.clone()).collect();
    let goes_on = |run: &Run| run::verdict(context, run).is_ok();
    let Done { folder, runs, .. } = repeat(context, entrants, &goes_on).await?;
    if let Some((path, last)) = runs.last()
        && let Err(failure) = run::verdict(context, last)
    {
        context.result(&json!({ "folder": path.display().to_string(), "run": last }), || {
            hoap_report::summary(last, context.console.style())
        });
        return Err(failure);
    }
    crate::interrupt::at_once();
    let mut sides = names
        .iter()
        .map(|name| Side::open(&folder.join(name)).map(|side| Side { name: name.clone(), ..side }));
    let first = sides.next().expect("there are several")?;
    let others = sides.collect::<Result<Vec<Side>, _>>()?;
    let question = Question { gates: Vec::new(), relevant: RELEVANT, details: true };
    let comparison = Comparison::new(first, others, question)?;
    let page = page(&folder, &names)?;
    let result = json!({
        "folder": folder.display().to_string(), "page": page, "comparison": compared(&comparison),
    });
    context.result(&result, || {
        format!(
            "{}\nrun folders {}\npage        {page}",
            plain(&side_by_side(&comparison)),
            folder.display()
        )
    });
    context.console.say(verdict_line(&runs.iter().map(|(_, run)| run).collect::<Vec<_>>()));
    Ok(())
}

/// Makes the page and says where it is.
fn page(folder: &Path, names: &[String]) -> Result<String, Failure> {
    let named: Vec<Named> = names
        .iter()
        .map(|name| Named { label: Some(name.clone()), path: folder.join(name) })
        .collect();
    let page = hoap_report::page(&hoap_report::Report::open(&named)?)?;
    let path = folder.join(PAGE);
    output::prepare(&path, &kinds::PAGE, &page.html)?
        .commit()
        .map_err(|e| output::failed(&path, &e))?;
    Ok(path.display().to_string())
}
