//! `hoap history`: what runs measured, commit after commit.

use std::path::{Path, PathBuf};

use hoap_conduct::labels::by_of_environment;
use hoap_history::check::check;
use hoap_history::series::Timeline;
use hoap_history::store::{self, FILE, History};
use hoap_history::{acknowledge, export, page, words};
use hoap_record::words::counted;
use serde_json::json;

use super::context::Context;
use super::output;
use crate::args::{HistoryCommand, HistoryFormat};
use crate::failure::Failure;

/// Does what is asked of a history.
pub fn history(context: &Context, command: &HistoryCommand) -> Result<(), Failure> {
    match command {
        HistoryCommand::Add { runs, of } => add(context, &of.dir, runs),
        HistoryCommand::Check { of, since } => checked(context, &of.dir, since.as_deref()),
        HistoryCommand::Acknowledge { label, of, reason, by } => {
            let by = by.clone().or_else(by_of_environment);
            let now = hoap_drive::now();
            let lines = acknowledge::acknowledge(&of.dir, label, reason, by.as_deref(), &now)?;
            context.result(&json!({ "acknowledged": lines }), || {
                format!("{} acknowledged", counted(lines.len(), "change", "changes"))
            });
            Ok(())
        }
        HistoryCommand::Show { of, out } => show(context, &of.dir, out),
        HistoryCommand::Export { of, format, out } => exported(context, &of.dir, *format, out),
    }
}

fn add(context: &Context, dir: &Path, runs: &[PathBuf]) -> Result<(), Failure> {
    let added = store::add(dir, runs)?;
    let each: Vec<_> =
        added.iter().map(|of| json!({ "run": of.run, "values": of.values })).collect();
    context.result(&json!({ "history": dir.join(FILE), "added": each }), || {
        let line = |of: &store::Added| {
            let folders: Vec<&str> = of.run.folders.iter().map(|of| of.path.as_str()).collect();
            let values = counted(of.values, "value", "values");
            let excluded = of.run.excluded.as_ref().map(|why| format!("; does not count: {why}"));
            format!("{}: {values}{}\n", folders.join(", "), excluded.unwrap_or_default())
        };
        added.iter().map(line).collect()
    });
    Ok(())
}

fn checked(context: &Context, dir: &Path, since: Option<&str>) -> Result<(), Failure> {
    let history = History::open(dir)?;
    let timeline = Timeline::of(&history);
    let since = since.map(|label| timeline.last_with(label)).transpose()?;
    let found = check(&timeline);
    context
        .result(&words::json(&timeline, &found, since), || words::text(&timeline, &found, since));
    match found.changes.iter().filter(|of| of.is_regression(since)).count() {
        0 => {
            context.console.say("verdict: no change for the worse that nobody has acknowledged");
            Ok(())
        }
        some => {
            let changes = counted(some, "change", "changes");
            Err(Failure::check(format!(
                "{changes} for the worse that nobody has acknowledged; `hoap history acknowledge \
                 LABEL --dir {} --reason TEXT` notes those that may stay",
                dir.display()
            )))
        }
    }
}

fn show(context: &Context, dir: &Path, out: &Path) -> Result<(), Failure> {
    let history = History::open(dir)?;
    let timeline = Timeline::of(&history);
    let (series, most) = (timeline.series.len(), page::MOST_SERIES);
    if series > most {
        let tried = format!("draw the history in {}", dir.display());
        return Err(Failure::usage(format!(
            "{tried}: it has {series} series, more than {most}; begin another history"
        )));
    }
    let page = page::page(&timeline, &check(&timeline));
    let result = json!({ "page": out.display().to_string(), "bytes": page.html.len() });
    output::page(context, out, &page, &result)
}

fn exported(
    context: &Context,
    dir: &Path,
    format: HistoryFormat,
    out: &Path,
) -> Result<(), Failure> {
    let history = History::open(dir)?;
    let timeline = Timeline::of(&history);
    let (text, kind) = match format {
        HistoryFormat::Otava => {
            let (text, left_out) = export::otava(&timeline)?;
            if left_out > 0 {
                let series = counted(left_out, "series", "series");
                context.console.say(format!("left out: {series} that not every run has"));
            }
            (text, &export::OTAVA)
        }
        HistoryFormat::Bencher => (export::bencher(&timeline)?, &export::BENCHER),
    };
    output::write(context, out, kind, &text)
}
