//! `hoap run`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use hoap_drive::OnError;
use hoap_record::Sla;
use hoap_workload::capability::shop::JoinVariant;

use super::{Conduct, ParameterArgs, Percent, PropertyArgs, TextArgs, Time};

/// Where other programs see what a run measures while it goes on.
#[derive(Debug, Args)]
pub struct LiveArgs {
    /// Serve the run's metrics to Prometheus at http://ADDRESS/metrics, such as 127.0.0.1:9464
    #[arg(long, global = true, value_name = "ADDRESS")]
    pub metrics: Option<SocketAddr>,
    /// Send the run's metrics to an OpenTelemetry collector (OTLP over HTTP), such as
    /// http://127.0.0.1:4318
    #[arg(long, global = true, value_name = "URL")]
    pub otlp: Option<String>,
}

#[derive(Debug, Subcommand)]
#[allow(missing_docs)]
pub enum RunBenchmark {
    /// CH2: transactions and queries on the same documents
    Ch2(RunHybrid),
    /// CH2++: transactions and queries on the same documents
    Ch2pp(RunHybrid),
    /// YCSB A: 50 % reads, 50 % updates
    YcsbA(RunYcsb),
    /// YCSB B: 95 % reads, 5 % updates
    YcsbB(RunYcsb),
    /// YCSB C: reads
    YcsbC(RunYcsb),
    /// YCSB D: 95 % reads of the latest, 5 % inserts
    YcsbD(RunYcsb),
    /// YCSB E: 95 % scans, 5 % inserts
    YcsbE(RunYcsb),
    /// YCSB E as the comparison reports ran it: 95 % scans, 5 % updates
    YcsbEUpdate(RunYcsb),
    /// YCSB F: 50 % reads, 50 % read-modify-writes
    YcsbF(RunYcsb),
    /// Pages of customers of a country
    Pagination(RunShop),
    /// Sales of a zip code's customers in a month
    Join(RunJoin),
}

impl RunBenchmark {
    /// Its name, as users type it and as run folders have it.
    pub fn name(&self) -> &'static str {
        use RunBenchmark::*;
        match self {
            Ch2(_) => "ch2",
            Ch2pp(_) => "ch2pp",
            YcsbA(_) => "ycsb-a",
            YcsbB(_) => "ycsb-b",
            YcsbC(_) => "ycsb-c",
            YcsbD(_) => "ycsb-d",
            YcsbE(_) => "ycsb-e",
            YcsbEUpdate(_) => "ycsb-e-update",
            YcsbF(_) => "ycsb-f",
            Pagination(_) => "pagination",
            Join(_) => "join",
        }
    }
}

/// Steps of a workload whose clients are all alike.
#[derive(Debug, Args)]
pub struct StepArgs {
    /// The database
    #[arg(long, value_name = "URL")]
    pub target: String,
    /// Clients of each step [default: 1]
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    pub clients: Vec<usize>,
    /// Operations a second of each step, whatever the database does: an open loop, in which
    /// response times count from when an operation was due
    #[arg(long, value_name = "R,…", value_delimiter = ',')]
    pub rate: Vec<f64>,
    /// How the operations of an open loop are spread over time
    #[arg(long, value_enum, default_value_t = ArrivalChoice::Constant)]
    pub arrivals: ArrivalChoice,
    /// Look for the highest rate that holds the bounds of --sla
    #[arg(long, requires = "sla", conflicts_with_all = ["rate", "operations"])]
    pub max_rate: bool,
    /// Bounds of response times, such as p99=10ms,max=1s
    #[arg(long, value_name = "BOUND,…", value_delimiter = ',', requires = "max_rate")]
    pub sla: Vec<Sla>,
    /// The longest measured time of a probe of --max-rate, which lasts until its percentiles rest on
    /// enough operations [default: ten times --duration]
    #[arg(long, value_name = "TIME", requires = "max_rate")]
    pub probe_limit: Option<Time>,
    /// Measured time of a step [default: 60s]
    #[arg(long, value_name = "TIME", conflicts_with = "operations")]
    pub duration: Option<Time>,
    /// Operations of a step, instead of a time
    #[arg(long, value_name = "N")]
    pub operations: Option<u64>,
    /// Time before the measured window of each step
    #[arg(long, value_name = "TIME", default_value = "5s")]
    pub warmup: Time,
    /// Compare every answer with the data; a wrong one is a failure
    #[arg(long)]
    pub check_reads: bool,
    #[command(flatten)]
    pub faults: FaultArgs,
    /// Seed of everything the clients draw
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub run_seed: u64,
    #[command(flatten)]
    pub conduct: Conduct,
    /// Folder of the run [default: runs/<benchmark>-<time>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// What happens when operations fail.
#[derive(Debug, Args)]
pub struct FaultArgs {
    /// Whether failed operations end the run: continue or stop, also by kind of error, as in
    /// broken=stop or stop,unavailable=continue
    #[arg(long, value_name = "RULE,…", default_value = "continue")]
    pub on_error: OnError,
    /// How long to wait for a database that cannot be reached, at the beginning of every step but
    /// the first and for the checks after the run
    #[arg(long, value_name = "TIME", default_value = "1m")]
    pub recovery_limit: Time,
    /// Say in the first lines of every report where a larger share of the operations of a step failed
    #[arg(long, value_name = "SHARE", default_value = "0.1%")]
    pub warn_failures: Percent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum ArrivalChoice {
    Constant,
    Poisson,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct RunYcsb {
    #[command(flatten)]
    pub steps: StepArgs,
    #[command(flatten)]
    pub properties: PropertyArgs,
    /// Fields of scans [default: all; none are keys only, as in the comparison reports]
    #[arg(long, value_enum)]
    pub scan_fields: Option<ScanFieldChoice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum ScanFieldChoice {
    All,
    One,
    None,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct RunShop {
    #[command(flatten)]
    pub steps: StepArgs,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct RunJoin {
    #[command(flatten)]
    pub steps: StepArgs,
    /// How the database joins: index, ansi, hash, two-phase, lookup or joining-table
    /// [default: its users' first choice]
    #[arg(long, value_name = "WAY")]
    pub variant: Option<JoinVariant>,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct RunHybrid {
    /// The database of the transactions
    #[arg(long, value_name = "URL")]
    pub operational: String,
    /// The database of the queries, if it is another one
    #[arg(long, value_name = "URL")]
    pub analytical: Option<String>,
    /// Transaction clients of each step
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "4")]
    pub tx_clients: Vec<usize>,
    /// Query clients of each step; every number runs with every number of transaction clients, and where 0
    /// is among them or with --loops also alone
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "0,1")]
    pub query_clients: Vec<usize>,
    /// Measured time of a step [default: 60s, or with --loops what the queries alone take]
    #[arg(long, value_name = "TIME")]
    pub duration: Option<Time>,
    /// Steps with query clients end after so many measured loops of the 22 instead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub loops: Option<u32>,
    /// Time before the measured window of each step
    #[arg(long, value_name = "TIME", default_value = "5s")]
    pub warmup: Time,
    /// With --loops: loops of each query client before the measured ones
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub warmup_loops: u32,
    /// TPC-C's keying and think times, each client at a home warehouse
    #[arg(long)]
    pub think_times: bool,
    /// Run the transactions on a database that has none too, a document at a time: neither isolated
    /// nor atomic, and marked as such in every result
    #[arg(long)]
    pub allow_non_transactional: bool,
    /// How often a transaction begins again after a conflict before it is given up
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub retries: u32,
    /// Seed of everything the clients draw
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub run_seed: u64,
    /// Measure how old what the queries see is; each transaction that writes then updates a small
    /// document more, so give it to the baseline too [default: on where --analytical names another
    /// database]
    #[arg(long, value_enum, value_name = "WHETHER")]
    pub freshness: Option<Switch>,
    /// Time from one look at the counters of freshness to the next
    #[arg(long, value_name = "TIME", default_value = "100ms")]
    pub freshness_every: Time,
    /// How long the database of the queries may take, before the run and after it, to hold what that
    /// of the transactions holds
    #[arg(long, value_name = "TIME", default_value = "10m")]
    pub catch_up_limit: Time,
    #[command(flatten)]
    pub faults: FaultArgs,
    #[command(flatten)]
    pub parameters: ParameterArgs,
    #[command(flatten)]
    pub texts: TextArgs,
    /// After all steps and checks, run each query once more with the ref parameters for its plan and
    /// profile, in plans/q01.plan.json … of the run's folder
    #[arg(long, conflicts_with = "part")]
    pub explain: bool,
    #[command(flatten)]
    pub conduct: Conduct,
    /// Folder of the run [default: runs/<benchmark>-<time>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Whether something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum Switch {
    On,
    Off,
}
