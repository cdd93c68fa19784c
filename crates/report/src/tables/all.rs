//! The tables of one run.

use super::checks::{audit, checks, checks_read};
use super::events::events;
use super::freshness::freshness;
use super::frontier::{frontier, frontier_steps};
use super::ingestion::{ingested, ingestion};
use super::observed::{observed, observed_over_time, sources};
use super::search::{highest_rate, search};
use super::series::{machine_over_time, percentiles, ticks};
use super::setup::{configuration, databases, machine, overview, setup};
use super::steps::{
    failures, isolation, operations, query_detail, query_rates, query_times, throughput,
    transactions, waits,
};
use super::witness::{anomalies, witness};
use crate::format::table::Table;
use crate::run::measure::Measure;
use crate::run::observed::Class;
use crate::run::{Entry, Loaded};

/// The tables of these runs that their records alone make and that have rows, for `hoap show`.
pub fn of_records(entries: &[Entry<'_>]) -> Vec<Table> {
    let all = [
        operations(entries),
        throughput(entries),
        transactions(entries),
        waits(entries),
        query_rates(entries),
        query_detail(entries),
        isolation(entries),
        frontier(entries),
        search(entries),
        freshness(entries),
        ingestion(entries),
        ingested(entries),
        witness(entries),
        anomalies(entries),
        events(entries),
        failures(entries),
        audit(entries, |_| true),
        checks(entries),
        checks_read(entries),
        databases(entries),
        configuration(entries),
        setup(entries),
        machine(entries),
        sources(entries),
    ];
    all.into_iter().chain(observed(entries)).filter(|table| !table.rows.is_empty()).collect()
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
            audit(&entries, |_| true),
        ],
        Measure::Plain => vec![operations(&entries)],
    };
    let some = [
        throughput(&entries),
        frontier(&entries),
        frontier_steps(&entries),
        waits(&entries),
        search(&entries),
        freshness(&entries),
        ingestion(&entries),
        ingested(&entries),
        witness(&entries),
        anomalies(&entries),
        events(&entries),
        checks_read(&entries),
        machine_over_time(loaded),
        machine(&entries),
        sources(&entries),
    ];
    let over_time = Class::ALL.map(|class| observed_over_time(loaded, class));
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
        .chain(some.into_iter().chain(over_time).filter(|table| !table.rows.is_empty()))
        .chain(observed(&entries))
        .chain(measured)
        .chain(whatever_it_measures)
        .collect()
}
