//! `hoap load` and `hoap run` on several databases by one command.

use std::path::Path;

use hoap_conduct::Chosen;
use hoap_conduct::begin::command_line;
use hoap_conduct::repeat::{Done, Entrant, repeat};
use hoap_record::{Run, output, whole};
use hoap_report::compare::{
    Comparison, Question, RELEVANT, Side, json as compared, plain, side_by_side,
};
use hoap_report::text::shell;
use hoap_report::{Named, kinds, places, verdict_line};
use serde_json::json;

use super::context::Context;
use super::{load, planned, run};
use crate::args::{Command, LiveArgs};
use crate::failure::Failure;

/// The page of all, in their folder.
const PAGE: &str = "report.html";

/// Loads each, then runs each; the commands are alike but for their database. What cannot be run is
/// said before anything is loaded. What runs on one database alone is returned: it is a run like any
/// other.
pub async fn each(
    context: &mut Context,
    commands: Vec<(String, Command)>,
) -> Result<Option<Command>, Failure> {
    let (loads, mut runs): (Vec<_>, Vec<_>) =
        commands.into_iter().partition(|(_, command)| matches!(command, Command::Load { .. }));
    let mut dry = false;
    for (_, command) in &mut runs {
        if let Command::Run { live, benchmark } = command {
            benchmark.0.planned()?;
            dry |= live.dry_run;
            if !live.dry_run {
                is_free(benchmark.0.common().out.as_deref())?;
            }
        }
    }
    let only = if runs.len() == 1 { runs.pop() } else { None };
    let entrants = runs.into_iter().filter_map(|(name, command)| match command {
        Command::Run { live, benchmark } => Some(entrant(name, &live, benchmark.0)),
        _ => None,
    });
    let mut entrants = entrants.collect::<Result<Vec<_>, _>>()?;
    let of = entrants.len();
    load_all(context, loads, only.is_some() || of > 0).await?;
    match entrants.first_mut() {
        None => {}
        Some(first) if dry => {
            context.console.say(format!("on each of {of} databases, by turns:"));
            planned::dry_run(context, &mut first.chosen)?;
        }
        Some(_) => run_all(context, entrants).await?,
    }
    Ok(only.map(|(_, only)| only))
}

/// Refuses a folder for the results that has something in it, before anything is loaded.
fn is_free(out: Option<&Path>) -> Result<(), Failure> {
    match out.filter(|out| whole::names(out).is_ok_and(|there| !there.is_empty())) {
        None => Ok(()),
        Some(out) => Err(Failure::usage(format!(
            "create run folders in {}: it is not empty; name another folder",
            out.display()
        ))),
    }
}

/// Loads each. If runs follow, the result of the command is theirs.
async fn load_all(
    context: &mut Context,
    loads: Vec<(String, Command)>,
    runs_follow: bool,
) -> Result<(), Failure> {
    let of = loads.len();
    let json = context.json;
    context.json &= !runs_follow;
    context.stage = runs_follow;
    let mut end = Ok(());
    for (number, (name, command)) in loads.into_iter().enumerate() {
        let Command::Load { how, benchmark } = command else { continue };
        if of > 1 {
            context.console.say(format!("load {name}, {} of {of}", number + 1));
        }
        end = load::load(context, &*benchmark.0, &how).await;
        if end.is_err() {
            break;
        }
    }
    (context.json, context.stage) = (json, false);
    end.map_err(|failure| match runs_follow && !failure.is_interruption() {
        true => failure.because("nothing was run (flags of a load stand behind --load=)"),
        false => failure,
    })
}

/// Refuses what is of one run: other drivers, who watches, an export.
fn entrant(name: String, live: &LiveArgs, mut chosen: Chosen) -> Result<Entrant, Failure> {
    let conduct = &chosen.common().conduct;
    let of_one = [
        ("--meet", conduct.meet.is_some()),
        ("--part", conduct.part.is_some()),
        ("--start-at", conduct.start_at.is_some()),
        ("--metrics", live.metrics.is_some()),
        ("--open", live.open),
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
        let folder = folder.display().to_string();
        let places = places(&folder, Some(&page), &shell(&command_line()), "");
        format!("{}{}", plain(&side_by_side(&comparison)), places.trim_end())
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
