//! `hoap verify`: a benchmark's name and its flags, or a subcommand for workload files.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use hoap_ch2::run::verify::Verify;
use hoap_own::verify::Verify as VerifyOwn;

/// What is verified.
#[derive(Debug)]
pub enum VerifyAny {
    /// CH2's documents.
    Ch2(Verify),
    /// Those of a workload file.
    Own(VerifyOwn),
}

impl Args for VerifyAny {
    fn augment_args(command: Command) -> Command {
        let own = Command::new("own")
            .about("Hold every document against the workload file that it was made by");
        Verify::augment_args(command)
            .subcommand(VerifyOwn::augment_args(own))
            .args_conflicts_with_subcommands(true)
            .subcommand_negates_reqs(true)
    }

    fn augment_args_for_update(command: Command) -> Command {
        VerifyAny::augment_args(command)
    }
}

impl FromArgMatches for VerifyAny {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        VerifyAny::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        match matches.remove_subcommand() {
            Some((_, mut own)) => VerifyOwn::from_arg_matches_mut(&mut own).map(VerifyAny::Own),
            None => Verify::from_arg_matches_mut(matches).map(VerifyAny::Ch2),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = VerifyAny::from_arg_matches(matches)?;
        Ok(())
    }
}
