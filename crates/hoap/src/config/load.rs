//! `hoap run … --load`: the command line of the load before the run.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command};
use hoap_conduct::load::Loading;

use crate::args::{LoadFlags, command};
use crate::built_in;

/// The words of the load that these words of a run ask for, if they do. What says which documents
/// the run reads says it of the load too, such as `-p recordcount`; flags of the load alone are the
/// value of `--load`. A line that cannot be parsed asks for nothing.
pub fn before(argv: &[OsString]) -> Option<Vec<OsString>> {
    // To parse a line takes milliseconds, and there may be thousands.
    let asks = |word: &OsString| word.to_string_lossy().split('=').next() == Some("--load");
    argv.iter().find(|word| asks(word))?;
    let matches = command().try_get_matches_from(argv).ok()?;
    let (benchmark, given) = matches.subcommand_matches("run")?.subcommand()?;
    let flags = given.get_one::<LoadFlags>("load")?;
    let data = built_in::data_of(benchmark)?;
    let mut words: Vec<OsString> = ["hoap", "load", data.name()].map(OsString::from).into();
    words.extend(shared(&data.load_command(), given));
    if given.get_flag("dry_run") {
        words.push("--dry-run".into());
    }
    words.extend(flags.0.iter().map(OsString::from));
    let target = ["target", "operational"].into_iter().find_map(|id| typed(given, id));
    words.extend(target.into_iter().flatten().map(|url| long("target", url)));
    Some(words)
}

/// The words of the run that are as well flags of the load, but for how and where it writes: those
/// flags mean something else.
fn shared(load: &Command, given: &ArgMatches) -> Vec<OsString> {
    let loading = Loading::augment_args(Command::new("load"));
    let how = |id: &str| loading.get_arguments().any(|arg| arg.get_id() == id);
    let mut words = Vec::new();
    for arg in load.get_arguments().filter(|arg| !how(arg.get_id().as_str())) {
        let values = typed(given, arg.get_id().as_str()).into_iter().flatten();
        match arg.get_long() {
            Some(flag) if arg.get_action().takes_values() => {
                words.extend(values.map(|value| long(flag, value)));
            }
            // What has no value and is shared has no effect on either.
            Some(_) => {}
            None if arg.is_positional() => words.extend(values),
            None => {}
        }
    }
    words
}

/// The values of a flag that somebody gave.
fn typed(given: &ArgMatches, id: &str) -> Option<Vec<OsString>> {
    let there = given.try_contains_id(id).ok()?;
    let source = there.then(|| given.value_source(id))?;
    let values = given.get_raw(id).filter(|_| source == Some(ValueSource::CommandLine))?;
    Some(values.map(OsString::from).collect())
}

fn long(flag: &str, value: OsString) -> OsString {
    let mut word = OsString::from(format!("--{flag}="));
    word.push(value);
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<String> {
        let argv: Vec<OsString> = line.split(' ').map(|w| w.replace('_', " ").into()).collect();
        let words = before(&argv)?;
        Some(words.iter().map(|w| w.to_str().unwrap()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_load_has_what_says_which_documents_a_run_reads() {
        for (run, load) in [
            (
                "hoap run ycsb-a --target=sqlite:a -precordcount=9 --rate 5 --check full --load",
                "hoap load ycsb --property=recordcount=9 --target=sqlite:a",
            ),
            (
                "hoap run ch2 --operational sqlite:a --analytical duckdb:b --load=-w_3_--replace",
                "hoap load ch2 --analytical=duckdb:b -w 3 --replace --target=sqlite:a",
            ),
            (
                "hoap run join --target sqlite:a --dry-run --load --clients 4",
                "hoap load shop --dry-run --target=sqlite:a",
            ),
            (
                "hoap run own x.toml --target sqlite:a --load=--scale_2",
                "hoap load own x.toml --scale 2 --target=sqlite:a",
            ),
            (
                "hoap run ycsb-a --target sqlite:a --load=-p_x='a_b'_--label_\"k=c_d\"",
                "hoap load ycsb -p x=a b --label k=c d --target=sqlite:a",
            ),
        ] {
            assert_eq!(of(run).as_deref(), Some(load));
        }
        for none in [
            "hoap run ycsb-a --target sqlite:a",
            "hoap run ycsb-a --target sqlite:a --load --no-such",
            "hoap run ycsb-a --target sqlite:a --load='-p",
            "hoap load ycsb --target sqlite:a",
        ] {
            assert_eq!(of(none), None, "{none}");
        }
    }
}
