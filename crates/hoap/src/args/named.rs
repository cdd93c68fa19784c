//! The commands that name a benchmark: a subcommand for each.

use clap::{ArgMatches, Command, FromArgMatches, Subcommand};
use hoap_conduct::load::AskedLoad;
use hoap_conduct::registry::Chosen;

use crate::built_in;

/// What was asked of the benchmark that was named.
#[derive(Debug)]
pub struct Named<T>(pub T);

/// What can be asked of a benchmark.
pub trait OfBenchmark: Sized {
    /// A subcommand for each that can be asked this.
    fn commands() -> Vec<Command>;

    /// The one of this name, with the flags that the user typed.
    fn parse(name: &str, flags: &mut ArgMatches) -> Option<Result<Self, clap::Error>>;
}

impl OfBenchmark for Chosen {
    fn commands() -> Vec<Command> {
        built_in::runs().map(|entry| entry.command()).collect()
    }

    fn parse(name: &str, flags: &mut ArgMatches) -> Option<Result<Self, clap::Error>> {
        let entry = built_in::runs().find(|entry| entry.name() == name)?;
        Some(entry.parse(flags).map(Chosen))
    }
}

impl OfBenchmark for Box<dyn AskedLoad> {
    fn commands() -> Vec<Command> {
        built_in::data().map(|entry| entry.load_command()).collect()
    }

    fn parse(name: &str, flags: &mut ArgMatches) -> Option<Result<Self, clap::Error>> {
        let entry = built_in::data().find(|entry| entry.name() == name)?;
        Some(entry.parse_load(flags))
    }
}

impl<T: OfBenchmark> Subcommand for Named<T> {
    fn augment_subcommands(command: Command) -> Command {
        command.subcommands(T::commands())
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Named::<T>::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        T::commands().iter().any(|command| command.get_name() == name)
    }
}

impl<T: OfBenchmark> FromArgMatches for Named<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Named::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        let named = matches.remove_subcommand();
        match named.and_then(|(name, mut flags)| T::parse(&name, &mut flags)) {
            Some(asked) => asked.map(Named),
            None => {
                let kind = clap::error::ErrorKind::MissingSubcommand;
                Err(clap::Error::raw(kind, "no benchmark is named"))
            }
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Named::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::command;

    /// Whatever flags the command adds to them.
    #[test]
    fn a_benchmark_has_its_own_words_below_every_command() {
        let words = |of: Vec<Command>| {
            let about = |of: &Command| of.get_about().map(ToString::to_string);
            of.iter().map(|of| (of.get_name().to_owned(), about(of))).collect::<Vec<_>>()
        };
        for (name, own) in [
            ("gen", built_in::data().filter_map(|entry| entry.gen_command()).collect::<Vec<_>>()),
            ("load", built_in::data().map(|entry| entry.load_command()).collect()),
            ("run", built_in::runs().map(|entry| entry.command()).collect()),
        ] {
            let all = command();
            let listed = all.find_subcommand(name).unwrap().get_subcommands().cloned().collect();
            assert_eq!(words(listed), words(own), "{name}");
        }
    }
}
