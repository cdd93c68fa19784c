//! The witness of one terminal.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hoap_data::random::Stream;
use hoap_database::{Access, Change, Patch, Session, Transaction};
use hoap_record::history::{Attempt, Did, End};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::draw::{Plan, Step};
use super::shared::{Witnesses, is_long, lock, values};
use super::{COLLECTION, FIELD};
use crate::retry::backoff;

/// Runs transactions of the witness on a terminal's connection.
#[derive(Debug)]
pub struct Witness {
    shared: Arc<Witnesses>,
    client: u32,
    random: Stream,
    /// Kept where a client that never ends leaves it too.
    history: Arc<Mutex<Vec<Attempt>>>,
    /// The time that the mix took.
    mix: Duration,
    /// The time that the witness took.
    own: Duration,
    /// The time that the next transaction is expected to take: that of the last one, and before
    /// the first that of the last one of the mix.
    next: Duration,
}

impl Witness {
    /// The witness of client `number`, which counts over all steps.
    pub fn new(shared: &Arc<Witnesses>, number: u32) -> Witness {
        let (random, history) = shared.begin(number);
        let [mix, own, next] = [Duration::ZERO; 3];
        Witness { shared: shared.clone(), client: number, random, history, mix, own, next }
    }

    /// Counts time of the mix.
    pub fn spent(&mut self, time: Duration) {
        self.mix += time;
        if self.own.is_zero() {
            self.next = time;
        }
    }

    /// Whether the witness has so much of its share of the time left that a transaction fits in.
    pub fn is_due(&self) -> bool {
        let own = self.own + self.next;
        let share = self.shared.share() * (self.mix + own).as_secs_f64();
        !own.is_zero() && own.as_secs_f64() <= share && !self.shared.is_full()
    }

    /// Draws a transaction and runs it, again after a conflict, `retries` times at most and not
    /// once the client has `given_up`. How it ended is in the history.
    pub async fn run(&mut self, session: &mut Session, retries: u32, given_up: &AtomicBool) {
        let start = Instant::now();
        let plan = Plan::draw(&mut self.random);
        let mut retry = 0;
        while let Err(e) = self.attempt(session, &plan).await {
            if e.kind != ErrorKind::Conflict
                || retry == retries
                || given_up.load(Ordering::Relaxed)
                || self.shared.is_full()
            {
                break;
            }
            retry += 1;
            tokio::time::sleep(backoff(retry, &mut self.random)).await;
        }
        self.next = start.elapsed();
        self.own += self.next;
    }

    /// Runs the transaction once.
    async fn attempt(&mut self, session: &mut Session, plan: &Plan) -> Result<()> {
        let from_ns = self.shared.now();
        let (client, end) = (self.client, End::Unknown);
        lock(&self.history).push(Attempt {
            client,
            from_ns,
            to_ns: u64::MAX,
            end,
            did: Vec::new(),
        });
        let mut lists = BTreeMap::new();
        let done = match session.begin(plan.access).await {
            Err(e) => (End::RolledBack, Err(e)),
            Ok(tx) => self.within(tx, plan, &mut lists).await,
        };
        let (end, result) = done;
        self.ended(end);
        if end == End::Committed && plan.access == Access::Write {
            for (document, list) in lists {
                if is_long(list.len()) {
                    // Where it fails the next one to write here tries again.
                    let _ = self.shared.replace(session, document).await;
                }
            }
        }
        result
    }

    /// The operations and the end of a transaction that was begun. `lists` are those it read, with
    /// what it wrote.
    async fn within(
        &self,
        mut tx: Transaction<'_>,
        plan: &Plan,
        lists: &mut BTreeMap<u32, Vec<u32>>,
    ) -> (End, Result<()>) {
        // A place may get another document in the middle of the transaction.
        let documents: [u32; super::HOT] = std::array::from_fn(|place| self.shared.hot(place));
        for step in &plan.steps {
            if let Err(e) = self.step(&mut tx, *step, &documents, lists).await {
                // Without a commit nothing of it is applied, whatever the rollback says.
                let _ = tx.rollback().await;
                return (End::RolledBack, Err(e));
            }
        }
        if plan.rolls_back {
            let _ = tx.rollback().await;
            return (End::RolledBack, Ok(()));
        }
        match tx.commit().await {
            Ok(()) => (End::Committed, Ok(())),
            Err(e) => (end_of(&e), Err(e)),
        }
    }

    async fn step(
        &self,
        tx: &mut Transaction<'_>,
        step: Step,
        documents: &[u32],
        lists: &mut BTreeMap<u32, Vec<u32>>,
    ) -> Result<()> {
        match step {
            Step::Read(place, intent) => {
                let document = documents[place];
                let key = self.shared.key(document);
                let row = tx.get(COLLECTION, &key, &[FIELD], intent).await?;
                let list = values(row.as_ref().and_then(|row| row.first()));
                self.did(Did::Read(document, list.clone()));
                lists.insert(document, list);
            }
            Step::Write(place) => {
                let document = documents[place];
                let value = self.shared.value();
                // It may be applied whatever the answer is.
                self.did(Did::Write(document, value));
                let list = lists.entry(document).or_default();
                list.push(value);
                let list = Value::from(list.as_slice());
                let patch = Patch { path: FIELD, change: Change::Set(list) };
                tx.patch(COLLECTION, &self.shared.key(document), &[patch]).await?;
            }
        }
        Ok(())
    }

    /// Notes the end of the attempt, which is forgotten where it did nothing.
    fn ended(&self, end: End) {
        let mut history = lock(&self.history);
        if history.last().is_some_and(|attempt| attempt.did.is_empty()) {
            history.pop();
        } else if let Some(attempt) = history.last_mut() {
            attempt.to_ns = self.shared.now();
            attempt.end = end;
            self.shared.count(attempt.did.len());
        }
    }

    fn did(&self, did: Did) {
        if let Some(attempt) = lock(&self.history).last_mut() {
            attempt.did.push(did);
        }
    }
}

/// What is known of a transaction whose commit failed.
fn end_of(error: &Error) -> End {
    match error.kind {
        // Of these nothing was applied.
        ErrorKind::Conflict | ErrorKind::Throttled | ErrorKind::Missing => End::RolledBack,
        _ => End::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::super::shared::MOST_OPERATIONS;
    use super::*;
    use crate::ledger::RunMark;

    #[test]
    fn a_witness_is_due_by_its_share_of_the_time_and_ends_when_there_is_no_room() {
        let witnesses = Witnesses::new(RunMark::draw(), 1, 0.02);
        let mut witness = Witness::new(&witnesses, 0);
        let mut operations = 0;
        while !witness.is_due() {
            witness.spent(Duration::from_millis(10));
            operations += 1;
        }
        assert!((49..=50).contains(&operations), "{operations}: a fiftieth is its own");
        witnesses.count(MOST_OPERATIONS as usize);
        assert!(witness.is_due() && witnesses.full_after().is_none());
        witnesses.count(1);
        assert!(!witness.is_due() && witnesses.full_after().is_some());
    }
}
