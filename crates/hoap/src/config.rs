//! `--config FILE`: the flags of a command by their long names, in TOML.
//!
//! The file becomes more words of the command line, so that there is one parser, one set of
//! defaults and one set of error messages. Keys at the top are flags of the command that runs; a
//! table named as a command holds flags for that command alone. A word typed by the user wins over
//! the file.
//!
//! A table `[properties]`, at the top or in a command's table, has properties of YCSB by name. Each
//! is a `-p name=value`: later tables, of the command, win over the one at the top. One that is
//! typed with `-p` wins over its namesake alone, and a `-P FILE` that is typed takes the place of
//! the tables. A table `[label]` is the same of labels: each is a `--label name=value`.
//!
//! A file with the URL of a database serves every command: those of the keys `target`,
//! `operational` and `analytical` at the top that the command has no flags for are for other
//! commands.

mod facts;
mod file;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
mod load;
mod own;
mod several;
#[cfg(test)]
mod tests;
mod ycsb;

use std::ffi::OsString;
use std::path::Path;

use clap::FromArgMatches;
use file::{of_flag, unread};
use hoap_databases::url::{has_secret, redact};
use several::DATABASES;
use toml::Value;

use crate::args::{Cli, Command, command};
use crate::failure::Failure;

/// A flag whose value may be a table of pairs.
struct Pairs {
    /// Its key in the file.
    table: &'static str,
    /// The flag of one pair, as words begin with it that are typed.
    pair: &'static [&'static str],
}

/// Of properties the flag itself takes files; that of labels takes pairs.
const PAIRS: [Pairs; 2] = [
    Pairs { table: "properties", pair: &["--property", "-p"] },
    Pairs { table: "label", pair: &["--label"] },
];

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
/// A URL with a password is refused among the words that were typed: every user of the machine can
/// read them. In the file it is fine.
pub fn parse(mut argv: Vec<OsString>) -> Result<Cli, ParseError> {
    if let Some(word) = argv.iter().skip(1).map(|w| w.to_string_lossy()).find(|w| has_secret(w)) {
        return Err(ParseError::Usage(Failure::usage(format!(
            "{}: the command line shows its password to every user of this machine (an @ after the \
             first / ? or # may end one: elsewhere write it as %40); put the URL into the file of \
             --config, or leave the password out and give it as the database's own tools take it \
             (such as PGPASSWORD, REDISCLI_AUTH, AWS_SECRET_ACCESS_KEY)",
            redact(&word)
        ))));
    }
    own::name_files(&command(), &mut argv);
    if let Some(file) = of_flag(&argv, "--config") {
        let words = words(&file, &argv).map_err(ParseError::Usage)?;
        argv.extend(words);
    }
    let typed = typed(&command(), &argv);
    let command = typed.get(1).map(String::as_str);
    let mut of_each = several::split(command, argv).map_err(ParseError::Usage)?;
    for one in of_each.iter_mut().filter(|_| command == Some("run")) {
        one.argv.extend(facts::labels(&one.argv, &one.name).map_err(ParseError::Usage)?);
    }
    let loads = of_each.iter().filter_map(|one| Some((one.name.clone(), load::before(&one.argv)?)));
    let runs = of_each.iter().map(|one| (one.name.clone(), one.argv.clone()));
    let lines = loads.chain(runs).map(|(name, argv)| Ok((name, parsed_hidden(&argv)?)));
    let mut lines = lines.collect::<Result<Vec<_>, ParseError>>()?;
    if lines.len() == 1 {
        return Ok(lines.remove(0).1);
    }
    let last = &lines[lines.len() - 1].1;
    let (json, quiet) = (last.json, last.quiet);
    let commands = lines.into_iter().map(|(name, cli)| (name, cli.command)).collect();
    Ok(Cli { config: None, json, quiet, command: Command::Several(commands) })
}

/// The command of these words, with an error that repeats no secret.
fn parsed_hidden(argv: &[OsString]) -> Result<Cli, ParseError> {
    let name = typed(&command(), argv).join(" ");
    let usage = |e: clap::Error| {
        let known = e.kind() == clap::error::ErrorKind::UnknownArgument;
        match ycsb::advice(argv.iter().skip(1).filter_map(|w| w.to_str())).filter(|_| known) {
            Some(advice) => ParseError::Usage(Failure::usage(advice)),
            None => ParseError::of(e, &name),
        }
    };
    parsed(argv).map_err(|e| {
        if e.kind() == clap::error::ErrorKind::InvalidUtf8
            && let Some(odd) = argv.iter().find(|word| word.to_str().is_none())
        {
            return ParseError::Usage(Failure::usage(format!(
                "{}: it is not UTF-8, which only the file or folder of a flag may be; rename it, or \
                 name a link to it; see `{name} --help`",
                redact(&odd.to_string_lossy())
            )));
        }
        // The error repeats values, also those of the configuration file: it is made again from the
        // words without their secrets.
        let shown: Vec<OsString> =
            argv.iter().map(|word| redact(&word.to_string_lossy()).into()).collect();
        let secret = argv.iter().zip(&shown).any(|(word, shown)| word != shown);
        match parsed(&shown).err().filter(|_| secret) {
            Some(hidden) => usage(hidden),
            None if secret => ParseError::Usage(Failure::usage(
                "a word of the command line or the configuration file is wrong; the error would \
                 repeat a secret",
            )),
            None => usage(e),
        }
    })
}

fn parsed(argv: &[OsString]) -> Result<Cli, clap::Error> {
    Cli::from_arg_matches(&command().try_get_matches_from(argv)?)
}

/// The command that was typed: "hoap", and below it the command, and the benchmark where it takes
/// one.
fn typed(cli: &clap::Command, argv: &[OsString]) -> Vec<String> {
    let mut commands = vec![cli];
    for word in argv.iter().skip(1).filter_map(|w| w.to_str()) {
        commands.extend(commands.last().and_then(|c| c.find_subcommand(word)));
    }
    commands.into_iter().map(|c| c.get_name().to_owned()).collect()
}

impl ParseError {
    fn of(e: clap::Error, command: &str) -> Self {
        use clap::error::ErrorKind::{
            DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion,
        };
        match e.kind() {
            DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand | DisplayVersion => {
                ParseError::Help(e)
            }
            _ => ParseError::Usage(Failure::usage(one_line(&e.render().to_string(), command))),
        }
    }
}

/// What clap says in paragraphs, as the one line that every other error is: the problem, the tip,
/// and where the flags are.
fn one_line(text: &str, command: &str) -> String {
    let problem = text.strip_prefix("error: ").unwrap_or(text);
    let problem = problem.split("\n\nUsage: ").next().unwrap_or(problem);
    let problem = problem.split("\n\nFor more information").next().unwrap_or(problem);
    let paragraphs: Vec<String> =
        problem.split("\n\n").map(|p| p.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    format!("{}; see `{command} --help`", paragraphs.join("; "))
}

/// The file as words of the command line, less those that the user typed.
fn words(file: &Path, argv: &[OsString]) -> Result<Vec<OsString>, Failure> {
    let wrong =
        |answer: String| Failure::usage(format!("read configuration {}: {answer}", file.display()));
    let text = hoap_record::input::text(file).map_err(|e| wrong(e.to_string()))?;
    let table = text.parse::<toml::Table>().map_err(|e| wrong(unread(&text, &e)))?;

    let cli = command();
    let typed: Vec<&str> = argv.iter().skip(1).filter_map(|w| w.to_str()).collect();
    // The command that was typed, and below it the benchmark where it takes one.
    let mut commands = vec![&cli];
    for word in &typed {
        commands.extend(commands.last().and_then(|c| c.find_subcommand(word)));
    }
    if commands.len() < 2 {
        return Ok(Vec::new());
    }

    let mut top: Vec<String> = table.keys().cloned().collect();
    top.retain(|key| DATABASES.contains(&key.as_str()));
    let mut flags = Vec::new();
    gather(table, &commands, &mut flags);
    let mut words = Vec::new();
    for (key, value) in flags {
        let flag = match flag(&commands, &key) {
            Err(_) if top.contains(&key) => continue,
            found => found.map_err(wrong)?,
        };
        // A pair that was typed stands beside those of the file.
        let of_pairs = PAIRS.iter().any(|of| of.pair[0] == format!("--{key}"));
        if of_pairs || !typed.iter().any(|word| names(word, flag)) {
            let mut new = flag_words(flag, &key, value).map_err(wrong)?;
            // Among the words the last one wins, and these come after what was typed.
            new.retain(|word| !typed_pair(&typed, word));
            words.extend(new.into_iter().map(OsString::from));
        }
    }
    Ok(words)
}

/// The flag of this name: of the last of these commands, each a subcommand of the one before it, or
/// a global one.
fn flag<'a>(commands: &[&'a clap::Command], key: &str) -> Result<&'a clap::Arg, String> {
    let known = |a: &&clap::Arg| a.get_long() == Some(key) && key != "config";
    let global = commands.iter().flat_map(|c| c.get_arguments().filter(|a| a.is_global_set()));
    let own = commands.last().into_iter().flat_map(|c| c.get_arguments());
    global.chain(own).find(known).ok_or_else(|| {
        let names: Vec<_> = commands.iter().map(|c| c.get_name()).collect();
        format!("unknown key {key:?}; keys are the flags that `{} --help` lists", names.join(" "))
    })
}

/// The command of these words, with flags by their long names as a configuration file has them.
///
/// # Errors
/// Says in one line which word or flag is wrong. It repeats no secret.
pub fn with_flags(mut argv: Vec<OsString>, flags: toml::Table) -> Result<Cli, String> {
    let cli = command();
    own::name_files(&cli, &mut argv);
    let mut commands = vec![&cli];
    let words = argv.iter().skip(1).map_while(|word| word.to_str());
    for word in words.take_while(|word| !word.starts_with('-')) {
        commands.extend(commands.last().and_then(|c| c.find_subcommand(word)));
    }
    for (key, value) in flags {
        let words = flag_words(flag(&commands, &key)?, &key, value)?;
        argv.extend(words.into_iter().map(OsString::from));
    }
    parsed_hidden(&argv).map_err(|e| match e {
        ParseError::Help(help) => one_line(&help.to_string(), "hoap"),
        ParseError::Usage(failure) => failure.message().to_owned(),
    })
}

/// The flags of a table: its plain values, and those of the tables named as the commands that were
/// typed. Tables of other commands are for other times.
fn gather(table: toml::Table, commands: &[&clap::Command], flags: &mut Vec<(String, Value)>) {
    let Some((command, rest)) = commands.split_first() else { return };
    let mut own = None;
    for (key, value) in table {
        match value {
            Value::Table(of) if command.find_subcommand(&key).is_some() => {
                if rest.first().is_some_and(|typed| typed.get_name() == key) {
                    own = Some(of);
                }
            }
            value => flags.push((key, value)),
        }
    }
    // Behind those of all commands: of properties the later one wins.
    if let Some(of) = own {
        gather(of, rest, flags);
    }
}

/// Whether this word of a table of pairs, `--property=name=value`, has a name that was typed.
fn typed_pair(typed: &[&str], word: &str) -> bool {
    let found = PAIRS.iter().find_map(|of| {
        Some((of, word.strip_prefix(of.pair[0])?.strip_prefix('=')?.split_once('=')?.0))
    });
    let Some((Pairs { pair: flags, .. }, name)) = found else { return false };
    let before = std::iter::once("").chain(typed.iter().copied());
    before.zip(typed).any(|(before, word)| {
        let pair = match flags.contains(&before) {
            true => word,
            false => flags.iter().find_map(|flag| word.strip_prefix(flag)).unwrap_or(""),
        };
        pair.trim_start_matches('=').split_once('=').is_some_and(|(typed, _)| typed == name)
    })
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

/// One flag as words: a list is a word for each value, or one word where the flag itself takes a
/// list.
fn flag_words(flag: &clap::Arg, key: &str, value: Value) -> Result<Vec<String>, String> {
    let word = |text: String| format!("--{key}={text}");
    Ok(match value {
        // Several databases.
        Value::Array(values) if DATABASES.contains(&key) => {
            values.into_iter().map(|v| text(key, v).map(word)).collect::<Result<_, _>>()?
        }
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
        Value::Table(table) => {
            let of = PAIRS.iter().find(|of| of.table == key && flag.get_long() == Some(key));
            let of = of.ok_or_else(|| no_value(key))?;
            let mut words = Vec::new();
            pairs(of, "", table, &mut words)?;
            words
        }
        single => vec![word(text(key, single)?)],
    })
}

/// A table of pairs as words. TOML makes a table of a name with dots that has no quotes.
fn pairs(
    of: &Pairs,
    within: &str,
    table: toml::Table,
    words: &mut Vec<String>,
) -> Result<(), String> {
    for (key, value) in table {
        if key.is_empty() || key.contains('=') {
            let whole = format!("{within}{key}");
            let (table, what) = (of.table, of.pair[0].trim_start_matches('-'));
            return Err(format!("{whole:?} in [{table}] is no name of a {what}"));
        }
        let name = format!("{within}{key}");
        let value = match value {
            Value::Table(inner) => {
                pairs(of, &format!("{name}."), inner, words)?;
                continue;
            }
            Value::Array(_) => {
                let whole = format!("{}.{name}", of.table);
                return Err(format!(
                    "the value of {whole:?} must be text, a number, true or false"
                ));
            }
            Value::Boolean(whether) => whether.to_string(),
            single => text(&name, single)?,
        };
        words.push(format!("{}={name}={value}", of.pair[0]));
    }
    Ok(())
}

fn text(key: &str, value: Value) -> Result<String, String> {
    match value {
        Value::String(s) => Ok(s),
        Value::Integer(n) => Ok(n.to_string()),
        Value::Float(n) => Ok(n.to_string()),
        Value::Datetime(d) => Ok(d.to_string()),
        _ => Err(no_value(key)),
    }
}

fn no_value(key: &str) -> String {
    format!("the value of {key:?} must be text, a number, true, false or a list")
}
