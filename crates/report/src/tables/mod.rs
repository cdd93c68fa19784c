//! Every table of a report. The terminal, the page and the CSV files print the same ones.

mod by_run;
mod checks;
mod configurations;
mod costs;
mod events;
mod freshness;
mod frontier;
mod ingestion;
mod list;
mod observed;
mod published;
mod search;
mod series;
mod setup;
mod short;
mod steps;
mod witness;

pub use crate::run::Entry;
pub use checks::{audit, checks, checks_read, groups};
pub use configurations::{
    Failed, TimeOf, cluster_sizes, failed, failed_shares, kinds, latency_by_configuration,
    power_by_configuration, queries_by_configuration, query_mean, shared_query_places,
    summary_by_configuration, throughput_by_configuration,
};
pub use costs::{Costed, cost_lines, cost_notes, cost_table, costs};
pub use events::events;
pub use freshness::{caught_up, freshness};
pub use frontier::{frontier, frontier_steps, unseen};
pub use ingestion::{ingested, ingestion};
pub use list::{of_records, of_section};
pub use observed::{observed, observed_over_time, sources};
pub use published::{by_nodes, claims, of_benchmark, published, published_settings};
pub use search::{highest_rate, search};
pub use series::{heat, machine_over_time, percentiles, ticks};
pub use setup::{configuration, databases, machine, moment, origin, overview, setup};
pub use short::in_short;
pub use steps::{
    failures, interference, operations, query_detail, query_rates, query_times, throughput,
    transactions, waits,
};
pub use witness::{anomalies, witness};
