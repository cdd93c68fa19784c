//! What the witnesses of a run share.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hoap_data::random::Stream;
use hoap_database::{Access, Database, Session};
use hoap_record::history::{Attempt, Did, End};
use hoap_workload::{ErrorKind, Result};
use serde_json::{Value, json};

use super::{COLLECTION, FIELD, HOT, LONGEST};
use crate::beside;
use crate::ledger::RunMark;

/// The most operations that are kept: about 150 MB.
pub(super) const MOST_OPERATIONS: u64 = 1 << 20;
/// The stream of random numbers of the witnesses, apart from those of the terminals.
const STREAM: u64 = 0x0077_6974_6e65_7373;

/// The witnesses of a run.
#[derive(Debug)]
pub struct Witnesses {
    mark: RunMark,
    seed: u64,
    /// The share of a client's time.
    share: f64,
    started: Instant,
    /// The numbers of the documents in use.
    hot: [AtomicU32; HOT],
    documents: AtomicU32,
    values: AtomicU32,
    operations: AtomicU64,
    /// When there was no room for more.
    full: Mutex<Option<Duration>>,
    is_full: AtomicBool,
    histories: Mutex<Vec<Arc<Mutex<Vec<Attempt>>>>>,
}

/// Locks what every state that a panic can leave is valid of.
pub(super) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Witnesses {
    /// Those of a run. `share` of a client's time is theirs, from 0 to 1.
    pub fn new(mark: RunMark, seed: u64, share: f64) -> Arc<Witnesses> {
        Arc::new(Witnesses {
            mark,
            seed,
            share,
            started: Instant::now(),
            hot: std::array::from_fn(|place| AtomicU32::new(place as u32)),
            documents: AtomicU32::new(HOT as u32),
            values: AtomicU32::new(0),
            operations: AtomicU64::new(0),
            full: Mutex::new(None),
            is_full: AtomicBool::new(false),
            histories: Mutex::default(),
        })
    }

    /// Creates the collection and its first documents. One of several drivers (`beside_others`)
    /// leaves the documents of the others alone.
    ///
    /// # Errors
    /// Returns the errors of the database.
    pub async fn prepare(&self, target: &Database, beside_others: bool) -> Result<()> {
        beside::prepare(target, COLLECTION, beside_others).await?;
        let mut session = target.transactions()?.session().await?;
        for place in &self.hot {
            self.insert(&mut session, place.load(Ordering::Relaxed)).await?;
        }
        Ok(())
    }

    /// Random numbers of client `number`, and where it keeps what it does.
    pub(super) fn begin(&self, number: u32) -> (Stream, Arc<Mutex<Vec<Attempt>>>) {
        let history = Arc::default();
        lock(&self.histories).push(Arc::clone(&history));
        (Stream::new(self.seed, &[STREAM, u64::from(number)]), history)
    }

    /// Nanoseconds since the start of the history.
    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    pub(super) fn share(&self) -> f64 {
        self.share
    }

    /// The number of the document at a place.
    pub(super) fn hot(&self, place: usize) -> u32 {
        self.hot[place].load(Ordering::Relaxed)
    }

    pub(super) fn key(&self, document: u32) -> String {
        self.mark.key(u64::from(document))
    }

    /// A value that no other write of this run has.
    pub(super) fn value(&self) -> u32 {
        self.values.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts operations. Afterwards there may be no room for more.
    pub(super) fn count(&self, operations: usize) {
        let before = self.operations.fetch_add(operations as u64, Ordering::Relaxed);
        if before + operations as u64 > MOST_OPERATIONS && !self.is_full() {
            self.is_full.store(true, Ordering::Relaxed);
            lock(&self.full).get_or_insert(self.started.elapsed());
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Time from the start to when the history had no room for more, if it came to that.
    pub fn full_after(&self) -> Option<Duration> {
        *lock(&self.full)
    }

    /// Puts another document in the place of one that is long enough.
    ///
    /// # Errors
    /// Returns the errors of the database. The place is free to be tried again.
    pub(super) async fn replace(&self, session: &mut Session, document: u32) -> Result<()> {
        let next = self.documents.fetch_add(1, Ordering::Relaxed);
        self.insert(session, next).await?;
        for place in &self.hot {
            let _ = place.compare_exchange(document, next, Ordering::Relaxed, Ordering::Relaxed);
        }
        Ok(())
    }

    async fn insert(&self, session: &mut Session, document: u32) -> Result<()> {
        let mut tx = session.begin(Access::Write).await?;
        tx.insert(COLLECTION, &self.key(document), &json!({ FIELD: [] })).await?;
        tx.commit().await
    }

    /// What all clients did and saw, then a read of every document as it is now.
    ///
    /// # Errors
    /// Returns the errors of that read.
    pub async fn history(&self, target: &Database) -> Result<Vec<Attempt>> {
        let from_ns = self.now();
        let mut all = self.so_far();
        let client = all.iter().map(|attempt| attempt.client + 1).max().unwrap_or(0);
        let mut lists = Vec::new();
        let mut each = |key: &str, row: Vec<Value>| {
            let document = self.mark.number(key).and_then(|number| u32::try_from(number).ok());
            lists.extend(document.map(|document| Did::Read(document, values(row.first()))));
            Ok(())
        };
        target.documents()?.scan(COLLECTION, &[FIELD], &mut each).await?;
        let to_ns = self.now();
        let end = End::Committed;
        // A scan is no transaction of the database.
        all.extend(lists.into_iter().map(|list| Attempt {
            client,
            from_ns,
            to_ns,
            end,
            did: vec![list],
        }));
        Ok(all)
    }

    /// What all clients did and saw so far.
    pub fn so_far(&self) -> Vec<Attempt> {
        let mut all: Vec<Attempt> =
            lock(&self.histories).iter().flat_map(|history| lock(history).clone()).collect();
        // Those that never ended.
        all.iter_mut().for_each(|attempt| attempt.to_ns = attempt.to_ns.min(self.now()));
        all
    }

    /// Removes the documents of this run.
    ///
    /// # Errors
    /// Returns the errors of the database.
    pub async fn remove(&self, target: &Database) -> Result<()> {
        let end = beside::clear(target, COLLECTION, |key| self.mark.number(key).is_some()).await;
        match end {
            Err(e) if e.kind == ErrorKind::Missing => Ok(()),
            end => end,
        }
    }
}

/// The values of a list as the database returned it. What is no value of a witness becomes one that
/// none wrote, so that the judge finds it.
pub(super) fn values(list: Option<&Value>) -> Vec<u32> {
    let value = |v: &Value| v.as_u64().and_then(|v| u32::try_from(v).ok()).unwrap_or(u32::MAX);
    match list {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(all)) => all.iter().map(value).collect(),
        Some(_) => vec![u32::MAX],
    }
}

/// Whether another document is to take the place of one with this list.
pub(super) fn is_long(values: usize) -> bool {
    values >= LONGEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_value_of_a_witness_is_found_by_the_judge() {
        assert_eq!(values(None), values(Some(&Value::Null)));
        assert_eq!(values(Some(&json!([1, 2]))), [1, 2]);
        let strange = json!([-1, 1.5, "3", 4_294_967_296_u64, null, 7]);
        let none = u32::MAX;
        assert_eq!(values(Some(&strange)), [none, none, none, none, none, 7]);
        assert_eq!(values(Some(&json!({"a": 1}))), [none]);
    }
}
