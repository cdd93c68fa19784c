//! Transaction clients: closed and open loop.

use std::cell::{Cell, RefCell};

use hoap_workload::client::{Client, Completion, Outcome};

use crate::budget::{Budget, Share};
use crate::clients::Event;
use crate::measure::{Counts, Ended, Recorder, Slot, Took};
use crate::on_error::Rest;
use crate::pace::{Cursor, Schedule};
use crate::plan::Phase;
use crate::room::Room;
use crate::worker::{Context, Failed, give_way};

/// Operations that a client runs before the others of its worker have their turn, where none of them
/// has to wait for its answer.
const TURN: u32 = 16;

/// What the transaction clients of a step have in common.
#[expect(clippy::large_enum_variant, reason = "a step has one of them")]
pub(crate) enum Load {
    /// Closed loop until the step ends.
    Closed,
    /// Closed loop for a number of operations.
    Counted(Budget),
    /// Open loop.
    Open(Schedule),
}

/// What the transaction clients of one worker have in common.
pub(crate) struct Desk<'a> {
    context: Context<'a>,
    recorder: RefCell<Recorder<'a>>,
    work: Work<'a>,
}

enum Work<'a> {
    Closed(Option<Share<'a>>),
    Open(&'a Schedule, Cell<Cursor>),
}

impl<'a> Desk<'a> {
    pub fn new(context: Context<'a>, slot: &'a Slot, load: &'a Load) -> Self {
        let work = match load {
            Load::Closed => Work::Closed(None),
            Load::Counted(budget) => Work::Closed(Some(Share::new(budget))),
            Load::Open(schedule) => Work::Open(schedule, Cell::default()),
        };
        Desk { context, recorder: RefCell::new(Recorder::new(slot)), work }
    }

    /// Runs transactions until the step ends. One that is running then is left to finish: it may be
    /// between its commit and the answer.
    pub async fn serve<C: Client>(&self, client: &mut C, room: &Room<'_>) {
        match &self.work {
            Work::Closed(share) => self.closed(client, share.as_ref(), room).await,
            Work::Open(schedule, cursor) => self.open(client, schedule, cursor, room).await,
        }
    }

    async fn closed<C: Client>(&self, client: &mut C, share: Option<&Share<'_>>, room: &Room<'_>) {
        let Context { signal, clock, .. } = self.context;
        let mut turn = Turn::new(room);
        let mut rest = Rest::new();
        loop {
            let began = signal.phase();
            if began == Phase::Ended {
                return;
            }
            let share = share.filter(|_| began == Phase::Measured);
            if share.is_some_and(|share| !share.take()) {
                break;
            }
            let next = client.next();
            if !next.keying.is_zero() && !signal.pause(next.keying).await {
                return;
            }
            let start = clock.now();
            let completion = client.run().await;
            let at = clock.now();
            let failed = self.failed(&completion);
            let counts = self.counts_closed(began, start);
            let took = Took::closed(at - start);
            let ended = Ended { kind: next.kind, counts, took, at, completion };
            self.recorder.borrow_mut().add(ended);
            if let Some(Failed::Stops(error)) = failed {
                return self.context.stop(error).await;
            }
            if share.is_some_and(|share| share.end(!next.think.is_zero())) {
                self.context.tell(Event::LastOperation);
            }
            match failed {
                None => rest.over(),
                Some(Failed::Unavailable) if !signal.pause(rest.next()).await => return,
                Some(_) => {}
            }
            if !next.think.is_zero() && !signal.pause(next.think).await {
                return;
            }
            if turn.is_over() {
                give_way().await;
            }
        }
        signal.reached(Phase::Ended).await;
    }

    /// What a failure means for what comes next.
    #[inline]
    fn failed(&self, completion: &Completion) -> Option<Failed> {
        match &completion.outcome {
            Outcome::Failed(error) => Some(self.context.failed(error)),
            Outcome::Done | Outcome::RolledBack | Outcome::Cancelled => None,
        }
    }

    /// What an operation of a closed loop counts for that began in this phase and at this time, and
    /// ended now. With a number of operations it is where they begin that counts, and else where they
    /// end. What is in flight at the end has hung in the window.
    #[inline]
    fn counts_closed(&self, began: Phase, start: u64) -> Counts {
        let signal = self.context.signal;
        let by_number = matches!(self.work, Work::Closed(Some(_)));
        match signal.phase() {
            Phase::Ended => match signal.age_at_end(start) {
                // The end came between the look at the phase and the operation.
                None => Counts::Nowhere,
                Some(age) if by_number && began == Phase::Warmup => Counts::Hung { age },
                age => Counts::After { age },
            },
            now => Counts::In(if by_number { began } else { now }),
        }
    }

    /// What an operation of an open loop counts for that was due in this phase and at this time, began
    /// at that one, and ended now.
    #[inline]
    fn counts_open(&self, schedule: &Schedule, due_in: Phase, due: u64, start: u64) -> Counts {
        let signal = self.context.signal;
        match (due_in, signal.phase()) {
            (Phase::Warmup, Phase::Measured) if !schedule.is_counted() => Counts::Backlog,
            (_, Phase::Ended) => {
                let in_flight = signal.age_at_end(start).is_some();
                let age = signal.age_at_end(due).filter(|_| in_flight);
                match (due_in, age) {
                    (Phase::Measured, age) => Counts::After { age },
                    (_, Some(age)) => Counts::Hung { age },
                    (_, None) => Counts::Nowhere,
                }
            }
            _ => Counts::In(due_in),
        }
    }

    async fn open<C: Client>(
        &self,
        client: &mut C,
        schedule: &Schedule,
        cursor: &Cell<Cursor>,
        room: &Room<'_>,
    ) {
        let clock = self.context.clock;
        let mut turn = Turn::new(room);
        loop {
            let mut place = cursor.get();
            let Some((number, due)) = schedule.take(&mut place) else { break };
            cursor.set(place);
            let next = client.next();
            let start = room.until(due, || schedule.may_begin(number)).await;
            if !schedule.may_begin(number) {
                break;
            }
            let completion = client.run().await;
            let at = clock.now();
            let took = Took { service: at - start, wait: Some(start.saturating_sub(due)) };
            let failed = self.failed(&completion);
            let counts = self.counts_open(schedule, schedule.phase(number), due, start);
            let ended = Ended { kind: next.kind, counts, took, at, completion };
            self.recorder.borrow_mut().add(ended);
            if let Some(Failed::Stops(error)) = failed {
                return self.context.stop(error).await;
            }
            if schedule.end_one(number, start) {
                self.context.tell(Event::LastOperation);
            }
            // No rest after an unavailable database: the schedule sets the pace, and each operation is
            // tried once.
            if turn.is_over() {
                give_way().await;
            }
        }
        self.context.signal.reached(Phase::Ended).await;
    }
}

/// Counts the operations of a client's turn.
struct Turn {
    left: u32,
    /// A client that has its thread for itself never gives way.
    alone: bool,
}

impl Turn {
    fn new(room: &Room<'_>) -> Self {
        Turn { left: TURN, alone: room.alone() }
    }

    /// An operation more: whether it was the last of the turn.
    #[inline]
    fn is_over(&mut self) -> bool {
        self.left -= 1;
        if self.left > 0 {
            return false;
        }
        self.left = TURN;
        !self.alone
    }
}
