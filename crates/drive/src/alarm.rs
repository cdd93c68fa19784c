//! Wakes a worker at a time.
//!
//! The timers of the runtime are exact to a millisecond or two, which would show in every response time
//! of an open loop. So a thread sleeps for the worker: it is late by the tenth of a millisecond that
//! sleeping and waking take.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// An alarm clock. It starts its thread when it is first set.
#[derive(Default)]
pub(crate) struct Alarm {
    state: Arc<State>,
    sleeper: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    set: Mutex<Set>,
    changed: Condvar,
}

#[derive(Default)]
struct Set {
    next: Option<(Instant, Waker)>,
    over: bool,
}

impl Alarm {
    /// Wakes `waker` in `left` nanoseconds, in place of what was set before. `false` where it cannot,
    /// because no thread can be started.
    pub fn set(&mut self, left: u64, waker: &Waker) -> bool {
        if self.sleeper.is_none() {
            let state = self.state.clone();
            let sleeper = thread::Builder::new().name("alarm".into()).spawn(move || state.sleep());
            self.sleeper = sleeper.ok();
        }
        let time = Instant::now() + Duration::from_nanos(left);
        let mut set = self.state.lock();
        // A sleeper that wakes too early looks again: only an earlier time needs to be told.
        let tell = set.next.as_ref().is_none_or(|(before, _)| time < *before);
        set.next = Some((time, waker.clone()));
        drop(set);
        if tell {
            self.state.changed.notify_one();
        }
        self.sleeper.is_some()
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.state.lock().over = true;
        self.state.changed.notify_one();
        if let Some(sleeper) = self.sleeper.take() {
            // It cannot have panicked save in a waker, and there is nothing to clean up.
            let _ = sleeper.join();
        }
    }
}

impl State {
    fn lock(&self) -> MutexGuard<'_, Set> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sleep(&self) {
        let mut set = self.lock();
        while !set.over {
            let now = Instant::now();
            set = match &set.next {
                None => self.changed.wait(set).unwrap_or_else(PoisonError::into_inner),
                Some((time, _)) if *time > now => {
                    let left = *time - now;
                    let (set, _) = self
                        .changed
                        .wait_timeout(set, left)
                        .unwrap_or_else(PoisonError::into_inner);
                    set
                }
                Some(_) => {
                    let next = set.next.take();
                    drop(set);
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

    struct Ring(Sender<Instant>);

    impl Wake for Ring {
        fn wake(self: Arc<Self>) {
            self.0.send(Instant::now()).unwrap();
        }
    }

    #[test]
    fn it_rings_once_for_the_time_that_was_set_last_and_not_before() {
        let (rings, heard) = channel();
        let waker = Waker::from(Arc::new(Ring(rings)));
        let mut alarm = Alarm::default();
        let start = Instant::now();
        let millis = Duration::from_millis;
        // Later, then earlier, then later again.
        for left in [3_600_000, 20, 60] {
            assert!(alarm.set(millis(left).as_nanos() as u64, &waker));
        }
        let rang = heard.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(rang - start >= millis(60));
        assert!(alarm.set(0, &waker));
        heard.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(alarm.set(millis(3_600_000).as_nanos() as u64, &waker));
        drop(alarm);
        drop(waker);
        assert!(heard.recv().is_err(), "it never rings for what was left");
    }
}
