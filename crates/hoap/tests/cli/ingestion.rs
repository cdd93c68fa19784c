//! `hoap load --analytical`: how another database takes in what is loaded. A second process that
//! loads the same data into it plays whatever makes it follow.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use hoap_ch2::data::Collection;
use hoap_testing::experiment::rehearse;
use serde_json::{Value, json};

use super::{End, Place};

/// A load that waits for its second database.
pub struct Waiting {
    child: Child,
    err: BufReader<std::process::ChildStderr>,
    told: String,
}

impl Waiting {
    /// Starts it, and returns when the operational database is whole.
    pub fn begin(p: &Place, line: &str) -> Waiting {
        let mut command = p.command(line);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut waiting = Waiting {
            err: BufReader::new(child.stderr.take().unwrap()),
            child,
            told: String::new(),
        };
        while !waiting.told.contains("loaded; waiting until") {
            let read = waiting.err.read_line(&mut waiting.told).unwrap();
            assert!(read > 0, "hoap {line} ended: {}", waiting.told);
        }
        waiting
    }

    pub fn end(mut self) -> End {
        let mut out = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        self.err.read_to_string(&mut self.told).unwrap();
        End { code: self.child.wait().unwrap().code().unwrap_or(-1), out, err: self.told }
    }
}

/// Documents of the benchmark's collections, by SQLite's own count.
fn documents(p: &Place, name: &str) -> u64 {
    let database = rusqlite::Connection::open(p.path(name)).unwrap();
    let count = |c: &Collection| {
        let text = format!("SELECT count(*) FROM {}", c.name());
        database.query_row(&text, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    Collection::ALL.iter().map(count).sum::<i64>() as u64
}

const LOAD: &str =
    "load ch2pp --scale-down 100 --json --target sqlite:a.db --analytical sqlite:b.db";

fn ingestion(end: &End) -> Value {
    assert_eq!(end.code, 0, "{end:#?}");
    end.value()["ingestion"].clone()
}

#[test]
fn a_load_waits_until_the_second_database_has_taken_it_in_and_its_runs_say_how_fast() {
    let p = Place::new();
    let waiting = Waiting::begin(&p, LOAD);
    let whole = Instant::now();
    std::thread::sleep(Duration::from_millis(1500));
    p.load("b.db");
    let end = waiting.end();
    let after = whole.elapsed().as_secs_f64();
    let found = ingestion(&end);
    let all = documents(&p, "a.db");
    assert_eq!((documents(&p, "b.db"), &found["documents"]), (all, &json!(all)));
    assert_eq!(
        (&found["documents_at_begin"], &found["documents_at_written"]),
        (&json!(0), &json!(0))
    );
    let seconds = |name: &str| found[name].as_f64().unwrap();
    assert!(
        seconds("after_seconds") >= 1.4 && seconds("after_seconds") <= after + 1.0,
        "{found:#}"
    );
    assert!(seconds("written_seconds") <= seconds("settled_seconds"), "{found:#}");
    assert!(seconds("settled_seconds") < seconds("whole_seconds"), "{found:#}");
    let rate = all as f64 / seconds("whole_seconds");
    assert!((seconds("per_second") - rate).abs() < 0.01 * rate, "{found:#}");
    assert!(seconds("per_second_after") >= seconds("per_second"), "{found:#}");
    let curve = found["curve"].as_array().unwrap();
    assert!(curve.len() > 3, "{found:#}");
    assert_eq!(
        (&curve[0]["documents"], &curve[curve.len() - 1]["documents"]),
        (&json!(0), &json!(all))
    );

    // A run of the same pair has it; one that queries another database has no such key figure.
    let run = "run ch2pp --operational sqlite:a.db --tx-clients 0 --query-clients 1 --duration 300ms \
               --warmup 10ms --freshness off";
    p.ok(&format!("{run} --analytical sqlite:b.db --out pair"));
    assert_eq!(p.json("pair/run.json")["load"]["ingestion"], found);
    p.ok(&format!("{run} --out alone"));
    for (run, has) in [("pair", true), ("alone", false)] {
        p.ok(&format!("report {run} -o {run}.html --csv {run}.csv"));
        let page = p.text(&format!("{run}.html"));
        assert_eq!(page.contains("ingestion-section"), has, "{run}");
        assert_eq!(page.contains("<dt>Ingestion</dt>"), has, "{run}");
    }
    let page = p.ok("report A=pair B=pair -o compared.html").out;
    assert!(p.path("compared.html").exists(), "{page}");
    let page = p.text("compared.html");
    assert!(page.contains("ingestion"), "the configurations' summary has its rate");

    // What has taken everything in already has nothing left to measure.
    let end = p.ok(&format!("{LOAD} --resume"));
    assert_eq!(end.value().get("ingestion"), None);
    assert!(end.err.contains("held everything already"), "{end:#?}");
    p.ok(&format!("{run} --analytical sqlite:b.db --out again"));
    assert_eq!(p.json("again/run.json")["load"]["ingestion"], found, "the first remains");
}

#[test]
fn one_that_never_fills_is_an_error_that_names_what_lacks_and_the_load_is_whole() {
    let p = Place::new();
    let says = [
        "wait for sqlite:b.db to hold what was loaded: not within 1 s: of 11 collections 11 lack",
        "warehouse lacks 1 of 1, district lacks 10 of 10, ",
        "measure what is left with --resume",
    ];
    p.fails(&format!("{LOAD} --catch-up-limit 1s"), 3, &says);
    p.ok("verify ch2pp --target sqlite:a.db");

    // Half of it comes, then the rest while a second attempt measures that.
    p.ok("load ch2pp --target sqlite:b.db --scale-down 100 --part 1/2");
    let half = documents(&p, "b.db");
    let waiting = Waiting::begin(&p, &format!("{LOAD} --resume"));
    p.ok("load ch2pp --target sqlite:b.db --scale-down 100 --part 2/2");
    let end = waiting.end();
    assert!(end.err.contains(&format!("holds {half} documents already: what is left")), "{end:#?}");
    let found = ingestion(&end);
    assert_eq!(found["documents_at_begin"], half);
    let seconds = |name: &str| found[name].as_f64().unwrap();
    match found["per_second"].as_f64() {
        Some(per_second) => {
            let rate = (documents(&p, "a.db") - half) as f64 / seconds("whole_seconds");
            assert!((per_second - rate).abs() < 0.01 * rate, "{found:#}");
        }
        // The end is not known to a twentieth.
        None => {
            assert!(seconds("resolution_seconds") > 0.045 * seconds("whole_seconds"), "{found:#}")
        }
    }
}

#[test]
fn other_data_is_refused_before_the_load_and_after_it() {
    let p = Place::new();
    p.ok("load ch2pp --target sqlite:b.db --scale-down 100 --seed 5");
    let says = ["it holds 1 of warehouse, ", "and the operational database nothing"];
    p.fails(LOAD, 2, &says);
    p.fails(&format!("{LOAD} --replace --catch-up-limit 500ms"), 3, &["to remove what the load"]);
    std::fs::remove_file(p.path("b.db")).unwrap();

    let waiting = Waiting::begin(&p, LOAD);
    p.ok("load ch2pp --target sqlite:b.db --scale-down 100 --seed 5");
    let end = waiting.end();
    assert_eq!(end.code, 2, "{end:#?}");
    assert!(end.err.contains("it holds other data than the operational one: seed 5, not 1"));

    // Fewer documents of other data, that stand still.
    std::fs::remove_file(p.path("b.db")).unwrap();
    let waiting = Waiting::begin(&p, &format!("{LOAD} --warehouses 2").replace("a.db", "two.db"));
    p.load("b.db");
    let end = waiting.end();
    assert_eq!(end.code, 2, "{end:#?}");
    assert!(end.err.contains("other data than the operational one: warehouses 1, not 2"));
    for more in [
        "load ycsb --target sqlite:c.db --analytical sqlite:b.db",
        "load ch2pp --target \
                  sqlite:c.db --analytical null: --scale-down 100",
    ] {
        assert_eq!(p.run(more).code, 2, "{more}");
    }
}

/// Two spellings of one file are a pair whose second half is never behind.
#[test]
fn one_that_is_never_behind_has_no_rate_of_its_own_and_one_database_has_none_at_all() {
    let p = Place::new();
    let load = "load ch2pp --scale-down 100 --json --target sqlite:a.db --analytical";
    for more in ["", "--replace"] {
        let found = ingestion(&p.ok(&format!("{load} sqlite:./a.db {more}")));
        let all = documents(&p, "a.db");
        assert_eq!(found["documents_at_written"], all, "{found:#}");
        assert_eq!(found["per_second_after"], Value::Null, "{found:#}");
        assert!(found["after_seconds"].as_f64() <= found["resolution_seconds"].as_f64());
    }
    let end = p.ok(&format!("{load} sqlite:a.db --replace"));
    assert_eq!(end.value().get("ingestion"), None);
    assert!(end.err.contains("names the database that is loaded: no ingestion"), "{end:#?}");

    // Of several parts the one that ends the load waits.
    let parts = format!("{load} sqlite:./b.db").replace("a.db", "b.db");
    let end = p.ok(&format!("{parts} --part 1/2"));
    assert!(end.err.contains("the part that ends the load measures"), "{end:#?}");
    let half = documents(&p, "b.db");
    let found = ingestion(&p.ok(&format!("{parts} --part 2/2")));
    assert_eq!(found["documents_at_begin"], half);

    // What a run has changed cannot be compared with the load.
    p.ok("run ch2pp --operational sqlite:a.db --tx-clients 1 --query-clients 0 --duration 300ms \
          --warmup 10ms --out run");
    let says = ["1 run has changed the data since the load", "--replace"];
    p.fails(&format!("{load} sqlite:./a.db --resume"), 2, &says);
}

#[test]
fn an_experiment_measures_it_where_it_has_two_databases() {
    let hoap = env!("CARGO_BIN_EXE_hoap");
    for (analytical, measured) in [("sqlite:./a.db", true), ("sqlite:a.db", false)] {
        let p = Place::new();
        let both = [("--operational", "sqlite:a.db"), ("--analytical", analytical)];
        let runs = rehearse(hoap, p.0.path(), "ch2pp-fig10", "column", &both);
        assert_eq!(runs[0]["load"].get("ingestion").is_some(), measured, "{analytical}");
    }
}

#[cfg(unix)]
#[test]
fn a_wait_that_is_interrupted_ends_at_once_and_leaves_the_load_whole() {
    let p = Place::new();
    let waiting = Waiting::begin(&p, LOAD);
    let asked = Instant::now();
    let pid = waiting.child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    assert!(sent.success());
    let end = waiting.end();
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    assert_eq!(end.code, 130, "{end:#?}");
    assert!(end.err.contains("measure what is left with --resume"), "{end:#?}");
    p.ok("verify ch2pp --target sqlite:a.db");
}
