//! AsterixDB's rows and columns: the experiment, and Pagination and JOIN, whose answers are those of
//! SQLite.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hoap_testing::experiment::rehearse;

use super::Place;

/// This server ends where several clients make datasets at once (docs/targets/asterixdb.md).
static ALONE: Mutex<()> = Mutex::new(());

/// The server's URL up to the name of a dataverse, which is this test's alone meanwhile.
fn server() -> (String, MutexGuard<'static, ()>) {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let url = hoap_testing::urls::server("HOAP_TEST_ASTERIXDB_COLUMN");
    (url[..url.rfind('/').unwrap()].to_owned(), alone)
}

/// Figure 10 and table 3 in the small, on one engine's two formats.
#[test]
fn the_experiment_of_rows_and_columns_is_rehearsed() {
    let (p, (server, _alone)) = (Place::new(), server());
    for (label, format) in [("rows", "row"), ("columns", "column")] {
        let target = format!("{server}/rehearsed_{format}_{}", std::process::id());
        let both = [("--operational", &*target), ("--analytical", &*target)];
        let hoap = env!("CARGO_BIN_EXE_hoap");
        for run in rehearse(hoap, p.0.path(), "ch2pp-columns", label, &both) {
            assert_eq!(run["analytical"]["settings"]["storage"], format);
        }
    }
}

#[test]
fn pages_and_joins_of_rows_and_columns_are_those_of_sqlite() {
    let (p, (server, _alone)) = (Place::new(), server());
    let at = |format: &str| {
        format!("{server}/shop_{format}_{}?storage={format}&analyze=on", std::process::id())
    };
    let targets =
        [("sqlite", "sqlite:s.db".to_owned()), ("row", at("row")), ("column", at("column"))];
    for (name, target) in &targets {
        p.ok(&format!("load shop --customers 1000 --target {target}"));
        for benchmark in ["pagination", "join"] {
            let run = format!("run {benchmark} --target {target} --operations 2 --warmup 1ms");
            p.ok(&format!("{run} --check-reads --keep-answers --out {benchmark}-{name}"));
        }
    }
    for b in ["pagination", "join"] {
        let line = format!("answers compare {b}-sqlite {b}-row {b}-column --json");
        let queries = p.ok(&line).value()["queries"].clone();
        assert_eq!(queries.as_array().unwrap().len(), 8);
        for query in queries.as_array().unwrap() {
            assert_eq!(query["verdicts"], serde_json::json!(["first", "equal", "equal"]));
        }
    }
}
