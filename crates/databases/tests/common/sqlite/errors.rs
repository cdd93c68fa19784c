//! What goes wrong with a SQLite file is said in one line, with what to do.

use std::path::Path;
use std::time::{Duration, Instant};

use hoap_database::{Access, Change, Database, Find, Intent, Patch};
use hoap_testing::errors::{missing, unavailable};
use hoap_workload::{ErrorKind, Result};
use serde_json::json;

use super::conformance::{
    COLLECTION, batch, count, document, index, load, session, transact, wait,
};

fn open(file: &Path, options: &str) -> Database {
    wait(hoap_databases::open(&format!("sqlite:{}{options}", file.display()))).unwrap()
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// Every way of using a file that must be there.
fn uses(target: &Database) -> Vec<(&'static str, Result<()>)> {
    wait(async {
        let documents = target.documents().unwrap();
        vec![
            ("session", target.transactions().unwrap().session().await.map(drop)),
            ("stream", target.analytics().unwrap().session().await.map(drop)),
            ("bulk", documents.bulk("1/1").await.map(drop)),
            ("settle", documents.settle(&[]).await),
            ("scan", documents.scan(COLLECTION, &[], &mut |_, _| Ok(())).await),
        ]
    })
}

fn all_unavailable(target: &Database, words: &[&str]) {
    for (name, done) in uses(target) {
        unavailable(done.expect_err(name), words);
    }
}

#[test]
fn a_missing_file_is_not_made_by_looking() {
    let directory = directory();
    let file = directory.path().join("missing.db");
    let target = open(&file, "");
    for (name, done) in uses(&target) {
        let words = ["open sqlite:", "no such file", "run `hoap load` first"];
        missing(done.expect_err(name), &words);
    }
    wait(async {
        let documents = target.documents().unwrap();
        assert_eq!(documents.note().await.unwrap(), None);
        assert!(!documents.any_exists(&[COLLECTION]).await.unwrap());
        assert!(!documents.set_note(Some(&json!(1)), &json!(2)).await.unwrap());
        documents.drop(&[COLLECTION]).await.unwrap();
    });
    assert!(target.description().settings["settings"].contains("no such file"));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "nothing was made");
    load(&target, 3);
    assert_eq!(count(&target), 3);
}

#[test]
fn a_directory_is_no_database() {
    let directory = directory();
    let target = open(directory.path(), "");
    all_unavailable(&target, &["it is a directory", "name a file in it"]);
    unavailable(
        wait(target.documents().unwrap().create(&[COLLECTION])).unwrap_err(),
        &["it is a directory"],
    );
}

#[test]
fn a_missing_directory_is_named() {
    let directory = directory();
    let target = open(&directory.path().join("no/t.db"), "");
    let e = wait(target.documents().unwrap().create(&[COLLECTION])).unwrap_err();
    unavailable(e, &["no/t.db", "unable to open database file", "check the path"]);
}

#[test]
fn another_file_is_no_database() {
    let directory = directory();
    let file = directory.path().join("t.db");
    std::fs::write(&file, "a letter to the editor, long enough to be a header".repeat(9)).unwrap();
    all_unavailable(&open(&file, ""), &["file is not a database", "name another one"]);
    let documents = open(&file, "");
    let e = wait(documents.documents().unwrap().create(&[COLLECTION])).unwrap_err();
    unavailable(e, &["file is not a database"]);
}

#[test]
fn a_damaged_file_says_so() {
    let directory = directory();
    let file = directory.path().join("t.db");
    load(&open(&file, ""), 500);
    let mut bytes = std::fs::read(&file).unwrap();
    // Everything after the first page, which holds the schema.
    bytes[8192..].fill(0x5A);
    std::fs::write(&file, bytes).unwrap();
    let target = open(&file, "");
    let scan = wait(target.documents().unwrap().scan(COLLECTION, &["o_id"], &mut |_, _| Ok(())));
    unavailable(scan.unwrap_err(), &["scan orders", "malformed", "run `hoap load` again"]);
}

/// A user who may write every file, such as root, cannot see these refusals.
fn may_write_everything(file: &Path) -> bool {
    std::fs::OpenOptions::new().append(true).open(file).is_ok()
}

#[test]
fn a_read_only_file_can_be_read_and_not_written() {
    let directory = directory();
    let file = directory.path().join("t.db");
    load(&open(&file, ""), 3);
    let mut permissions = std::fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&file, permissions).unwrap();
    if may_write_everything(&file) {
        return;
    }
    let target = open(&file, "");
    let add = Patch { path: "o_id", change: Change::AddInteger(1) };
    let write = transact(&target, Access::Write, async |t| {
        t.patch(COLLECTION, "1.1", std::slice::from_ref(&add)).await
    });
    unavailable(write.unwrap_err(), &["read-only", "give this user write permission"]);
    assert_eq!(count(&target), 3);
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let directory = directory();
    let file = directory.path().join("t.db");
    load(&open(&file, ""), 3);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).unwrap();
    if may_write_everything(&file) {
        return;
    }
    all_unavailable(&open(&file, ""), &["unable to open database file", "permissions"]);
}

#[test]
fn a_file_without_the_collections_asks_for_a_load() {
    let directory = directory();
    let file = directory.path().join("t.db");
    let target = open(&file, "");
    wait(target.documents().unwrap().create(&["item"])).unwrap();
    let read = |access| {
        transact(&target, access, async |t| {
            t.get(COLLECTION, "1.1", &["o_id"], Intent::Look).await.map(drop)
        })
    };
    for access in [Access::Read, Access::Write] {
        let e = read(access).unwrap_err();
        missing(e, &["get orders 1.1", "no such table", "run `hoap load` first"]);
    }
    let query = wait(async {
        let mut stream = target.analytics().unwrap().session().await?;
        stream.query("SELECT count(*) FROM orders", &[]).await
    });
    missing(query.unwrap_err(), &["no such table: orders", "run `hoap load` first"]);
    // Without its index a search would read everything: it refuses.
    wait(target.documents().unwrap().create(&[COLLECTION])).unwrap();
    let find = transact(&target, Access::Read, async |t| {
        use hoap_database::Order::Ascending;
        t.find(Find { order: Ascending, ..Find::by(&index(), &[json!(1)]) }).await.map(drop)
    });
    missing(find.unwrap_err(), &["no such index", "run `hoap load` first"]);
}

#[test]
fn tables_and_indexes_of_others_are_left_alone() {
    let directory = directory();
    let file = directory.path().join("t.db");
    let other = rusqlite::Connection::open(&file).unwrap();
    // In a file that hoap made.
    let table = "PRAGMA application_id = 1215258992;
                 CREATE TABLE Orders (id INTEGER); INSERT INTO Orders VALUES (7)";
    other.execute_batch(table).unwrap();
    drop(other);
    let target = open(&file, "");
    let documents = target.documents().unwrap();
    assert!(wait(documents.any_exists(&[COLLECTION])).unwrap(), "whoever made it");
    let e = wait(documents.create(&["item", COLLECTION])).unwrap_err();
    unavailable(e, &["orders is there and is not ours", "name another file"]);
    assert!(!wait(documents.any_exists(&["item"])).unwrap(), "all or nothing");
    wait(documents.drop(&[COLLECTION])).unwrap();
    load(&target, 1);
    let mut changed = index();
    changed.fields.pop();
    let e = wait(documents.settle(&[changed])).unwrap_err();
    unavailable(e, &["orders_by_customer is there and is not ours"]);
}

/// Another process has the file to itself.
fn locked(file: &Path) -> rusqlite::Connection {
    let other = rusqlite::Connection::open(file).unwrap();
    let exclusive = "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT";
    other.execute_batch(exclusive).unwrap();
    other
}

#[test]
fn a_locked_file_is_waited_for_as_long_as_asked() {
    let directory = directory();
    let file = directory.path().join("t.db");
    load(&open(&file, ""), 3);
    let other = locked(&file);
    let start = Instant::now();
    let target = open(&file, "?busy_timeout_ms=100");
    let e = wait(target.transactions().unwrap().session()).map(drop).unwrap_err();
    unavailable(e, &["database is locked", "close the other program", "busy_timeout_ms"]);
    assert!((Duration::from_millis(100)..Duration::from_secs(5)).contains(&start.elapsed()));
    drop(other);
    assert_eq!(count(&target), 3);
}

#[test]
fn another_writer_is_waited_for_and_then_a_conflict() {
    let directory = directory();
    let file = directory.path().join("t.db");
    load(&open(&file, ""), 3);
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let target = open(&file, "?busy_timeout_ms=100");
    let begin = || transact(&target, Access::Write, async |_| Ok(()));
    let e = begin().unwrap_err();
    assert_eq!(e.kind, ErrorKind::Conflict, "{e}");
    assert!(e.to_string().contains("database is locked"), "{e}");
    // Readers do not wait.
    assert_eq!(count(&target), 3);
    std::thread::scope(|scope| {
        let patient = open(&file, "?busy_timeout_ms=60000");
        let waiting = scope.spawn(move || transact(&patient, Access::Write, async |_| Ok(())));
        std::thread::sleep(Duration::from_millis(50));
        other.execute_batch("COMMIT").unwrap();
        waiting.join().unwrap().unwrap();
    });
    begin().unwrap();
}

/// Writers of one process that cannot have their turn come away with a conflict, and the turn goes
/// on to those behind them.
#[test]
fn a_turn_that_does_not_come_is_a_conflict() {
    let directory = directory();
    let target = open(&directory.path().join("t.db"), "?busy_timeout_ms=100");
    load(&target, 1);
    let mut first = session(&target);
    let mut second = session(&target);
    wait(async {
        let held = first.begin(Access::Write).await.unwrap();
        let e = second.begin(Access::Write).await.map(drop).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Conflict, "{e}");
        assert!(e.to_string().contains("no turn within 100 ms"), "{e}");
        second.begin(Access::Read).await.unwrap().commit().await.unwrap();
        held.commit().await.unwrap();
        second.begin(Access::Write).await.unwrap().commit().await.unwrap();
    });
}

#[test]
fn a_full_disk_undoes_the_transaction_and_says_so() {
    let directory = directory();
    let target = open(&directory.path().join("t.db"), "?max_pages=60&page_size=4096");
    load(&target, 10);
    let full = ["database or disk is full", "make room on the disk"];
    // A transaction: SQLite may end it by itself, and then nothing more happens in it.
    let mut session = session(&target);
    wait(async {
        let mut t = session.begin(Access::Write).await.unwrap();
        let big = json!({ "o_data": "x".repeat(20_000) });
        let mut n = 0;
        let e = loop {
            n += 1;
            match t.insert(COLLECTION, &format!("big.{n}"), &big).await {
                Ok(()) => assert!(n < 100, "60 pages hold it all"),
                Err(e) => break e,
            }
        };
        unavailable(e, &full);
        match t.insert(COLLECTION, "after", &json!({})).await {
            Ok(()) => t.rollback().await.unwrap(),
            Err(e) => {
                assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
                assert_eq!(t.commit().await.unwrap_err().kind, ErrorKind::Invalid);
            }
        }
    });
    assert_eq!(count(&target), 10);
    // A load: the batch and its progress are undone together.
    wait(async {
        let mut bulk = target.documents().unwrap().bulk("1/1").await.unwrap();
        let e = bulk.write(COLLECTION, &batch(2, 1..=5000), 5010).await.unwrap_err();
        unavailable(e, &["load 5000 documents into orders", full[0], full[1]]);
        assert_eq!(bulk.position(COLLECTION).await.unwrap(), 10);
        bulk.write(COLLECTION, &batch(2, 1..=5), 15).await.unwrap();
    });
    assert_eq!(count(&target), 15);
    transact(&target, Access::Write, async |t| t.insert(COLLECTION, "9.9", &document(9, 9)).await)
        .unwrap();
}

#[test]
fn text_that_is_no_json_is_refused() {
    let directory = directory();
    let target = open(&directory.path().join("t.db"), "");
    load(&target, 1);
    wait(async {
        let mut bulk = target.documents().unwrap().bulk("1/1").await.unwrap();
        let mut bad = batch(3, 1..=3);
        bad.push(|key, text| {
            key.push_str("3.4");
            text.extend_from_slice(b"{\"o_id\": ");
        });
        let e = bulk.write(COLLECTION, &bad, 5).await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        assert!(e.to_string().contains("malformed JSON"), "{e}");
    });
    assert_eq!(count(&target), 1);
}
