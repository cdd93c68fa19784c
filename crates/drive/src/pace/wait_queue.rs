//! The clients of a worker that wait for their scheduled times.
//!
//! A worker sleeps for most of a wait and polls the clock for the rest, yielding the processor
//! between two polls. Sleeping for the whole wait would delay every start by the time that waking
//! takes.

use std::cell::{Cell, RefCell};
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
    /// The waiting clients in the order of their times, then of their numbers.
    waiting: RefCell<VecDeque<Waiting>>,
    /// The number of the next wait.
    next: Cell<u64>,
}

/// A client that waits.
struct Waiting {
    time: u64,
    /// The number of the wait.
    number: u64,
    waker: Waker,
}

impl<'a> WaitQueue<'a> {
    pub fn new(clock: &'a Clock, signal: &'a PhaseSignal, blocking: bool) -> Self {
        WaitQueue { clock, signal, blocking, waiting: RefCell::default(), next: Cell::new(0) }
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
        let number = self.next.replace(self.next.get() + 1);
        let now = poll_fn(|cx| {
            let now = self.clock.now();
            if now >= time || (self.signal.ended() && !wanted()) {
                return Poll::Ready(now);
            }
            self.queue(time, number, cx.waker());
            Poll::Pending
        })
        .await;
        (now, true)
    }

    /// Queues a wait, once: what woke an earlier operation of the client may poll it again before
    /// its time. Schedules ascend, so that its place is at the end most times.
    fn queue(&self, time: u64, number: u64, waker: &Waker) {
        let mut waiting = self.waiting.borrow_mut();
        let place = waiting.binary_search_by_key(&(time, number), |w| (w.time, w.number));
        match place {
            Ok(at) => waiting[at].waker.clone_from(waker),
            Err(at) => waiting.insert(at, Waiting { time, number, waker: waker.clone() }),
        }
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
        while waiting.front().is_some_and(|first| first.time <= now)
            && let Some(due) = waiting.pop_front()
        {
            due.waker.wake();
        }
    }

    /// Wakes all waiting clients, as at the end of the step.
    pub fn wake_all(&self) {
        self.waiting.take().into_iter().for_each(|client| client.waker.wake());
    }

    /// Arranges that the worker is polled again when the first waiting client is due. To be called
    /// when no client can run.
    pub fn set_timer(&self, timer: &mut Timer, cx: &mut Context<'_>) {
        let Some(first) = self.waiting.borrow().front().map(|first| first.time) else { return };
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

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What is left of an earlier operation wakes a client that waits already.
    #[test]
    fn a_client_that_is_polled_again_is_queued_once_and_in_its_place() {
        const HOUR: u64 = 3_600_000_000_000;
        let (clock, signal) = (Clock::new(), PhaseSignal::new());
        let queue = WaitQueue::new(&clock, &signal, false);
        let (stale, first, second) = <(Arc<Woken>, Arc<Woken>, Arc<Woken>)>::default();
        let mut one = pin!(queue.wait_until(HOUR, || false));
        let mut two = pin!(queue.wait_until(2 * HOUR, || false));
        let mut poll = |client: usize, by: &Arc<Woken>| {
            let waker = Waker::from(by.clone());
            let mut cx = Context::from_waker(&waker);
            match client {
                1 => one.as_mut().poll(&mut cx).is_ready(),
                _ => two.as_mut().poll(&mut cx).is_ready(),
            }
        };
        assert!(!poll(1, &stale) && !poll(2, &second) && !poll(1, &first));
        let times: Vec<_> = queue.waiting.borrow().iter().map(|client| client.time).collect();
        assert_eq!(times, [HOUR, 2 * HOUR]);
        queue.wake_due();
        signal.end(clock.now());
        queue.wake_all();
        let woken = [&stale, &first, &second].map(|by| by.0.load(Ordering::Relaxed));
        assert_eq!(woken, [0, 1, 1], "the last waker of each, once");
        assert!(poll(1, &first) && poll(2, &second));
    }
}
