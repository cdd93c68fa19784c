//! What SQLite was told to keep is there after a crash; several processes share one file.
//!
//! The tests start this test binary again as a child that runs one of the `child_…` tests, which do
//! nothing unless [`CHILD`] names the file to work on.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use hoap_database::{Access, Change, Database, Patch};
use serde_json::json;

use super::conformance::{COLLECTION, batch, count, field, index, load, session, wait};

/// The URL a child works on.
const CHILD: &str = "HOAP_TEST_CHILD_URL";
/// The part a loading child loads.
const PART: &str = "HOAP_TEST_CHILD_PART";

fn open(url: &str) -> Database {
    wait(hoap_databases::open(url)).unwrap()
}

fn child(test: &str, url: &str, part: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            &format!("sqlite::durability::{test}"),
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(CHILD, url)
        .env(PART, part)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The numbers on the child's lines `acknowledged N`.
fn acknowledged(child: &mut Child) -> impl Iterator<Item = u64> + use<> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.map_while(Result::ok).filter_map(|line| {
        // The test harness may write its own words before on the same line.
        line.rsplit_once("acknowledged ").and_then(|(_, n)| n.parse().ok())
    })
}

fn acknowledge(n: u64) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "acknowledged {n}").and_then(|()| out.flush()).unwrap();
}

#[test]
fn child_increments_for_ever() {
    let Ok(url) = std::env::var(CHILD) else { return };
    let target = open(&url);
    let mut session = session(&target);
    for n in 1.. {
        wait(async {
            let mut t = session.begin(Access::Write).await.unwrap();
            for key in ["1.1", "1.2"] {
                let patch = Patch { path: "o_id", change: Change::AddInteger(1) };
                t.patch(COLLECTION, key, &[patch]).await.unwrap();
            }
            t.commit().await.unwrap();
        });
        acknowledge(n);
    }
}

#[test]
fn child_loads_a_part() {
    let Ok(url) = std::env::var(CHILD) else { return };
    let part: i64 = std::env::var(PART).unwrap().parse().unwrap();
    let target = open(&url);
    wait(async {
        let documents = target.documents().unwrap();
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk(&part.to_string()).await.unwrap();
        let start = bulk.position(COLLECTION).await.unwrap();
        for n in start / 20..60 {
            let orders = (n as i64) * 20 + 1..=(n as i64) * 20 + 20;
            bulk.write(COLLECTION, &batch(part, orders), (n + 1) * 20).await.unwrap();
            acknowledge((n + 1) * 20);
        }
    });
}

/// A process killed between and inside commits loses no commit that it was told of, and leaves no
/// half of a transaction (TPC-C 3.5.3: durability through the loss of the process).
#[test]
fn no_acknowledged_commit_is_lost_when_the_process_is_killed() {
    for synchronous in ["full", "off"] {
        let directory = tempfile::tempdir().unwrap();
        let url = format!(
            "sqlite:{}/t.db?checkpoint_pages=8&synchronous={synchronous}",
            directory.path().display()
        );
        load(&open(&url), 2);
        let mut before = 0;
        for stop in [1, 40, 173] {
            let mut child = child("child_increments_for_ever", &url, "");
            let mut acknowledged = acknowledged(&mut child);
            let mut last = acknowledged.by_ref().find(|n| *n >= stop).expect("the child works");
            child.kill().unwrap();
            child.wait().unwrap();
            // What it wrote before it died counts as well.
            last = acknowledged.last().unwrap_or(last);
            let target = open(&url);
            let value = |key| field(&target, key, "o_id").as_i64().unwrap() as u64;
            let total = value("1.1") - 1;
            assert!(
                (before + last..=before + last + 1).contains(&total),
                "{before} + {last} acknowledged, {total} there"
            );
            assert_eq!(value("1.2"), total + 2, "half a transaction");
            before = total;
        }
    }
}

/// A killed load goes on where its last batch ended: nothing twice, nothing missing.
#[test]
fn a_killed_load_goes_on_from_its_progress() {
    let directory = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}/t.db", directory.path().display());
    let mut first = child("child_loads_a_part", &url, "1");
    let mut written = acknowledged(&mut first);
    let mut last = written.by_ref().find(|n| *n >= 400).expect("the child works");
    first.kill().unwrap();
    first.wait().unwrap();
    last = written.last().unwrap_or(last);
    let there = count(&open(&url)) as u64;
    assert!(there == last || there == last + 20, "{last} acknowledged, {there} there");
    let mut second = child("child_loads_a_part", &url, "1");
    let rest: Vec<_> = acknowledged(&mut second).collect();
    assert!(second.wait().unwrap().success());
    assert!(rest.into_iter().eq((there + 20..=1200).step_by(20)));
    assert_eq!(count(&open(&url)), 1200);
}

/// Processes that load different parts at the same time wait for each other and lose nothing.
#[test]
fn processes_load_parts_at_the_same_time() {
    let directory = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}/t.db", directory.path().display());
    // None of them makes the file first.
    let children: Vec<_> =
        (1..=3).map(|part| child("child_loads_a_part", &url, &part.to_string())).collect();
    for mut child in children {
        let written = acknowledged(&mut child).last();
        assert!(child.wait().unwrap().success());
        assert_eq!(written, Some(1200));
    }
    assert_eq!(count(&open(&url)), 3 * 1200);
}

/// After settling, the file alone holds everything: nothing is left in the log.
#[test]
fn a_settled_file_is_whole_without_its_log() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("t.db");
    let target = open(&format!("sqlite:{}", file.display()));
    load(&target, 50);
    wait(target.documents().unwrap().set_note(None, &json!("loaded"))).unwrap();
    wait(target.documents().unwrap().settle(&[index()])).unwrap();
    let copy = directory.path().join("copy.db");
    std::fs::copy(&file, &copy).unwrap();
    let log = Path::new(&format!("{}-wal", file.display())).metadata().map(|m| m.len());
    assert!(matches!(log, Ok(0) | Err(_)), "{log:?}");
    let copied = open(&format!("sqlite:{}", copy.display()));
    assert_eq!(count(&copied), 50);
    assert_eq!(wait(copied.documents().unwrap().note()).unwrap(), Some(json!("loaded")));
}
