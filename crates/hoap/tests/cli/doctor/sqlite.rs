//! The embedded database.

use std::path::Path;
use std::sync::Mutex;

use hoap_conduct::Caller;
use hoap_doctor::{Doctor, examine};
use hoap_drive::Stop;
use hoap_record::Verdict;
use rusqlite::Connection;

use super::{BOTH_SIDES, broken, hoap, sound};

fn url(folder: &Path) -> String {
    format!("sqlite:{}", folder.join("d.db").display())
}

#[test]
fn a_sound_database_is_proved_and_left_empty() {
    let folder = tempfile::tempdir().unwrap();
    let url = url(folder.path());
    let passed = [&BOTH_SIDES[..], &["time limit"]].concat();
    let found = sound(&["--operational", &url], &[], &passed, &[]);
    let examined = &found["databases"][0];
    assert_eq!(
        (&examined["role"], &examined["is"]["name"]),
        (&"database".into(), &"SQLite".into())
    );
    let database = Connection::open(folder.path().join("d.db")).unwrap();
    let tables = "SELECT count(*) FROM sqlite_schema WHERE name IN ('orders', 'item', 'usertable')";
    assert_eq!(database.query_row(tables, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
    // The text to paste has what it is, its settings, and each step. Queries alone are asked of the
    // database that is named so.
    let end = hoap(&["--analytical", &url], &[]);
    assert_eq!(end.code, 0, "{end:#?}");
    let words =
        ["hoap doctor ", "queries on: SQLite", "journal_mode", "pass  queries, tuned texts"];
    for words in words {
        assert!(end.out.contains(words), "no {words:?} in {}", end.out);
    }
}

#[test]
fn what_is_no_url_or_no_database_is_a_usage_error() {
    assert_eq!(hoap(&[], &[]).code, 2);
    assert_eq!(hoap(&["nothing"], &[]).code, 2);
    assert_eq!(hoap(&["sqlite:x.db", "--operational", "sqlite:y.db"], &[]).code, 2);
}

#[test]
fn data_of_others_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("d.db");
    let url = url(folder.path());
    let database = Connection::open(&file).unwrap();
    database
        .execute_batch(
            "CREATE TABLE orders (key TEXT PRIMARY KEY); INSERT INTO orders VALUES ('mine')",
        )
        .unwrap();
    broken(&[&url], &[], "empty place", &["no load of hoap made", "name an empty database"]);
    let mine = "SELECT count(*) FROM orders WHERE key = 'mine'";
    assert_eq!(database.query_row(mine, [], |row| row.get::<_, i64>(0)).unwrap(), 1);
}

#[test]
fn data_of_a_benchmark_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let url = url(folder.path());
    let load = ["load", "ycsb", "-p", "recordcount=20", "--target", &url];
    let loaded = std::process::Command::new(env!("CARGO_BIN_EXE_hoap")).args(load).output();
    assert!(loaded.unwrap().status.success());
    broken(&[&url], &[], "empty place", &["data of ycsb", "would destroy"]);
    let database = Connection::open(folder.path().join("d.db")).unwrap();
    let records =
        database.query_row("SELECT count(*) FROM usertable", [], |row| row.get::<_, i64>(0));
    assert_eq!(records.unwrap(), 20);
}

#[test]
fn what_is_no_database_is_said() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("d.db"), "this is a letter, and a long one. ".repeat(40))
        .unwrap();
    broken(&[&url(folder.path())], &[], "connects", &["not a database"]);
}

#[test]
fn a_database_that_another_one_has_locked_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let database = Connection::open(folder.path().join("d.db")).unwrap();
    database
        .execute_batch("PRAGMA journal_mode = wal; BEGIN IMMEDIATE; CREATE TABLE x (y)")
        .unwrap();
    broken(&[&format!("{}?busy_timeout_ms=100", url(folder.path()))], &[], "loads", &["locked"]);
}

/// Does something to the database when a step begins, and undoes it when a later one does.
struct Meddler<'a> {
    stop: Stop,
    /// The step before which each statement is run.
    what: &'a [(&'a str, &'a str)],
    database: Mutex<Connection>,
}

impl Caller for Meddler<'_> {
    fn say(&self, line: &str) {
        for (_, statement) in self.what.iter().filter(|(before, _)| *before == line) {
            self.database.lock().unwrap().execute_batch(statement).unwrap();
        }
    }

    fn stop(&self) -> &Stop {
        &self.stop
    }
}

/// The steps that fail, and the reasons, where these statements are run before steps.
fn meddled(what: &[(&str, &str)]) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let args = Doctor {
        url: Some(url(folder.path())),
        operational: None,
        analytical: None,
        catch_up_limit: "1m".parse().unwrap(),
    };
    let database = Connection::open(folder.path().join("d.db")).unwrap();
    database.busy_timeout(std::time::Duration::from_secs(30)).unwrap();
    let meddler = Meddler { stop: Stop::new(), what, database: Mutex::new(database) };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let examined = runtime.block_on(examine(&meddler, &args)).unwrap();
    let failed = examined.checks.into_iter().filter(|c| c.verdict == Verdict::Fail);
    failed.map(|c| (c.name, c.detail.unwrap_or_default())).collect()
}

/// Each fault is undone before the next step: no step finds that of another.
#[test]
fn each_fault_is_found_by_the_step_that_is_there_for_it() {
    // Without its documents nothing else is asked.
    let gone = [("documents", "DELETE FROM customer WHERE key = '1.1.1'")];
    found(&meddled(&gone), &[("documents", "customer")]);
    let queries = [
        (
            "queries, tuned texts",
            "CREATE TABLE hidden AS SELECT * FROM orders; DELETE FROM orders WHERE key LIKE '1.%'",
        ),
        ("cancelling", "INSERT INTO orders SELECT * FROM hidden; DROP TABLE hidden"),
    ];
    let others = [
        ("transactions", "CREATE TRIGGER t BEFORE DELETE ON item BEGIN SELECT RAISE(IGNORE); END"),
        ("forced conflict", "DROP TRIGGER t; DELETE FROM item WHERE key = 'hoap-doctor'"),
        (
            "forced conflict",
            "CREATE TABLE hidden AS SELECT * FROM stock WHERE key = '1.1'; \
             CREATE TRIGGER t AFTER UPDATE ON stock WHEN old.key = '1.1' BEGIN UPDATE stock SET \
             doc = jsonb_set(doc, '$.s_order_cnt', 1) WHERE key = '1.1'; END",
        ),
        (
            "clients",
            "DROP TRIGGER t; \
             UPDATE stock SET doc = (SELECT doc FROM hidden) WHERE key = '1.1'; DROP TABLE hidden",
        ),
        // It goes with its table.
        ("clients", "CREATE TRIGGER t BEFORE INSERT ON history BEGIN SELECT RAISE(IGNORE); END"),
    ];
    let of_queries = [("queries, tuned texts", "Q01"), ("queries, naive texts", "Q01")];
    let of_others = [
        ("transactions", "delete"),
        ("forced conflict", "an update was lost"),
        ("clients", "nothing lost: Payment"),
    ];
    found(&meddled(&[&queries[..], &others].concat()), &[&of_queries[..], &of_others].concat());
    // Another fault of the same step; the index is missing from then on.
    let index = [("transactions", "DROP INDEX orders_by_customer")];
    let of_index = [("transactions", "orders_by_customer")];
    let failed = meddled(&[&queries[..], &index].concat());
    found(&failed[..3], &[&of_queries[..], &of_index].concat());
}

/// These steps failed, for reasons with these words.
fn found(failed: &[(String, String)], wanted: &[(&str, &str)]) {
    let steps = |of: &(String, String)| of.0.clone();
    let names: Vec<String> = failed.iter().map(steps).collect();
    assert_eq!(names, wanted.iter().map(|(step, _)| *step).collect::<Vec<_>>(), "{failed:#?}");
    for ((_, reason), (step, says)) in failed.iter().zip(wanted) {
        assert!(reason.contains(says), "{step}: {reason}");
    }
}

/// Interrupted, it removes what it made.
#[test]
fn an_interrupted_examination_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    struct Interrupter(Stop);
    impl Caller for Interrupter {
        fn say(&self, line: &str) {
            if line == "documents" {
                self.0.set();
            }
        }
        fn stop(&self) -> &Stop {
            &self.0
        }
    }
    let args = Doctor {
        url: Some(url(folder.path())),
        operational: None,
        analytical: None,
        catch_up_limit: "1m".parse().unwrap(),
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let e = runtime.block_on(examine(&Interrupter(Stop::new()), &args)).map(drop).unwrap_err();
    assert_eq!(e.kind, hoap_record::ErrorKind::Cancelled, "{e}");
    let database = Connection::open(folder.path().join("d.db")).unwrap();
    let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'orders'";
    assert_eq!(database.query_row(tables, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}
