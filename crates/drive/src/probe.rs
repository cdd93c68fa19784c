//! The probe: looks at a fixed cadence beside the clients, in a thread of its own.

use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use hoap_record::{FRESHNESS, Freshness};
use hoap_workload::client::{Look, Probe, Probing};
use hoap_workload::{Error, ErrorKind};

use crate::clients::{Event, Side};
use crate::measure::{Failure, Interval, KindSet, Measured, Took};
use crate::plan::Phase;
use crate::timing::Timing;
use crate::worker::{Context, Gone, connect};

/// A look that ended before the step did.
pub(crate) struct Looked {
    /// The phase in which it began.
    pub phase: Phase,
    pub took: Duration,
    pub end: Result<Look, Failure>,
}

/// The body of the probe's thread.
pub(crate) fn watch<P: Probing>(probing: &P, context: Context<'_>) {
    let _gone = Gone(context.events);
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            let tried = "start the runtime of the freshness probe";
            let error = Error::new(ErrorKind::Unavailable, tried, e);
            return context.tell(Event::NotConnected(error));
        }
    };
    runtime.block_on(async {
        if let Some(mut probe) = connect(context, || probing.probe()).await {
            let (side, canceller) = (Side::Probe, probe.canceller());
            context.tell(Event::Connected { side, client: 0, canceller });
            look_again_and_again(&mut probe, probing.every(), context).await;
            context.tell(Event::Finished { side, client: 0 });
        }
    });
}

/// Looks until the step ends. A look that is late, because the one before took long, begins at the next
/// time of the grid.
async fn look_again_and_again<P: Probe>(probe: &mut P, every: Duration, context: Context<'_>) {
    let signal = context.signal;
    signal.reached(Phase::Warmup).await;
    let every = every.max(Duration::from_millis(1));
    let origin = Instant::now();
    let mut due = Duration::ZERO;
    while signal.pause(due.saturating_sub(origin.elapsed())).await {
        let phase = signal.phase();
        let start = Instant::now();
        let ended = pin!(signal.reached(Phase::Ended));
        let Either::Left((end, _)) = select(pin!(probe.look()), ended).await else { return };
        if signal.ended() {
            return;
        }
        let took = start.elapsed();
        let end = end.map_err(|e| Failure::now(&e));
        context.tell(Event::Looked(Looked { phase, took, end }));
        let passed = origin.elapsed().as_nanos() / every.as_nanos() + 1;
        due = every.saturating_mul(u32::try_from(passed).unwrap_or(u32::MAX));
    }
}

/// What the probe has seen in the measured window.
pub(crate) struct Total {
    pub every: Duration,
    window: KindSet,
    all_seen: u64,
    newest_seen: Timing,
    took: Timing,
}

impl Total {
    pub fn new(every: Duration) -> Self {
        let (newest_seen, took) = (Timing::new(), Timing::new());
        Total { every, window: KindSet::new(), all_seen: 0, newest_seen, took }
    }

    /// Adds a look to what counts for its phase: to `since_tick` and, in the measured window, to the
    /// total.
    pub fn add(&mut self, looked: &Looked, since_tick: &mut Measured) {
        let interval: &mut Interval = match looked.phase {
            Phase::Warmup => &mut since_tick.warmup,
            Phase::Measured => &mut since_tick.window,
            Phase::Connecting | Phase::Ended => return,
        };
        let measured = looked.phase == Phase::Measured;
        match &looked.end {
            Ok(look) => {
                interval.0[0].success(Took::closed(nanos(look.unseen)));
                if measured {
                    self.window.success(Took::closed(nanos(look.unseen)));
                    self.all_seen += u64::from(look.unseen.is_zero());
                    look.newest_seen.iter().for_each(|age| self.newest_seen.add(nanos(*age)));
                    self.took.add(nanos(looked.took));
                }
            }
            Err(failure) => {
                interval.0[0].failure(failure);
                if measured {
                    self.window.failure(failure);
                }
            }
        }
    }

    /// The record of it.
    pub fn freshness(&self) -> Freshness {
        Freshness {
            every_seconds: self.every.as_secs_f64(),
            probes: self.window.count(),
            failed: self.window.failed(),
            all_seen: self.all_seen,
            unseen: self.window.response.latency(),
            newest_seen: self.newest_seen.latency(),
            took: self.took.latency(),
        }
    }
}

/// The one kind of the probe.
pub(crate) const KINDS: &[&str] = &[FRESHNESS];

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
