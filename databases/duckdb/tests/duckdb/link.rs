//! A file that follows a SQLite database holds what that holds, whatever happens.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hoap_database::{Access, Change, Database, Patch};
use hoap_databases::{duckdb, sqlite};
use hoap_suites::conformance::wait;
use hoap_workload::{Error, ErrorKind};
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{same, scan, texts};

const COLLECTIONS: [&str; 2] = ["c", "d"];
const FIELDS: [&str; 4] = ["n", "o.x", "l", "more"];

/// The URLs of a SQLite database, and of the file that follows it.
fn urls(folder: &Path, options: &str) -> (String, String) {
    let source = format!("sqlite:{}", folder.join("ops.db").display());
    let options = format!("link={source}&link_every_ms=5&threads=2{options}");
    (source, format!("duckdb:{}?{options}", folder.join("t.duckdb").display()))
}

/// Makes the collections, with some documents in each.
fn fill(source: &Database, count: usize) {
    wait(async {
        let documents = source.documents().unwrap();
        documents.create(&COLLECTIONS).await.unwrap();
        for collection in COLLECTIONS {
            let all: Vec<String> = (0..count)
                .map(|n| json!({ "n": n, "o": { "x": 100 }, "l": [n, n + 1] }).to_string())
                .collect();
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            let mut bulk = documents.bulk("1/1").await.unwrap();
            bulk.write(collection, &texts(0, &all), count as u64).await.unwrap();
            bulk.finish().await.unwrap();
        }
        let note = json!({ "of": count });
        documents.set_note(None, &note).await.unwrap();
    });
}

/// A client of its own, which is none of the program's.
fn client(folder: &Path) -> Connection {
    let client = Connection::open(folder.join("ops.db")).unwrap();
    client.busy_timeout(Duration::from_secs(30)).unwrap();
    client
}

/// What the source holds, as its own client reads it.
fn held(folder: &Path, collection: &str) -> BTreeMap<String, Vec<Value>> {
    let client = client(folder);
    let mut statement =
        client.prepare(&format!("SELECT key, json(doc) FROM \"{collection}\"")).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?))).unwrap();
    let fields = |text: String| {
        let document: Value = serde_json::from_str(&text).unwrap();
        let field =
            |name: &&str| document.pointer(&format!("/{}", name.replace('.', "/"))).cloned();
        FIELDS.iter().map(|name| field(name).unwrap_or_default()).collect()
    };
    rows.map(|row| row.map(|(key, text)| (key, fields(text))).unwrap()).collect()
}

fn shown(target: &Database, collection: &str) -> BTreeMap<String, Vec<Value>> {
    let rows = scan(target, collection, &FIELDS);
    let count = rows.len();
    let rows = BTreeMap::from_iter(rows);
    assert_eq!(rows.len(), count, "a document is there twice");
    rows
}

/// Waits until a condition holds; no test should get near the limit.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{what}: not within a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn note(target: &Database) -> Result<Option<Value>, Error> {
    wait(target.documents().unwrap().note())
}

fn follows(target: &Database) {
    until("it follows", || note(target).ok().flatten());
}

/// Waits until the file shows what the source holds, which nobody changes meanwhile.
fn equal(target: &Database, folder: &Path) {
    follows(target);
    for collection in COLLECTIONS {
        let expected = held(folder, collection);
        until(&format!("{collection} is equal"), || {
            alike(&expected, &shown(target, collection)).then_some(())
        });
    }
}

fn alike(a: &BTreeMap<String, Vec<Value>>, b: &BTreeMap<String, Vec<Value>>) -> bool {
    let same = |(a, b): (&Value, &Value)| same(a, b);
    a.keys().eq(b.keys()) && a.values().zip(b.values()).all(|(a, b)| a.iter().zip(b).all(same))
}

fn pair(options: &str, count: usize) -> (Database, Database, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (source, follower) = urls(folder.path(), options);
    let source = sqlite::open(&source).unwrap();
    fill(&source, count);
    (source, duckdb::open(&follower).unwrap(), folder)
}

/// Adds to two counters what it takes from two others, in one transaction.
async fn transfer(source: &Database, from: usize, to: usize, commits: bool) {
    let mut session = source.transactions().unwrap().session().await.unwrap();
    let mut tx = session.begin(Access::Write).await.unwrap();
    for (collection, key, by) in [("c", from, -1), ("d", to, 1)] {
        let patch = Patch { path: "o.x", change: Change::AddInteger(by) };
        tx.patch(collection, &key.to_string(), &[patch]).await.unwrap();
    }
    if commits { tx.commit().await.unwrap() } else { tx.rollback().await.unwrap() }
}

fn changes_come(options: &str) {
    let (source, target, folder) = pair(options, 500);
    equal(&target, folder.path());
    assert_eq!(note(&target).unwrap(), Some(json!({ "of": 500 })));
    wait(async {
        transfer(&source, 1, 2, true).await;
        transfer(&source, 3, 4, false).await;
        let mut session = source.transactions().unwrap().session().await.unwrap();
        let mut tx = session.begin(Access::Write).await.unwrap();
        // A field that no document had, and one of another type.
        tx.insert("c", "new", &json!({ "n": 1.5, "more": { "a": "b" } })).await.unwrap();
        tx.delete("c", "7").await.unwrap();
        tx.commit().await.unwrap();
    });
    equal(&target, folder.path());
    // Other writers are followed as well, whatever they do.
    client(folder.path())
        .execute_batch(
            "INSERT OR REPLACE INTO c VALUES ('9', jsonb('{\"n\": -9}'));
             INSERT INTO c VALUES ('9', jsonb('{}')) ON CONFLICT DO UPDATE SET doc = jsonb('{\"n\":1}');
             UPDATE c SET key = 'moved' WHERE key = '10';
             DELETE FROM d; INSERT INTO d SELECT key, doc FROM c LIMIT 20;
             UPDATE d SET doc = jsonb_set(doc, '$.more', 'text') WHERE key < '2'",
        )
        .unwrap();
    equal(&target, folder.path());
    let settings = source.description().settings;
    assert!(settings["changes_logged_for"].ends_with("t.duckdb"), "{settings:?}");
}

#[test]
fn changes_come_as_columns() {
    changes_come("");
}

#[test]
fn changes_come_as_json() {
    changes_come("&layout=json&link_batch=1");
}

#[test]
fn a_query_sees_no_half_transaction() {
    let (source, target, folder) = pair("", 50);
    follows(&target);
    let text = "SELECT (SELECT sum(c.o.x) FROM c) + (SELECT sum(d.o.x) FROM d) AS s,
                       (SELECT sum(c.o.x) FROM c) AS t";
    let mut states = 0;
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for n in 0..1500 {
                wait(transfer(&source, n % 50, n * 7 % 50, n % 5 > 0));
            }
        });
        let mut last = Value::Null;
        while !writer.is_finished() {
            let answer =
                wait(async { target.analytics().unwrap().session().await?.query(text, &[]).await });
            let row = answer.unwrap().rows.remove(0);
            assert_eq!(row[0].as_f64(), Some(10_000.0), "{row:?}");
            states += usize::from(last != row[1]);
            last = row[1].clone();
        }
    });
    assert!(states > 3, "{states} states were seen");
    equal(&target, folder.path());
}

#[test]
fn what_changed_meanwhile_comes_after_a_restart() {
    let (source, target, folder) = pair("", 100);
    equal(&target, folder.path());
    let url = target.description().url;
    drop(target);
    wait(transfer(&source, 1, 2, true));
    client(folder.path()).execute_batch("DELETE FROM c WHERE key LIKE '1%'").unwrap();
    let target = duckdb::open(&url).unwrap();
    equal(&target, folder.path());
    // Collections that are made anew are copied anew: while it follows, and meanwhile.
    let remove = || wait(async { source.documents().unwrap().drop(&COLLECTIONS).await.unwrap() });
    remove();
    fill(&source, 30);
    until("the new note", || note(&target).ok()?.filter(|note| *note == json!({ "of": 30 })));
    equal(&target, folder.path());
    drop(target);
    remove();
    fill(&source, 20);
    let target = duckdb::open(&url).unwrap();
    equal(&target, folder.path());
    // As is another database under the same name.
    drop((target, source));
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        if path.to_string_lossy().contains("ops.db") {
            std::fs::remove_file(path).unwrap();
        }
    }
    let target = duckdb::open(&url).unwrap();
    let e = until("it says that nothing is there", || {
        note(&target).err().filter(|e| e.to_string().contains("no such file"))
    });
    assert!(e.to_string().contains("open sqlite:"), "{e}");
    fill(&sqlite::open(&urls(folder.path(), "").0).unwrap(), 10);
    equal(&target, folder.path());
}

#[test]
fn the_log_does_not_grow() {
    let (_source, target, folder) = pair("", 10);
    follows(&target);
    let client = client(folder.path());
    let rows = |client: &Connection| -> i64 {
        client.query_row("SELECT count(*) FROM hoap_change", [], |row| row.get(0)).unwrap()
    };
    for _ in 0..3 {
        client
            .execute_batch(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
                 INSERT OR REPLACE INTO c SELECT 'k' || i, jsonb_object('n', i) FROM n",
            )
            .unwrap();
        until("the log is pruned", || (rows(&client) < 60_000).then_some(()));
    }
    equal(&target, folder.path());
    assert!(rows(&client) >= 1, "the last number is kept");
}

#[test]
fn an_older_copy_of_the_file_is_brought_up_though_the_log_is_pruned() {
    let (_source, target, folder) = pair("", 10);
    equal(&target, folder.path());
    let url = target.description().url;
    drop(target);
    let (file, copy) = (folder.path().join("t.duckdb"), folder.path().join("copy"));
    std::fs::copy(&file, &copy).unwrap();
    let client = client(folder.path());
    let target = duckdb::open(&url).unwrap();
    follows(&target);
    client
        .execute_batch(
            "DELETE FROM c WHERE key = '3';
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
             INSERT INTO d SELECT 'k' || i, jsonb_object('n', i) FROM n",
        )
        .unwrap();
    equal(&target, folder.path());
    until("the log is pruned", || {
        let rows = "SELECT count(*) FROM hoap_change";
        (client.query_row(rows, [], |row| row.get::<_, i64>(0)).unwrap() < 60_000).then_some(())
    });
    drop(target);
    std::fs::copy(&copy, &file).unwrap();
    equal(&duckdb::open(&url).unwrap(), folder.path());
}

#[test]
fn a_file_follows_one_source_and_a_source_has_one_follower() {
    let (source, target, folder) = pair("", 10);
    follows(&target);
    let (url, source_url) = (target.description().url, source.description().url);
    let refused = |url: &str, word: &str| {
        let e = note(&duckdb::open(url).unwrap()).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        assert!(e.to_string().contains(word) && e.advice.is_some(), "{e:?}");
    };
    // Nothing but the source is loaded.
    let documents = target.documents().unwrap();
    for e in [
        wait(documents.create(&["x"])).unwrap_err(),
        wait(documents.drop(&COLLECTIONS)).unwrap_err(),
        wait(documents.bulk("1/1")).map(drop).unwrap_err(),
        wait(documents.set_note(None, &json!(1))).unwrap_err(),
    ] {
        assert!(e.to_string().contains("it follows /"), "{e}");
    }
    // Another file takes the source over, and this one says so.
    let second = url.replace("t.duckdb", "second.duckdb");
    let other = duckdb::open(&second).unwrap();
    equal(&other, folder.path());
    let e = until("it lost its source", || {
        note(&target).err().filter(|e| e.kind == ErrorKind::Invalid)
    });
    assert!(e.to_string().contains("second.duckdb follows it now"), "{e}");
    // It does not take it back by itself.
    std::thread::sleep(Duration::from_millis(1500));
    assert!(note(&target).is_err() && note(&other).is_ok());
    drop((target, other));
    let target = duckdb::open(&url).unwrap();
    equal(&target, folder.path());
    drop(target);
    refused(&url.replace("ops.db", "other.db"), "the file follows");
    // The file alone is what it was, and takes no load.
    let alone = duckdb::open(&format!("duckdb:{}/t.duckdb", folder.path().display())).unwrap();
    assert!(alike(&held(folder.path(), "c"), &shown(&alone, "c")));
    let e = wait(alone.documents().unwrap().create(&["x"])).unwrap_err();
    assert!(e.to_string().contains("it follows /"), "{e}");
    let loaded = format!("duckdb:{}/loaded.duckdb", folder.path().display());
    fill(&duckdb::open(&loaded).unwrap(), 3);
    refused(&format!("{loaded}?link={source_url}"), "follows nothing");
}

/// The environment variable by which a test starts a process that changes the source and follows.
const FOLDER: &str = "HOAP_TEST_DUCKDB_LINK";

#[test]
#[ignore = "another test runs it in a process of its own, and kills it"]
fn changer() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let (source, follower) = urls(Path::new(&folder), "");
    let (source, target) = (sqlite::open(&source).unwrap(), duckdb::open(&follower).unwrap());
    let mut followed = false;
    for n in std::process::id() as usize.. {
        wait(transfer(&source, n % 50, n * 7 % 50, true));
        let key = format!("new {n}");
        client(Path::new(&folder))
            .execute("INSERT OR REPLACE INTO d VALUES (?1, jsonb('{\"n\": 1}'))", [key])
            .unwrap();
        if note(&target).is_ok() && !followed {
            println!("follows");
            followed = true;
        }
    }
}

#[test]
fn a_process_that_is_killed_loses_and_repeats_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (source, follower) = urls(folder.path(), "");
    fill(&sqlite::open(&source).unwrap(), 50);
    for kill in 0..5 {
        let mut child = start(folder.path());
        std::thread::sleep(Duration::from_millis(30 + 70 * kill));
        // By pid, with SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        let target = duckdb::open(&follower).unwrap();
        equal(&target, folder.path());
    }
}

fn start(folder: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["link::changer", "--exact", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    while !told.next().expect("it ended").unwrap().contains("follows") {}
    child
}
