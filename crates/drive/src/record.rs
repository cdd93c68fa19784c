//! The run folder: what a run leaves behind, and all that a report may look at.
//!
//! | file | content |
//! |---|---|
//! | `run.json` | [`Run`]: version, full configuration, seeds, host, databases, steps, checks |
//! | `samples.csv` | time series, a row for each tick, step and kind of operation |
//! | `step-NN.hlog` | HdrHistogram interval log (V2, compressed) of the step's measured window and of what ended after it ([`GRACE`]), an interval for each tick and kind, tagged with the kind, in an open loop also with `KIND:service` and `KIND:wait`, and with [`FRESHNESS`]; latencies in µs |
//! | `queries.csv` | every execution of a query |
//! | `answers/qNN.json` | answers, where they were asked for |
//!
//! Units are part of the names: `_seconds`, `_us` (microseconds). Times of day are RFC 3339, UTC.

use std::collections::BTreeMap;

use hoap_workload::capability::Description;
pub use hoap_workload::check::{AuditLine, Check, Verdict};
use serde::{Deserialize, Serialize};

use crate::search::Search;

/// The version of this format. It moves when a field changes its meaning or goes away.
pub const FORMAT: u32 = 2;

/// `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// [`FORMAT`].
    pub format: u32,
    /// Version of `hoap` that ran.
    pub hoap: String,
    /// "ch2", "ch2pp", "ycsb-a", "ycsb-custom: …", "pagination", "join": what the run did.
    pub benchmark: String,
    /// The command line, without secrets.
    pub command: Vec<String>,
    /// When it started (RFC 3339).
    pub started: String,
    /// How long it took in all, loading excluded.
    pub seconds: f64,
    /// Why it is only a part of what was asked for ("interrupted after step 2 of 8"), if it is.
    pub partial: Option<String>,
    /// What every reader must know before the first number, such as "scaled down by 20: not a
    /// CH2++ result".
    pub warnings: Vec<String>,
    /// What was asked for, name → value: every flag, with its default where it was not given.
    pub configuration: BTreeMap<String, serde_json::Value>,
    /// The data set: version, warehouses, seed, run date, extra fields, scale-down, as JSON.
    pub data: serde_json::Value,
    /// Constants and seeds of the run (NURand's C of load and run, run seed, query parameters).
    pub constants: serde_json::Value,
    /// The database of the transactions.
    pub operational: Option<Description>,
    /// The database of the queries, where it is another one.
    pub analytical: Option<Description>,
    /// Where the database of the transactions has none and `--allow-non-transactional` was given: what its
    /// transactions could not promise. Every tpM of the run is that of no transactions then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub non_transactional: Option<String>,
    /// The machine the driver ran on.
    pub host: Host,
    /// "naive" or "tuned", where queries ran.
    pub query_set: Option<String>,
    /// The load that made the data, where this command did it or the database's note tells.
    pub load: Option<Load>,
    /// The steps in the order they ran.
    pub steps: Vec<Step>,
    /// Consistency conditions, ledger and answers, before and after.
    pub checks: Vec<Check>,
    /// Audit of the mix (TPC-C 9.2).
    pub audit: Vec<AuditLine>,
    /// The search for the highest rate, where this was one: its probes are the steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// What went wrong and when, in the order in which it began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// How long the database of the queries took to hold what that of the transactions held, where they
    /// are two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catch_up: Option<CatchUp>,
    /// The error that ended the run, where `--on-error` told it to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<String>,
    /// Which of several repetitions this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetition: Option<Repetition>,
    /// The driver machines whose runs `hoap merge` made this one of. [`host`](Run::host) is then the first
    /// one's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drivers: Vec<Driver>,
}

/// A burst of failures of one kind on one side: those with less than three seconds between them.
/// Where a step has more than 200, those closer than six seconds are one, and so on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Number of the step.
    pub step: usize,
    /// When the first of them ended, seconds since the run's start.
    pub from_seconds: f64,
    /// When the last of them ended.
    pub to_seconds: f64,
    /// "transactions", "queries", "operations" (of a workload without two sides), "freshness" (the
    /// probe).
    pub side: String,
    /// The kind of error: "unavailable", "ambiguous commit", …
    pub what: String,
    /// How many operations failed so, those of the warm-up included.
    pub count: u64,
    /// The first error in words.
    pub first: String,
}

/// How long the database of the queries took to catch up with that of the transactions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CatchUp {
    /// Before the first step: seconds until it held the same data and, where freshness is measured, a
    /// mark that was committed then.
    pub before_seconds: f64,
    /// After the last step: seconds until it showed the last acknowledged transaction of every client.
    /// `None` where freshness is not measured or it never did.
    pub after_seconds: Option<f64>,
}

/// How old what the queries see is, over the probes that began in the measured window
/// (spec ch2 §7). Every age is that at the beginning of its probe; a commit that was acknowledged
/// later does not count for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Freshness {
    /// Time from the beginning of a probe to that of the next one, unless it takes longer.
    pub every_seconds: f64,
    /// Probes that were answered.
    pub probes: u64,
    /// Probes that failed. [`Run::events`] has the errors.
    pub failed: u64,
    /// Of the probes, those that saw every acknowledged commit.
    pub all_seen: u64,
    /// The headline: age of the oldest acknowledged commit that the queries cannot see, 0 where they
    /// see all.
    pub unseen: Latency,
    /// Age of the newest acknowledged commit that the queries can see.
    pub newest_seen: Latency,
    /// How long the probes took.
    pub took: Latency,
}

/// One of several runs of the same configuration, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repetition {
    /// From 1.
    pub number: usize,
    /// How many there were to be.
    pub of: usize,
}

/// A driver machine of a merged run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Driver {
    /// The name of its run folder.
    pub name: String,
    /// Its command line.
    pub command: Vec<String>,
    /// When its run started (RFC 3339), by its own clock.
    pub started: String,
    /// How long that was after the start of the merged run, which is that of the earliest.
    pub offset_seconds: f64,
    /// How long its run took.
    pub seconds: f64,
    /// What it was asked for.
    pub configuration: BTreeMap<String, serde_json::Value>,
    /// The machine.
    pub host: Host,
}

/// The machine the driver ran on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Operating system and architecture.
    pub system: String,
    /// Processor as it names itself.
    pub processor: String,
    /// Processors the driver may use.
    pub cores: usize,
    /// Memory in bytes.
    pub memory_bytes: u64,
}

/// How the data came in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Documents written.
    pub documents: u64,
    /// Bytes of JSON text.
    pub bytes: u64,
    /// Seconds until everything was durable and indexed.
    pub seconds: f64,
}

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

/// The phase under which `samples.csv` has what counts for the measured window and ended after it: what was
/// in flight at the end, and in an open loop also what was due in the window and began later. There is one
/// such row for a kind of operation at most.
pub const GRACE: &str = "grace";

/// The kind under which `samples.csv` and the interval logs have the ages of [`Freshness::unseen`]:
/// there they stand in place of response times, and a probe is an operation.
pub const FRESHNESS: &str = "freshness";

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

/// Response times in microseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Latency {
    pub mean_us: f64,
    pub p50_us: u64,
    pub p90_us: u64,
    pub p95_us: u64,
    pub p99_us: u64,
    pub p999_us: u64,
    pub max_us: u64,
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

/// A row of `samples.csv`. Every tick has a row for every kind of its step, with zeros where nothing ended.
///
/// The counts of a step's "measured" rows add up to those of [`Operation`] and [`Query`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Number of the step.
    pub step: usize,
    /// "warmup", "measured" or [`GRACE`]; for queries the phase in which they started.
    pub phase: String,
    /// End of the tick, seconds since the run's start.
    pub at_seconds: f64,
    /// Length of the tick: the last one of a phase may be shorter. A rate is `count / seconds`.
    pub seconds: f64,
    /// Kind of operation: "NewOrder", "Q01", …, or [`FRESHNESS`].
    pub kind: String,
    /// Successes in the tick.
    pub count: u64,
    /// Failures in the tick.
    pub failed: u64,
    /// Begun again in the tick.
    pub retries: u64,
    /// Response times of what ended in the tick and has one, see [`Operation::timed`]: their mean.
    pub mean_us: f64,
    /// Their median.
    pub p50_us: u64,
    /// Their 99th percentile.
    pub p99_us: u64,
    /// The longest of them.
    pub max_us: u64,
}

/// A row of `queries.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// Number of the step.
    pub step: usize,
    /// "warmup", "measured", "unfinished" (in flight at the end of the window, see
    /// [`Query::unfinished`]), or one of two that count nowhere: "extra" (it kept up the load after its
    /// client's last measured loop) and "cancelled" (the end of the step cut such a one off).
    pub phase: String,
    /// Number of the query client, from 0.
    pub stream: usize,
    /// Loop of that client in this step, from 0, warm-up loops included.
    pub r#loop: usize,
    /// "Q01" … "Q22".
    pub query: String,
    /// Start, seconds since the run's start.
    pub start_seconds: f64,
    /// How long it took, to the nanosecond: power and QpH can be computed again from these.
    pub seconds: f64,
    /// Rows in the answer.
    pub rows: u64,
    /// Empty on success, else the error in words.
    pub error: String,
}
