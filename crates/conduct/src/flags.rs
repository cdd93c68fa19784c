//! The flags that benchmarks share, and the configuration that `run.json` gets of them.
//!
//! What is written of flags names each of them, so that a new one cannot be forgotten.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use hoap_data::Part;
use hoap_databases::url::redact;
use hoap_drive::{Arrivals, OnError, StepPlan};
use hoap_observe::MetricSource;
use hoap_record::{Sla, Time};
use hoap_workload::checks::Level;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::labels::LabelArgs;
use crate::values::{MostFailures, PartArg, Percent, Warmup, count, rate};

/// Flags with the values they have.
pub type Settings = Map<String, Value>;

/// The flags of all these settings.
pub fn together<const N: usize>(settings: [Settings; N]) -> Settings {
    settings.into_iter().flatten().collect()
}

/// The fields of a JSON object.
pub fn settings(object: Value) -> Settings {
    match object {
        Value::Object(settings) => settings,
        _ => Settings::new(),
    }
}

/// The flags of a benchmark whose clients are all alike.
#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Clients {
    /// The database; given more than once, each with a name before it, such as pg=URL, they take turns
    #[arg(long, value_name = "URL")]
    pub target: String,
    /// Clients of each step [default: 1]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = count::<usize>)]
    pub clients: Vec<usize>,
    #[command(flatten)]
    pub pacing: Pacing,
    /// Compare every answer with the data; a wrong one is a failure
    #[arg(long)]
    pub check_reads: bool,
    /// How much of the data is read before and after the run to check it: full, touched (what the
    /// run writes, and a sample), database (as touched, and the database counts), sample or off
    /// [default: full up to a million documents, touched above]
    #[arg(long, value_name = "HOW", value_parser = any_level())]
    pub check: Option<Level>,
    #[command(flatten)]
    pub common: Common,
}

/// The most documents that are all counted where nobody says how much is checked.
const SMALL: u64 = 1_000_000;

/// Reads a level, and lists them.
pub fn any_level() -> impl TypedValueParser<Value = Level> {
    PossibleValuesParser::new(Level::ALL.map(Level::name)).try_map(|name| name.parse())
}

impl Clients {
    /// How much of so many documents is checked.
    pub fn level(&self, documents: u64) -> Level {
        Level::of(self.check, documents <= SMALL)
    }

    /// The setting of that level.
    pub fn checked(level: Option<Level>) -> Settings {
        settings(json!({ "check": level.map(Level::name) }))
    }

    /// That the data is checked before the run, and how much of it.
    pub fn announced(&self, level: Level) -> String {
        level.announced(self.check, "1,000,000 documents")
    }

    /// Every flag with the value it has. The clients are those of the steps, which a benchmark's
    /// own parameters may have said.
    pub fn settings(&self, steps: &[StepPlan]) -> Settings {
        let Clients { target, clients: _, pacing, check_reads, check: _, common } = self;
        let own = json!({
            "target": redact(target),
            "clients": steps.iter().map(|step| step.tx_clients).collect::<Vec<_>>(),
            "check-reads": check_reads,
        });
        together([settings(own), pacing.settings(common), common.settings()])
    }
}

/// How fast the clients of operations go, and for how long. Operations of CH2 are its transactions.
#[derive(Debug, Args)]
pub struct Pacing {
    /// Operations a second of each step, whatever the database does: an open loop, in which
    /// response times count from when an operation was due
    #[arg(long, value_name = "R,…", value_delimiter = ',', value_parser = rate)]
    pub rate: Vec<f64>,
    /// How the operations of an open loop are spread over time [default: constant]
    #[arg(long, value_enum)]
    pub arrivals: Option<ArrivalChoice>,
    /// Look for the highest rate that holds the bounds of --sla
    #[arg(long, requires = "sla", conflicts_with_all = ["rate", "operations"])]
    pub max_rate: bool,
    /// Bounds of response times, such as p99=10ms,max=1s: a run that breaks one in a step fails
    #[arg(long, value_name = "BOUND,…", value_delimiter = ',')]
    pub sla: Vec<Sla>,
    /// The longest measured time of a probe of --max-rate, which lasts until its percentiles rest
    /// on enough operations [default: ten times --duration]
    #[arg(long, value_name = "TIME", requires = "max_rate")]
    pub probe_limit: Option<Time>,
    /// Measured time of a step [default: 60s]
    #[arg(long, value_name = "TIME", conflicts_with = "operations")]
    pub duration: Option<Time>,
    /// Operations of a step, instead of a time
    #[arg(long, value_name = "N", value_parser = count::<u64>)]
    pub operations: Option<u64>,
    /// Time before the measured window of each step. auto: until throughput is steady over
    /// at least 20 intervals of --tick. until:SERIES>NUMBER (or <): until all of --observe's gauges of
    /// this name have passed it. Both end after 5 minutes, or auto:TIME, until:…:TIME
    #[arg(long, value_name = "TIME|auto|until:…", default_value = "5s")]
    pub warmup: Warmup,
}

impl Pacing {
    /// How the operations of an open loop are spread over time.
    pub fn arrivals(&self, common: &Common) -> Arrivals {
        let part = common.conduct.part.map(|part| part.part);
        match (self.arrivals, part) {
            (None | Some(ArrivalChoice::Constant), None) => Arrivals::Constant,
            (None | Some(ArrivalChoice::Constant), Some(part)) => {
                Arrivals::ConstantPart { part: part.part, of: part.of }
            }
            (Some(ArrivalChoice::Poisson), _) => Arrivals::Poisson { seed: common.own_seed() },
        }
    }

    /// Every flag with the value it has.
    pub fn settings(&self, common: &Common) -> Settings {
        let Pacing { rate, arrivals: _, max_rate, sla, probe_limit, duration, operations, warmup } =
            self;
        let bound = |sla: &Sla| format!("{}={} µs", sla.percentile.name(), sla.limit_us);
        settings(json!({
            "rate": rate,
            "arrivals": self.arrivals(common).name(),
            "max-rate": max_rate,
            "sla": sla.iter().map(bound).collect::<Vec<_>>(),
            "probe-limit": probe_limit.map(|t| t.to_string()),
            "duration": duration.map(|t| t.to_string()),
            "operations": operations,
            "warmup": warmup.to_string(),
        }))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum ArrivalChoice {
    Constant,
    Poisson,
}

/// The flags that every benchmark has.
#[derive(Clone, Debug, Args)]
#[allow(missing_docs)]
pub struct Common {
    #[command(flatten)]
    pub faults: FaultArgs,
    /// Seed of everything the clients draw
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub run_seed: u64,
    #[command(flatten)]
    pub conduct: Conduct,
    /// Interval of the time series in samples.csv and the interval logs, at least 10ms
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub tick: Time,
    /// Also record what the servers do, each second: the metrics endpoint of an exporter, of
    /// which # chooses series, or a process of this machine with those that it started; repeatable
    #[arg(long, value_name = "[NAME=]URL[#SERIES,…]|pid:N")]
    pub observe: Vec<MetricSource>,
    /// Leave in ledger.json what the run saw acknowledged, so that another program can recount it
    #[arg(long)]
    pub ledger: bool,
    #[command(flatten)]
    pub labels: LabelArgs,
    /// Folder of the run [default: runs/<benchmark>-<time>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

impl Common {
    /// The seed of what the clients of this driver draw: each of several has its own, of the run's.
    pub fn own_seed(&self) -> u64 {
        self.conduct.part.map_or(Part::WHOLE, |part| part.part).seed(self.run_seed)
    }

    /// Every flag with the value it has, but for the folder and how often all is run, which the
    /// record has as its repetition.
    pub fn settings(&self) -> Settings {
        // What was observed the record has with how that went, and the labels by themselves.
        let Common { faults, run_seed, conduct, tick, observe: _, ledger, labels: _, out: _ } =
            self;
        let FaultArgs { on_error, recovery_limit, max_failures, warn_failures } = faults;
        let Conduct {
            repeat: _,
            start_at,
            meet,
            insecure_without_tls: _,
            tls_ca: _,
            part,
            beside_others,
        } = conduct;
        let mut all = settings(json!({
            "on-error": on_error.to_string(),
            "recovery-limit": recovery_limit.to_string(),
            "max-failures": max_failures.setting(),
            "warn-failures": warn_failures.0,
            "run-seed": run_seed,
            "tick": tick.to_string(),
            "ledger": ledger,
            "part": part.map(|p| p.to_string()),
            "start-at": start_at.map(|t| t.to_string()),
        }));
        // Where the part was typed nothing more is to be said of it.
        if let Some(from) = part.and_then(|part| part.from) {
            all.insert("part-from".into(), from.into());
        }
        if let Some(address) = meet {
            all.insert("meet".into(), address.as_str().into());
        }
        if *beside_others {
            all.insert("beside-others".into(), true.into());
        }
        all
    }
}

/// What happens when operations fail.
#[derive(Clone, Debug, Args)]
pub struct FaultArgs {
    /// Whether failed operations end the run: continue or stop, also by kind of error, as in
    /// broken=stop or stop,unavailable=continue
    #[arg(long, value_name = "RULE,…", default_value = "continue")]
    pub on_error: OnError,
    /// How long to wait for a database that cannot be reached, at the beginning of every step but
    /// the first and for the checks after the run
    #[arg(long, value_name = "TIME", default_value = "1m")]
    pub recovery_limit: Time,
    /// Fail the run where a larger share of a kind of operation or query failed in a step, of 20
    /// attempts or more, or none succeeded: a share, or off
    #[arg(long, value_name = "SHARE|off", default_value = "1%")]
    pub max_failures: MostFailures,
    /// Say in the first lines of every report where a larger share of the operations of a step
    /// failed
    #[arg(long, value_name = "SHARE", default_value = "0.1%")]
    pub warn_failures: Percent,
}

/// How often and when a run goes on, and beside whom.
#[derive(Clone, Debug, Args)]
pub struct Conduct {
    /// Run all of it so many times, into DIR/01, DIR/02, …: `hoap compare` takes its intervals from
    /// what differs between them
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=99))]
    pub repeat: u32,
    /// Begin the first step at this time, such as 2026-01-31T12:00:00Z, its clients being
    /// connected. A run that begins later is void
    #[arg(long, value_name = "TIME", conflicts_with = "repeat", group = "start")]
    pub start_at: Option<Timestamp>,
    /// Begin every step when all drivers are ready that meet at a `hoap gather`, and send it the
    /// run's folder. HOAP_FLEET_TOKEN is their common secret
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "repeat", group = "start")]
    #[arg(requires = "part")]
    pub meet: Option<String>,
    /// Send the secret and the folder to another machine although nothing is encrypted
    #[arg(long, requires = "meet")]
    pub insecure_without_tls: bool,
    /// Encrypt what is said there, and trust a certificate for its HOST of the authorities in this
    /// PEM file; `system` trusts those that this machine trusts
    #[arg(long, value_name = "FILE", requires = "meet", conflicts_with = "insecure_without_tls")]
    pub tls_ca: Option<String>,
    /// This machine is driver I of N that work at the same time; `hoap merge` makes one run of
    /// theirs. Part 1 checks the data before. auto/N takes I from a scheduler's environment:
    /// JOB_COMPLETION_INDEX, SLURM_PROCID or SLURM_ARRAY_TASK_ID
    #[arg(long, value_name = "I/N", requires = "start")]
    pub part: Option<PartArg>,
    /// Write although another hoap that writes uses the database; both results say so
    #[arg(long)]
    pub beside_others: bool,
}

impl Conduct {
    /// Whether other runs may have documents of their own in the collections beside the data.
    pub fn shares(&self) -> bool {
        self.part.is_some() || self.beside_others
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Flags as a user types them.
    pub fn parse<F: Args>(words: &str) -> F {
        let command = F::augment_args(clap::Command::new("run").no_binary_name(true));
        F::from_arg_matches(&command.get_matches_from(words.split_whitespace())).unwrap()
    }

    /// As it may come from a configuration file.
    #[test]
    fn the_record_of_the_flags_has_no_password() {
        let clients: Clients = parse("--target redis://me:hunter2@h");
        let settings = clients.settings(&[]);
        assert_eq!(settings["target"], "redis://me:***@h");
        assert!(!format!("{settings:?}").contains("hunter2"));
    }
}
