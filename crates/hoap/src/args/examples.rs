//! Two examples for each command, at the end of its help.

use std::sync::LazyLock;

use clap::{Command, CommandFactory};

use super::Cli;

/// The command line with the examples. It is made once, which takes milliseconds: what names 3,000
/// databases is parsed as often.
pub fn command() -> Command {
    static MADE: LazyLock<Command> = LazyLock::new(|| {
        EXAMPLES.iter().fold(Cli::command(), |cli, (path, examples)| {
            at(cli, path.split(' ').filter(|name| !name.is_empty()), examples)
        })
    });
    MADE.clone()
}

fn at<'a>(
    command: Command,
    mut path: impl Iterator<Item = &'a str>,
    examples: &[&str; 2],
) -> Command {
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

macro_rules! ycsb {
    ($name:literal) => {
        (
            concat!("run ", $name),
            [
                concat!("run ", $name, " --target sqlite:kv.db --clients 1,2,4 --check-reads"),
                concat!("run ", $name, " --target redis://cache --clients 64 --rate 5k,10k"),
            ],
        )
    };
}

/// By the words behind `hoap`.
const EXAMPLES: &[(&str, [&str; 2])] = &[
    ("demo", ["demo", "demo --out /tmp/demo --open"]),
    ("gen", ["gen ch2pp -w 100 -o data", "gen --check data"]),
    ("gen ch2", ["gen ch2 -w 10 -o data", "gen ch2 --stdout --collections item"]),
    (
        "gen ch2pp",
        [
            "gen ch2pp -w 100 --collections customer,orders -o data --compress zstd",
            "gen ch2pp -w 100 --part 3/8 -o data",
        ],
    ),
    ("gen ycsb", ["gen ycsb -p recordcount=1000000 -o data", "gen ycsb -p recordcount=9 --stdout"]),
    (
        "history",
        [
            "history add runs/nightly --dir history",
            "history check --dir history --since release=1.2",
        ],
    ),
    (
        "history add",
        ["history add runs/nightly --dir history", "history add runs/a runs/b --dir history"],
    ),
    (
        "history check",
        ["history check --dir history", "history check --dir history --since 4f2a91c"],
    ),
    (
        "history acknowledge",
        [
            "history acknowledge 9c01d2e --dir history --reason syncs-now",
            "history acknowledge release=1.3 --dir history --reason syncs-now --by ada",
        ],
    ),
    (
        "history show",
        ["history show --dir history", "history show --dir history -o public/index.html"],
    ),
    (
        "history export",
        [
            "history export --dir history --format otava -o otava.csv",
            "history export --dir history --format bencher -o bencher.json",
        ],
    ),
    (
        "bundle",
        [
            "bundle runs/nightly -o nightly.hoap",
            "bundle runs/a runs/b -o ab.hoap --reason 'shared_buffers=a quarter of the memory'",
        ],
    ),
    ("audit", ["audit nightly.hoap", "audit nightly.hoap --rerun postgres://localhost/again"]),
    ("gen shop", ["gen shop --customers 1M -o data", "gen shop --customers 1M -o data --dry-run"]),
    (
        "load",
        ["load ch2pp -w 10 --target sqlite:bench.db", "load ycsb --target redis://cache --dry-run"],
    ),
    (
        "load ch2",
        [
            "load ch2 -w 10 --target sqlite:bench.db",
            "load ch2 -w 10 --target sqlite:bench.db --resume",
        ],
    ),
    (
        "load ch2pp",
        [
            "load ch2pp -w 10 --target postgres://bench@db/bench --replace",
            "load ch2pp -w 1k --target postgres://bench@db/bench --part 1/4",
        ],
    ),
    (
        "load ycsb",
        [
            "load ycsb --target sqlite:kv.db -p recordcount=1000000",
            "load ycsb --target redis://cache -P workloads/workloada",
        ],
    ),
    (
        "load shop",
        [
            "load shop --target sqlite:shop.db --customers 100k",
            "load shop --target sqlite:shop.db --customers 1M --customers-per-zip 500",
        ],
    ),
    (
        "learn",
        [
            "learn orders=orders.ndjson customers=customers.csv -o shop.toml",
            "learn orders=- --no-values -o shop.toml",
            "learn orders=mongodb://me@db/shop#orders -o shop.toml",
        ],
    ),
    ("gen own", ["gen own shop.toml --scale 10 -o data", "gen own shop.toml --stdout"]),
    (
        "load own",
        [
            "load own shop.toml --target sqlite:shop.db",
            "load own shop.toml --dry-run --target sqlite:shop.db",
        ],
    ),
    (
        "verify own",
        [
            "verify own shop.toml --target sqlite:shop.db",
            "verify own shop.toml --target postgres://bench@db/bench --json",
        ],
    ),
    ("verify", ["verify ch2pp --target sqlite:bench.db", "verify ch2 --target sqlite:b.db --json"]),
    ("doctor", ["doctor sqlite:empty.db", "doctor postgres://bench@db/empty"]),
    (
        "query own",
        [
            "query own shop.toml --analytical sqlite:shop.db",
            "query own shop.toml --target postgres://bench@db/bench --answers-out answers",
        ],
    ),
    (
        "query",
        [
            "query ch2pp --analytical sqlite:bench.db --answers-out answers",
            "query ch2pp --analytical sqlite:bench.db --queries 1,5-7",
        ],
    ),
    (
        "answers compare",
        ["answers compare answers-sqlite answers-postgres", "answers compare a b --json"],
    ),
    (
        "run",
        [
            "run ycsb-a --target sqlite:kv.db --clients 1,2,4",
            "run ch2pp --target sqlite:bench.db --dry-run",
        ],
    ),
    ("run ch2", CH2),
    ("run ch2pp", CH2PP),
    ycsb!("ycsb-a"),
    ycsb!("ycsb-b"),
    ycsb!("ycsb-c"),
    ycsb!("ycsb-d"),
    ycsb!("ycsb-e"),
    ycsb!("ycsb-e-update"),
    ycsb!("ycsb-f"),
    (
        "run pagination",
        [
            "run pagination --target sqlite:shop.db --clients 1,2,4",
            "run pagination --target sqlite:shop.db --max-rate --sla p99=10ms",
        ],
    ),
    (
        "run join",
        [
            "run join --target sqlite:shop.db --variant two-phase",
            "run join --target sqlite:shop.db --clients 8 --rate 100,200",
        ],
    ),
    (
        "run own",
        [
            "run own shop.toml --target sqlite:shop.db --clients 1,4",
            "run own shop.toml --target sqlite:shop.db --mix checkout=50 --without ship",
        ],
    ),
    ("experiment", ["experiment list", "experiment show ch2pp-fig8"]),
    (
        "experiment run",
        [
            "experiment run ch2pp-fig8 --configuration 4Q+4A --dry-run",
            "experiment run own.toml --target sqlite:bench.db --scale-down 10",
        ],
    ),
    ("experiment report", ["experiment report ch2pp-fig8", "experiment report own -o own.html"]),
    (
        "report",
        [
            "report runs/first -o report.html",
            "report before=runs/before after=runs/after -o report.html --csv tables",
        ],
    ),
    ("runs", ["runs", "runs results --json"]),
    ("show", ["show runs/first --full", "show runs/first --format ycsb --step 2"]),
    (
        "compare",
        [
            "compare runs/before runs/after",
            "compare runs/before runs/after --fail-if tpm<-5% --format junit -o compare.xml",
        ],
    ),
    (
        "merge",
        [
            "merge machine1/run machine2/run -o runs/both",
            "merge a b --operational postgres://bench@primary/bench -o runs/both",
        ],
    ),
    (
        "gather",
        [
            "gather 2 --listen 127.0.0.1:7117 -o runs/both",
            "gather 8 --listen 127.0.0.1:7117 --operational sqlite:bench.db -o runs/all",
        ],
    ),
    (
        "price",
        [
            "price runs/before --prices mongodb-atlas-2020 --nodes 6",
            "price a=runs/a b=runs/b --prices a=a.toml,b=b.toml --json",
        ],
    ),
    ("targets", ["targets", "targets --json"]),
    ("init", ["init ch2pp", "init ycsb-a"]),
    ("completions", ["completions bash", "completions fish"]),
    ("man", ["man", "man -o /usr/local/share/man/man1"]),
];

const CH2: [&str; 2] = [
    "run ch2 --operational sqlite:bench.db --tx-clients 1,2,4 --query-clients 0,1 --loops 2",
    "run ch2 --operational sqlite:bench.db --max-rate --sla p99=50ms",
];

const CH2PP: [&str; 2] = [
    "run ch2pp --operational sqlite:bench.db --tx-clients 1,2,4 --query-clients 0,1 --loops 2",
    "run ch2pp --operational postgres://bench@primary/bench --analytical \
     postgres://bench@replica/bench --duration 5m --repeat 5 --out runs/before",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_examples_and_they_parse() {
        for (path, examples) in EXAMPLES {
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
