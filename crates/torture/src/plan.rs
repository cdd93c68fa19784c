//! The plan of a campaign, a TOML file.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use hoap_record::{Error, ErrorKind, Result, Time, named};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A plan. Commands are lines of bash, run in the folder of the file with [`Plan::environment`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plan {
    /// What is tortured, in a few words.
    pub title: String,
    /// Seed of everything that is drawn.
    pub seed: u64,
    /// Faults of the campaign, at least: the last run is not cut short.
    pub faults: u64,
    /// Measured time of a run.
    #[serde(deserialize_with = "time")]
    pub duration: Duration,
    /// Time between the recovery from a fault and the next one, drawn.
    pub quiet: Range,
    /// Time before the end of a run in which no fault begins.
    #[serde(default = "settle", deserialize_with = "time")]
    pub settle: Duration,
    /// The longest time that a run waits for the database after its last step.
    #[serde(default = "recovery", deserialize_with = "time")]
    pub recovery_limit: Duration,
    /// Runs on the same data before it is loaded again.
    #[serde(default = "one")]
    pub runs_per_load: u32,
    /// Whether the database promises that acknowledged writes survive these faults.
    pub durable: bool,
    /// Variables of every command and of `hoap` itself. `{folder}` is the campaign's folder.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Words after `hoap load`. `{url}` is the server's URL.
    pub load: String,
    /// Words after `hoap run`. `{url}` is the URL through the proxy, where there is one.
    pub run: String,
    /// Words after `hoap verify`, run after a driver was killed and where it is given.
    pub verify: Option<String>,
    /// The server; an embedded database has none.
    pub server: Server,
    /// The kinds of faults.
    pub fault: Vec<FaultPlan>,
    /// How another client reads the database.
    pub recount: Option<Recount>,
}

/// How the server is started, ended and reached.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Server {
    /// Starts what is not running and returns when it answers.
    pub up: Option<String>,
    /// Ends it.
    pub down: Option<String>,
    /// Run once after the first `up`.
    pub prepare: Option<String>,
    /// Prints the URL that `hoap` opens.
    pub url: String,
    /// Puts a proxy between the run and the address in the URL.
    #[serde(default)]
    pub proxy: bool,
    /// Commands that print process ids, by the names that faults refer to.
    #[serde(default)]
    pub processes: BTreeMap<String, String>,
}

/// A kind of fault. [`Kind::takes`] says which fields it has.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FaultPlan {
    /// What happens.
    pub kind: Kind,
    /// How often it is drawn, relative to the others.
    #[serde(default = "one")]
    pub weight: u32,
    /// How long it lasts, drawn.
    pub time: Option<Range>,
    /// Whose processes: a name of [`Server::processes`].
    pub of: Option<String>,
    /// The delay of each piece of data, or the step of the clock, drawn.
    pub by: Option<Range>,
    /// Bytes that pass before a cut, drawn from 0 to this.
    pub bytes: Option<u64>,
    /// Fills the disk.
    pub begin: Option<String>,
    /// Frees it.
    pub end: Option<String>,
}

named! {
    /// What happens in a fault.
    #[derive(PartialOrd, Ord, Deserialize, Serialize)]
    #[serde(rename_all = "kebab-case")]
    Kind, "kind of fault":
    /// SIGKILL for processes and their children at once; then `up`.
    Kill = "kill",
    /// SIGKILL for the processes alone, whose children are left to end by themselves; then `up`.
    KillParent = "kill-parent",
    /// SIGSTOP for processes and their children; then SIGCONT.
    Pause = "pause",
    /// The connections break after a number of bytes in one direction.
    Cut = "cut",
    /// Every piece of data comes later.
    Delay = "delay",
    /// Nothing passes; then all connections break.
    Silence = "silence",
    /// All connections break, and new ones do too.
    Refuse = "refuse",
    /// A command fills the disk, another one frees it; then `up`.
    DiskFull = "disk-full",
    /// The wall clock of the driver steps.
    ClockStep = "clock-step",
    /// SIGSTOP for the driver; then SIGCONT.
    PauseDriver = "pause-driver",
    /// SIGKILL for the driver, which ends the run.
    KillDriver = "kill-driver",
}

impl Kind {
    /// The fields that it must have; it may have no others.
    fn takes(self) -> &'static [&'static str] {
        match self {
            Kind::Kill | Kind::KillParent | Kind::Pause => &["time", "of"],
            Kind::Cut => &["bytes"],
            Kind::Delay => &["time", "by"],
            Kind::Silence | Kind::Refuse | Kind::PauseDriver => &["time"],
            Kind::DiskFull => &["time", "begin", "end"],
            Kind::ClockStep => &["by"],
            Kind::KillDriver => &[],
        }
    }

    /// Whether it befalls the driver itself.
    pub fn is_of_driver(self) -> bool {
        matches!(self, Kind::PauseDriver | Kind::KillDriver)
    }

    fn needs_proxy(self) -> bool {
        matches!(self, Kind::Cut | Kind::Delay | Kind::Silence | Kind::Refuse)
    }
}

/// A range of times, `["2s", "5s"]`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "[String; 2]")]
pub struct Range {
    /// The shortest.
    pub from: Duration,
    /// The longest.
    pub to: Duration,
}

impl TryFrom<[String; 2]> for Range {
    type Error = String;

    fn try_from([from, to]: [String; 2]) -> std::result::Result<Self, String> {
        let (from, to) = (from.parse::<Time>()?.0, to.parse::<Time>()?.0);
        match from <= to {
            true => Ok(Range { from, to }),
            false => Err("a range of times begins with the shorter one".into()),
        }
    }
}

/// Commands of another client that print what the database holds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recount {
    /// The client's name.
    pub by: String,
    /// CH2 and CH2++: the keys of the orders, a line each.
    pub orders: Option<String>,
    /// CH2 and CH2++: the keys of the new orders.
    pub neworder: Option<String>,
    /// CH2 and CH2++: the keys of the history.
    pub history: Option<String>,
    /// YCSB: lines of key, tab, number of the field, tab, value.
    pub records: Option<String>,
}

fn one() -> u32 {
    1
}

fn settle() -> Duration {
    Duration::from_secs(3)
}

fn recovery() -> Duration {
    Duration::from_secs(60)
}

fn time<'de, D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Duration, D::Error> {
    let text = String::deserialize(from)?;
    text.parse::<Time>().map(|time| time.0).map_err(serde::de::Error::custom)
}

/// A plan with what identifies it.
#[derive(Clone, Debug)]
pub struct Named {
    /// The plan.
    pub plan: Plan,
    /// SHA-256 of the file's text, hexadecimal.
    pub digest: String,
}

impl Plan {
    /// Reads and checks a plan.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`], naming the file, where it cannot be read or makes no sense.
    pub fn read(path: &Path) -> Result<Named> {
        let wrong = |answer: String| {
            Error::new(ErrorKind::Invalid, format!("read plan {}", path.display()), answer)
        };
        let text = hoap_record::input::text(path).map_err(|e| wrong(e.to_string()))?;
        let plan: Plan =
            toml::from_str(&text).map_err(|e| wrong(e.to_string().trim().replace('\n', " ")))?;
        plan.check().map_err(wrong)?;
        let digest = Sha256::digest(text.as_bytes());
        let digest = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Named { plan, digest })
    }

    fn check(&self) -> std::result::Result<(), String> {
        if self.faults == 0 || self.runs_per_load == 0 {
            return Err("faults and runs-per-load are at least 1".into());
        }
        if self.duration <= self.settle {
            return Err("duration must be longer than settle (3s)".into());
        }
        if self.fault.iter().all(|fault| fault.weight == 0) {
            return Err("it has no fault with a weight above 0".into());
        }
        self.fault.iter().try_for_each(|fault| self.check_fault(fault))
    }

    fn check_fault(&self, fault: &FaultPlan) -> std::result::Result<(), String> {
        let (kind, name) = (fault.kind, fault.kind.name());
        let given = [
            ("time", fault.time.is_some()),
            ("of", fault.of.is_some()),
            ("by", fault.by.is_some()),
            ("bytes", fault.bytes.is_some()),
            ("begin", fault.begin.is_some()),
            ("end", fault.end.is_some()),
        ];
        for (field, given) in given {
            match (kind.takes().contains(&field), given) {
                (true, false) => return Err(format!("a fault of kind {name} needs `{field}`")),
                (false, true) => return Err(format!("a fault of kind {name} has no `{field}`")),
                _ => {}
            }
        }
        if kind.needs_proxy() && !self.server.proxy {
            return Err(format!("a fault of kind {name} needs `proxy = true` in [server]"));
        }
        if kind == Kind::KillDriver && self.verify.is_none() {
            return Err("a fault of kind kill-driver needs `verify`: the run cannot check".into());
        }
        match &fault.of {
            Some(of) if !self.server.processes.contains_key(of) => {
                Err(format!("a fault is of {of:?}, which [server.processes] does not name"))
            }
            _ if matches!(kind, Kind::Kill | Kind::KillParent | Kind::DiskFull)
                && self.server.up.is_none() =>
            {
                Err(format!("a fault of kind {name} needs `up` in [server]"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
