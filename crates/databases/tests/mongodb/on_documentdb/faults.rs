//! The gateway, or PostgreSQL behind it, killed under load: what was acknowledged is there, and
//! nothing else.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hoap_workload::ErrorKind;
use hoap_workload::capability::{Access, Row, Session, Target};
use serde_json::json;

use crate::conformance::{COLLECTION, load, session, wait};
use crate::{open, with};
use hoap_testing::lab::Lab;

/// What clients that insert one document after the other were told.
#[derive(Default)]
struct Told {
    committed: BTreeSet<String>,
    ambiguous: BTreeSet<String>,
    kinds: BTreeSet<ErrorKind>,
}

fn insert_until(session: &mut dyn Session, client: usize, stop: &AtomicBool, told: &Mutex<Told>) {
    for n in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let key = format!("c{client}.{n}");
        let done = wait(async {
            let mut t = session.begin(Access::Write).await?;
            t.insert(COLLECTION, &key, &json!({ "o_w_id": client })).await?;
            t.commit().await
        });
        let mut told = told.lock().unwrap();
        match done {
            Ok(()) => drop(told.committed.insert(key)),
            Err(e) => {
                told.kinds.insert(e.kind);
                if e.kind == ErrorKind::Ambiguous {
                    told.ambiguous.insert(key);
                }
                drop(told);
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }
}

/// Kills a process of the server twice while clients insert, and brings it up again.
fn outlives(process: usize) {
    // The gateway gives up before its client does: otherwise it may apply an operation without its
    // transaction.
    let lab = Lab::with("documentdb", &[("LAB_DOCUMENTDB_COMMAND_SECONDS", "3")]);
    let options = "serverSelectionTimeoutMS=2000";
    let target = open(&with(&lab.url(), options));
    load(&target, 1);
    let (stop, told) = (AtomicBool::new(false), Mutex::new(Told::default()));
    std::thread::scope(|scope| {
        for client in 0..4 {
            let (target, stop, told) = (&target, &stop, &told);
            scope.spawn(move || insert_until(&mut *session(target), client, stop, told));
        }
        let committed = || told.lock().unwrap().committed.len();
        let goes_on = || {
            let (start, before) = (Instant::now(), committed());
            while committed() < before + 50 {
                if start.elapsed() > Duration::from_secs(120) {
                    stop.store(true, Ordering::Relaxed);
                    panic!("nobody goes on: {:?}", told.lock().unwrap().kinds);
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        for _ in 0..2 {
            goes_on();
            lab.kill_process(process);
            std::thread::sleep(Duration::from_millis(500));
            lab.up();
        }
        goes_on();
        stop.store(true, Ordering::Relaxed);
    });
    let told = told.into_inner().unwrap();
    let mut there = BTreeSet::new();
    let mut each = |key: &str, _: Row| {
        there.insert(key.to_owned());
        Ok(())
    };
    wait(target.documents().unwrap().scan(COLLECTION, &[], &mut each)).unwrap();
    there.retain(|key| key.starts_with('c'));
    let lost: Vec<_> = told.committed.difference(&there).collect();
    assert!(lost.is_empty(), "acknowledged and not there: {lost:?}");
    let known = |key: &&String| told.committed.contains(*key) || told.ambiguous.contains(*key);
    let unknown: Vec<_> = there.iter().filter(|key| !known(key)).collect();
    assert!(unknown.is_empty(), "there and told to have failed: {unknown:?}");
    assert!(!told.kinds.is_empty(), "nobody noticed");
    for kind in &told.kinds {
        let honest =
            [ErrorKind::Ambiguous, ErrorKind::Conflict, ErrorKind::Timeout, ErrorKind::Unavailable];
        assert!(honest.contains(kind), "{kind:?}");
    }
}

#[test]
fn every_acknowledged_commit_outlives_postgresql() {
    outlives(1);
}

#[test]
fn every_acknowledged_commit_outlives_the_gateway() {
    outlives(2);
}
