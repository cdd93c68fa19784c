//! `hoap show`: the results of finished runs again; and the exports of a run, which are the same.

use std::path::{Path, PathBuf};

use hoap_record::output::{Kind, STANDARD, is_same};
use hoap_report::compare::{Side, SideRun};
use hoap_report::run::{remarks, void};
use hoap_report::tables::{Entry, of_records};
use hoap_report::{Style, csv, kinds, summary, summary_markdown, ycsb};
use serde_json::json;

use super::context::Context;
use super::output;
use crate::args::{Export, Show, ShowFormat};
use crate::console::{escaped, visible};
use crate::failure::Failure;

/// What to show.
struct Wanted<'a> {
    format: ShowFormat,
    table: &'a str,
    step: Option<usize>,
}

/// Prints the runs.
pub fn show(context: &Context, args: &Show) -> Result<(), Failure> {
    let sides = args.runs.iter().map(|path| Side::open(path));
    let sides = sides.collect::<Result<Vec<Side>, _>>()?;
    let runs: Vec<SideRun> = sides.into_iter().flat_map(|side| side.runs).collect();
    let format = if context.json { ShowFormat::Json } else { args.format };
    let wanted = Wanted { format, table: &args.table, step: args.step };
    let style = Style { full: args.full, ..context.console.style() };
    let text = written(&runs, &wanted, style)?;
    if matches!(format, ShowFormat::Csv | ShowFormat::Ycsb) {
        // These have no place for what a reader must know before the first number.
        for run in runs.iter().map(|of| &of.run) {
            for remark in remarks::of(run) {
                context.console.say(format!("! {}", remarks::line(&remark, &run.steps)));
            }
        }
    }
    context.print(&match format {
        ShowFormat::Json => escaped(&text),
        _ => visible(&text, context.console.style().colour),
    });
    Ok(())
}

/// The runs in a format.
fn written(runs: &[SideRun], wanted: &Wanted<'_>, style: Style<'_>) -> Result<String, Failure> {
    let names: Vec<String> = runs.iter().map(|of| of.folder.display().to_string()).collect();
    let each = |text: fn(&hoap_record::Run, Style<'_>) -> String| {
        let texts = names.iter().zip(runs);
        let texts = texts.map(|(name, of)| text(&of.run, Style { folder: Some(name), ..style }));
        texts.collect::<Vec<_>>().join("\n")
    };
    Ok(match wanted.format {
        ShowFormat::Text => each(summary),
        ShowFormat::Markdown => each(summary_markdown),
        ShowFormat::Json => {
            let each =
                names.iter().zip(runs).map(|(name, of)| json!({ "folder": name, "run": of.run }));
            json!({ "runs": each.collect::<Vec<_>>() }).to_string()
        }
        ShowFormat::Csv => {
            let entries: Vec<Entry<'_>> =
                names.iter().zip(runs).map(|(name, of)| Entry { name, run: &of.run }).collect();
            let tables = of_records(&entries);
            let found = tables.iter().find(|table| table.id == wanted.table);
            csv(found.ok_or_else(|| {
                let ids: Vec<_> = tables.iter().map(|table| table.id.as_str()).collect();
                Failure::usage(format!(
                    "show the table {}: these runs have none of this name with rows; they have {}",
                    wanted.table,
                    ids.join(", ")
                ))
            })?)
        }
        ShowFormat::Ycsb => as_ycsb(runs, wanted.step)?,
    })
}

fn as_ycsb(runs: &[SideRun], step: Option<usize>) -> Result<String, Failure> {
    let [SideRun { run, folder }] = runs else {
        return Err(Failure::usage(
            "show runs as YCSB does: its output is of one run; name one run folder",
        ));
    };
    let steps: Vec<_> = run.steps.iter().map(|step| step.number.to_string()).collect();
    let step = match (step, run.steps.as_slice()) {
        (None, [only]) => Some(only),
        (None, _) => None,
        (Some(number), all) => all.iter().find(|step| step.number == number),
    };
    let step = step.ok_or_else(|| {
        Failure::usage(format!(
            "show {} as YCSB does: its output is of one step; name one with --step: {}",
            folder.display(),
            steps.join(", ")
        ))
    })?;
    Ok(ycsb(run, folder, step)?)
}

/// What a format makes.
fn kind(format: ShowFormat) -> &'static Kind {
    match format {
        ShowFormat::Text | ShowFormat::Markdown => &kinds::SUMMARY,
        ShowFormat::Csv => &kinds::OPERATIONS,
        ShowFormat::Json => &kinds::RECORDS,
        ShowFormat::Ycsb => &kinds::YCSB,
    }
}

/// Refuses, before the run, exports that it could not write. `headline` is the only kind of
/// transaction that its headline counts.
pub fn possible(
    context: &Context,
    exports: &[Export],
    headline: Option<&str>,
) -> Result<(), Failure> {
    for (at, Export { format, file }) in exports.iter().enumerate() {
        let refuse =
            |why: &str| Err(Failure::usage(format!("export to {}: {why}", file.display())));
        if *format == ShowFormat::Ycsb && headline.is_some() {
            return refuse(
                "YCSB has no lines for transactions beside queries; take another format",
            );
        }
        if output::is_standard(context, file, kind(*format))? {
            continue;
        }
        if exports[..at].iter().any(|other| is_same(&other.file, file)) {
            return refuse("another export goes there; name another file");
        }
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        if file.is_dir() || folder.is_some_and(|folder| !folder.is_dir()) {
            return refuse("it is a folder, or its folder is not there; name another file");
        }
    }
    Ok(())
}

/// Writes the exports of a run, or of its repetitions. A void run has no lines of YCSB.
pub fn export(context: &Context, folder: &Path, exports: &[Export]) -> Result<(), Failure> {
    if exports.is_empty() {
        return Ok(());
    }
    let runs = Side::open(folder)?.runs;
    for Export { format, file } in exports {
        let wanted = Wanted { format: *format, table: "operations", step: None };
        if *format != ShowFormat::Ycsb {
            let text = written(&runs, &wanted, Style::default())?;
            output::write(context, file, kind(*format), &text)?;
            continue;
        }
        let whole = runs.iter().filter(|of| void::void(&of.run).is_none());
        let steps: Vec<_> =
            whole.flat_map(|of| of.run.steps.iter().map(move |step| (of, step))).collect();
        for (number, (of, step)) in (1..).zip(&steps) {
            let one = steps.len() == 1 || file == Path::new(STANDARD);
            let place = if one { file.clone() } else { numbered(file, number) };
            output::write(context, &place, &kinds::YCSB, &ycsb(&of.run, &of.folder, step)?)?;
        }
    }
    Ok(())
}

/// `out.02.txt` of `out.txt`.
fn numbered(file: &Path, number: usize) -> PathBuf {
    match file.extension() {
        Some(extension) => {
            file.with_extension(format!("{number:02}.{}", extension.to_string_lossy()))
        }
        None => file.with_extension(format!("{number:02}")),
    }
}
