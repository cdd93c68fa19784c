//! What a benchmark's crate gives the command line, without its types.

use std::fmt;
use std::path::PathBuf;

use clap::{ArgMatches, Command};
use hoap_record::merge::Joint;
use hoap_record::{Repetition, Run};
use hoap_workload::answers::Questions;
use hoap_workload::{Local, Result};

use crate::begin::kind_of;
use crate::caller::{Caller, Setting};
use crate::data::DataEntry;
use crate::flags::Common;
use crate::memory;
use crate::offer::{BenchmarkLine, Drivers, KnownAnswers, Offer, Recorded};
use crate::plan::Plan;

/// What a benchmark's crate has: documents, and what runs on them. The command line is built of a
/// list of these.
#[derive(Clone, Copy)]
pub struct Benchmark {
    /// What `hoap load` and `hoap gen` make, by name.
    pub data: &'static [&'static dyn DataEntry],
    /// What `hoap run` runs, by name.
    pub runs: &'static [&'static dyn Entry],
}

/// [`BenchmarkLine`], whatever its flags.
pub trait Entry: Sync {
    /// [`BenchmarkLine::name`].
    fn name(&self) -> &'static str;

    /// The subcommand of `hoap run`.
    fn command(&self) -> Command;

    /// [`Offer::OTHER_NAME`].
    fn other_name(&self) -> Option<&'static str>;

    /// The benchmark with the flags that the user typed.
    ///
    /// # Errors
    /// Fails where a flag is missing or wrong.
    fn parse(
        &'static self,
        matches: &mut ArgMatches,
    ) -> std::result::Result<Box<dyn AskedRun>, clap::Error>;

    /// [`BenchmarkLine::questions`].
    fn questions(&self) -> Option<&'static Questions>;

    /// [`Offer::texts`].
    ///
    /// # Errors
    /// [`Offer::texts`]'s.
    fn texts(&self, run: &Run) -> Result<Vec<(String, String)>>;

    /// [`Offer::known`].
    fn known(&self, run: &Run) -> Option<Box<dyn KnownAnswers>>;

    /// [`Offer::joint`].
    fn joint<'a>(&self, drivers: &'a Drivers<'a>) -> Local<'a, Result<Joint>>;
}

impl<F: Offer> Entry for BenchmarkLine<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn command(&self) -> Command {
        let command = F::augment_args(Command::new(self.name)).about(self.about).long_about(None);
        command.mut_args(|arg| {
            let heading = heading(arg.get_id().as_str());
            arg.help_heading(heading)
        })
    }

    fn other_name(&self) -> Option<&'static str> {
        F::OTHER_NAME
    }

    fn parse(
        &'static self,
        matches: &mut ArgMatches,
    ) -> std::result::Result<Box<dyn AskedRun>, clap::Error> {
        Ok(Box::new((self, F::from_arg_matches_mut(matches)?)))
    }

    fn questions(&self) -> Option<&'static Questions> {
        self.questions
    }

    fn texts(&self, run: &Run) -> Result<Vec<(String, String)>> {
        F::texts(run)
    }

    fn known(&self, run: &Run) -> Option<Box<dyn KnownAnswers>> {
        F::known(run)
    }

    fn joint<'a>(&self, drivers: &'a Drivers<'a>) -> Local<'a, Result<Joint>> {
        Box::pin(F::joint(drivers))
    }
}

/// Under which heading the help lists a flag.
fn heading(id: &str) -> &'static str {
    match id {
        "target" | "operational" | "analytical" | "file" | "files" | "mix" | "without"
        | "pairs" | "scan_fields" | "variant" | "params" | "params_seed" | "query_set"
        | "queries_dir" => "What runs",
        "clients"
        | "tx_clients"
        | "query_clients"
        | "frontier"
        | "rate"
        | "arrivals"
        | "max_rate"
        | "sla"
        | "probe_limit"
        | "think_times"
        | "retries"
        | "run_seed"
        | "start_at"
        | "meet"
        | "insecure_without_tls"
        | "part" => "Load",
        "out" | "label" | "by" | "ledger" | "explain" | "keep_answers" => "Output",
        _ => "Measure",
    }
}

/// Of these, the one that a run folder names. The name may go on behind ": ".
pub fn of_run(
    mut entries: impl Iterator<Item = &'static dyn Entry>,
    benchmark: &str,
) -> Option<&'static dyn Entry> {
    let kind = kind_of(benchmark);
    entries.find(|entry| entry.name() == kind || entry.other_name() == Some(kind))
}

/// A benchmark with its flags, whatever they are.
pub trait AskedRun: fmt::Debug {
    /// [`BenchmarkLine::name`].
    fn name(&self) -> &'static str;

    /// [`Offer::title`].
    fn title(&self) -> String;

    /// [`Offer::HEADLINE`].
    fn headline(&self) -> Option<&'static str>;

    /// [`Offer::common`].
    fn common(&mut self) -> &mut Common;

    /// [`Offer::planned`].
    ///
    /// # Errors
    /// [`Offer::planned`]'s.
    fn planned(&self) -> Result<Plan>;

    /// [`Offer::export_file`].
    ///
    /// # Errors
    /// [`Offer::export_file`]'s.
    fn export_file(&self) -> Result<Option<PathBuf>>;

    /// [`Offer::record`].
    fn record<'a>(&'a self, setting: &'a Setting<'a>) -> Local<'a, Result<Recorded>>;
}

impl<F: Offer> AskedRun for (&'static BenchmarkLine<F>, F) {
    fn name(&self) -> &'static str {
        self.0.name
    }

    fn title(&self) -> String {
        F::title(self.0)
    }

    fn headline(&self) -> Option<&'static str> {
        F::HEADLINE
    }

    fn common(&mut self) -> &mut Common {
        self.1.common()
    }

    fn planned(&self) -> Result<Plan> {
        self.1.planned(self.0)
    }

    fn export_file(&self) -> Result<Option<PathBuf>> {
        self.1.export_file(self.0)
    }

    fn record<'a>(&'a self, setting: &'a Setting<'a>) -> Local<'a, Result<Recorded>> {
        Box::pin(self.1.record(self.0, setting))
    }
}

/// The benchmark that the user chose, with its flags.
#[derive(Debug)]
pub struct Chosen(pub Box<dyn AskedRun>);

impl Chosen {
    /// Its name.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// The flags that every benchmark has.
    pub fn common(&mut self) -> &mut Common {
        self.0.common()
    }

    /// The steps that will run. Nothing is opened.
    ///
    /// # Errors
    /// Refuses what cannot be run, whatever the database holds.
    pub fn planned(&self) -> Result<Plan> {
        let plan = self.0.planned()?;
        // How much more a client of this database takes is known when it is open.
        memory::fits(plan.shapes(), (false, false))?;
        Ok(plan)
    }

    /// Runs once.
    ///
    /// # Errors
    /// Fails where the benchmark cannot be run or a database reached. A run that ended early by an
    /// error, and whose checks hold, has left its folder.
    pub fn record<'a>(
        &'a mut self,
        caller: &'a dyn Caller,
        repetition: Option<Repetition>,
    ) -> Local<'a, Result<Recorded>> {
        Box::pin(async move {
            let common = self.common().clone();
            self.0.record(&Setting { caller, common: &common, repetition }).await
        })
    }
}
