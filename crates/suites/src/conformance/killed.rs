//! A server that ends in the middle of work, and comes back: what was acknowledged is there.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use hoap_database::key_value::{Fields, Record};
use hoap_database::{Access, Database};
use hoap_workload::{Error, ErrorKind};
use serde_json::json;

use super::{COLLECTION, client, keys, load, load_records, record, session, wait};
use hoap_testing::until;

const CLIENTS: usize = 4;

/// Sets what it holds at the end of its scope, a panic included, so that nobody waits for ever.
pub(super) struct SetOnDrop<'a>(pub &'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Clients work until the fault is over; it is given what waits for so many operations more.
fn through<T: Send>(
    work: impl Fn(usize, &AtomicBool, &AtomicUsize) -> T + Sync,
    fault: impl FnOnce(&dyn Fn(usize)),
) -> Vec<T> {
    let (over, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let (work, over, done) = (&work, &over, &done);
        let clients = (0..CLIENTS).map(|n| scope.spawn(move || work(n, over, done)));
        let clients: Vec<_> = clients.collect();
        let stop = SetOnDrop(over);
        fault(&|more| {
            let wanted = done.load(Ordering::Relaxed) + more;
            until("the work goes on", || {
                assert!(!clients.iter().any(|client| client.is_finished()), "a client failed");
                done.load(Ordering::Relaxed) >= wanted
            });
        });
        drop(stop);
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    })
}

/// What clients that insert one document after the other were told.
#[derive(Default)]
struct Told {
    committed: BTreeSet<String>,
    ambiguous: BTreeSet<String>,
    kinds: BTreeSet<ErrorKind>,
}

/// A server that ends twice under clients that insert: the same sessions go on, everything
/// acknowledged is there, and nothing that was told to have failed. Errors are of these kinds, and
/// somebody meets the first of them where `met` says so.
pub fn every_acknowledged_commit_outlives(
    target: &Database,
    kinds: &[ErrorKind],
    met: bool,
    restart: &dyn Fn(),
) {
    load(target, 1);
    let told = Mutex::new(Told::default());
    let insert = |client: usize, over: &AtomicBool, done: &AtomicUsize| {
        let mut session = session(target);
        for n in 0.. {
            if over.load(Ordering::Relaxed) {
                break;
            }
            let key = format!("c{client}.{n}");
            let inserted = wait(async {
                let mut t = session.begin(Access::Write).await?;
                t.insert(COLLECTION, &key, &json!({ "o_w_id": client })).await?;
                t.commit().await
            });
            let mut told = told.lock().unwrap();
            let Err(e) = inserted else {
                told.committed.insert(key);
                done.fetch_add(1, Ordering::Relaxed);
                continue;
            };
            told.kinds.insert(e.kind);
            if e.kind == ErrorKind::Ambiguous {
                told.ambiguous.insert(key);
            }
            drop(told);
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    through(insert, |until_more| {
        for _ in 0..2 {
            until_more(50);
            restart();
        }
        until_more(50);
    });
    let told = told.into_inner().unwrap();
    let mut there = keys(target, COLLECTION);
    there.retain(|key| key.starts_with('c'));
    let lost: Vec<_> = told.committed.difference(&there).collect();
    assert!(lost.is_empty(), "acknowledged and not there: {lost:?}");
    let known = |key: &&String| told.committed.contains(*key) || told.ambiguous.contains(*key);
    let unknown: Vec<_> = there.iter().filter(|key| !known(key)).collect();
    assert!(unknown.is_empty(), "there and told to have failed: {unknown:?}");
    assert!(!told.kinds.is_empty(), "nobody noticed");
    assert!(!met || told.kinds.contains(&kinds[0]), "{:?}", told.kinds);
    assert!(told.kinds.iter().all(|kind| kinds.contains(kind)), "{:?}", told.kinds);
}

/// What a client was told that inserts records and updates a field of one that all share.
#[derive(Default)]
struct Written {
    inserted: Vec<String>,
    /// Numbers in the field: the last that was acknowledged, and the last that was sent.
    acknowledged: u64,
    attempted: u64,
    failed: usize,
}

/// What all were told.
pub struct Acknowledged(Vec<Written>);

/// Clients insert, update and read until the fault is over. Errors are of these kinds, and no read
/// is older than what was acknowledged before.
pub fn write_through(
    target: &Database,
    kinds: &[ErrorKind],
    fault: impl FnOnce(&dyn Fn(usize)),
) -> Acknowledged {
    load_records(target, &["user1"]);
    let write = |client: usize, over: &AtomicBool, done: &AtomicUsize| {
        let (mut session, field) = (super::client(target), client as u16);
        let (mut written, mut there) = (Written::default(), Record::default());
        for n in 1u64.. {
            if over.load(Ordering::Relaxed) {
                break;
            }
            let failed = |e: &Error| {
                assert!(kinds.contains(&e.kind), "{e}");
                std::thread::sleep(Duration::from_millis(5));
                1
            };
            let key = format!("w{client}.{n}");
            match wait(session.insert(&key, &record([(0, &key)]))) {
                Ok(()) => {
                    written.inserted.push(key);
                    done.fetch_add(1, Ordering::Relaxed);
                }
                Err(e) => written.failed += failed(&e),
            }
            written.attempted = n;
            match wait(session.update("user1", &record([(field, n.to_string())]))) {
                Ok(found) => {
                    assert!(found, "the record is not there");
                    written.acknowledged = n;
                }
                Err(e) => written.failed += failed(&e),
            }
            match wait(session.read("user1", Fields::One(field), &mut there)) {
                Ok(found) => {
                    assert!(found, "the record is not there");
                    let seen = number_of(&there);
                    assert!(seen >= written.acknowledged, "{seen}, not {}", written.acknowledged);
                }
                Err(e) => written.failed += failed(&e),
            }
        }
        written
    };
    Acknowledged(through(write, fault))
}

fn number_of(record: &Record) -> u64 {
    let (_, value) = record.iter().next().unwrap();
    // As it was loaded: no number yet.
    std::str::from_utf8(value).unwrap().parse().unwrap_or(0)
}

impl Acknowledged {
    /// The number of records that were inserted.
    pub fn inserted(&self) -> usize {
        self.0.iter().map(|written| written.inserted.len()).sum()
    }

    /// The number of operations that failed.
    pub fn failed(&self) -> usize {
        self.0.iter().map(|written| written.failed).sum()
    }

    /// All is there for a client that comes now, as soon as the database answers.
    pub fn is_in(&self, target: &Database) {
        let mut session = client(target);
        let mut there = Record::default();
        let mut read = |key: &str, field: u16| {
            let mut found = false;
            until("an answer", || {
                let read = wait(session.read(key, Fields::One(field), &mut there));
                found = *read.as_ref().unwrap_or(&false);
                read.is_ok()
            });
            assert!(found, "{key} is lost");
            there.clone()
        };
        for (field, written) in (0..).zip(&self.0) {
            for key in &written.inserted {
                assert_eq!(read(key, 0), record([(0, key)]));
            }
            let seen = number_of(&read("user1", field));
            let possible = written.acknowledged..=written.attempted;
            assert!(possible.contains(&seen), "{seen}, not {possible:?}");
        }
    }
}
