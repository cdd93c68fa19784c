//! How long anything of a database is waited for, and what the stop of the program does to it.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use hoap_record::ErrorKind;
use tokio::time::Instant;

use super::timer::Timer;
use crate::failure::Failure;

/// How often a wait looks, once the program is stopping, whether its database is known as silent.
const LOOK: Duration = Duration::from_millis(100);
/// How long an answer may take once the program is stopping.
const STOPPING_LIMIT: Duration = Duration::from_millis(1000);

/// The end of all waits when the program stops.
pub(super) struct Stopping {
    begun: AtomicBool,
    /// The URLs of databases that gave no answer while the program was stopping: no other one is
    /// waited for.
    silent: Mutex<BTreeSet<String>>,
    wakers: Mutex<StopWakers>,
}

pub(super) static STOPPING: Stopping = Stopping::new();

/// The program is stopping: from now on no answer of a database is waited for longer than a second,
/// whatever its limit, and none of one that has let such a second pass. It takes locks, so that any
/// thread may call this, but no handler that interrupts one.
pub fn stop_waiting() {
    STOPPING.stop();
}

/// The guarded values are consistent wherever a thread could panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What wakes a wait when the program stops.
#[derive(Default)]
struct StopWaker(Mutex<Option<Waker>>);

impl StopWaker {
    /// Wakes this task from now on.
    fn set(&self, waker: &Waker) {
        let mut known = lock(&self.0);
        if !known.as_ref().is_some_and(|known| known.will_wake(waker)) {
            *known = Some(waker.clone());
        }
    }

    fn wake(&self) {
        let waker = lock(&self.0).take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The wakers of all waits, and of some that are over.
struct StopWakers {
    all: Vec<Weak<StopWaker>>,
    /// How many make it worth looking for those that are over.
    sweep_at: usize,
}

impl StopWakers {
    fn register(&mut self) -> Arc<StopWaker> {
        if self.all.len() >= self.sweep_at {
            self.all.retain(|waker| waker.strong_count() > 0);
            self.sweep_at = 64.max(2 * self.all.len());
        }
        let waker = Arc::default();
        self.all.push(Arc::downgrade(&waker));
        waker
    }
}

/// What ends the waits of one session, which are one after the other.
///
/// To set a timer and to drop it again takes two changes of the runtime's queue of timers, and to
/// register a waker takes a lock that all threads share. So neither is done anew for an operation.
/// A session is used in one runtime, in which its connections live, and its timer with them.
#[derive(Default)]
pub(crate) struct Waiting {
    timer: Timer,
    waker: Option<Arc<StopWaker>>,
}

impl Stopping {
    const fn new() -> Stopping {
        Stopping {
            begun: AtomicBool::new(false),
            silent: Mutex::new(BTreeSet::new()),
            wakers: Mutex::new(StopWakers { all: Vec::new(), sweep_at: 64 }),
        }
    }

    fn stop(&self) {
        self.begun.store(true, Ordering::SeqCst);
        // Not while the lock is held: who is woken may want it.
        let wakers: Vec<_> = lock(&self.wakers).all.iter().filter_map(Weak::upgrade).collect();
        wakers.iter().for_each(|waker| waker.wake());
    }

    /// Whether the program was asked to stop.
    pub(super) fn has_begun(&self) -> bool {
        self.begun.load(Ordering::SeqCst)
    }

    /// Waits for something of the database of this URL: within a limit since the last sign of life,
    /// if there is one, and while the program goes on.
    ///
    /// # Errors
    /// Why it was not waited for any longer.
    pub(super) async fn waited<T>(
        &self,
        url: &str,
        (waiting, limit): (&mut Waiting, Option<Duration>),
        last: &(dyn Fn() -> Instant + Sync),
        what: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        let mut stopping = None;
        tokio::select! {
            biased;
            done = what => Ok(done),
            failure = poll_fn(|cx| {
                self.poll_silence(url, (&mut *waiting, limit), last, &mut stopping, cx)
            }) => Err(failure),
        }
    }

    /// Ready when the limit is over, or the program was asked to stop, which `stopping` notes.
    fn poll_silence(
        &self,
        url: &str,
        (waiting, limit): (&mut Waiting, Option<Duration>),
        last: &(dyn Fn() -> Instant + Sync),
        stopping: &mut Option<Instant>,
        cx: &mut Context<'_>,
    ) -> Poll<Failure> {
        // The waker is registered before the look: a later stop wakes it.
        waiting.waker.get_or_insert_with(|| lock(&self.wakers).register()).set(cx.waker());
        loop {
            let mut until = limit.map(|limit| last() + limit);
            if self.begun.load(Ordering::SeqCst) {
                let now = Instant::now();
                let since = *stopping.get_or_insert(now);
                let mut silent = lock(&self.silent);
                if silent.contains(url) || now >= since.max(last()) + STOPPING_LIMIT {
                    silent.insert(url.to_owned());
                    let why = "interrupted before the answer";
                    return Poll::Ready(Failure::new(ErrorKind::Cancelled, why));
                }
                until = Some(until.map_or(now + LOOK, |until| until.min(now + LOOK)));
            }
            let Some(until) = until else { return Poll::Pending };
            ready!(waiting.timer.poll_until(until, cx));
            if let Some(limit) = limit
                && last() + limit <= Instant::now()
            {
                let answer = format!("no answer within {} ms", limit.as_millis());
                let advice = "look whether the server is alive, or raise answer_timeout_ms";
                return Poll::Ready(Failure::of(ErrorKind::Timeout, answer, advice));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn block_on<T>(what: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.unwrap().block_on(what)
    }

    /// Waits for an answer that takes so long, or for ever; returns how long that took.
    async fn wait(
        stopping: &Stopping,
        (url, waiting): (&str, &mut Waiting),
        limit: Option<u64>,
        takes: Option<u64>,
    ) -> (Result<(), ErrorKind>, Duration) {
        let begin = Instant::now();
        let answer = async {
            match takes {
                Some(takes) => tokio::time::sleep(ms(takes)).await,
                None => pending().await,
            }
        };
        let done = stopping.waited(url, (waiting, limit.map(ms)), &|| begin, answer).await;
        (done.map_err(|failure| failure.kind), begin.elapsed())
    }

    fn is_set_for(waiting: &Waiting) -> Instant {
        waiting.timer.0.as_ref().unwrap().deadline()
    }

    /// Of two databases one answers late and one never: the silent one costs a second, once.
    #[test]
    fn a_silent_database_ends_no_wait_for_another() {
        let stopping = &Stopping::new();
        stopping.stop();
        block_on(async {
            let waiting = &mut Waiting::default();
            let (done, took) = wait(stopping, ("a:", waiting), None, None).await;
            assert_eq!(done, Err(ErrorKind::Cancelled));
            assert!(took >= STOPPING_LIMIT, "{took:?}");
            let (done, took) = wait(stopping, ("a:", waiting), Some(10_000), None).await;
            assert_eq!(done, Err(ErrorKind::Cancelled));
            assert!(took < STOPPING_LIMIT / 2, "{took:?}");
            let late = STOPPING_LIMIT.as_millis() as u64 / 2;
            assert_eq!(wait(stopping, ("b:", waiting), None, Some(late)).await.0, Ok(()));
            let (done, took) = wait(stopping, ("a:", waiting), None, None).await;
            assert_eq!(done, Err(ErrorKind::Cancelled));
            assert!(took < STOPPING_LIMIT / 2, "{took:?}");
        });
    }

    /// Also one that has no limit, or none that comes soon.
    #[test]
    fn the_program_stops_while_it_waits() {
        for limit in [None, Some(100_000)] {
            let stopping = &Stopping::new();
            block_on(async {
                let waiting = &mut Waiting::default();
                assert_eq!(wait(stopping, ("a:", waiting), limit, Some(1)).await.0, Ok(()));
                let stop = async {
                    tokio::time::sleep(ms(150)).await;
                    stopping.stop();
                };
                let ((done, took), ()) =
                    tokio::join!(wait(stopping, ("a:", waiting), limit, None), stop);
                assert_eq!(done, Err(ErrorKind::Cancelled));
                let least = ms(150) + STOPPING_LIMIT;
                assert!(took >= least && took < least * 2, "{took:?}");
            });
        }
    }

    /// A wait that began a second after another one, in the same program that stops.
    #[test]
    fn a_wait_ends_when_another_one_finds_the_database_silent() {
        let stopping = &Stopping::new();
        block_on(async {
            stopping.stop();
            let (first, second) = (&mut Waiting::default(), &mut Waiting::default());
            let later = async {
                tokio::time::sleep(STOPPING_LIMIT / 2).await;
                wait(stopping, ("a:", second), None, None).await
            };
            let (_, (done, took)) = tokio::join!(wait(stopping, ("a:", first), None, None), later);
            assert_eq!(done, Err(ErrorKind::Cancelled));
            assert!(took < STOPPING_LIMIT * 3 / 4 + LOOK, "{took:?}");
        });
    }

    #[test]
    fn bells_of_waits_that_are_over_are_taken_down() {
        let stopping = Stopping::new();
        let kept: Vec<_> = (0..100).map(|_| lock(&stopping.wakers).register()).collect();
        for _ in 0..10_000 {
            lock(&stopping.wakers).register();
        }
        let wakers = lock(&stopping.wakers);
        assert!(wakers.all.len() <= 2 * kept.len() + 1, "{}", wakers.all.len());
        assert_eq!(wakers.all.iter().filter(|waker| waker.strong_count() > 0).count(), kept.len());
    }

    #[test]
    fn operations_that_are_answered_leave_the_timer_as_it_is() {
        let stopping = &Stopping::new();
        block_on(async {
            let waiting = &mut Waiting::default();
            assert_eq!(wait(stopping, ("a:", waiting), Some(5_000), Some(1)).await.0, Ok(()));
            let set_for = is_set_for(waiting);
            for limit in [None, Some(5_000), Some(10_000)] {
                assert_eq!(wait(stopping, ("a:", waiting), limit, Some(1)).await.0, Ok(()));
            }
            assert_eq!(is_set_for(waiting), set_for);
        });
    }

    #[test]
    fn a_short_limit_is_exact_whatever_the_timer_was_set_for() {
        let stopping = &Stopping::new();
        block_on(async {
            let waiting = &mut Waiting::default();
            assert_eq!(wait(stopping, ("a:", waiting), Some(60_000), Some(1)).await.0, Ok(()));
            for limit in [20, 50, 30] {
                let (done, took) = wait(stopping, ("a:", waiting), Some(limit), None).await;
                assert_eq!(done, Err(ErrorKind::Timeout));
                assert!(took >= ms(limit) && took < ms(5_000), "{limit} ms took {took:?}");
            }
        });
    }

    /// It fires early in a wait, or fired before it: neither is the end of a limit.
    #[test]
    fn a_timer_that_fired_ends_no_wait() {
        let stopping = &Stopping::new();
        block_on(async {
            let waiting = &mut Waiting::default();
            assert_eq!(wait(stopping, ("a:", waiting), Some(50), Some(1)).await.0, Ok(()));
            let (done, took) = wait(stopping, ("a:", waiting), Some(150), None).await;
            assert_eq!(done, Err(ErrorKind::Timeout));
            assert!(took >= ms(150), "{took:?}");
            for limit in [None, Some(150)] {
                assert_eq!(wait(stopping, ("a:", waiting), Some(20), Some(1)).await.0, Ok(()));
                tokio::time::sleep(ms(50)).await;
                assert_eq!(wait(stopping, ("a:", waiting), limit, Some(100)).await.0, Ok(()));
            }
            let (done, took) = wait(stopping, ("a:", waiting), Some(40), None).await;
            assert_eq!(done, Err(ErrorKind::Timeout));
            assert!(took >= ms(40), "{took:?}");
        });
    }
}
