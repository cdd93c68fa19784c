//! What a configuration of an experiment would do: its commands, documents and time.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use hoap_conduct::size::Size;
use hoap_databases::url::redact;
use hoap_experiment::{Cell, Experiment, Plan};
use hoap_report::text::paragraph;
use hoap_workload::words::counted;
use serde_json::{Value, json};

use crate::args::{Cli, Command};
use crate::config;
use crate::console::megabytes;
use crate::failure::Failure;

/// A stage as the command that a user would type.
///
/// # Errors
/// Returns a usage error where a flag of it is missing or wrong.
pub fn parsed(cell: &Cell, folder: &Path, more: &[String]) -> Result<Command, Failure> {
    let words = ["hoap", cell.command.name(), &cell.benchmark];
    let more = more.iter().map(String::as_str);
    let mut words: Vec<OsString> = words.into_iter().chain(more).map(OsString::from).collect();
    if let Some(run) = &cell.folder {
        words.extend(["--out".into(), folder.join(run).into_os_string()]);
    }
    let wrong = |e: String| Failure::usage(format!("read the stage {}: {e}", cell.name));
    let cli: Cli = config::with_flags(words, cell.flags.clone()).map_err(wrong)?;
    Ok(cli.command)
}

/// What would run, as a value and in words. Nothing is opened.
///
/// # Errors
/// Those of [`parsed`].
pub fn dry_run(
    experiment: &Experiment,
    made: &Plan,
    settings: &[String],
) -> Result<(Value, String), Failure> {
    let title = format!("{}; configuration {}", experiment.title, made.label);
    let mut text = paragraph("", &title);
    for setting in settings {
        text.push_str(&paragraph("  settings of ", setting));
    }
    let mut stages: Vec<Value> = Vec::new();
    let mut all = Duration::ZERO;
    for (number, cell) in (1..).zip(&made.cells) {
        let (steps, least) = cell.least();
        all = all.saturating_add(least);
        let mut says = format!("{}: hoap {} {}", cell.name, cell.command.name(), cell.benchmark);
        let mut stage =
            json!({ "stage": cell.name, "steps": steps, "seconds": least.as_secs_f64() });
        if let Command::Load { benchmark, .. } = parsed(cell, Path::new(""), &[])? {
            let (source, part) = (benchmark.0.source()?, benchmark.0.loading().part.part);
            let Size { documents, bytes, .. } = Size::of(&*source, part);
            let counted = counted(documents, "document", "documents");
            says += &format!(", {counted}, about {} as JSON", megabytes(bytes));
            stage["documents"] = documents.into();
            stage["bytes"] = bytes.into();
        }
        if steps > 0 {
            let least = hoap_report::number::duration(least.as_secs_f64());
            says += &format!(", {}, {least} at least", counted(steps, "step", "steps"));
        }
        text.push_str(&paragraph(&format!("  {number}. "), &says));
        for (flag, value) in &cell.flags {
            let value = value.as_str().map_or_else(|| json!(value).to_string(), redact);
            text.push_str(&paragraph("       ", &format!("{flag} = {value}")));
        }
        stages.push(stage);
    }
    let least = hoap_report::number::duration(all.as_secs_f64());
    text.push_str(&format!("All steps take {least} at least, beside loading and checking."));
    let result = json!({
        "configuration": made.label, "settings": settings, "stages": stages, "seconds": all.as_secs_f64(),
    });
    Ok((result, text))
}
