//! The one list of the tables that the records of runs make: the section of the page that each
//! stands in. `hoap show --full` prints all, and any of them as CSV.

use super::checks::{audit, checks, checks_read};
use super::events::events;
use super::freshness::freshness;
use super::frontier::frontier;
use super::ingestion::{ingested, ingestion};
use super::observed::{observed, sources};
use super::search::{highest_rate, search};
use super::setup::{configuration, databases, machine, overview, setup};
use super::steps::{
    failures, interference, operations, query_detail, query_rates, throughput, transactions, waits,
};
use super::witness::{anomalies, witness};
use crate::format::table::Table;
use crate::run::Entry;

/// Makes a table, or several of a kind, from the records of runs.
type Make = fn(&[Entry<'_>]) -> Vec<Table>;

/// The section of what is shown with the operations, whose id on the page has the benchmark's words.
const MEASURED: &str = "measured";

/// All of them with their sections, in the order of the terminal.
const LIST: [(&str, Make); 27] = [
    ("search-section", |e| vec![highest_rate(e)]),
    ("search-section", |e| vec![search(e)]),
    ("result", |e| vec![overview(e)]),
    (MEASURED, |e| vec![throughput(e)]),
    (MEASURED, |e| vec![transactions(e)]),
    (MEASURED, |e| vec![operations(e)]),
    (MEASURED, |e| vec![waits(e)]),
    ("failures-section", |e| vec![failures(e)]),
    ("failures-section", |e| vec![events(e)]),
    (MEASURED, |e| vec![query_rates(e)]),
    (MEASURED, |e| vec![query_detail(e)]),
    (MEASURED, |e| vec![interference(e)]),
    ("frontier-section", |e| vec![frontier(e)]),
    ("freshness-section", |e| vec![freshness(e)]),
    ("ingestion-section", |e| vec![ingestion(e)]),
    ("ingestion-section", |e| vec![ingested(e)]),
    ("witness-section", |e| vec![witness(e)]),
    ("witness-section", |e| vec![anomalies(e)]),
    ("servers", observed),
    ("verification", |e| vec![checks(e)]),
    ("verification", |e| vec![checks_read(e)]),
    ("verification", |e| vec![audit(e)]),
    ("setup-section", |e| vec![databases(e)]),
    ("setup-section", |e| vec![configuration(e)]),
    ("setup-section", |e| vec![setup(e)]),
    ("setup-section", |e| vec![machine(e)]),
    ("setup-section", |e| vec![sources(e)]),
];

/// The tables of a section of the page that have rows.
pub fn of_section(section: &str, entries: &[Entry<'_>]) -> Vec<Table> {
    made(entries, |of| of == section)
}

/// The tables of these runs that have rows, for `hoap show`.
pub fn of_records(entries: &[Entry<'_>]) -> Vec<Table> {
    made(entries, |_| true)
}

fn made(entries: &[Entry<'_>], which: impl Fn(&str) -> bool) -> Vec<Table> {
    let listed = LIST.iter().filter(|(section, _)| which(section));
    listed.flat_map(|(_, make)| make(entries)).filter(|table| !table.rows.is_empty()).collect()
}
