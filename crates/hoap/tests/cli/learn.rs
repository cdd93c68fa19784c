//! Workload files that are learned of a database which another program made.

use std::time::Duration;

use rusqlite::Connection;

use super::{End, Place, interrupted};

/// What another program has: documents as text beside other columns, plain rows, a view.
const THEIRS: &str = r#"
    CREATE TABLE "Order Items" (id INTEGER PRIMARY KEY, body TEXT, status TEXT, at TEXT, raw BLOB);
    CREATE INDEX "by place" ON "Order Items" (body ->> '$.place.city', status DESC);
    CREATE INDEX whole ON "Order Items" (lower(status));
    CREATE INDEX some ON "Order Items" (status) WHERE status <> 'paid';
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
    INSERT INTO "Order Items" SELECT i,
        json_object('n', i % 40, 'status', 'shipped', 'place', json_object('city', 'c' || (i % 9))),
        'paid', '2024-01-01T00:00:00Z', randomblob(12) FROM n;
    CREATE TABLE binary (k TEXT PRIMARY KEY, doc BLOB) WITHOUT ROWID;
    INSERT INTO binary SELECT 'k' || (1000 + id), jsonb(body) FROM "Order Items" LIMIT 500;
    CREATE TABLE rows (rowid TEXT, name TEXT, ratio REAL);
    INSERT INTO rows SELECT 'r' || id, 'text', id / 7.0 FROM "Order Items";
    CREATE VIEW some_of_them AS SELECT body FROM "Order Items" WHERE id < 100;
    CREATE VIEW endless AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT i FROM n;
    CREATE TABLE empty (x JSON);"#;

fn theirs() -> Place {
    let p = Place::new();
    let theirs = Connection::open(p.path("theirs.db")).unwrap();
    theirs.execute_batch(THEIRS).unwrap();
    p
}

/// A line whose words may have spaces in them.
fn learn(p: &Place, words: &[&str]) -> End {
    End::of(p.command("learn").args(words).output().unwrap())
}

/// Tables and views are learned as they are, and the file stays byte by byte.
#[test]
fn a_table_of_another_program_is_learned_and_stays() {
    let p = theirs();
    let before = p.read("theirs.db");
    for (table, says) in [
        (
            "Order Items",
            &[
                "count = 2500",
                "indexes.by_place_city_status = [\"place.city\", \"status\"]",
                "where = [\"place.city\"], order = \"desc\"",
                "raw = { binary = \"12\" }",
                // The document's own field, not the column of that name.
                "values = [\"shipped\"]",
            ][..],
        ),
        ("ORDER ITEMS", &["count = 2500"]),
        ("binary", &["count = 500", "key = \"k{n:4}\"", "place"]),
        ("rows", &["count = 2500", "rowid", "ratio"]),
        ("some_of_them", &["count = 99", "place"]),
    ] {
        let sample = format!("a=sqlite:theirs.db#{table}");
        let end = learn(&p, &[&sample, "-o", "-"]);
        assert_eq!(end.code, 0, "{table}: {end:?}");
        for words in says {
            assert!(end.out.contains(words), "{table}, {words}: {}", end.out);
        }
        assert!(!end.out.contains("whole") && !end.out.contains("theirs"), "{}", end.out);
    }
    assert!(p.read("theirs.db") == before);
    let left = std::fs::read_dir(p.path(".")).unwrap().count();
    assert_eq!(left, 1, "a file beside theirs");
}

/// From a table to a run whose answers are checked, without an edit.
#[test]
fn what_is_learned_of_a_table_runs() {
    let p = theirs();
    let end = learn(&p, &["items=sqlite:theirs.db#Order Items", "-o", "items.toml"]);
    assert_eq!(end.code, 0, "{end:?}");
    p.ok("load items.toml --target sqlite:own.db");
    p.ok("run items.toml --target sqlite:own.db --operations 300 --warmup 0s --check-reads");
    p.ok("verify items.toml --target sqlite:own.db");
}

#[test]
fn what_cannot_be_learned_of_is_refused_by_one_line() {
    let p = theirs();
    for (sample, code, says) in [
        ("a=sqlite:theirs.db", 2, &["URL#COLLECTION"][..]),
        ("a=sqlite:theirs.db#none", 3, &["no such table or view", "Order Items, binary, empty"]),
        ("a=sqlite:theirs.db#empty", 2, &["learn a from sqlite:theirs.db#empty", "no documents"]),
        ("a=sqlite:.#t", 3, &["it is a directory"]),
        ("a=sqlite:nowhere.db#t", 3, &["open sqlite:nowhere.db", "check the path"]),
        ("a=sqlite:items.toml#t", 3, &["no SQLite database"]),
        ("a=mysql://h/d#t", 2, &["no such kind of database"]),
    ] {
        p.write("items.toml", "a text that is no database, and long enough to be read as one");
        let end = learn(&p, &[sample, "-o", "out.toml"]);
        assert_eq!((end.code, end.err.lines().count() <= 12), (code, true), "{sample}: {end:?}");
        for words in says {
            assert!(end.err.contains(words), "{sample}, {words}: {end:?}");
        }
        assert!(!p.path("out.toml").exists() && !p.path("nowhere.db").exists(), "{sample}");
    }
    // Nobody listens there: nothing is opened.
    for scheme in hoap_databases::known().filter(|scheme| scheme.built_in()) {
        let name = scheme.names[0];
        if scheme.capabilities().any(|what| what == hoap_database::What::Learn) {
            continue;
        }
        let end = p.run(&format!("learn a={name}://127.0.0.1:1/x#t -o out.toml"));
        assert_eq!((end.code, end.err.lines().count()), (2, 1), "{name}: {end:?}");
        assert!(end.err.contains("learning from a collection on"), "{name}: {end:?}");
        assert!(name == "null" || end.err.contains("learn from"), "{name}: {end:?}");
    }
}

#[test]
fn learning_is_interrupted_between_two_documents() {
    let p = theirs();
    let running = p.spawn("learn a=sqlite:theirs.db#endless -o out.toml");
    std::thread::sleep(Duration::from_millis(500));
    let (end, _) = interrupted(running);
    assert!(end.err.contains("interrupted after") && end.err.contains("no file was written"));
    assert!(!p.path("out.toml").exists());
}
