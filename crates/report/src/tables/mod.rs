//! Every table of a report, declared once for terminal, page and CSV.

mod checks;
mod series;
mod setup;
mod steps;

pub use checks::{audit, checks, groups};
pub use series::{percentiles, ticks};
pub use setup::{configuration, databases, moment, overview, setup};
pub use steps::{
    failures, isolation, operations, query_detail, query_rates, query_times, transactions,
};

use hoap_drive::record::{Run, Step};

use crate::Loaded;
use crate::table::{Sheet, Table};

/// A run under the name it has in this report.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Its name, unique among the runs of the report.
    pub name: &'a str,
    /// What it recorded.
    pub run: &'a Run,
}

/// "CH2" and "CH2++" for the names the command line uses.
pub fn benchmark_title(name: &str) -> &str {
    match name {
        "ch2" => "CH2",
        "ch2pp" => "CH2++",
        other => other,
    }
}

/// The step's name with its mark, if it is not whole.
pub fn step_name(step: &Step) -> String {
    match step.partial {
        Some(_) => format!("{} (partial)", step.name),
        None => step.name.clone(),
    }
}

/// Every table of one run, for files that machines read: their ids make the names of the files.
pub fn all(loaded: &Loaded) -> Vec<Table> {
    let entries = [loaded.entry()];
    vec![
        overview(&entries),
        transactions(&entries),
        isolation(&entries),
        operations(&entries),
        failures(&entries),
        query_rates(&entries),
        query_times(entries[0]),
        query_detail(&entries),
        ticks(loaded),
        percentiles(loaded),
        checks(&entries),
        audit(&entries),
        databases(&entries),
        configuration(&entries),
        setup(&entries),
    ]
}

/// An item that belongs to a run.
struct Of<'a, T> {
    name: &'a str,
    item: T,
}

/// A sheet with a leading column for the run's name where there are several.
fn sheet<'a, T: 'a>(entries: &[Entry<'_>], id: &str, title: &str) -> Sheet<'a, Of<'a, T>> {
    Sheet::new(id, title)
        .when(entries.len() > 1, |s| s.text("run", |of: &Of<'a, T>| of.name.to_string()))
}

/// Each run's items, in order.
fn items<'a, T>(entries: &[Entry<'a>], list: impl Fn(&'a Run) -> Vec<T>) -> Vec<Of<'a, T>> {
    entries
        .iter()
        .flat_map(|e| list(e.run).into_iter().map(|item| Of { name: e.name, item }))
        .collect()
}
