//! `run.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::check::{AuditLine, Check, ChecksRead};
use crate::description::Description;
use crate::freshness::CatchUp;
use crate::ingestion::Ingestion;
use crate::observed::ObservedSource;
use crate::remark::Remark;
use crate::search::Search;
use crate::step::Step;
use crate::stored::Stored;
use crate::witness::Witness;

/// The version of this format. It changes when a field changes its meaning or is removed.
pub const FORMAT: u32 = 3;

/// `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// [`FORMAT`].
    pub format: u32,
    /// Version of `hoap` that ran.
    pub hoap: String,
    /// "ch2", "ch2pp", "ycsb-a", "ycsb-custom: …", "pagination", "join": what the run did.
    pub benchmark: String,
    /// How people write that: "CH2++", "YCSB A". Absent if it is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The only kind of transaction that the headline of a step counts, [`Step::tpm`]. Absent if
    /// operations of all kinds count, per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
    /// The command line, without secrets.
    pub command: Vec<String>,
    /// What it is known by, name → value: "commit", "branch", "testbed", "by" (who ran it), and
    /// whatever else the user says.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// When it started (RFC 3339).
    pub started: String,
    /// How long it took, without loading.
    pub seconds: f64,
    /// Why it is incomplete ("interrupted after step 2 of 8"), if it is.
    pub partial: Option<String>,
    /// What every reader must know before the first number, beside what the other fields tell.
    pub remarks: Vec<Remark>,
    /// The configuration, name → value: every flag, with its default if it was not given.
    pub configuration: BTreeMap<String, serde_json::Value>,
    /// The data set: version, warehouses, seed, run date, extra fields, scale-down, as JSON.
    pub data: serde_json::Value,
    /// Constants and seeds of the run (NURand's C of load and run, run seed, query parameters).
    pub constants: serde_json::Value,
    /// The database of the transactions.
    pub operational: Option<Description>,
    /// The database of the queries, if it is another one.
    pub analytical: Option<Description>,
    /// The shortest time that it took to connect to a server of a database, microseconds, by its
    /// side: "operational", "analytical". None of a database without a port.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub round_trip_us: BTreeMap<String, u64>,
    /// The machine the driver ran on.
    pub host: Host,
    /// This machine's clock held against that of `hoap gather`, if drivers met there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// "naive" or "tuned", if queries ran.
    pub query_set: Option<String>,
    /// The load that made the data, if this command did it or the note in the database tells.
    pub load: Option<Load>,
    /// The steps in the order they ran.
    pub steps: Vec<Step>,
    /// Checks of consistency conditions, ledger and answers, before and after the run.
    pub checks: Vec<Check>,
    /// What they read through this program, where they counted it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks_read: Vec<ChecksRead>,
    /// The digest (XXH3, 128 bits) of the `ledger.json` that it left, if it left one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<String>,
    /// Audit of the mix (TPC-C 9.2).
    pub audit: Vec<AuditLine>,
    /// What the witness transactions show of the isolation, if there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
    /// The search for the highest rate, if the run was one. Its probes are the steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// Failures as events, in the order in which they began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// What was observed beside the load (`--observe`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<ObservedSource>,
    /// How long the database of the queries took to catch up with the database of the transactions,
    /// if they are two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catch_up: Option<CatchUp>,
    /// The error that ended the run according to `--on-error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<String>,
    /// Which of several repetitions this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetition: Option<Repetition>,
    /// The driver machines whose runs `hoap merge` combined into this one. [`host`](Run::host) is
    /// then that of the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drivers: Vec<Driver>,
}

impl Run {
    /// What people call what it did.
    pub fn title(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.benchmark)
    }

    /// The steps that the run was asked for, without the probes of a search: a search ends by
    /// exceeding what the database can do.
    pub fn planned_steps(&self) -> &[Step] {
        let probes = self.search.as_ref().map_or(0, |search| search.probes.len());
        &self.steps[..self.steps.len().saturating_sub(probes)]
    }

    /// How the database of the queries took in the load. `None` where that was not measured, or of
    /// another database than this run's queries read.
    pub fn ingestion(&self) -> Option<&Ingestion> {
        let ingestion = self.load.as_ref()?.ingestion.as_ref()?;
        (self.analytical.as_ref()?.url == ingestion.analytical).then_some(ingestion)
    }
}

/// A burst of failures of one kind on one side, with less than three seconds between them. In a
/// step with more than 200 bursts, those less than six seconds apart are one, and so on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Number of the step.
    pub step: usize,
    /// When the first of them ended, seconds since the run's start.
    pub from_seconds: f64,
    /// When the last of them ended.
    pub to_seconds: f64,
    /// "transactions", "queries", "operations" (of a workload with one side), "freshness" (the
    /// probe).
    pub side: String,
    /// The kind of error ([`ErrorKind::name`](crate::ErrorKind::name)): "unavailable", "ambiguous",
    /// …
    pub what: String,
    /// The number of failures, those of the warm-up included.
    pub count: u64,
    /// The message of the first error.
    pub first: String,
}

/// One of several runs of the same configuration, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repetition {
    /// From 1.
    pub number: usize,
    /// How many were planned.
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
    /// The time from the start of the merged run, which is the earliest start, to that.
    pub offset_seconds: f64,
    /// How long its run took.
    pub seconds: f64,
    /// Its configuration.
    pub configuration: BTreeMap<String, serde_json::Value>,
    /// The machine.
    pub host: Host,
    /// [`Run::clock`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
}

/// A machine's clock held against that of `hoap gather`, before the run: the shortest of eight
/// round trips.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    /// By how much it is ahead; below 0 it is behind.
    pub ahead_seconds: f64,
    /// The most by which that may be wrong: half of the round trip.
    pub error_seconds: f64,
}

/// The machine the driver ran on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Operating system and architecture.
    pub system: String,
    /// The model name of the processor.
    pub processor: String,
    /// Processors the driver may use.
    pub cores: usize,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// What else decides how fast it is, name → value: CPU governor, transparent huge pages, NUMA
    /// nodes, limits of the control group, as far as the system tells. Under "machine.csv" why
    /// there is none, where there is none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
}

/// The load of the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Documents written.
    pub documents: u64,
    /// Bytes of JSON text.
    pub bytes: u64,
    /// Seconds until everything was durable and indexed; 0 where a process of the load was killed,
    /// whose time nobody knows.
    pub seconds: f64,
    /// Clients that wrote at the same time, those of all parts added up.
    pub clients: u64,
    /// Writing runs that had begun on the data before this one. Nobody knows it of a driver among
    /// several, which begin together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_before: Option<u64>,
    /// How the analytical database took it in, if the load measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingestion: Option<Ingestion>,
    /// What the database stores of it, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<Stored>,
}
