//! Nodes that are killed in the middle of work: with one of three gone the work goes on at QUORUM,
//! and nothing that was acknowledged is lost; with two gone it cannot, and says so.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hoap_workload::ErrorKind;
use hoap_workload::capability::key_value::{Fields, KeyValueSession, Record};

use crate::conformance::{client, load_records, record, wait};
use crate::lab::Lab;
use crate::{in_keyspace, open};

const WRITERS: u64 = 4;

/// What a writer knows of its record: the last number acknowledged, and whether later ones may be
/// there.
struct Written {
    acknowledged: u64,
    attempted: u64,
    errors: BTreeMap<ErrorKind, u64>,
}

#[test]
fn one_of_three_is_lost_and_the_work_goes_on() {
    let lab = Lab::new("cassandra-3", &[]);
    let url = in_keyspace(&lab.url(), "bench").replace("127.0.0.1:", "127.0.0.3:");
    let others = lab.url().trim_start_matches("cassandra://").split('/').next().unwrap().to_owned();
    let url = url.replacen("://", &format!("://{others},"), 1);
    let target = open(&format!("{url}?replication=3&request_timeout_ms=15000"));
    let keys: Vec<String> = (0..WRITERS).map(|n| format!("user{n}")).collect();
    load_records(&target, &keys.iter().map(String::as_str).collect::<Vec<_>>());
    let (over, gone) = (AtomicBool::new(false), AtomicBool::new(false));
    let after = AtomicU64::new(0);
    let write = |key: &str| {
        let mut session = client(&target);
        let mut written = Written { acknowledged: 0, attempted: 0, errors: BTreeMap::new() };
        let mut there = Record::default();
        while !over.load(Ordering::SeqCst) {
            written.attempted += 1;
            let number = written.attempted.to_string();
            match wait(session.update(key, &record([(0, number)]))) {
                Ok(true) => written.acknowledged = written.attempted,
                Ok(false) => panic!("{key} is not there"),
                Err(e) => *written.errors.entry(e.kind).or_default() += 1,
            }
            match wait(session.read(key, Fields::One(0), &mut there)) {
                Ok(found) => {
                    assert!(found);
                    let seen = number_of(&there);
                    assert!(seen >= written.acknowledged, "{seen}, not {}", written.acknowledged);
                    after.fetch_add(u64::from(gone.load(Ordering::SeqCst)), Ordering::SeqCst);
                }
                Err(e) => *written.errors.entry(e.kind).or_default() += 1,
            }
        }
        written
    };
    let all: Vec<Written> = std::thread::scope(|scope| {
        let write = &write;
        let writers: Vec<_> = keys.iter().map(|key| scope.spawn(move || write(key))).collect();
        std::thread::sleep(Duration::from_secs(2));
        lab.kill(3);
        gone.store(true, Ordering::SeqCst);
        let start = Instant::now();
        // Work goes on: so much of it, however long the nodes take to notice.
        while after.load(Ordering::SeqCst) < 400 && !writers.iter().any(|w| w.is_finished()) {
            assert!(start.elapsed() < Duration::from_secs(120), "the work does not go on");
            std::thread::sleep(Duration::from_millis(50));
        }
        over.store(true, Ordering::SeqCst);
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let known = [ErrorKind::Ambiguous, ErrorKind::Timeout, ErrorKind::Unavailable];
    for written in &all {
        assert!(written.errors.keys().all(|kind| known.contains(kind)), "{:?}", written.errors);
        assert!(written.acknowledged > 0);
    }
    // Who comes now connects, although a contact point is gone, and finds all that was
    // acknowledged.
    let later = open(&format!("{url}?request_timeout_ms=15000"));
    let mut session = client(&later);
    for (key, written) in keys.iter().zip(&all) {
        let mut there = Record::default();
        let found = until(|| wait(session.read(key, Fields::One(0), &mut there)).ok());
        let seen = number_of(&there);
        assert!(
            found && (written.acknowledged..=written.attempted).contains(&seen),
            "{key}: {seen}"
        );
    }
    // One of three is no quorum.
    lab.kill(2);
    until(|| match wait(session.update("user0", &record([(0, "0")]))) {
        Ok(_) => panic!("a write was acknowledged that one node has"),
        Err(e) if e.kind == ErrorKind::Unavailable => {
            assert!(!e.to_string().contains('\n'), "{e}");
            Some(())
        }
        Err(e) => {
            assert!(known.contains(&e.kind), "{e}");
            None
        }
    });
}

fn number_of(record: &Record) -> u64 {
    let (_, value) = record.iter().next().unwrap();
    // As it was loaded: no number yet.
    std::str::from_utf8(value).unwrap().parse().unwrap_or(0)
}

fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "it does not come");
        std::thread::sleep(Duration::from_millis(100));
    }
}
