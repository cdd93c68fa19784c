//! The benchmarks, a line each.

use std::fmt;
use std::path::PathBuf;

use clap::{ArgMatches, Command};
use hoap_data::Schema;
use hoap_record::Repetition;
use hoap_record::merge::Joint;
use hoap_workload::ycsb::{PRESETS, Preset};
use hoap_workload::{Local, Result};

use crate::begin::kind_of;
use crate::caller::{Caller, Setting};
use crate::flags::Common;
use crate::offer::{BenchmarkLine, Drivers, Offer, Recorded};
use crate::plan::Plan;
use crate::{ch2, memory, shop, ycsb};

/// Every benchmark that runs, in the order in which they are listed.
pub static BENCHMARKS: [&dyn Entry; 11] = [
    &BenchmarkLine::<ch2::Flags> {
        name: Schema::Ch2.name(),
        about: "CH2: transactions and queries on the same documents",
        variant: Schema::Ch2,
    },
    &BenchmarkLine::<ch2::Flags> {
        name: Schema::Ch2pp.name(),
        about: "CH2++: transactions and queries on the same documents",
        variant: Schema::Ch2pp,
    },
    &letter(&PRESETS[0]),
    &letter(&PRESETS[1]),
    &letter(&PRESETS[2]),
    &letter(&PRESETS[3]),
    &letter(&PRESETS[4]),
    &letter(&PRESETS[5]),
    &letter(&PRESETS[6]),
    &BenchmarkLine::<shop::PaginationFlags> {
        name: "pagination",
        about: "Pages of customers of a country",
        variant: (),
    },
    &BenchmarkLine::<shop::JoinFlags> {
        name: "join",
        about: "Sales of a zip code's customers in a month",
        variant: (),
    },
];

const fn letter(preset: &'static Preset) -> BenchmarkLine<ycsb::Flags> {
    BenchmarkLine { name: preset.name, about: preset.about, variant: preset }
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

    fn joint<'a>(&self, drivers: &'a Drivers<'a>) -> Local<'a, Result<Joint>> {
        Box::pin(F::joint(drivers))
    }
}

/// Under which heading the help lists a flag.
fn heading(id: &str) -> &'static str {
    match id {
        "target" | "operational" | "analytical" | "files" | "pairs" | "scan_fields" | "variant"
        | "params" | "params_seed" | "query_set" | "queries_dir" => "What runs",
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
        "out" | "ledger" | "explain" | "keep_answers" => "Output",
        _ => "Measure",
    }
}

/// The benchmark that a run folder names, whose name may go on behind ": ".
pub fn of_run(benchmark: &str) -> Option<&'static dyn Entry> {
    let kind = kind_of(benchmark);
    BENCHMARKS.into_iter().find(|entry| entry.name() == kind || entry.other_name() == Some(kind))
}

/// A benchmark with its flags, whatever they are.
pub trait AskedRun: fmt::Debug {
    /// [`BenchmarkLine::name`].
    fn name(&self) -> &'static str;

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

/// The benchmark that the user chose, with its flags: the subcommands of `hoap run`.
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

impl clap::Subcommand for Chosen {
    fn augment_subcommands(command: Command) -> Command {
        let all = BENCHMARKS.map(|entry| entry.command());
        command.subcommand_required(true).arg_required_else_help(true).subcommands(all)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Chosen::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        BENCHMARKS.iter().any(|entry| entry.name() == name)
    }
}

impl clap::FromArgMatches for Chosen {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        Chosen::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> std::result::Result<Self, clap::Error> {
        let chosen = matches.remove_subcommand();
        let found = chosen.and_then(|(name, flags)| {
            Some((BENCHMARKS.iter().find(|entry| entry.name() == name)?, flags))
        });
        let Some((entry, mut flags)) = found else {
            let kind = clap::error::ErrorKind::MissingSubcommand;
            return Err(clap::Error::raw(kind, "no benchmark is named"));
        };
        entry.parse(&mut flags).map(Chosen)
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        *self = Chosen::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_run(benchmark: &str) -> Option<&'static str> {
        super::of_run(benchmark).map(Entry::name)
    }

    #[test]
    fn a_run_is_of_the_benchmark_that_its_folder_names() {
        for entry in BENCHMARKS {
            assert_eq!(of_run(entry.name()), Some(entry.name()));
        }
        let custom = super::of_run("ycsb-custom: 70 % read, 30 % update, zipfian").unwrap();
        assert_eq!(custom.other_name(), Some("ycsb-custom"));
        for none in ["ycsb", "ycsb-", "ycsb-x", "ch2x", "ch", ""] {
            assert_eq!(of_run(none), None, "{none}");
        }
        for preset in &PRESETS {
            assert_eq!(of_run(preset.name), Some(preset.name));
        }
    }
}
