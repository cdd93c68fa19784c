//! Every table of a report, declared once for terminal, page and CSV.

mod checks;
mod configurations;
mod costs;
mod events;
mod freshness;
mod published;
mod search;
mod series;
mod setup;
mod steps;

pub use checks::{audit, checks, groups};
pub use configurations::{
    Failed, PERCENTILES, Percentile, cluster_sizes, failed, failed_shares, kinds,
    latency_by_configuration, power_by_configuration, queries_by_configuration, query_mean,
    shared_query_places, summary_by_configuration, throughput_by_configuration,
};
pub use costs::{Costed, cost_lines, cost_notes, cost_table, costs};
pub use events::{event_lines, events};
pub use freshness::{caught_up, freshness};
pub use published::{by_nodes, of_benchmark, published};
pub use search::{highest_rate, search};
pub use series::{percentiles, ticks};
pub use setup::{configuration, databases, moment, overview, setup};
pub use steps::{
    failures, failures_in_short, isolation, operations, query_detail, query_rates, query_times,
    throughput, transactions, waits,
};

use hoap_record::{Run, Step};

use crate::Loaded;
use crate::measure::Measure;
use crate::table::{Sheet, Table};

/// A run under the name it has in this report.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Its name, unique among the runs of the report.
    pub name: &'a str,
    /// What it recorded.
    pub run: &'a Run,
}

/// How people write the names that run folders have: "CH2++", "YCSB A", "YCSB E (update)", "YCSB custom: 100 %
/// read, uniform".
pub fn benchmark_title(name: &str) -> String {
    match name {
        "ch2" => "CH2".to_string(),
        "ch2pp" => "CH2++".to_string(),
        "pagination" => "Pagination".to_string(),
        "join" => "JOIN".to_string(),
        other => match other.strip_prefix("ycsb-") {
            Some(custom) if custom.starts_with("custom: ") => format!("YCSB {custom}"),
            Some(workload) => ycsb_title(workload),
            None => other.to_string(),
        },
    }
}

/// "a" is "YCSB A", "e-update" is "YCSB E (update)".
fn ycsb_title(workload: &str) -> String {
    let (letter, variant) = workload.split_once('-').unwrap_or((workload, ""));
    let letter = letter.to_uppercase();
    if variant.is_empty() { format!("YCSB {letter}") } else { format!("YCSB {letter} ({variant})") }
}

/// What runs of one benchmark measure.
fn measure_of(entries: &[Entry<'_>]) -> Measure {
    entries.first().map_or(Measure::Hybrid, |e| Measure::of(e.run))
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
    let measured = match loaded.measure() {
        Measure::Hybrid => vec![
            transactions(&entries),
            isolation(&entries),
            operations(&entries),
            query_rates(&entries),
            query_times(entries[0]),
            query_detail(&entries),
            audit(&entries),
        ],
        Measure::Plain => vec![operations(&entries)],
    };
    let some = [
        throughput(&entries),
        waits(&entries),
        search(&entries),
        freshness(&entries),
        events(&entries),
    ];
    let whatever_it_measures = [
        failures(&entries),
        ticks(loaded),
        percentiles(loaded),
        checks(&entries),
        databases(&entries),
        configuration(&entries),
        setup(&entries),
    ];
    let answer = [highest_rate(&entries)].into_iter().filter(|table| !table.rows.is_empty());
    answer
        .chain([overview(&entries)])
        .chain(some.into_iter().filter(|table| !table.rows.is_empty()))
        .chain(measured)
        .chain(whatever_it_measures)
        .collect()
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
