//! A timer that wakes a worker.
//!
//! The runtime's timers are exact to a millisecond or two, an error that every response time of an
//! open loop would show. This timer sleeps in a thread of its own and is late by about a tenth of a
//! millisecond, the time that sleeping and waking take.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A timer. Its thread starts when the timer is first set.
#[derive(Default)]
pub(crate) struct Timer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    next: Option<(Instant, Waker)>,
    closed: bool,
}

impl Timer {
    /// Wakes `waker` in `left` nanoseconds and replaces the previous setting. Returns `false` if no
    /// thread can be started.
    pub fn set(&mut self, left: u64, waker: &Waker) -> bool {
        if self.thread.is_none() {
            let shared = self.shared.clone();
            let thread = thread::Builder::new().name("timer".into()).spawn(move || shared.run());
            self.thread = thread.ok();
        }
        let time = Instant::now() + Duration::from_nanos(left);
        let mut state = self.shared.lock();
        // A thread that wakes too early reads the new time by itself: only an earlier time needs a
        // notification.
        let earlier = state.next.as_ref().is_none_or(|(before, _)| time < *before);
        state.next = Some((time, waker.clone()));
        drop(state);
        if earlier {
            self.shared.changed.notify_one();
        }
        self.thread.is_some()
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // The thread panics only if a waker does, and it leaves nothing to clean up.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut state = self.lock();
        while !state.closed {
            let now = Instant::now();
            state = match &state.next {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some((time, _)) if *time > now => {
                    let left = *time - now;
                    let (state, _) = self
                        .changed
                        .wait_timeout(state, left)
                        .unwrap_or_else(PoisonError::into_inner);
                    state
                }
                Some(_) => {
                    let next = state.next.take();
                    drop(state);
                    if let Some((_, waker)) = next {
                        waker.wake();
                    }
                    self.lock()
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::task::Wake;

    use super::*;

    struct SendTime(Sender<Instant>);

    impl Wake for SendTime {
        fn wake(self: Arc<Self>) {
            self.0.send(Instant::now()).unwrap();
        }
    }

    #[test]
    fn the_timer_fires_once_at_the_time_that_was_set_last() {
        let (sender, fired) = channel();
        let waker = Waker::from(Arc::new(SendTime(sender)));
        let mut timer = Timer::default();
        let start = Instant::now();
        let millis = Duration::from_millis;
        // Later, then earlier, then later again.
        for left in [3_600_000, 20, 60] {
            assert!(timer.set(millis(left).as_nanos() as u64, &waker));
        }
        let time = fired.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(time - start >= millis(60));
        assert!(timer.set(0, &waker));
        fired.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(timer.set(millis(3_600_000).as_nanos() as u64, &waker));
        drop(timer);
        drop(waker);
        assert!(fired.recv().is_err(), "a dropped timer does not fire");
    }
}
