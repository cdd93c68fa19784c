//! A workload file in the place of a benchmark's name.

use std::ffi::OsString;
use std::path::is_separator;

use clap::Command;

/// The benchmark that all workload files are.
const OWN: &str = "own";

/// Puts `own` before the name of a workload file, which ends in `.toml` or has a path separator, if
/// that stands where a benchmark's name does.
pub fn name_files(cli: &Command, argv: &mut Vec<OsString>) {
    let mut command = cli;
    let mut at = 1;
    while let Some(word) = argv.get(at).and_then(|word| word.to_str()) {
        if word.starts_with('-') {
            at += 1 + usize::from(takes_next(&[cli, command], word));
        } else if let Some(below) = command.find_subcommand(word) {
            command = below;
            at += 1;
        } else {
            let is_file = word.ends_with(".toml") || word.contains(is_separator);
            if is_file && command.find_subcommand(OWN).is_some() {
                argv.insert(at, OWN.into());
            }
            return;
        }
    }
}

/// Whether the word behind a flag is its value.
fn takes_next(commands: &[&Command], word: &str) -> bool {
    let mut flags = commands.iter().flat_map(|command| command.get_arguments());
    let flag = match word.strip_prefix("--") {
        Some(long) => flags.find(|flag| flag.get_long() == Some(long)),
        None => flags.find(|flag| flag.get_short() == word.chars().nth(1) && word.len() == 2),
    };
    flag.is_some_and(|flag| flag.get_action().takes_values())
}
