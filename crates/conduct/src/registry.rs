//! The benchmarks, a line each.

use std::fmt;
use std::pin::Pin;

use clap::{ArgMatches, Command};
use hoap_record::{Check, Repetition};
use hoap_workload::Result;

use crate::begin::kind_of;
use crate::caller::{Caller, Setting};
use crate::flags::Common;
use crate::offer::{Drivers, Offer, Recorded};
use crate::{ch2, shop, ycsb};

/// Every benchmark that runs, in the order in which they are listed.
pub static BENCHMARKS: [Entry; 11] = [
    entry::<ch2::Flags>("ch2", "CH2: transactions and queries on the same documents"),
    entry::<ch2::Flags>("ch2pp", "CH2++: transactions and queries on the same documents"),
    entry::<ycsb::Flags>("ycsb-a", "YCSB A: 50 % reads, 50 % updates"),
    entry::<ycsb::Flags>("ycsb-b", "YCSB B: 95 % reads, 5 % updates"),
    entry::<ycsb::Flags>("ycsb-c", "YCSB C: reads"),
    entry::<ycsb::Flags>("ycsb-d", "YCSB D: 95 % reads of the latest, 5 % inserts"),
    entry::<ycsb::Flags>("ycsb-e", "YCSB E: 95 % scans, 5 % inserts"),
    entry::<ycsb::Flags>(
        "ycsb-e-update",
        "YCSB E as the comparison reports ran it: 95 % scans, 5 % updates",
    ),
    entry::<ycsb::Flags>("ycsb-f", "YCSB F: 50 % reads, 50 % read-modify-writes"),
    entry::<shop::PaginationFlags>("pagination", "Pages of customers of a country"),
    entry::<shop::JoinFlags>("join", "Sales of a zip code's customers in a month"),
];

type Local<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;
type Parse = fn(&mut ArgMatches) -> std::result::Result<Box<dyn Asked>, clap::Error>;

/// A benchmark that can be asked for by its name.
pub struct Entry {
    /// Its name, as users type it and as run folders have it.
    pub name: &'static str,
    /// A line for the user.
    pub about: &'static str,
    other_name: Option<&'static str>,
    flags: fn(Command) -> Command,
    parse: Parse,
    joint: for<'a> fn(&'a Drivers<'a>) -> Local<'a, Result<Vec<Check>>>,
}

const fn entry<F: Offer>(name: &'static str, about: &'static str) -> Entry {
    Entry {
        name,
        about,
        other_name: F::OTHER_NAME,
        flags: F::augment_args,
        parse: |matches| Ok(Box::new(F::from_arg_matches_mut(matches)?)),
        joint: |drivers| Box::pin(F::joint(drivers)),
    }
}

impl Entry {
    /// The benchmark that a run folder names, whose name may go on behind ": ".
    pub fn of_run(benchmark: &str) -> Option<&'static Entry> {
        let kind = kind_of(benchmark);
        BENCHMARKS.iter().find(|entry| entry.name == kind || entry.other_name == Some(kind))
    }

    /// Holds what all drivers together saw acknowledged against the database.
    ///
    /// # Errors
    /// Of the ledgers and the database.
    pub async fn joint(&self, drivers: &Drivers<'_>) -> Result<Vec<Check>> {
        (self.joint)(drivers).await
    }
}

/// [`Offer`], boxed.
trait Asked: fmt::Debug {
    fn common(&mut self) -> &mut Common;

    fn record<'a>(
        &'a self,
        name: &'static str,
        setting: &'a Setting<'a>,
    ) -> Local<'a, Result<Recorded>>;
}

impl<F: Offer> Asked for F {
    fn common(&mut self) -> &mut Common {
        Offer::common(self)
    }

    fn record<'a>(
        &'a self,
        name: &'static str,
        setting: &'a Setting<'a>,
    ) -> Local<'a, Result<Recorded>> {
        Box::pin(Offer::record(self, name, setting))
    }
}

/// The benchmark that the user chose, with its flags: the subcommands of `hoap run`.
#[derive(Debug)]
pub struct Chosen {
    /// Its name.
    pub name: &'static str,
    flags: Box<dyn Asked>,
}

impl Chosen {
    /// The flags that every benchmark has.
    pub fn common(&mut self) -> &mut Common {
        self.flags.common()
    }

    /// Runs once.
    ///
    /// # Errors
    /// What cannot be run or reached. A run that ended early by an error, and whose checks hold, has left
    /// its folder.
    pub async fn record(
        &mut self,
        caller: &dyn Caller,
        repetition: Option<Repetition>,
    ) -> Result<Recorded> {
        let common = self.common().clone();
        let setting = Setting { caller, common: &common, repetition };
        self.flags.record(self.name, &setting).await
    }
}

impl clap::Subcommand for Chosen {
    fn augment_subcommands(command: Command) -> Command {
        let all = BENCHMARKS.iter().map(|entry| {
            (entry.flags)(Command::new(entry.name)).about(entry.about).long_about(None)
        });
        command.subcommand_required(true).arg_required_else_help(true).subcommands(all)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Chosen::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        BENCHMARKS.iter().any(|entry| entry.name == name)
    }
}

impl clap::FromArgMatches for Chosen {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        Chosen::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> std::result::Result<Self, clap::Error> {
        let chosen = matches.remove_subcommand();
        let found = chosen.and_then(|(name, flags)| {
            Some((BENCHMARKS.iter().find(|entry| entry.name == name)?, flags))
        });
        let Some((entry, mut flags)) = found else {
            let kind = clap::error::ErrorKind::MissingSubcommand;
            return Err(clap::Error::raw(kind, "no benchmark is named"));
        };
        Ok(Chosen { name: entry.name, flags: (entry.parse)(&mut flags)? })
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
    use hoap_workload::ycsb::PRESETS;

    use super::*;

    fn of_run(benchmark: &str) -> Option<&'static str> {
        Entry::of_run(benchmark).map(|entry| entry.name)
    }

    #[test]
    fn a_run_is_of_the_benchmark_that_its_folder_names() {
        for entry in &BENCHMARKS {
            assert_eq!(of_run(entry.name), Some(entry.name));
        }
        let custom = of_run("ycsb-custom: 70 % read, 30 % update, zipfian").unwrap();
        assert!(BENCHMARKS.iter().any(|e| e.name == custom && e.other_name == Some("ycsb-custom")));
        for none in ["ycsb", "ycsb-", "ycsb-x", "ch2x", "ch", ""] {
            assert_eq!(of_run(none), None, "{none}");
        }
        for preset in &PRESETS {
            assert!(of_run(&format!("ycsb-{}", preset.name)).is_some(), "{}", preset.name);
        }
    }
}
