//! Files and tables of the user's around every output of every command: none of them changes.

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::Place;
use super::compare::two_drivers;
use super::report::PRICES;

/// What is not Hoap's in a place.
pub struct Mine<'p> {
    place: &'p Place,
    files: Vec<(&'static str, Vec<u8>)>,
    /// Databases of Hoap's into which the user has put a table.
    databases: &'static [&'static str],
}

/// Files beside the outputs that these tests name, in the folders of outputs, and with names that
/// look like outputs.
const FILES: [&str; 9] = [
    "thesis.txt",
    "run.json.bak",
    "page.html.bak",
    ".hoap-mine.tmp",
    ".hoap-made.txt",
    "runs/thesis.txt",
    "out/thesis.txt",
    "out/run-1/thesis.txt",
    "out/manifest.txt",
];
const TABLE: &str = "CREATE TABLE thesis (title TEXT); INSERT INTO thesis VALUES ('mine')";

impl<'p> Mine<'p> {
    pub fn around(place: &'p Place, databases: &'static [&'static str]) -> Mine<'p> {
        FILES.iter().for_each(|name| place.write(name, &format!("mine: {name}\n")));
        let open = |name: &str| Connection::open(place.path(name)).unwrap();
        open("mine.db").execute_batch(TABLE).unwrap();
        databases.iter().for_each(|name| open(name).execute_batch(TABLE).unwrap());
        let names = FILES.iter().copied().chain(["mine.db"]);
        let files = names.map(|name| (name, place.read(name))).collect();
        Mine { place, files, databases }
    }

    pub fn unchanged(&self, after: &str) {
        for (name, text) in &self.files {
            assert!(self.place.read(name) == *text, "{after} changed {name}");
        }
        for name in self.databases {
            let open = Connection::open(self.place.path(name)).unwrap();
            let title = open.query_row("SELECT title FROM thesis", [], |row| row.get(0));
            assert_eq!(title, Ok("mine".to_owned()), "{after} changed thesis of {name}");
        }
    }
}

/// The commands that take longer do the same in tests of their own.
const ELSEWHERE: [&str; 4] = ["demo", "experiment", "gather", "torture"];

#[test]
fn no_file_and_no_table_of_the_user_s_changes_by_any_command() {
    let p = Place::new();
    p.ok("load ycsb -p recordcount=10 --target sqlite:t.db");
    two_drivers(
        &p,
        2,
        "run ycsb-a --target null: -p recordcount=9 --duration 1s --warmup 10ms",
        "--clients",
    );
    p.write("prices.toml", PRICES);
    p.write("thesis.ndjson", "{\"title\": \"mine\"}\n");
    let mine = Mine::around(&p, &["t.db"]);
    let lines = [
        "init ch2pp",
        "completions bash",
        "targets",
        "man -o out/man",
        "man -o out/man",
        "gen ycsb -p recordcount=10 -o out",
        "gen ycsb -p recordcount=11 -o out --replace",
        "gen shop --customers 2000 --customers-per-zip 100 -o out/shop --format json",
        "load ycsb -p recordcount=10 --target sqlite:new.db",
        "load ycsb -p recordcount=10 --target sqlite:t.db --resume",
        "load shop --customers 2000 --customers-per-zip 100 --target sqlite:t.db --replace",
        "run join --target sqlite:t.db --operations 9 --warmup 0s --out out/join",
        "load ch2pp --scale-down 100 --target sqlite:t.db --replace",
        "verify ch2pp --target sqlite:t.db --check database",
        "query ch2pp --analytical sqlite:t.db --queries 1 --answers-out out/q --explain out/q",
        "query ch2pp --analytical sqlite:t.db --queries 1 --answers-out out/q --explain out/q",
        "answers compare out/q out/q",
        "run ch2pp --operational sqlite:t.db --tx-clients 1 --query-clients 0 --operations 50 \
         --warmup 0s --ledger --out out/ch2pp",
        "run ycsb-a --target null: -p recordcount=9 --operations 9 --warmup 0s",
        "run ycsb-a --target null: -p recordcount=9 --operations 9 --warmup 0s --out out/run \
         --export text=out/t --export csv=out/c",
        "report out/run -o out/page.html --csv out/tables",
        "report out/run -o out/page.html --csv out/tables",
        "show out/join",
        "runs",
        "history add out/ch2pp --dir out/history",
        "history check --dir out/history",
        "history show --dir out/history -o out/history.html",
        "compare out/run out/run -o out/compared.txt",
        "price out/run --prices prices.toml --nodes 3",
        "bundle out/run -o out/run.hoap",
        "bundle out/run -o out/run.hoap",
        "audit out/run.hoap",
        "learn thesis=thesis.ndjson -o out/thesis.toml",
        "learn thesis=thesis.ndjson -o out/thesis.toml",
        "merge driver-1 driver-2 -o out/whole",
        "doctor sqlite:examined.db",
    ];
    for line in lines {
        p.ok(line);
        mine.unchanged(line);
    }
    // What fails changes nothing either.
    for line in [
        "doctor sqlite:mine.db",
        "doctor sqlite:t.db",
        "load ycsb -p recordcount=10 --target sqlite:mine.db --replace",
        "load ycsb -p recordcount=10 --target sqlite:mine.db --adopt",
        "report out/run -o thesis.txt --csv out",
        "compare out/run out/run -o out/thesis.txt",
        "gen ycsb -p recordcount=10 -o mine.db",
        "merge driver-1 driver-2 -o out",
        "man -o thesis.txt",
        "bundle out/run -o thesis.txt",
        "learn thesis=thesis.ndjson -o thesis.txt",
    ] {
        let end = p.run(line);
        assert!(end.code > 0, "{line}: {end:#?}");
        mine.unchanged(line);
    }
    let help = p.ok("--help").out;
    let commands = help.split("Commands:").nth(1).unwrap().lines().skip(1);
    let commands = commands.take_while(|line| !line.trim().is_empty());
    // What a command does may go on on the next line, after more blanks.
    let commands = commands.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let commands: BTreeSet<&str> = commands.filter(|name| !name.is_empty()).collect();
    let seen = lines.iter().filter_map(|line| line.split(' ').next()).chain(ELSEWHERE);
    let seen: BTreeSet<&str> = seen.collect();
    let unseen: Vec<_> = commands.difference(&seen).filter(|name| **name != "help").collect();
    assert!(commands.len() > 10 && unseen.is_empty(), "{unseen:?} of {commands:?}");
}
