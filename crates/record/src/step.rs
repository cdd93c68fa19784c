//! The record of a step.

use std::collections::BTreeMap;

use hoap_data::words::counted;
use serde::{Deserialize, Serialize};

use crate::freshness::Freshness;
use crate::level::LevelChange;
use crate::machine::DriverUse;
use crate::observed::ObservedSeries;
use crate::percentile::Latency;

/// A step: a number of clients of each side that ran for a time or a number of operations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// From 1; the `NN` of `step-NN.hlog`.
    pub number: usize,
    /// The name, such as "4 tx, 1 query" or "16 clients, 5000/s".
    pub name: String,
    /// Transaction clients, or the clients of a workload with one side.
    pub tx_clients: usize,
    /// Clients of a workload with one side (YCSB, Pagination, JOIN), which are
    /// [`tx_clients`](Step::tx_clients) too; `None` if the workload has transactions and queries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<usize>,
    /// Query clients (streams).
    pub query_clients: usize,
    /// Start of the measured window, seconds since the run's start.
    pub start_seconds: f64,
    /// Seconds of warm-up before it.
    pub warmup_seconds: f64,
    /// Whether what was to end the warm-up was there when it ended: a level of throughput
    /// (`--warmup auto`) or a bound of a metric (`--warmup until:…`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warmup_settled: Option<bool>,
    /// Length of the measured window.
    pub seconds: f64,
    /// The cells of the step's time series, where each is more than one tick.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<Cells>,
    /// The start that was named for the step, if one was (`--start-at`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
    /// Of several drivers: how much later the measured window of the last of them began than that
    /// of the first, seconds. Their clocks are corrected where they were measured (`--meet`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_skew_seconds: Option<f64>,
    /// Why the step is incomplete, if it is.
    pub partial: Option<String>,
    /// The record of each kind of transaction.
    pub transactions: Vec<Operation>,
    /// The only kind of transaction that the step's headline counts. Absent if operations of all
    /// kinds count, and in folders older than this field, whose `tpm` counts "NewOrder".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
    /// Transactions of the headline's kind per minute over the measured window; NewOrders that were
    /// rolled back count beside committed ones (TPC-C 2.4.1.4). `None` without transaction clients,
    /// and if none committed.
    pub tpm: Option<f64>,
    /// The record of each query, in the order of their numbers.
    pub queries: Vec<Query>,
    /// Geometric mean of the mean response times of the 22 queries, seconds. `None` if incomplete.
    pub power_seconds: Option<f64>,
    /// 22 × 3600 / sum of the 22 means × streams. `None` if incomplete.
    pub queries_per_hour: Option<f64>,
    /// Why power and QpH are missing, if queries ran.
    pub incomplete: Option<String>,
    /// Open loop: "constant" or "poisson". This field and the next seven are `None` in a closed
    /// loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<String>,
    /// The intended rate, operations per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_intended: Option<f64>,
    /// Operations per second that began in the measured window, whatever their outcome and whenever
    /// they were due: more than intended, where the window began with a backlog. In a step of a
    /// number of operations they are taken over the time in which they began. Poisson arrivals
    /// scatter around the intended rate; [`intended_starts`](Step::intended_starts) is the number
    /// that was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_achieved: Option<f64>,
    /// Operations that were due in the measured window. Each has a response time, failed, was
    /// cancelled or is one of [`not_started`](Step::not_started).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intended_starts: Option<u64>,
    /// Operations that began in the measured window: [`rate_achieved`](Step::rate_achieved) times
    /// its length, or the time in which they began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<u64>,
    /// Operations that were due in the window and had not begun at the end of the grace period.
    /// They have no response times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_started: Option<u64>,
    /// Operations that were due before the measured window and had not begun when it began. They
    /// count for its throughput and have no response times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<u64>,
    /// Why the numbers are not those of the intended rate, if they are not: the rate was not
    /// reached, or the window began with a backlog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_shortfall: Option<String>,
    /// The longest time of the measured window without a successful transaction, also at its
    /// beginning and end. It is exact if it is longer than a twentieth of a second. Of several drivers it is a time in
    /// which none had one, and may be longer by two ticks; `None` where ticks do not show any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_gap: Option<Gap>,
    /// Times of the measured window in which the driver's process did not run, as a timer of its own
    /// tells that came at least 0.3 s late: at most [`MOST_STANDSTILLS`], in the order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standstills: Vec<Gap>,
    /// The freshness of the data that queries see, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freshness: Option<Freshness>,
    /// Counters of the database's driver over the measured window, if it has any: capacity
    /// consumed, requests throttled, … Name → amount. A request counts if its answer came within
    /// the window.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub usage: BTreeMap<String, f64>,
    /// What the driver's process and its machine took over the measured window. `None` where the
    /// system does not tell, and of several drivers, whose folders have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<DriverUse>,
    /// What the observed servers did in the measured window.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<ObservedSeries>,
    /// Open loop: the 99th percentile of how long after its time an operation began for which a
    /// client waited, microseconds. The delay is the driver's own. `None` of several drivers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_p99_us: Option<u64>,
    /// Closed loop: how the throughput of the transactions changed within the window, if it did.
    /// `None` of several drivers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<LevelChange>,
}

/// The kind that the headline counts in folders that do not say it.
const NEW_ORDER: &str = "NewOrder";

impl Step {
    /// The only kind of transaction that its headline counts; `None` if it counts operations of all
    /// kinds.
    pub fn headline(&self) -> Option<&str> {
        self.clients.is_none().then(|| self.headline.as_deref().unwrap_or(NEW_ORDER))
    }

    /// Whether its headline counts this kind of operation.
    pub fn counts(&self, kind: &str) -> bool {
        self.headline().is_none_or(|headline| headline == kind)
    }

    /// By Little's law the clients at work on operations that count: throughput × mean response
    /// time, of all kinds together. They are all of [`tx_clients`](Step::tx_clients) but for the
    /// time that went to operations that failed, pauses after these, think times, and the driver
    /// between operations. `None` in an open loop, whose clients wait until an operation is due, and
    /// if nothing succeeded.
    pub fn clients_at_work(&self) -> Option<f64> {
        let busy = |operation: &Operation| {
            Some(operation.per_second * operation.response()?.mean_us / 1e6)
        };
        let sum: f64 = self.transactions.iter().filter_map(busy).sum();
        (self.rate_intended.is_none() && sum > 0.0).then_some(sum)
    }
}

/// The cells of a time series of many ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cells {
    /// Ticks of a cell, a power of two. The last cell of a phase may have fewer.
    pub ticks: u64,
    /// The length of so many ticks.
    pub seconds: f64,
}

/// The start that was named for a step. Its clients were connected before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The time by this machine's clock (RFC 3339).
    pub at: String,
    /// How much later the clients began, seconds.
    pub late_seconds: f64,
}

/// A time without a success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// When it began, seconds since the run's start.
    pub from_seconds: f64,
    /// How long it was.
    pub seconds: f64,
}

/// The most [`Step::standstills`].
pub const MOST_STANDSTILLS: usize = 100;

/// The [`MOST_STANDSTILLS`] longest of these, in the order of time.
pub fn longest(mut gaps: Vec<Gap>) -> Vec<Gap> {
    gaps.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    gaps.truncate(MOST_STANDSTILLS);
    gaps.sort_by(|a, b| a.from_seconds.total_cmp(&b.from_seconds));
    gaps
}

/// The record of one kind of transaction over the measured window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// "NewOrder", …
    pub kind: String,
    /// Successes that ended in the measured window, rolled-back ones included; in a step of a
    /// number of operations, those that began in it.
    pub count: u64,
    /// [`count`](Operation::count) per second of the measured window.
    pub per_second: f64,
    /// Operations that the response times are of: in a closed loop those that count and those in
    /// flight at the end of the window; in an open loop those that were due in the window and
    /// succeeded or were in flight at its end.
    pub timed: u64,
    /// Those of them whose response time is a lower bound: they were in flight at the end of the
    /// window and later failed or were cancelled. They took at least as long as they ran.
    pub at_least: u64,
    /// Operations in flight at the end of the measured window, whatever their outcome.
    pub unfinished: u64,
    /// How long the oldest of them had run by then, microseconds, in an open loop since it was due.
    pub oldest_us: u64,
    /// The longest response time of an operation that ended in the window, microseconds. If it is
    /// shorter than [`oldest_us`](Operation::oldest_us), the window ended in the longest stall of
    /// the step.
    pub longest_ended_us: u64,
    /// Successes that rolled back as the benchmark requires.
    pub rolled_back: u64,
    /// Those of [`count`](Operation::count) that found nothing: no record, key or row.
    #[serde(default)]
    pub empty: u64,
    /// Retries of transactions.
    pub retries: u64,
    /// Failed transactions by kind of error ([`ErrorKind::name`](crate::ErrorKind::name)).
    pub failures: BTreeMap<String, u64>,
    /// The message of the first error of each kind.
    pub first_errors: BTreeMap<String, String>,
    /// Response times of the [`timed`](Operation::timed) operations, retries included. In an open
    /// loop they begin when the operation was due, so they are the sum of wait and service.
    pub latency: Latency,
    /// Open loop: from the actual start to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Latency>,
    /// Open loop: from the scheduled start to the actual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Latency>,
}

impl Operation {
    /// Those that were given up.
    pub fn failed(&self) -> u64 {
        self.failures.values().fold(0, |all, more| all.saturating_add(*more))
    }

    /// Successes that ended in the measured window and were not rolled back.
    pub fn committed(&self) -> u64 {
        self.count.saturating_sub(self.rolled_back)
    }

    /// The response times, where an operation succeeded. Those of no success are lower bounds of
    /// what was given up, and times of what was rolled back.
    pub fn response(&self) -> Option<&Latency> {
        let succeeded = match self.count {
            0 => self.timed > self.at_least,
            _ => self.timed > 0 && self.committed() > 0,
        };
        succeeded.then_some(&self.latency)
    }
}

/// One query over the measured loops.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// "Q01" … "Q22".
    pub kind: String,
    /// Measured executions that succeeded.
    pub count: u64,
    /// The mean response time of these and of the [`at_least`](Query::at_least) ones.
    pub mean_seconds: Option<f64>,
    /// The shortest response time.
    pub min_seconds: Option<f64>,
    /// The longest response time, of both.
    pub max_seconds: Option<f64>,
    /// Executions in flight at the end of the measured window that would have counted.
    pub unfinished: u64,
    /// How long the oldest of them had run by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_seconds: Option<f64>,
    /// Unfinished executions that ran longer than the slowest success. Their times are part of mean
    /// and maximum, which are then lower bounds.
    pub at_least: u64,
    /// Those of [`count`](Query::count) whose answer had no row.
    #[serde(default)]
    pub empty: u64,
    /// Measured executions that failed.
    pub failed: u64,
    /// The message of the first failure.
    pub error: Option<String>,
}

/// How fast the queries of a step were, all of them together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// [`Step::power_seconds`].
    pub power_seconds: f64,
    /// [`Step::queries_per_hour`].
    pub queries_per_hour: f64,
}

impl Score {
    /// The score of queries with these mean response times, seconds, in so many streams. `None` of
    /// no query.
    pub fn of(means: &[f64], streams: usize) -> Option<Score> {
        if means.is_empty() {
            return None;
        }
        let number = means.len() as f64;
        // A clock may measure zero for a fast query, which has no logarithm.
        let logarithms: f64 = means.iter().map(|mean| mean.max(1e-9).ln()).sum();
        let sum: f64 = means.iter().sum();
        Some(Score {
            power_seconds: (logarithms / number).exp(),
            queries_per_hour: number * 3600.0 / sum.max(1e-9) * streams as f64,
        })
    }
}

/// The name of a step: "4 tx, 1 query", "16 clients, 5000/s". `query_clients` is `None` for a
/// workload with one side, `rate` in a closed loop.
pub fn step_name(tx_clients: usize, query_clients: Option<usize>, rate: Option<f64>) -> String {
    let clients = match query_clients {
        None => counted(tx_clients, "client", "clients"),
        Some(queries) => {
            format!("{tx_clients} tx, {}", counted(queries, "query", "queries"))
        }
    };
    match rate {
        None => clients,
        // A search tries rates with many digits. The name shows few of them.
        Some(rate) if rate >= 100.0 => format!("{clients}, {rate:.0}/s"),
        Some(rate) => format!("{clients}, {}/s", (rate * 100.0).round() / 100.0),
    }
}
