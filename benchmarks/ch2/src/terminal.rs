//! A transaction client: it draws inputs, runs transactions, retries them, and keeps a ledger of
//! acknowledged commits.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hoap_data::Part;
use hoap_data::random::Stream;
use hoap_database::{Access, Database, Session, Transaction};
use hoap_drive::{Canceller, Client, Completion, Next, Outcome, Workload};
use hoap_workload::clients::ClientStreams;
use hoap_workload::{Error, ErrorKind, Result};

use crate::checks::audit::Tally;
use crate::checks::draws::Shape;
use crate::clock::Clock;
use crate::data::DataSet;
use crate::freshness::{self, Board, Counter};
use crate::home::home;
use crate::input::{self, Inputs};
use crate::ledger::spill::Store;
use crate::ledger::{self, HistoryKey, Ledger, Order, Payment, RunMark};
use crate::mix::{Deck, Kind, think_time};
use crate::nurand::Constants;
use crate::retry::backoff;
use crate::schema::Paths;
use crate::transactions as tx;
use crate::witness::{Witness, Witnesses};

/// The stream of random numbers of the terminals, apart from all streams of the data.
const TERMINAL_STREAM: u64 = 0x7465_726d_696e_616c;
/// That of the waits of a terminal, apart from its inputs, which no conflict may change.
const WAIT_STREAM: u64 = 0x7761_6974;

/// Options of the transaction clients.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Seed of the constants of NURand and of all draws of the clients.
    pub seed: u64,
    /// The most retries of a transaction after conflicts.
    pub retries: u32,
    /// TPC-C's keying and think times, with a home warehouse for each terminal (5.2.5, 2.4.1.1).
    pub think_times: bool,
}

/// The operational side of CH2 and CH2++ on one database.
pub struct Terminals {
    target: Database,
    shared: Arc<Shared>,
    part: Part,
    board: Option<Arc<Board>>,
    witnesses: Option<Arc<Witnesses>>,
    /// That of a terminal before its first commit.
    ledger: Ledger,
}

/// The state that all terminals of a run share.
struct Shared {
    data: DataSet,
    paths: Paths,
    clock: Clock,
    constants: Constants,
    shape: Shape,
    mark: RunMark,
    options: Options,
    streams: ClientStreams,
    /// Number of terminals created. Terminals of later steps continue the count.
    made: AtomicU32,
}

impl Terminals {
    /// The terminals of a run that begins now.
    pub fn new(target: Database, data: DataSet, options: Options) -> Self {
        let mut random = Stream::new(options.seed, &[TERMINAL_STREAM]);
        let constants = Constants::draw(data.c_last_load(), &mut random);
        let shared = Shared {
            shape: Shape::of(&data, &constants),
            paths: Paths::of(data.spec().schema),
            clock: Clock::start(&data),
            mark: RunMark::draw(),
            streams: ClientStreams::default(),
            made: AtomicU32::new(0),
            data,
            constants,
            options,
        };
        let part = Part::WHOLE;
        let ledger = Ledger::default();
        Terminals { target, shared: Arc::new(shared), part, board: None, witnesses: None, ledger }
    }

    /// The same of one driver among several: with the constants of all (TPC-C 2.1.6.1), and inputs
    /// and homes of its own.
    pub fn of(self, part: Part) -> Self {
        Terminals { part, ..self }
    }

    /// From now on what the terminals saw acknowledged is in a file here where there is too much of
    /// it for the memory.
    pub fn keep_in(&mut self, store: &Store) {
        self.ledger = Ledger::on(store);
    }

    /// The same with each terminal counting its writing transactions on this run's board. The
    /// counters must have been prepared ([`crate::beside::prepare`]).
    pub fn counted(mut self, board: Arc<Board>) -> Self {
        self.board = Some(board);
        self
    }

    /// The same with each terminal running transactions of the witness between those of the mix.
    /// The documents must have been prepared ([`Witnesses::prepare`]).
    pub fn witnessed(mut self, witnesses: Arc<Witnesses>) -> Self {
        self.witnesses = Some(witnesses);
        self
    }

    /// The constants of NURand, for the run's record (spec §4).
    pub fn constants(&self) -> Constants {
        self.shared.constants
    }

    /// The distributions that the draws of the terminals must have.
    pub fn shape(&self) -> &Shape {
        &self.shared.shape
    }

    /// The mark of this run's history keys.
    pub fn mark(&self) -> RunMark {
        self.shared.mark
    }
}

impl Workload for Terminals {
    type Client = Terminal;

    fn kinds(&self) -> Vec<&str> {
        Kind::ALL.map(Kind::name).to_vec()
    }

    fn blocking(&self) -> bool {
        self.target.blocking()
    }

    async fn client(&self, number: usize) -> Result<Terminal> {
        let transactions = self.target.transactions()?;
        let session = transactions.session().await?;
        let counter = self.board.as_ref().map(|board| board.counter(number));
        if let Some(counter) = &counter {
            freshness::enter(transactions, counter).await?;
        }
        let shared = self.shared.clone();
        let terminal = shared.made.fetch_add(1, Ordering::Relaxed);
        let seed = self.part.seed(shared.options.seed);
        let random = shared.streams.next(seed, TERMINAL_STREAM, number);
        let warehouses = shared.data.spec().warehouses;
        let home = shared.options.think_times.then(|| home(self.part, number, warehouses));
        Ok(Terminal {
            inputs: Inputs::new(shared.data, shared.constants, random, home),
            waits: Stream::new(random.at(0), &[WAIT_STREAM]),
            deck: Deck::mix(),
            drawn: Kind::NewOrder,
            memory: Memory { ledger: self.ledger.clone(), tally: Tally::default() },
            number: terminal,
            payments: 0,
            session,
            counter,
            witness: self.witnesses.as_ref().map(|witnesses| Witness::new(witnesses, terminal)),
            given_up: Arc::default(),
            shared,
        })
    }
}

/// One transaction client.
pub struct Terminal {
    session: Session,
    /// The counter of this terminal, where freshness is measured.
    counter: Option<Counter>,
    witness: Option<Witness>,
    /// Whether the run has ended, so that no further attempt is made.
    given_up: Arc<AtomicBool>,
    shared: Arc<Shared>,
    inputs: Inputs,
    /// The random numbers of its waits.
    waits: Stream,
    deck: Deck<Kind>,
    drawn: Kind,
    memory: Memory,
    number: u32,
    payments: u32,
}

/// The results of a terminal.
#[derive(Debug, Default)]
pub struct Memory {
    /// The acknowledged commits.
    pub ledger: Ledger,
    /// The counts of the audit.
    pub tally: Tally,
}

impl Memory {
    /// Adds the results of another terminal.
    pub fn merge(&mut self, other: Memory) {
        self.ledger.merge(other.ledger);
        self.tally.merge(&other.tally);
    }
}

impl Client for Terminal {
    type Memory = Memory;

    fn next(&mut self) -> Next {
        let random = self.inputs.random();
        self.drawn = self.deck.deal(random);
        let (keying, think) = match self.shared.options.think_times {
            true => {
                let (keying, mean) = self.drawn.times();
                (keying, think_time(mean, random))
            }
            false => (Duration::ZERO, Duration::ZERO),
        };
        Next { kind: self.drawn as usize, keying, think }
    }

    async fn run(&mut self) -> Completion {
        let start = self.witness.as_ref().map(|_| Instant::now());
        let mut retries = 0;
        let end = match self.drawn {
            Kind::NewOrder => self.new_order(&mut retries).await,
            Kind::Payment => self.payment(&mut retries).await,
            Kind::OrderStatus => self.order_status(&mut retries).await,
            Kind::Delivery => self.delivery(&mut retries).await,
            Kind::StockLevel => self.stock_level(&mut retries).await,
        };
        if let (Some(witness), Some(start)) = (&mut self.witness, start) {
            witness.spent(start.elapsed());
        }
        Completion { outcome: end.unwrap_or_else(Outcome::Failed), retries, rows: 1 }
    }

    /// Runs a transaction of the witness, where one is due.
    async fn aside(&mut self) {
        if let Some(witness) = self.witness.as_mut().filter(|witness| witness.is_due()) {
            let retries = self.shared.options.retries;
            witness.run(&mut self.session, retries, &self.given_up).await;
        }
    }

    /// Ends the retries for good. An attempt may be between its commit and the answer and runs on;
    /// after a conflict nothing of an attempt remains.
    fn canceller(&self) -> Option<Canceller> {
        let given_up = self.given_up.clone();
        Some(Arc::new(move || given_up.store(true, Ordering::Relaxed)))
    }

    fn finish(self) -> Memory {
        self.memory
    }
}

/// The end that the body of a transaction asks for.
enum Wish<T> {
    Commit(T),
    Rollback,
}

/// Runs a transaction and retries it after conflicts. Evaluates to `Result<Option<T>>`: `None`
/// where the body asks for a rollback.
///
/// A macro because the body borrows the transaction across awaits, which a closure cannot express
/// for a trait object without boxing each call.
macro_rules! transact {
    ($self:ident, $access:expr, $retries:ident, |$tx:ident| $body:expr) => {{
        let mut tried = 0;
        loop {
            let counter = $self.counter.as_mut().filter(|_| $access == Access::Write);
            match attempt!($self.session, counter, $access, |$tx| $body) {
                Err(mut e)
                    if e.kind == ErrorKind::Conflict && tried < $self.shared.options.retries =>
                {
                    if $self.given_up.load(Ordering::Relaxed) {
                        e.kind = ErrorKind::Cancelled;
                        break Err(e);
                    }
                    (tried, *$retries) = (tried + 1, *$retries + 1);
                    tokio::time::sleep(backoff(tried, &mut $self.waits)).await;
                }
                end => break end,
            }
        }
    }};
}

/// Runs a transaction once: begin, body, then commit or rollback. Writes the counter before a
/// commit, where there is one.
macro_rules! attempt {
    ($session:expr, $counter:ident, $access:expr, |$tx:ident| $body:expr) => {
        match $session.begin($access).await {
            Err(e) => Err(e),
            Ok(mut begun) => {
                let wish = {
                    let $tx: &mut Transaction<'_> = &mut begun;
                    match ($body.await, $counter) {
                        (Ok(Wish::Commit(value)), Some(counter)) => {
                            let stamped = counter.stamp($tx).await;
                            stamped.map(|()| (Wish::Commit(value), Some(counter)))
                        }
                        (wish, _) => wish.map(|wish| (wish, None)),
                    }
                };
                match wish {
                    Ok((Wish::Commit(value), counter)) => begun.commit().await.map(|()| {
                        if let Some(counter) = counter {
                            counter.acknowledge();
                        }
                        Some(value)
                    }),
                    Ok((Wish::Rollback, _)) => begun.rollback().await.map(|()| None),
                    // The error of the body is reported, not that of the rollback after it.
                    Err(e) => {
                        let _ = begun.rollback().await;
                        Err(e)
                    }
                }
            }
        }
    };
}

impl Terminal {
    async fn new_order(&mut self, retries: &mut u32) -> Result<Outcome> {
        let input = self.inputs.new_order();
        self.memory.tally.drawn.new_order(&self.shared.shape, &input);
        let district = (input.w, input.d);
        let end = transact!(self, Access::Write, retries, |tx| { enter(tx, &self.shared, &input) });
        let receipt = match end {
            Err(e) => return Err(note(e, district, &mut self.memory.ledger.ambiguous_orders)),
            Ok(receipt) => receipt,
        };
        self.memory.tally.new_order(&input, receipt.is_none());
        Ok(match receipt {
            None => Outcome::RolledBack,
            Some(receipt) => {
                self.memory.ledger.orders.push(Order {
                    w: input.w,
                    d: input.d,
                    o_id: receipt.o_id,
                    c: input.c,
                    lines: input.lines.len() as u32,
                    amount: receipt.amount,
                    digest: receipt.digest,
                });
                Outcome::Done
            }
        })
    }

    async fn payment(&mut self, retries: &mut u32) -> Result<Outcome> {
        let input = self.inputs.payment();
        self.memory.tally.drawn.payment(&self.shared.shape, &input);
        let (run, terminal) = (self.shared.mark, self.number);
        let history = HistoryKey { run, terminal, count: self.payments };
        self.payments += 1;
        let key = history.text();
        let (w, d, amount) = (input.w, input.d, input.amount);
        let mut entry = Payment { history, w, d, amount, digest: 0 };
        let end =
            transact!(self, Access::Write, retries, |tx| { pay(tx, &self.shared, &input, &key) });
        match end {
            Ok(paid) => {
                entry.digest = paid.map_or(0, |paid| paid.digest);
                self.memory.ledger.payments.push(entry);
                self.memory.tally.payment(&input);
                Ok(Outcome::Done)
            }
            Err(e) => {
                if e.kind == ErrorKind::Ambiguous {
                    self.memory.ledger.ambiguous_payments.push(entry);
                }
                Err(e)
            }
        }
    }

    async fn order_status(&mut self, retries: &mut u32) -> Result<Outcome> {
        let input = self.inputs.order_status();
        self.memory.tally.drawn.order_status(&self.shared.shape, &input);
        transact!(self, Access::Read, retries, |tx| async {
            tx::order_status(tx, &self.shared.paths, &input).await.map(Wish::Commit)
        })?;
        self.memory.tally.order_status(&input);
        Ok(Outcome::Done)
    }

    /// Runs ten transactions, one after the other. The first failure ends it; orders delivered
    /// before it stay delivered and in the ledger.
    async fn delivery(&mut self, retries: &mut u32) -> Result<Outcome> {
        let input = self.inputs.delivery();
        let mut skipped = 0;
        for d in 1..=10 {
            let district = (input.w, d);
            let end = transact!(self, Access::Write, retries, |tx| {
                deliver(tx, &self.shared, input, d)
            });
            match end {
                Ok(Some(tx::Delivered { o_id, digest, .. })) => {
                    let delivery = ledger::Delivery { w: input.w, d, o_id, digest };
                    self.memory.ledger.deliveries.push(delivery);
                }
                Ok(None) => skipped += 1,
                Err(e) => {
                    return Err(note(e, district, &mut self.memory.ledger.ambiguous_deliveries));
                }
            }
        }
        self.memory.tally.delivery(skipped);
        Ok(Outcome::Done)
    }

    async fn stock_level(&mut self, retries: &mut u32) -> Result<Outcome> {
        let input = self.inputs.stock_level();
        transact!(self, Access::Read, retries, |tx| async {
            tx::stock_level(tx, &input).await.map(Wish::Commit)
        })?;
        self.memory.tally.stock_level();
        Ok(Outcome::Done)
    }
}

async fn enter(
    tx: &mut Transaction<'_>,
    shared: &Shared,
    input: &input::NewOrder,
) -> Result<Wish<tx::Receipt>> {
    let now = shared.clock.now();
    let end = tx::new_order(tx, &shared.paths, &shared.data, input, now).await?;
    Ok(end.map_or(Wish::Rollback, Wish::Commit))
}

async fn pay(
    tx: &mut Transaction<'_>,
    shared: &Shared,
    input: &input::Payment,
    history_key: &str,
) -> Result<Wish<tx::Paid>> {
    let now = shared.clock.now();
    tx::payment(tx, &shared.paths, input, history_key, now).await.map(Wish::Commit)
}

async fn deliver(
    tx: &mut Transaction<'_>,
    shared: &Shared,
    input: input::Delivery,
    d: u32,
) -> Result<Wish<tx::Delivered>> {
    let (place, now) = ((input.w, d), shared.clock.now());
    let end = tx::deliver_district(tx, &shared.paths, place, input.carrier, now).await?;
    Ok(end.map_or(Wish::Rollback, Wish::Commit))
}

/// Counts an ambiguous commit of a district and returns the error.
fn note(e: Error, district: (u32, u32), ambiguous: &mut BTreeMap<(u32, u32), u64>) -> Error {
    if e.kind == ErrorKind::Ambiguous {
        *ambiguous.entry(district).or_default() += 1;
    }
    e
}
