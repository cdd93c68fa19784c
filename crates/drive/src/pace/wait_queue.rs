//! The clients of a worker that wait for their scheduled times.
//!
//! A worker sleeps for most of a wait and polls the clock for the rest, yielding the processor
//! between two polls. Sleeping for the whole wait would delay every start by the time that waking
//! takes.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::clock::Clock;
use super::phase_signal::PhaseSignal;
use super::timer::Timer;

/// How late a thread may wake, nanoseconds: Linux adds 50 µs to a sleep, and waking takes time too.
const THREAD_LATENCY: u64 = 120_000;
/// How late a timer may wake a worker, nanoseconds: its thread is as late, and then wakes the
/// worker.
const TIMER_LATENCY: u64 = 200_000;
/// The longest sleep of a thread, nanoseconds, so that it notices the end of the step.
const LONGEST_SLEEP: u64 = 20_000_000;

/// The waiting clients of a worker.
pub(crate) struct WaitQueue<'a> {
    clock: &'a Clock,
    signal: &'a PhaseSignal,
    /// Whether the worker serves one client, whose calls block the thread.
    blocking: bool,
    /// The waiting clients in the order of their times: they take operations from a schedule that
    /// ascends.
    waiting: RefCell<VecDeque<(u64, Waker)>>,
}

impl<'a> WaitQueue<'a> {
    pub fn new(clock: &'a Clock, signal: &'a PhaseSignal, blocking: bool) -> Self {
        WaitQueue { clock, signal, blocking, waiting: RefCell::default() }
    }

    /// Whether the worker serves one client, whose calls block the thread.
    pub fn blocking(&self) -> bool {
        self.blocking
    }

    /// Waits until `time`, or until the step has ended and `wanted` returns `false`. Returns the
    /// current time, and whether there was anything to wait for.
    pub async fn wait_until(&self, time: u64, wanted: impl Fn() -> bool) -> (u64, bool) {
        let now = self.clock.now();
        if now >= time {
            return (now, false);
        }
        if self.blocking {
            return (self.block_until(time, wanted), true);
        }
        let now = poll_fn(|cx| {
            let now = self.clock.now();
            if now >= time || (self.signal.ended() && !wanted()) {
                return Poll::Ready(now);
            }
            // A client is polled only after its entry was removed and woken, so it is queued once.
            self.waiting.borrow_mut().push_back((time, cx.waker().clone()));
            Poll::Pending
        })
        .await;
        (now, true)
    }

    /// The same on a thread that serves no other client.
    fn block_until(&self, time: u64, wanted: impl Fn() -> bool) -> u64 {
        loop {
            let now = self.clock.now();
            if now >= time || (self.signal.ended() && !wanted()) {
                return now;
            }
            sleep_or_yield(time - now);
        }
    }

    /// Wakes the clients whose time has come.
    pub fn wake_due(&self) {
        let mut waiting = self.waiting.borrow_mut();
        if waiting.is_empty() {
            return;
        }
        let now = self.clock.now();
        while let Some((time, waker)) = waiting.pop_front() {
            if time > now {
                waiting.push_front((time, waker));
                return;
            }
            waker.wake();
        }
    }

    /// Wakes all waiting clients, as at the end of the step.
    pub fn wake_all(&self) {
        self.waiting.take().into_iter().for_each(|(_, waker)| waker.wake());
    }

    /// Arranges that the worker is polled again when the first waiting client is due. To be called
    /// when no client can run.
    pub fn set_timer(&self, timer: &mut Timer, cx: &mut Context<'_>) {
        let Some(first) = self.waiting.borrow().front().map(|(time, _)| *time) else { return };
        let left = first.saturating_sub(self.clock.now());
        if left <= TIMER_LATENCY || !timer.set(left - TIMER_LATENCY, cx.waker()) {
            // The runtime must not block, because answers arrive through it.
            std::thread::yield_now();
            cx.waker().wake_by_ref();
        }
    }
}

/// Sleeps for a part of the time that is left, or yields the processor if little is left.
fn sleep_or_yield(left: u64) {
    match left.checked_sub(THREAD_LATENCY) {
        Some(sleep) if sleep > 0 => {
            std::thread::sleep(Duration::from_nanos(sleep.min(LONGEST_SLEEP)));
        }
        _ => std::thread::yield_now(),
    }
}
