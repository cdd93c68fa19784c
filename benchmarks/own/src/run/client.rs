//! A client: draws operations and runs them.

use std::sync::Arc;
use std::time::Duration;

use hoap_conduct::queries::Asks;
use hoap_data::random::Stream;
use hoap_database::{Access, AnalyticalSession, Database, Session};
use hoap_drive::{Canceller, Client, Completion, Next, Outcome, Workload};
use hoap_workload::{Error, ErrorKind, Result};

use super::ledger::Ledger;
use super::queries::Asked;
use super::shared::{Drawn, Shared};
use super::slots::Slot;
use super::steps::{Flow, Steps};
use super::work::{End, Work};
use crate::plan::action::{Draw, Operation, Which};
use crate::plan::draw::below;

/// Separates the clients' random streams from those of the data and of other benchmarks.
const STREAM: u64 = u64::from_be_bytes(*b"own runs");

/// How often a transaction is run again that conflicts.
const RETRIES: u32 = 20;

/// The operations of a workload file on one database.
pub struct Operations {
    database: Database,
    shared: Arc<Shared>,
    /// The database of the operations that ask a query, and these, if there are some.
    asks: Option<(Database, Asked)>,
}

impl Operations {
    /// Those of `shared` on a database.
    pub fn new(
        database: Database,
        shared: Arc<Shared>,
        asks: Option<(Database, Asked)>,
    ) -> Operations {
        Operations { database, shared, asks }
    }

    /// What all clients share.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

impl Workload for Operations {
    type Client = Clerk;

    fn kinds(&self) -> Vec<&str> {
        self.shared.operations().map(|of| of.name.as_str()).collect()
    }

    fn blocking(&self) -> bool {
        self.database.blocking()
    }

    async fn client(&self, number: usize) -> Result<Clerk> {
        let mut operations = self.shared.operations();
        let session = match operations.any(|of| of.query.is_none()) {
            true => Some(self.database.operations()?.session().await?),
            false => None,
        };
        let asks = match &self.asks {
            None => None,
            Some((database, asked)) => {
                Some((database.analytics()?.session().await?, asked.clone()))
            }
        };
        let random = self.shared.clients.next(self.shared.seed, STREAM, number);
        Ok(Clerk {
            session,
            asks,
            work: Work::new(self.shared.clone()),
            random,
            number: 0,
            kind: 0,
            slots: Vec::new(),
            left: None,
        })
    }
}

/// One client.
pub struct Clerk {
    /// `None` if all operations are queries.
    session: Option<Session>,
    asks: Option<(AnalyticalSession, Asked)>,
    work: Work,
    /// Its random numbers, of which each operation has a stream.
    random: Stream,
    number: u64,
    /// The operation drawn last, and its documents.
    kind: usize,
    slots: Vec<Slot>,
    /// Why it cannot be run, if a document that it needs is not left.
    left: Option<Error>,
}

impl Clerk {
    fn operation(&self) -> &'static Operation {
        let at = self.work.shared.weights[self.kind].0;
        &self.work.shared.workload.plan.operations[at]
    }

    fn draw(&mut self, draw: &Draw, random: &mut Stream) -> Result<Drawn> {
        let shared = self.work.shared.clone();
        let collection = draw.collection;
        let numbers = &shared.numbers[collection];
        let drawn = |number: u64| Drawn {
            collection,
            at: shared.place(collection, number),
            miss: false,
            more: Vec::new(),
        };
        Ok(match &draw.which {
            Which::There(..) => shared.there(draw, random),
            Which::Once(documents) => {
                let Some(number) = numbers.once(documents, random) else {
                    let name = &shared.workload.plan.collections[collection].name;
                    let answer = "all of them are deleted";
                    let tried = format!("delete a document of {name}");
                    return Err(Error::new(ErrorKind::Unavailable, tried, answer)
                        .advise("load more documents, or run for a shorter time"));
                };
                self.work.doom((collection, number));
                drawn(number)
            }
            Which::New(parent) => {
                let parent = parent.and_then(|slot| match &self.slots[slot] {
                    Slot::Document(parent) => Some(parent.at.n),
                    _ => None,
                });
                let most = (draw.batch.high - draw.batch.low).max(0) as u64;
                let count = draw.batch.low as u64 + below(random.next_u64(), most);
                let first = self.work.claim(collection, parent);
                let mut drawn = drawn(first);
                for _ in 1..count {
                    let number = self.work.claim(collection, parent);
                    drawn.more.push(shared.place(collection, number));
                }
                drawn
            }
        })
    }

    /// Runs the operation once.
    async fn attempt(&mut self, operation: &Operation, access: Access) -> Result<Flow> {
        let Clerk { session: Some(session), work, slots, random, number, .. } = self else {
            return Ok(Flow::Done(0));
        };
        let begun = work.shared.now();
        let mut tx = session.begin(access).await?;
        let random = random.child(*number).child(1);
        let mut steps = Steps { tx: &mut tx, access, work, slots, random, begun };
        let flow = steps.run(operation).await;
        match flow {
            Ok(Flow::Done(rows)) => {
                let end = tx.commit().await;
                work.settle(end.as_ref().map_or_else(End::of, |()| End::Done), retried(&end));
                end.map(|()| Flow::Done(rows))
            }
            Ok(Flow::Refused) => {
                let end = tx.rollback().await;
                work.settle(End::Nothing, false);
                end.map(|()| Flow::Refused)
            }
            Err(e) => {
                // The error of the step is reported, not that of the rollback after it.
                let undone = tx.rollback().await;
                // What a transaction did that was not committed is without effect.
                let is_over = access == Access::Write && e.kind != ErrorKind::Duplicate;
                let end = if is_over { End::Nothing } else { End::of(&e) };
                work.settle(end, access == Access::Write && e.kind == ErrorKind::Conflict);
                drop(undone);
                Err(e)
            }
        }
    }

    async fn through(&mut self, retries: &mut u32) -> Result<Flow> {
        if let Some(e) = self.left.take() {
            return Err(e);
        }
        let operation = self.operation();
        if let (Some(query), Some((session, asked))) = (operation.query, &mut self.asks) {
            let query = &asked.queries()[query];
            let parameters = asked.drawn(query, self.random.child(self.number).child(0));
            let answer = asked.ask(session, query, &parameters).await?;
            return Ok(Flow::Done(answer.rows.len() as u64));
        }
        let access = if operation.transaction { Access::Write } else { Access::Each };
        loop {
            match self.attempt(operation, access).await {
                Err(e)
                    if access == Access::Write
                        && e.kind == ErrorKind::Conflict
                        && *retries < RETRIES =>
                {
                    *retries += 1;
                    let longest = Duration::from_millis(1 << (*retries - 1).min(6));
                    let share = 0.5 + 0.5 * self.random.child(self.number).child(2).unit();
                    tokio::time::sleep(longest.mul_f64(share)).await;
                }
                end => return end,
            }
        }
    }
}

/// Whether a transaction that ended so may be run again.
fn retried(end: &Result<()>) -> bool {
    end.as_ref().is_err_and(|e| e.kind == ErrorKind::Conflict)
}

impl Client for Clerk {
    type Memory = Ledger;

    fn next(&mut self) -> Next {
        self.number += 1;
        let mut random = self.random.child(self.number).child(0);
        self.kind = self.work.shared.mix.of(random.next_u64());
        let operation = self.operation();
        self.slots.clear();
        self.slots.resize_with(operation.slots, Slot::default);
        for draw in &operation.draws {
            match self.draw(draw, &mut random) {
                Ok(drawn) => self.slots[draw.slot] = Slot::Document(drawn),
                Err(e) => self.left = Some(e),
            }
        }
        Next::of(self.kind)
    }

    async fn run(&mut self) -> Completion {
        let mut retries = 0;
        let end = self.through(&mut retries).await;
        self.work.over();
        let (outcome, rows) = match end {
            Ok(Flow::Done(rows)) => (Outcome::Done, rows),
            Ok(Flow::Refused) => (Outcome::RolledBack, 1),
            Err(e) => (Outcome::Failed(e), 0),
        };
        Completion { outcome, retries, rows }
    }

    /// Of a query, which may take longer than a step.
    fn canceller(&self) -> Option<Canceller> {
        self.asks.as_ref().and_then(|(session, _)| session.canceller())
    }

    fn finish(self) -> Ledger {
        self.work.finish()
    }
}
