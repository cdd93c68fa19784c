//! What a step of a run measured.

use std::collections::BTreeMap;

use hoap_data::words::counted;
use serde::{Deserialize, Serialize};

use crate::freshness::Freshness;
use crate::percentile::Latency;

/// A step: a number of clients of each side for a while.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// From 1; the `NN` of `step-NN.hlog`.
    pub number: usize,
    /// Such as "4 tx, 1 query", "16 clients, 5000/s".
    pub name: String,
    /// Transaction clients, or those of a workload without two sides.
    pub tx_clients: usize,
    /// Clients of a workload without two sides (YCSB, Pagination, JOIN), which are
    /// [`tx_clients`](Step::tx_clients) too; `None` where the clients are of transactions and queries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<usize>,
    /// Query clients (streams).
    pub query_clients: usize,
    /// Start of the measured window, seconds since the run's start.
    pub start_seconds: f64,
    /// Seconds of warm-up before it.
    pub warmup_seconds: f64,
    /// Length of the measured window.
    pub seconds: f64,
    /// Why the step is not whole, if it is not.
    pub partial: Option<String>,
    /// A line for each kind of transaction.
    pub transactions: Vec<Operation>,
    /// NewOrder transactions per minute over the measured window; rolled-back ones count
    /// (TPC-C 2.4.1.4). `None` without transaction clients.
    pub tpm: Option<f64>,
    /// A line for each query, in the order of their numbers.
    pub queries: Vec<Query>,
    /// Geometric mean of the mean response times of the 22, seconds. `None` where incomplete.
    pub power_seconds: Option<f64>,
    /// 22 × 3600 / sum of the 22 means × streams. `None` where incomplete.
    pub queries_per_hour: Option<f64>,
    /// Why power and QpH are missing, if queries ran and they are.
    pub incomplete: Option<String>,
    /// Open loop: "constant" or "poisson". This and what follows is `None` in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<String>,
    /// Operations per second that were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_intended: Option<f64>,
    /// Operations per second that began in the measured window, whatever became of them and whenever
    /// they were due. Poisson arrivals scatter around the intended rate;
    /// [`intended_starts`](Step::intended_starts) has what was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_achieved: Option<f64>,
    /// Operations that were due in the measured window. Each has a response time, is a failure, was cut
    /// off or is one of [`not_started`](Step::not_started).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intended_starts: Option<u64>,
    /// Operations that began in the measured window: [`rate_achieved`](Step::rate_achieved) times its
    /// length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<u64>,
    /// Of those due in the window, the ones that had not begun at the end of the step, when the time of
    /// grace had passed. Their response times are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_started: Option<u64>,
    /// Operations that were due before the measured window and had not begun when it began. They are
    /// part of its throughput and of none of its response times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<u64>,
    /// Why the numbers are not those of the intended rate, if they are not: it was not reached, or the
    /// window began with a backlog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_shortfall: Option<String>,
    /// The longest time of the measured window without a success of a transaction, also at its beginning and
    /// end, where it is longer than a tick.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_gap: Option<Gap>,
    /// How old what the queries see was, where that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freshness: Option<Freshness>,
    /// What the database's driver counted within the measured window, where it counts anything: capacity
    /// consumed, requests throttled, … Name → amount. A request counts where its answer came within it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub usage: BTreeMap<String, f64>,
}

/// A time in which nothing succeeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// When it began, seconds since the run's start.
    pub from_seconds: f64,
    /// How long it was.
    pub seconds: f64,
}

/// What happened to one kind of transaction within the measured window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// "NewOrder", …
    pub kind: String,
    /// Successes that ended in the measured window, rolled-back ones included; of a step of a number of
    /// operations, those that began in it.
    pub count: u64,
    /// [`count`](Operation::count) per second of the measured window.
    pub per_second: f64,
    /// Operations that the response times are of: in a closed loop those counted and those in flight at the
    /// end of the window, in an open loop those that were due in the window and have succeeded or were
    /// in flight at its end.
    pub timed: u64,
    /// Of those, the ones whose response time is a lower bound: they were in flight at the end of the window
    /// and failed or were cut off later. They took at least as long as they ran.
    #[serde(default)]
    pub at_least: u64,
    /// Operations in flight at the end of the measured window, however they ended.
    #[serde(default)]
    pub unfinished: u64,
    /// How long the oldest of them had run by then, microseconds, in an open loop since it was due.
    #[serde(default)]
    pub oldest_us: u64,
    /// The longest response time of those that ended in the window, microseconds. Where it is shorter
    /// than [`oldest_us`](Operation::oldest_us), the window ended in the longest stall that was seen.
    #[serde(default)]
    pub longest_ended_us: u64,
    /// Of the successes, those that rolled back as the benchmark wants.
    pub rolled_back: u64,
    /// Times a transaction was begun again.
    pub retries: u64,
    /// Transactions given up, by kind of error.
    pub failures: BTreeMap<String, u64>,
    /// The first error of each kind, in words.
    pub first_errors: BTreeMap<String, String>,
    /// Response times of the [`timed`](Operation::timed), retries included. In an open loop they begin
    /// when the operation was due, so they are wait and service together.
    pub latency: Latency,
    /// Open loop: from the actual start to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Latency>,
    /// Open loop: from the intended start to the actual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Latency>,
}

/// One query over the measured loops.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// "Q01" … "Q22".
    pub kind: String,
    /// Measured executions that succeeded.
    pub count: u64,
    /// The mean response time of these and of the [`at_least`](Query::at_least).
    pub mean_seconds: Option<f64>,
    /// The fastest.
    pub min_seconds: Option<f64>,
    /// The slowest of both.
    pub max_seconds: Option<f64>,
    /// Executions in flight at the end of the measured window that it would have counted.
    #[serde(default)]
    pub unfinished: u64,
    /// How long the oldest of them had run by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_seconds: Option<f64>,
    /// Of the unfinished, those that ran longer than the slowest that succeeded. The time that they ran
    /// is part of mean and maximum, which are lower bounds then.
    #[serde(default)]
    pub at_least: u64,
    /// Measured executions that failed.
    pub failed: u64,
    /// The first failure, in words.
    pub error: Option<String>,
}

/// What a step is called: "4 tx, 1 query", "16 clients, 5000/s". `query_clients` is `None` for a workload without two
/// sides, `rate` in a closed loop.
pub fn step_name(tx_clients: usize, query_clients: Option<usize>, rate: Option<f64>) -> String {
    let clients = match query_clients {
        None => counted(tx_clients, "client", "clients"),
        Some(queries) => {
            format!("{tx_clients} tx, {}", counted(queries, "query", "queries"))
        }
    };
    match rate {
        None => clients,
        // A search draws rates with many digits; a name needs few of them.
        Some(rate) if rate >= 100.0 => format!("{clients}, {rate:.0}/s"),
        Some(rate) => format!("{clients}, {}/s", (rate * 100.0).round() / 100.0),
    }
}
