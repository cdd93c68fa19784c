//! Where the clients of a worker wait for their time.
//!
//! A worker sleeps for the bulk of a wait and watches the clock for the rest, leaving the processor to
//! whoever wants it meanwhile: sleeping alone would make every start late by what waking takes.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::alarm::Alarm;
use crate::clock::Clock;
use crate::signal::Signal;

/// How late a thread may wake, nanoseconds: Linux adds 50 µs to a sleep, and waking takes its time.
const THREAD: u64 = 120_000;
/// How late an alarm may wake a worker: its thread is as late, and has to wake the worker.
const ALARM: u64 = 200_000;
/// Longest sleep of a thread, so that it hears of the step's end.
const NAP: u64 = 20_000_000;

/// The waiting room of a worker.
pub(crate) struct Room<'a> {
    clock: &'a Clock,
    signal: &'a Signal,
    /// Whether the worker serves a single client, whose calls block it.
    alone: bool,
    /// Who waits, in the order of their times: clients take their operations from a schedule that
    /// ascends.
    waiting: RefCell<VecDeque<(u64, Waker)>>,
}

impl<'a> Room<'a> {
    pub fn new(clock: &'a Clock, signal: &'a Signal, alone: bool) -> Self {
        Room { clock, signal, alone, waiting: RefCell::default() }
    }

    /// Whether the worker serves a single client, whose calls block it.
    pub fn alone(&self) -> bool {
        self.alone
    }

    /// Waits until `time`, or until the step has ended and `wanted` says no. Returns the time it is.
    pub async fn until(&self, time: u64, wanted: impl Fn() -> bool) -> u64 {
        let now = self.clock.now();
        if now >= time {
            return now;
        }
        if self.alone {
            return self.doze(time, wanted);
        }
        poll_fn(|cx| {
            let now = self.clock.now();
            if now >= time || (self.signal.ended() && !wanted()) {
                return Poll::Ready(now);
            }
            // Whoever is polled has been called, so that it has no seat any more.
            self.waiting.borrow_mut().push_back((time, cx.waker().clone()));
            Poll::Pending
        })
        .await
    }

    /// The same on a thread that nobody else needs.
    fn doze(&self, time: u64, wanted: impl Fn() -> bool) -> u64 {
        loop {
            let now = self.clock.now();
            if now >= time || (self.signal.ended() && !wanted()) {
                return now;
            }
            rest(time - now);
        }
    }

    /// Calls those whose time has come.
    pub fn call(&self) {
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

    /// Calls everybody, as at the end of the step.
    pub fn call_all(&self) {
        self.waiting.take().into_iter().for_each(|(_, waker)| waker.wake());
    }

    /// To be called when no client has anything to do: sees to it that the worker is polled again when
    /// the first of those who wait is due.
    pub fn keep_watch(&self, alarm: &mut Alarm, cx: &mut Context<'_>) {
        let Some(first) = self.waiting.borrow().front().map(|(time, _)| *time) else { return };
        let left = first.saturating_sub(self.clock.now());
        if left <= ALARM || !alarm.set(left - ALARM, cx.waker()) {
            // Answers come in through the runtime, so that it must not block.
            std::thread::yield_now();
            cx.waker().wake_by_ref();
        }
    }
}

/// Sleeps for a part of what is left, or gives the processor away for a moment.
fn rest(left: u64) {
    match left.checked_sub(THREAD) {
        Some(sleep) if sleep > 0 => std::thread::sleep(Duration::from_nanos(sleep.min(NAP))),
        _ => std::thread::yield_now(),
    }
}
