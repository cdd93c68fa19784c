//! The words users type.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use hoap_data::shop::{ShopData, ShopSpec};
use hoap_data::{Collection, DataSet, Date, ExtraFields, Schema, Spec};
use hoap_drive::sla::Sla;
use hoap_files::{Codec, Format, Layout};
use hoap_workload::capability::shop::JoinVariant;
use hoap_workload::ch2::queries::QuerySet;
use hoap_workload::load::{Existing, Part};

use crate::failure::Failure;

/// The benchmark suite for JSON document databases
#[derive(Debug, Parser)]
#[command(name = "hoap", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done, 1 a check failed, 2 usage, 3 the database could not be \
                        reached or refused, 130 interrupted."
)]
pub struct Cli {
    /// TOML file with flags by their long names; what is typed here wins
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print the result as one JSON object on standard output
    #[arg(long, global = true)]
    pub json: bool,
    #[allow(missing_docs)]
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
#[allow(missing_docs)]
pub enum Command {
    /// Run a scaled-down CH2++ on the embedded database and make its page
    Demo(Demo),
    /// Write a benchmark's documents to files or standard output
    Gen(Gen),
    /// Load a benchmark's documents into a database
    #[command(subcommand_value_name = "BENCHMARK", subcommand_help_heading = "Benchmarks")]
    Load {
        #[command(subcommand)]
        benchmark: LoadBenchmark,
    },
    /// Check that a database holds consistent data and gives right answers
    Verify(Verify),
    /// Run the analytical queries one after the other
    Query(Query),
    /// Run a benchmark in steps and measure it
    #[command(subcommand_value_name = "BENCHMARK", subcommand_help_heading = "Benchmarks")]
    Run {
        #[command(subcommand)]
        benchmark: RunBenchmark,
    },
    /// Make an HTML page of one run or several
    Report(Report),
    /// List the databases and what they can run
    Targets(Targets),
}

/// A benchmark with documents of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum Benchmark {
    /// CH2, the first version: flat names and addresses
    Ch2,
    /// CH2++: nested documents, arrays, extra fields
    Ch2pp,
}

impl Benchmark {
    /// Its schema.
    pub fn schema(self) -> Schema {
        match self {
            Benchmark::Ch2 => Schema::Ch2,
            Benchmark::Ch2pp => Schema::Ch2pp,
        }
    }
}

/// What the data is made from.
#[derive(Debug, Args)]
pub struct Data {
    /// Warehouses: the scale of the data
    #[arg(short, long, value_name = "W", default_value_t = 1)]
    pub warehouses: u32,
    /// Seed of the data: the same seed gives the same bytes everywhere
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Extra fields of a document: 0 to 128 (64 for ch2pp if not given), or
    /// customer=N,orders=N,item=N
    #[arg(long, value_name = "N")]
    pub extra_fields: Option<ExtraFields>,
    /// Divide items, customers and stock by N (a divisor of 100); results are no CH2 results then
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub scale_down: u32,
    /// The day on which the benchmark's history ends
    #[arg(long, value_name = "YYYY-MM-DD", default_value = "2021-01-01")]
    pub run_date: Date,
}

impl Data {
    /// The data set of these flags.
    pub fn data_set(&self, schema: Schema) -> Result<DataSet, Failure> {
        let defaults = Spec::new(schema, self.warehouses);
        let spec = Spec {
            seed: self.seed,
            run_date: self.run_date,
            extra_fields: self.extra_fields.unwrap_or(defaults.extra_fields),
            scale_down: self.scale_down,
            ..defaults
        };
        DataSet::new(spec).map_err(|e| Failure::usage(e.to_string()))
    }
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Demo {
    /// Folder for the database, the run and its page
    #[arg(long, value_name = "DIR", default_value = "hoap-demo")]
    pub out: PathBuf,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Gen {
    #[arg(required_unless_present = "check")]
    pub benchmark: Option<Benchmark>,
    #[command(flatten)]
    pub data: Data,
    /// File format: ndjson, json (an array a file), csv (with --schema flat), parquet
    #[arg(long, value_name = "FORMAT", default_value_t = Format::Ndjson)]
    pub format: Format,
    /// documents: nested as they are; flat: relational tables, arrays as tables of their own
    #[arg(long, value_name = "SCHEMA", default_value_t = Layout::Documents)]
    pub schema: Layout,
    /// Compress text with gzip or zstd, Parquet with snappy (its default) or zstd; or none
    #[arg(long, visible_alias = "compression", value_name = "CODEC")]
    pub compress: Option<Codec>,
    /// Compression level: gzip 1 to 9, zstd 1 to 22 [default: 1]
    #[arg(long, value_name = "N")]
    pub level: Option<u32>,
    /// Documents of a Parquet row group, as bytes of NDJSON [default: 64MiB]
    #[arg(long, value_name = "SIZE")]
    pub row_group: Option<Size>,
    /// Begin the next file before one exceeds this: <collection>.0001.ndjson …
    #[arg(long, value_name = "SIZE")]
    pub split: Option<Size>,
    /// Only these collections, in this order
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub collections: Vec<Collection>,
    /// Write the I-th of N parts, which together are the whole
    #[arg(long, value_name = "I/N", default_value_t = PartArg(Part::WHOLE))]
    pub part: PartArg,
    /// Threads; the bytes do not depend on them [default: the cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Folder for the files, DIR/<collection>[.<part>][.<number>].ndjson, and DIR/manifest.json
    #[arg(short, long, value_name = "DIR", required_unless_present_any = ["stdout", "check"])]
    pub out: Option<PathBuf>,
    /// Write NDJSON to standard output instead of files
    #[arg(long, conflicts_with_all = ["out", "replace", "resume"])]
    pub stdout: bool,
    /// Remove what an earlier call wrote there, and overwrite files
    #[arg(long, conflicts_with = "resume")]
    pub replace: bool,
    /// Finish what an interrupted call began; files that are whole are not written again
    #[arg(long)]
    pub resume: bool,
    /// Read the files of a folder again and hold them against their manifest
    #[arg(long, value_name = "DIR",
        conflicts_with_all = ["benchmark", "out", "stdout", "replace", "resume"])]
    pub check: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
#[allow(missing_docs)]
pub enum LoadBenchmark {
    /// CH2, the first version: flat names and addresses
    Ch2(LoadHybrid),
    /// CH2++: nested documents, arrays, extra fields
    Ch2pp(LoadHybrid),
    /// The records of YCSB
    Ycsb(LoadYcsb),
    /// The customers and orders of Pagination and JOIN
    Shop(LoadShop),
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct LoadYcsb {
    #[command(flatten)]
    pub loading: Loading,
    #[command(flatten)]
    pub properties: PropertyArgs,
    /// Seed of the data
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Parameters as YCSB takes them.
#[derive(Debug, Args)]
pub struct PropertyArgs {
    /// Properties file of YCSB, such as its workloads/workloada; later ones win
    #[arg(short = 'P', long = "properties", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// One property of YCSB, such as recordcount=1000000; wins over files
    #[arg(short = 'p', long = "property", value_name = "KEY=VALUE")]
    pub pairs: Vec<String>,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct LoadShop {
    #[command(flatten)]
    pub loading: Loading,
    #[command(flatten)]
    pub shop: ShopArgs,
}

/// What customers and orders are made from. Every number of "so many per" is exact.
#[derive(Debug, Args)]
pub struct ShopArgs {
    /// Customers
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub customers: u64,
    /// Orders of each customer
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub orders_per_customer: u64,
    /// Customers of each country
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub customers_per_country: u64,
    /// Customers of each zip code, which is what a JOIN qualifies; the reports had 100, 250 and 500
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub customers_per_zip: u64,
    /// Seed of the data
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

impl ShopArgs {
    /// The data set of these flags.
    pub fn data_set(&self) -> Result<ShopData, Failure> {
        let spec = ShopSpec {
            seed: self.seed,
            orders_per_customer: self.orders_per_customer,
            customers_per_country: self.customers_per_country,
            customers_per_zip: self.customers_per_zip,
            ..ShopSpec::new(self.customers)
        };
        ShopData::new(spec).map_err(|e| Failure::usage(e.to_string()))
    }
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct LoadHybrid {
    #[command(flatten)]
    pub data: Data,
    #[command(flatten)]
    pub loading: Loading,
}

/// Where a load goes and what it does about what is there.
#[derive(Debug, Args)]
pub struct Loading {
    /// The database, such as sqlite:bench.db
    #[arg(long, value_name = "URL")]
    pub target: String,
    /// Load the I-th of N parts; the last one to finish makes the indexes
    #[arg(long, value_name = "I/N", default_value_t = PartArg(Part::WHOLE))]
    pub part: PartArg,
    /// Remove what is there first
    #[arg(long, conflicts_with = "resume")]
    pub replace: bool,
    /// Finish a load that was interrupted
    #[arg(long)]
    pub resume: bool,
}

impl Loading {
    /// What to do about data that is there.
    pub fn existing(&self) -> Existing {
        match (self.replace, self.resume) {
            (true, _) => Existing::Replace,
            (_, true) => Existing::Resume,
            _ => Existing::Refuse,
        }
    }
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Verify {
    pub benchmark: Benchmark,
    /// The database
    #[arg(long, value_name = "URL")]
    pub target: String,
    /// Answers to compare with: a folder that `hoap query --answers-out` made, or a file of stored
    /// digests; without it the stored digests of well-known data sets
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
    #[command(flatten)]
    pub texts: TextArgs,
}

/// Which query texts run.
#[derive(Debug, Args)]
pub struct TextArgs {
    /// naive: closest to the definition; tuned: rewritten for the engine, answers equal
    #[arg(long, value_name = "SET", default_value_t = QuerySet::Tuned)]
    pub query_set: QuerySet,
    /// Folder of query texts to use instead of the built-in ones: DIR/<benchmark>/<dialect>/q01.sql
    #[arg(long, value_name = "DIR")]
    pub queries_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Query {
    pub benchmark: Benchmark,
    /// The database
    #[arg(long, value_name = "URL")]
    pub analytical: String,
    /// Only these queries, such as 1,5-7
    #[arg(long, value_name = "LIST", default_value_t = QueryList::all())]
    pub queries: QueryList,
    #[command(flatten)]
    pub parameters: ParameterArgs,
    #[command(flatten)]
    pub texts: TextArgs,
    /// Write each answer to DIR/q01.json …
    #[arg(long, value_name = "DIR")]
    pub answers_out: Option<PathBuf>,
}

/// Which parameters the queries get.
#[derive(Debug, Args)]
pub struct ParameterArgs {
    /// ref: those of the published runs; check: no empty answer at W = 1; random: drawn
    #[arg(long, value_enum, default_value_t = ParameterChoice::Ref)]
    pub params: ParameterChoice,
    /// Seed of random parameters
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub params_seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum ParameterChoice {
    Ref,
    Check,
    Random,
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
    /// Seed of everything the clients draw
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub run_seed: u64,
    /// Folder of the run [default: runs/<benchmark>-<time>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
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
    /// Query clients of each step; every number runs with every number of transaction clients
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
    /// How often a transaction begins again after a conflict before it is given up
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub retries: u32,
    /// Seed of everything the clients draw
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub run_seed: u64,
    #[command(flatten)]
    pub parameters: ParameterArgs,
    #[command(flatten)]
    pub texts: TextArgs,
    /// Folder of the run [default: runs/<benchmark>-<time>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Report {
    /// Run folders
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// The page
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub out: PathBuf,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Targets {}

/// `I/N`, with 1 ≤ I ≤ N.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartArg(pub Part);

impl FromStr for PartArg {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let parsed = s
            .split_once('/')
            .and_then(|(i, n)| Some(Part { part: i.parse().ok()?, of: n.parse().ok()? }));
        match parsed {
            Some(part) if (1..=part.of).contains(&part.part) => Ok(PartArg(part)),
            _ => Err("a part is I/N with I from 1 to N, such as 1/4".into()),
        }
    }
}

impl fmt::Display for PartArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0.part, self.0.of)
    }
}

/// A length of time: `500ms`, `60s`, `5m`, `1h`; more than nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time(pub Duration);

impl FromStr for Time {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let digits = s.find(|c: char| !c.is_ascii_digit()).unwrap_or(s.len());
        let (number, unit) = s.split_at(digits);
        let milliseconds = match unit {
            "ms" => Some(1),
            "s" => Some(1000),
            "m" => Some(60_000),
            "h" => Some(3_600_000),
            _ => None,
        };
        number
            .parse::<u64>()
            .ok()
            .zip(milliseconds)
            .and_then(|(n, unit)| n.checked_mul(unit))
            .map(|ms| Time(Duration::from_millis(ms)))
            .ok_or_else(|| "a time is a number and ms, s, m or h, such as 60s".into())
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_millis() {
            ms if ms % 1000 == 0 => write!(f, "{}s", ms / 1000),
            ms => write!(f, "{ms}ms"),
        }
    }
}

/// Bytes: `1000`, `256MB`, `64MiB`, `1GB`; more than nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let digits = s.find(|c: char| !c.is_ascii_digit()).unwrap_or(s.len());
        let (number, unit) = s.split_at(digits);
        let bytes = match unit {
            "" => Some(1),
            "kB" | "KB" => Some(1000),
            "MB" => Some(1_000_000),
            "GB" => Some(1_000_000_000),
            "KiB" => Some(1 << 10),
            "MiB" => Some(1 << 20),
            "GiB" => Some(1 << 30),
            _ => None,
        };
        let size = number.parse::<u64>().ok().zip(bytes).and_then(|(n, unit)| n.checked_mul(unit));
        size.filter(|&n| n > 0).map(Size).ok_or_else(|| {
            "a size is a number and kB, MB, GB, KiB, MiB or GiB, such as 256MB".into()
        })
    }
}

/// Numbers of queries, each once, in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryList(pub Vec<u8>);

impl QueryList {
    fn all() -> Self {
        QueryList((1..=22).collect())
    }
}

impl FromStr for QueryList {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let wrong = || "a list of queries is numbers from 1 to 22 and ranges, such as 1,5-7".into();
        let mut numbers = Vec::new();
        for word in s.split(',') {
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            let (first, last): (u8, u8) = match (first.parse(), last.parse()) {
                (Ok(first), Ok(last)) => (first, last),
                _ => return Err(wrong()),
            };
            if !(1 <= first && first <= last && last <= 22) {
                return Err(wrong());
            }
            for number in first..=last {
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
        }
        Ok(QueryList(numbers))
    }
}

impl fmt::Display for QueryList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == QueryList::all() {
            return f.write_str("1-22");
        }
        let words: Vec<String> = self.0.iter().map(u8::to_string).collect();
        f.write_str(&words.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn parts_times_and_lists_read_what_users_type_and_nothing_else() {
        assert_eq!("2/4".parse(), Ok(PartArg(Part { part: 2, of: 4 })));
        for wrong in ["", "1", "0/4", "5/4", "1/0", "a/b", "-1/2", "1/2/3"] {
            assert!(wrong.parse::<PartArg>().is_err(), "{wrong}");
        }
        assert_eq!("90s".parse(), Ok(Time(Duration::from_secs(90))));
        assert_eq!("2m".parse(), Ok(Time(Duration::from_secs(120))));
        for wrong in ["", "s", "5", "5 s", "-5s", "5d", "99999999999999999999h"] {
            assert!(wrong.parse::<Time>().is_err(), "{wrong}");
        }
        assert_eq!("256MB".parse(), Ok(Size(256_000_000)));
        assert_eq!("64MiB".parse(), Ok(Size(64 << 20)));
        for wrong in ["", "MB", "0", "5 MB", "-5MB", "5mb", "1.5GB", "99999999999999GiB"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
        assert_eq!("1,5-7,6".parse(), Ok(QueryList(vec![1, 5, 6, 7])));
        for wrong in ["", "0", "23", "7-5", "1,,2", "x", "1-"] {
            assert!(wrong.parse::<QueryList>().is_err(), "{wrong}");
        }
    }
}
