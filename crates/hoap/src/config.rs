//! `--config FILE`: the flags of a command by their long names, in TOML.
//!
//! The file becomes more words of the command line, so that there is one parser, one set of defaults
//! and one set of error messages. Keys at the top are flags of the command that runs; a table named
//! as a command holds flags for that command alone. A word typed by the user wins over the file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, FromArgMatches};
use hoap_databases::url::{has_secret, redact, scrub};
use toml::Value;

use crate::args::Cli;
use crate::failure::Failure;

/// Why there is no command to run.
#[derive(Debug)]
pub enum ParseError {
    /// The user asked for help or the version, or typed nothing.
    Help(clap::Error),
    /// The words or the configuration file are wrong.
    Usage(Failure),
}

/// Parses the command line and the configuration file it names.
///
/// A URL with a password is refused among the words that were typed: every user of the machine can read
/// them. In the file it is fine.
pub fn parse(mut argv: Vec<OsString>) -> Result<Cli, ParseError> {
    if let Some(word) = argv.iter().skip(1).map(|w| w.to_string_lossy()).find(|w| has_secret(w)) {
        return Err(ParseError::Usage(Failure::usage(format!(
            "{}: the command line shows its password to every user of this machine; put the URL into \
             the file of --config, or leave the password out and give it as the database's own tools \
             take it (such as PGPASSWORD, REDISCLI_AUTH, AWS_SECRET_ACCESS_KEY)",
            redact(&word)
        ))));
    }
    if let Some(file) = config_file(&argv) {
        let words = words(&file, &argv).map_err(ParseError::Usage)?;
        argv.extend(words);
    }
    let matches = Cli::command().try_get_matches_from(argv).map_err(ParseError::from)?;
    Cli::from_arg_matches(&matches).map_err(ParseError::from)
}

impl From<clap::Error> for ParseError {
    fn from(e: clap::Error) -> Self {
        use clap::error::ErrorKind::{
            DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion,
        };
        match e.kind() {
            DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand | DisplayVersion => {
                ParseError::Help(e)
            }
            // It repeats values, also those of the configuration file.
            _ => ParseError::Usage(Failure::usage(scrub(&one_line(&e.render().to_string())))),
        }
    }
}

/// What clap says in paragraphs, as the one line that every other error is: the problem, the tip, and
/// where the flags are.
fn one_line(text: &str) -> String {
    let usage = text.lines().find_map(|l| l.strip_prefix("Usage: "));
    let command: Vec<&str> = usage
        .unwrap_or("hoap")
        .split(' ')
        .take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
        .collect();
    let problem = text.strip_prefix("error: ").unwrap_or(text);
    let problem = problem.split("\n\nUsage: ").next().unwrap_or(problem);
    let problem = problem.split("\n\nFor more information").next().unwrap_or(problem);
    let paragraphs: Vec<String> =
        problem.split("\n\n").map(|p| p.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    format!("{}; see `{} --help`", paragraphs.join("; "), command.join(" "))
}

/// The value of `--config`, where there is one.
fn config_file(argv: &[OsString]) -> Option<PathBuf> {
    let mut words = argv.iter().skip(1);
    while let Some(word) = words.next() {
        if word == "--config" {
            return words.next().map(PathBuf::from);
        }
        if let Some(value) = word.to_str().and_then(|w| w.strip_prefix("--config=")) {
            return Some(PathBuf::from(value));
        }
    }
    None
}

/// The file as words of the command line, less those that the user typed.
fn words(file: &Path, argv: &[OsString]) -> Result<Vec<OsString>, Failure> {
    let wrong =
        |answer: String| Failure::usage(format!("read configuration {}: {answer}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|e| wrong(e.to_string()))?;
    let table: toml::Table = text
        .parse()
        .map_err(|e: toml::de::Error| wrong(e.to_string().trim().replace('\n', " ")))?;

    let cli = Cli::command();
    let typed: Vec<&str> = argv.iter().skip(1).filter_map(|w| w.to_str()).collect();
    // The command that was typed, and below it the benchmark where it takes one.
    let mut commands = vec![&cli];
    for word in &typed {
        commands.extend(commands.last().and_then(|c| c.find_subcommand(word)));
    }
    let [_, .., command] = commands.as_slice() else { return Ok(Vec::new()) };

    let mut flags = Vec::new();
    gather(table, &commands, &mut flags);
    let mut words = Vec::new();
    for (key, value) in flags {
        let known = |a: &&clap::Arg| a.get_long() == Some(&key) && key != "config";
        let global = commands.iter().flat_map(|c| c.get_arguments().filter(|a| a.is_global_set()));
        let Some(flag) = global.chain(command.get_arguments()).find(known) else {
            let names: Vec<_> = commands.iter().map(|c| c.get_name()).collect();
            return Err(wrong(format!(
                "unknown key {key:?}; keys are the flags that `{} --help` lists",
                names.join(" ")
            )));
        };
        if !typed.iter().any(|word| names(word, flag)) {
            words.extend(
                flag_words(flag, &key, value).map_err(wrong)?.into_iter().map(OsString::from),
            );
        }
    }
    Ok(words)
}

/// The flags of a table: its plain values, and those of the tables named as the commands that were
/// typed. Tables of other commands are for other times.
fn gather(table: toml::Table, commands: &[&clap::Command], flags: &mut Vec<(String, Value)>) {
    let Some((command, rest)) = commands.split_first() else { return };
    for (key, value) in table {
        match value {
            Value::Table(of) if command.find_subcommand(&key).is_some() => {
                if rest.first().is_some_and(|typed| typed.get_name() == key) {
                    gather(of, rest, flags);
                }
            }
            value => flags.push((key, value)),
        }
    }
}

/// Whether a typed word names the flag.
fn names(word: &str, flag: &clap::Arg) -> bool {
    if let Some(long) = word.strip_prefix("--") {
        let long = long.split_once('=').map_or(long, |(name, _)| name);
        return flag.get_long() == Some(long);
    }
    let mut letters = word.chars();
    letters.next() == Some('-') && letters.next().is_some_and(|l| flag.get_short() == Some(l))
}

/// One flag as words: a list is a word for each value, or one word where the flag itself takes a list.
fn flag_words(flag: &clap::Arg, key: &str, value: Value) -> Result<Vec<String>, String> {
    let word = |text: String| format!("--{key}={text}");
    Ok(match value {
        Value::Boolean(true) => vec![format!("--{key}")],
        Value::Boolean(false) => Vec::new(),
        Value::Array(values) => {
            let texts = values.into_iter().map(|v| text(key, v)).collect::<Result<Vec<_>, _>>()?;
            let repeated = matches!(flag.get_action(), clap::ArgAction::Append)
                && flag.get_value_delimiter().is_none();
            match repeated {
                true => texts.into_iter().map(word).collect(),
                false => vec![word(texts.join(","))],
            }
        }
        single => vec![word(text(key, single)?)],
    })
}

fn text(key: &str, value: Value) -> Result<String, String> {
    match value {
        Value::String(s) => Ok(s),
        Value::Integer(n) => Ok(n.to_string()),
        Value::Float(n) => Ok(n.to_string()),
        Value::Datetime(d) => Ok(d.to_string()),
        _ => Err(format!("the value of {key:?} must be text, a number, true, false or a list")),
    }
}

#[cfg(test)]
mod tests {
    use hoap_conduct::load::LoadBenchmark;

    use super::*;
    use crate::args::{Command, Gen, GenBenchmark};

    fn parse_with(toml: &str, words: &[&str]) -> Result<Cli, ParseError> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("hoap.toml");
        std::fs::write(&file, toml).unwrap();
        let mut argv: Vec<OsString> = vec!["hoap".into(), "--config".into(), file.into()];
        argv.extend(words.iter().map(OsString::from));
        parse(argv)
    }

    #[test]
    fn a_file_gives_flags_and_the_command_line_wins() {
        let toml = "warehouses = 7\nseed = 3\n[load]\ntarget = \"sqlite:x.db\"\nresume = true\n\
                    run-date = 2022-05-01\n[load.ch2pp]\n\
                    scale-down = 20\n[load.ch2]\nno-such = 1\n[run]\ntx-clients = [1, 2]\n";
        let cli = parse_with(toml, &["load", "ch2pp", "-w", "2"]).unwrap();
        let Command::Load { benchmark: LoadBenchmark::Ch2pp(load) } = cli.command else {
            panic!("{cli:?}")
        };
        assert_eq!((load.data.warehouses, load.data.seed), (2, 3));
        assert_eq!(load.loading.target, "sqlite:x.db");
        assert_eq!(load.data.run_date.to_string(), "2022-05-01");
        assert!(load.loading.resume);
        assert_eq!(load.data.scale_down, 20);
    }

    fn usage(end: Result<Cli, ParseError>) -> String {
        match end {
            Err(ParseError::Usage(failure)) => format!("{failure:?}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_password_is_refused_among_the_words_and_taken_from_the_file() {
        let url = "postgres://u:hunter2@h/d";
        let words = ["load", "ch2pp", "--target"].map(OsString::from);
        for typed in [vec![url.to_owned()], vec![format!("--target={url}")]] {
            let hoap = std::iter::once("hoap".into()).chain(words.clone());
            let argv = hoap.chain(typed.into_iter().map(OsString::from)).collect();
            let why = usage(parse(argv));
            assert!(why.contains("code: 2") && why.contains("u:***@h"), "{why}");
            assert!(why.contains("--config") && !why.contains("hunter2"), "{why}");
        }
        let cli = parse_with(&format!("target = \"{url}\""), &["load", "ch2pp"]).unwrap();
        let Command::Load { benchmark: LoadBenchmark::Ch2pp(load) } = cli.command else {
            panic!("{cli:?}")
        };
        assert_eq!(load.loading.target, url);
        // What the parser says of the file's words hides them too.
        let end =
            parse_with(&format!("warehouses = \"{url}\""), &["load", "ch2pp", "--target", "x:"]);
        assert!(!usage(end).contains("hunter2"));
    }

    #[test]
    fn flags_that_benchmarks_share_come_from_the_file_too() {
        let toml = "[gen]\nthreads = 3\nsplit = \"5MB\"\n[gen.shop]\ncustomers = 2000\n[gen.ch2]\n\
                    warehouses = 5\n";
        let cli = parse_with(toml, &["gen", "shop", "-o", "d"]).unwrap();
        let Command::Gen(Gen { benchmark: Some(GenBenchmark::Shop(shop)), threads, .. }) =
            cli.command
        else {
            panic!("another command")
        };
        assert_eq!((threads.map(|n| n.get()), shop.data.customers), (Some(3), 2000));
        assert_eq!(shop.output.split.map(|size| size.0), Some(5_000_000));
        let end = parse_with("[gen.ycsb]\ncustomers = 1", &["gen", "ycsb", "-o", "d"]);
        assert!(matches!(end, Err(ParseError::Usage(_))));
    }

    #[test]
    fn a_list_is_given_as_the_flag_takes_several_values() {
        let toml = "property = [\"recordcount=7\", \"fieldcount=2\"]\ntarget = \"sqlite:x\"";
        let cli = parse_with(toml, &["load", "ycsb"]).unwrap();
        let Command::Load { benchmark: LoadBenchmark::Ycsb(load) } = cli.command else {
            panic!("{cli:?}")
        };
        assert_eq!(load.data.properties.pairs, ["recordcount=7", "fieldcount=2"]);
        let toml = "queries = [1, \"5-7\"]\nanalytical = \"sqlite:x\"";
        let Command::Query(query) = parse_with(toml, &["query", "ch2"]).unwrap().command else {
            panic!("another command")
        };
        assert_eq!(query.queries.0, [1, 5, 6, 7]);
    }

    #[test]
    fn unknown_keys_bad_values_and_missing_files_are_errors() {
        for toml in ["warehuoses = 7", "[load]\nclients = 3", "seed = { a = 1 }", "seed ="] {
            let end = parse_with(toml, &["load", "ch2pp", "--target", "sqlite:x"]);
            assert!(matches!(end, Err(ParseError::Usage(_))), "{toml}");
        }
        let end = parse_with("seed = \"many\"", &["load", "ch2pp", "--target", "sqlite:x"]);
        assert!(matches!(end, Err(ParseError::Usage(_))));
        let argv = ["hoap", "targets", "--config", "no/such/file"].map(OsString::from);
        assert!(matches!(parse(argv.into()), Err(ParseError::Usage(_))));
    }
}
