//! The freshness probe: reads at a fixed interval beside the clients, in a thread of its own.

use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use hoap_record::{Error, ErrorKind};

use crate::{Probe, Probing};

use super::context::Context;
use super::message::{Message, Side};
use super::worker::{SendExit, connect};
use crate::measure::{Failure, FreshnessReading};
use crate::plan::Phase;

/// The body of the probe's thread.
pub(crate) fn run_probe<P: Probing>(probing: &P, context: Context<'_>) {
    let _exit = SendExit(context.messages);
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            let tried = "start the runtime of the freshness probe";
            let error = Error::new(ErrorKind::Unavailable, tried, e);
            return context.send(Message::NotConnected(error));
        }
    };
    runtime.block_on(async {
        if let Some(mut probe) = connect(context, || probing.probe()).await {
            let (side, canceller) = (Side::Probe, probe.canceller());
            context.send(Message::Connected { side, client: 0, canceller });
            take_readings(&mut probe, probing.every(), context).await;
            context.send(Message::Finished { side, client: 0 });
        }
    });
}

/// Takes readings until the step ends. After a reading that took longer than the interval, the next
/// one begins at the next multiple of the interval.
async fn take_readings<P: Probe>(probe: &mut P, every: Duration, context: Context<'_>) {
    let signal = context.signal;
    signal.reached(Phase::Warmup).await;
    let every = every.max(Duration::from_millis(1));
    let origin = Instant::now();
    let mut due = Duration::ZERO;
    while signal.pause(due.saturating_sub(origin.elapsed())).await {
        let phase = signal.phase();
        let start = Instant::now();
        let ended = pin!(signal.reached(Phase::Ended));
        let Either::Left((result, _)) = select(pin!(probe.look()), ended).await else { return };
        if signal.ended() {
            return;
        }
        let took = start.elapsed();
        let result = result.map_err(|e| Failure::now(&e));
        context.send(Message::Reading(FreshnessReading { phase, took, result }));
        let intervals = origin.elapsed().as_nanos() / every.as_nanos() + 1;
        due = every.saturating_mul(u32::try_from(intervals).unwrap_or(u32::MAX));
    }
}
