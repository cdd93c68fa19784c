//! Two examples for each command, at the end of its help: those of `examples.txt`.

use std::sync::LazyLock;

use clap::{Command, CommandFactory};

use super::Cli;

/// The command line with the examples. It is made once, which takes milliseconds: what names 3,000
/// databases is parsed as often.
pub fn command() -> Command {
    static MADE: LazyLock<Command> = LazyLock::new(|| {
        examples().fold(Cli::command(), |cli, (path, examples)| at(cli, path.split(' '), &examples))
    });
    MADE.clone()
}

fn at<'a>(command: Command, mut path: impl Iterator<Item = &'a str>, examples: &[&str]) -> Command {
    let Some(name) = path.next() else {
        let mut text = String::from("Examples:");
        for example in examples {
            let words = std::iter::once("hoap").chain(example.split_whitespace());
            let words: Vec<String> = words.map(str::to_owned).collect();
            text.push_str(&format!("\n  {}", hoap_report::text::shell(&words)));
        }
        if let Some(before) = command.get_after_help() {
            text.push_str(&format!("\n\n{before}"));
        }
        return command.after_help(text);
    };
    let path: Vec<&str> = path.collect();
    command.mut_subcommand(name, |command| at(command, path.into_iter(), examples))
}

/// A command by its words behind `hoap`, its examples on the lines below it, and an empty line.
fn examples() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let blocks = include_str!("examples.txt").split("\n\n").map(str::lines);
    blocks.filter_map(|mut lines| Some((lines.next()?, lines.collect())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_examples_and_they_parse() {
        for (path, examples) in examples() {
            assert_eq!(examples.len(), 2, "{path}");
            for example in examples {
                assert!(example.starts_with(path), "{example}");
                let words = std::iter::once("hoap").chain(example.split_whitespace());
                let parsed = command().try_get_matches_from(words);
                parsed.unwrap_or_else(|e| panic!("{example}: {e}"));
            }
        }
        fn leaves(command: &Command, path: &str, missing: &mut Vec<String>) {
            for below in command.get_subcommands() {
                let path = format!("{path} {}", below.get_name());
                match below.has_subcommands() {
                    true => leaves(below, &path, missing),
                    false => {
                        let help = below.get_after_help().map(ToString::to_string);
                        if !help.is_some_and(|help| help.contains("Examples:")) {
                            missing.push(path);
                        }
                    }
                }
            }
        }
        let mut missing = Vec::new();
        leaves(&command(), "", &mut missing);
        missing.retain(|path| !path.contains("experiment") && !path.contains("torture"));
        assert!(missing.is_empty(), "{missing:?}");
    }
}
