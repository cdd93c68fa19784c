//! `hoap verify` and `hoap query`: a benchmark's name and its flags, or a subcommand for workload
//! files.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use hoap_own::run::Questions;
use hoap_own::verify::Verify;

/// A benchmark that is named with its flags, or a workload file with its own.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum OrFile<N, F> {
    Named(N),
    File(F),
}

/// Flags of a command for a workload file.
pub trait OfFile: Args {
    /// What it does, for the help.
    const ABOUT: &'static str;
}

impl OfFile for Verify {
    const ABOUT: &'static str = "Hold every document against the workload file that it was made by";
}

impl OfFile for Questions {
    const ABOUT: &'static str =
        "Ask the queries of a workload file: FILE.toml takes the place of its name";
}

impl<N: Args, F: OfFile> Args for OrFile<N, F> {
    fn augment_args(command: Command) -> Command {
        let own = F::augment_args(Command::new(hoap_own::NAME)).about(F::ABOUT).long_about(None);
        N::augment_args(command)
            .subcommand(own)
            .args_conflicts_with_subcommands(true)
            .subcommand_negates_reqs(true)
    }

    fn augment_args_for_update(command: Command) -> Command {
        OrFile::<N, F>::augment_args(command)
    }
}

impl<N: Args, F: OfFile> FromArgMatches for OrFile<N, F> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        OrFile::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        match matches.remove_subcommand() {
            Some((_, mut own)) => F::from_arg_matches_mut(&mut own).map(OrFile::File),
            None => N::from_arg_matches_mut(matches).map(OrFile::Named),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = OrFile::from_arg_matches(matches)?;
        Ok(())
    }
}
