//! What a line of the [registry](crate::registry) needs: flags, and what becomes of them.

use std::fmt::Debug;
use std::path::PathBuf;

use clap::Args;
use hoap_databases::url::redact;
use hoap_record::Run;
use hoap_record::folder::{read_ledger, read_run};
use hoap_record::merge::Joint;
use hoap_workload::answers::{AnswerFile, Questions};
use hoap_workload::{Error, ErrorKind, Result, contribution};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::caller::{Caller, Setting};
use crate::flags::Common;
use crate::plan::Plan;

/// The folder of a run, and what its `run.json` says.
pub type Recorded = (PathBuf, Run);

/// A benchmark by its name: a line of the [registry](crate::registry).
#[derive(Debug)]
pub struct BenchmarkLine<F: Offer> {
    /// Its name, as users type it and as run folders have it.
    pub name: &'static str,
    /// A line for the user.
    pub about: &'static str,
    /// Which of the benchmarks with these flags it is.
    pub variant: F::Variant,
    /// What its answers are answers to, if it keeps some.
    pub questions: Option<&'static Questions>,
}

/// The flags of `hoap run NAME`, which become a run. Benchmarks that are much alike share them.
pub trait Offer: Args + Debug + 'static {
    /// What the benchmarks that share these flags differ in; `()` where there is one.
    type Variant: Debug + Sync + 'static;

    /// What runs are called that are none of the benchmark asked for, up to the ": ".
    const OTHER_NAME: Option<&'static str> = None;

    /// The only kind of transaction that the headline counts; `None` if it counts all operations.
    const HEADLINE: Option<&'static str> = None;

    /// How people write the name of this line.
    fn title(line: &BenchmarkLine<Self>) -> String {
        line.name.to_owned()
    }

    /// The flags that every benchmark has.
    fn common(&mut self) -> &mut Common;

    /// The steps that will run, as far as the flags alone say; nothing is opened.
    ///
    /// # Errors
    /// Refuses what cannot be run, whatever the database holds.
    fn planned(&self, line: &BenchmarkLine<Self>) -> Result<Plan>;

    /// The file that its flags name for results as YCSB prints them, beside those of `--export`.
    ///
    /// # Errors
    /// Refuses flags that make no benchmark.
    fn export_file(&self, _line: &BenchmarkLine<Self>) -> Result<Option<PathBuf>> {
        Ok(None)
    }

    /// The texts of the queries that a run asked, each with the name of its file; none of another
    /// version of this program, whose texts are not known.
    ///
    /// # Errors
    /// Fails if texts of a folder that the run names cannot be read.
    fn texts(_run: &Run) -> Result<Vec<(String, String)>> {
        Ok(Vec::new())
    }

    /// What is known of the answers to a run's queries on data as it was loaded.
    fn known(_run: &Run) -> Option<Box<dyn KnownAnswers>> {
        None
    }

    /// Opens the databases, prepares the benchmark of this line, and runs it
    /// ([`run::record`](crate::run::record)).
    fn record(
        &self,
        line: &BenchmarkLine<Self>,
        setting: &Setting<'_>,
    ) -> impl Future<Output = Result<Recorded>>;

    /// Holds what all drivers together saw acknowledged against the database, and audits what they
    /// did. Refuses where a benchmark keeps no ledger.
    fn joint(drivers: &Drivers<'_>) -> impl Future<Output = Result<Joint>> {
        let why = "only reads, and keeps no ledger; leave --operational away";
        async move { Err(drivers.refuse(&format!("{} {why}", drivers.first.benchmark))) }
    }
}

/// Answers on record, for the data and the parameters of a run.
pub trait KnownAnswers {
    /// How many rows the answer to the query of this name ("Q01") has.
    fn rows(&self, query: &str) -> Option<u64>;

    /// Holds an answer against the one on record.
    ///
    /// # Errors
    /// Says how it differs.
    fn check(&self, answer: &AnswerFile) -> Result<()>;
}

/// The runs of several drivers on one database.
pub struct Drivers<'a> {
    /// Who asked.
    pub caller: &'a dyn Caller,
    /// Their folders.
    pub runs: &'a [PathBuf],
    /// The database.
    pub url: &'a str,
    /// The record of one of them. All of them ran on the same data.
    pub first: &'a Run,
}

impl Drivers<'_> {
    /// Why the runs cannot be held against the database.
    pub fn refuse(&self, why: &str) -> Error {
        let tried = format!("hold the runs against {}", redact(self.url));
        Error::new(ErrorKind::Invalid, tried, why)
    }

    /// Refuses a database that holds other data than the runs'.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`], naming the database.
    pub fn same_data(&self, there: &Value) -> Result<()> {
        match self.first.data == *there {
            true => Ok(()),
            false => Err(self.refuse("it holds another data set than they ran on")),
        }
    }

    /// By how many nanoseconds each driver's clock is ahead of the one that all were held against;
    /// 0 where they were not.
    ///
    /// # Errors
    /// Fails where a folder cannot be read.
    pub fn clocks(&self) -> Result<Vec<i64>> {
        let ahead = |folder: &PathBuf| {
            let clock = read_run(folder)?.clock;
            Ok(clock.map_or(0, |clock| (clock.ahead_seconds * 1e9) as i64))
        };
        self.runs.iter().map(ahead).collect()
    }

    /// What each driver left, with the name of its file.
    ///
    /// # Errors
    /// Fails where a ledger is not there or is none.
    pub fn ledgers<T: DeserializeOwned>(&self) -> Result<Vec<(String, T)>> {
        let read = |folder: &PathBuf| {
            let name = folder.join("ledger.json").display().to_string();
            let text = read_ledger(folder).map_err(|e| {
                e.advise("only a run that writes, was given --part and ended leaves one")
            })?;
            let ledger = contribution::read(&name, &text)?;
            Ok((name, ledger))
        };
        self.runs.iter().map(read).collect()
    }
}
