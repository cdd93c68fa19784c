//! The page: one HTML file that needs no network, for one run or several side by side.
//!
//! Words and tables are made here and stand without JavaScript; the charts are drawn in the
//! reader's browser from one JSON block by the vendored libraries in `assets/vendor`.

mod around;
mod body;
mod card;
mod chart;
mod compared;
mod data;
mod figures;
mod frame;
mod frontier;
mod glossary;
pub mod live;
mod markup;
mod measured;
mod observed;
mod registry;
mod sections;
mod sizes;
mod verdicts;
mod witness;

use hoap_record::Remark;
use hoap_record::words::counted;

use crate::configurations::{Experiment, Report};
use crate::format::table::Table;
use crate::run::Entry;
use crate::run::Loaded;
use crate::run::again::again;
use crate::run::freshness;
use crate::run::remarks;
use crate::run::title::title;

pub use crate::run::figures::KeyFigure;
pub use body::{Body, Figure};
pub use chart::history::{Past, PastChange, PastRun};
pub use chart::shares::{Shares, SharesOf};
pub use frame::Frame;
pub use markup::escape;

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    /// The file.
    pub html: String,
    /// Every table in it, each under an id of its own.
    pub tables: Vec<Table>,
    /// What a reader of these runs side by side must know before the first number. The page begins
    /// with it.
    pub remarks: Vec<Remark>,
}

/// The page of these runs, each a configuration of its own, as HTML text.
pub fn html(runs: &[Loaded]) -> String {
    let page = page(&Report::of(runs));
    // Only prices can be wrong, and there are none.
    page.map(|page| page.html).unwrap_or_default()
}

/// The page of a report.
///
/// # Errors
/// Returns the errors of [`crate::prices::Priced::cost`].
pub fn page(report: &Report) -> hoap_record::Result<Page> {
    let runs = &report.named_runs();
    let entries: Vec<Entry<'_>> = runs.iter().map(Loaded::entry).collect();
    let title = match &report.experiment {
        Some(experiment) => marked(experiment),
        None => title(&entries),
    };
    let mut body = Body::new(runs);
    let experiment = report.experiment.as_ref();
    let mut joint = experiment.map(Experiment::remarks).unwrap_or_default();
    joint.extend(freshness::differences(&entries));
    let lines = remarks::lines(&joint, &entries);
    sections::write(&mut body, report, runs, &lines)?;
    let card = card::Card::of(&title, &lines, &entries, &body.tables);
    let description = card.words();
    if !entries.is_empty() {
        card.write(&mut body);
    }
    let frame = Frame {
        title: &title,
        description: &description,
        about: &origins(report, &entries),
        from: "the run folders",
    };
    let out = frame.around(&body);
    Ok(Page { html: out, tables: body.tables, remarks: joint })
}

/// When the runs were, and the command that repeats them, if it is one.
fn origins(report: &Report, entries: &[Entry<'_>]) -> Vec<String> {
    let moment = crate::tables::moment;
    let mut lines = Vec::new();
    let started = || entries.iter().map(|e| e.run.started.as_str());
    match (entries, started().min(), started().max()) {
        ([only], ..) => lines.push(crate::tables::origin(only.run)),
        (_, Some(first), Some(last)) => {
            let runs = entries.len();
            let of = counted(report.configurations.len(), "configuration", "configurations");
            let (first, last) = (moment(first), moment(last));
            // Of one day the day stands once.
            let last = match (first.split_once(' '), last.split_once(' ')) {
                (Some((day, _)), Some((other, time))) if day == other => time,
                _ => &last,
            };
            let first = first.trim_end_matches(" UTC");
            lines.push(format!("{runs} runs of {of}, started {first} to {last}"));
        }
        _ => {}
    }
    if let Some((first, others)) = entries.split_first()
        && !first.run.command.is_empty()
        && others.iter().all(|other| other.run.command == first.run.command)
    {
        lines.push(format!("again: {}", again(first.run)));
    }
    lines
}

/// The title of an experiment's page, with what it must not be shown without.
fn marked(experiment: &Experiment) -> String {
    let rehearsal = experiment.scale_down.map_or("", |_| ", REHEARSAL");
    format!("{}{rehearsal}", experiment.title)
}
