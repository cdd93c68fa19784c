//! How long an answer is waited for.
//!
//! Every call to a database with a network driver goes through [`within`]: a database that says
//! nothing must neither stop a run for ever nor keep Ctrl-C from ending it.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use hoap_workload::ErrorKind;
use tokio::time::{Instant, Sleep};

use super::engine::Engine;
use crate::failure::{Done, Failure};

/// How often a wait looks, once the program is stopping, whether its database is known as silent.
const LOOK: Duration = Duration::from_millis(100);
/// How long an answer may take once the program is stopping.
const STOPPING_LIMIT: Duration = Duration::from_millis(1000);

/// The end of all waits when the program stops.
struct Stopping {
    begun: AtomicBool,
    /// The URLs of databases that gave no answer while the program was stopping: no other one is
    /// waited for.
    silent: Mutex<BTreeSet<String>>,
    bells: Mutex<Bells>,
}

static STOPPING: Stopping = Stopping::new();

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
struct Bell(Mutex<Option<Waker>>);

impl Bell {
    fn wakes(&self, waker: &Waker) {
        let mut known = lock(&self.0);
        if !known.as_ref().is_some_and(|known| known.will_wake(waker)) {
            *known = Some(waker.clone());
        }
    }

    fn ring(&self) {
        let waker = lock(&self.0).take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The bells of all waits, and of some that are over.
struct Bells {
    all: Vec<Weak<Bell>>,
    /// How many make it worth looking for those that are over.
    sweep_at: usize,
}

impl Bells {
    fn hang(&mut self) -> Arc<Bell> {
        if self.all.len() >= self.sweep_at {
            self.all.retain(|bell| bell.strong_count() > 0);
            self.sweep_at = 64.max(2 * self.all.len());
        }
        let bell = Arc::default();
        self.all.push(Arc::downgrade(&bell));
        bell
    }
}

/// What ends the waits of one session, which are one after the other.
///
/// To set a timer and to drop it again takes two changes of the runtime's queue of timers, and to
/// hang up a bell a lock that all threads share. So neither is done anew for an operation. A
/// session is used in one runtime, in which its connections live, and its timer with them.
#[derive(Default)]
pub(crate) struct Alarm {
    timer: Timer,
    bell: Option<Arc<Bell>>,
}

/// A timer that stays set between operations: most have their answer long before it fires, and one
/// that finds it due early enough leaves it as it is.
#[derive(Default)]
pub(crate) struct Timer(Option<Pin<Box<Sleep>>>);

impl Timer {
    /// Ready at this time, not before.
    fn poll_until(&mut self, until: Instant, cx: &mut Context<'_>) -> Poll<()> {
        let new = || Box::pin(tokio::time::sleep_until(until));
        let sleep = self.0.get_or_insert_with(new);
        loop {
            if sleep.is_elapsed() {
                // It fired for an earlier wait, or early in this one.
                if Instant::now() >= until {
                    return Poll::Ready(());
                }
                sleep.as_mut().reset(until);
            } else if sleep.deadline() > until {
                sleep.as_mut().reset(until);
            }
            ready!(sleep.as_mut().poll(cx));
        }
    }

    // Only one database has a limit of its own.
    #[cfg_attr(not(feature = "couchbase"), allow(dead_code))]
    /// Waits for something within a limit; `None` where it is over.
    pub(crate) async fn within<T>(
        &mut self,
        limit: Duration,
        what: impl Future<Output = T>,
    ) -> Option<T> {
        let until = Instant::now() + limit;
        tokio::select! {
            biased;
            done = what => Some(done),
            () = poll_fn(|cx| self.poll_until(until, cx)) => None,
        }
    }
}

impl Stopping {
    const fn new() -> Stopping {
        Stopping {
            begun: AtomicBool::new(false),
            silent: Mutex::new(BTreeSet::new()),
            bells: Mutex::new(Bells { all: Vec::new(), sweep_at: 64 }),
        }
    }

    fn stop(&self) {
        self.begun.store(true, Ordering::SeqCst);
        // Not while the lock is held: who is woken may want it.
        let bells: Vec<_> = lock(&self.bells).all.iter().filter_map(Weak::upgrade).collect();
        bells.iter().for_each(|bell| bell.ring());
    }

    /// Waits for something of the database of this URL: within a limit since the last sign of life,
    /// if there is one, and while the program goes on.
    ///
    /// # Errors
    /// Why it was not waited for any longer.
    async fn waited<T>(
        &self,
        url: &str,
        (alarm, limit): (&mut Alarm, Option<Duration>),
        last: &(dyn Fn() -> Instant + Sync),
        what: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        let mut stopping = None;
        tokio::select! {
            biased;
            done = what => Ok(done),
            failure = poll_fn(|cx| {
                self.poll_silence(url, (&mut *alarm, limit), last, &mut stopping, cx)
            }) => Err(failure),
        }
    }

    /// Ready when the limit is over, or the program was asked to stop, which `stopping` notes.
    fn poll_silence(
        &self,
        url: &str,
        (alarm, limit): (&mut Alarm, Option<Duration>),
        last: &(dyn Fn() -> Instant + Sync),
        stopping: &mut Option<Instant>,
        cx: &mut Context<'_>,
    ) -> Poll<Failure> {
        // The bell comes before the look: who stops the program later rings it.
        alarm.bell.get_or_insert_with(|| lock(&self.bells).hang()).wakes(cx.waker());
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
            ready!(alarm.timer.poll_until(until, cx));
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

/// Waits for an answer within a limit, if there is one, and while the program goes on.
///
/// # Errors
/// Why it was not waited for any longer.
pub(super) async fn within<E: Engine, T>(
    engine: &E,
    alarm: &mut Alarm,
    limit: Option<Duration>,
    answer: impl Future<Output = Done<T>>,
) -> Result<Done<T>, Failure> {
    if E::BLOCKING {
        return Ok(answer.await);
    }
    let begin = Instant::now();
    STOPPING.waited(engine.url(), (alarm, limit), &|| begin, answer).await
}

/// Waits for an answer that has no limit, while the program goes on.
pub(super) async fn unlimited<E: Engine, T>(
    engine: &E,
    answer: impl Future<Output = Done<T>>,
) -> Done<T> {
    within(engine, &mut Alarm::default(), None, answer).await.unwrap_or_else(Err)
}

// Each database needs a part of it.
#[cfg_attr(not(feature = "all"), allow(dead_code))]
/// Waits for what no capability limits: a step of opening a session, a description.
pub(crate) async fn limited<T>(
    url: &str,
    limit: Option<Duration>,
    answer: impl Future<Output = Done<T>>,
) -> Done<T> {
    let begin = Instant::now();
    STOPPING.waited(url, (&mut Alarm::default(), limit), &|| begin, answer).await?
}

/// Opens a database, while the program goes on.
pub(crate) async fn opening<T>(url: &str, opening: impl Future<Output = T>) -> Result<T, Failure> {
    let begin = Instant::now();
    STOPPING.waited(url, (&mut Alarm::default(), None), &|| begin, opening).await
}

/// The failure of a read whose answer was not waited for.
pub(super) fn not_read(silence: Failure) -> Failure {
    silence
}

/// The failure of a write that is its own commit, or of a commit, whose answer was not waited for:
/// it may have been applied.
pub(super) fn maybe_applied(silence: Failure) -> Failure {
    Failure { kind: ErrorKind::Ambiguous, ..silence }
}

/// The failure of an operation that waited for a connection, and not for an answer.
pub(super) fn unsent(silence: Failure) -> Failure {
    Failure { answer: format!("nothing was sent: {}", silence.answer), ..silence }
}

/// The time of the last sign of life of an answer that comes in pieces.
pub(super) struct LastPiece(Mutex<Instant>);

impl LastPiece {
    pub fn now() -> Self {
        LastPiece(Mutex::new(Instant::now()))
    }

    fn at(&self) -> std::sync::MutexGuard<'_, Instant> {
        self.0.lock().expect("no code panics with it")
    }

    /// Notes a piece.
    pub fn arrived(&self) {
        *self.at() = Instant::now();
    }

    /// Waits for an answer as [`within`] does, the limit counted from its last piece on.
    pub async fn within<E: Engine, T>(
        &self,
        engine: &E,
        limit: Option<Duration>,
        answer: impl Future<Output = Done<T>>,
    ) -> Done<T> {
        if E::BLOCKING {
            return answer.await;
        }
        let alarm = &mut Alarm::default();
        STOPPING.waited(engine.url(), (alarm, limit), &|| *self.at(), answer).await?
    }
}

/// Waits for the answer of a call to a session with the session's alarm; where none comes the
/// session abandons its connection, and the last argument makes the failure of the silence, unless
/// nothing was sent.
macro_rules! answer {
    ($engine:expr, $alarm:expr, $session:expr, $call:expr, $failure:path) => {{
        let waited = {
            // Pinned here, the call is part of one future and not of each that it passes through.
            let call = std::pin::pin!($call);
            let limit = $engine.answer_timeout();
            $crate::front::limit::within(&*$engine, $alarm, limit, call).await
        };
        match waited {
            Ok(done) => done,
            Err(silence) => match $session.abandon() {
                true => Err($failure(silence)),
                false => Err($crate::front::limit::unsent(silence)),
            },
        }
    }};
}

pub(super) use answer;

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
        (url, alarm): (&str, &mut Alarm),
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
        let done = stopping.waited(url, (alarm, limit.map(ms)), &|| begin, answer).await;
        (done.map_err(|failure| failure.kind), begin.elapsed())
    }

    fn is_set_for(alarm: &Alarm) -> Instant {
        alarm.timer.0.as_ref().unwrap().deadline()
    }

    /// Of two databases one answers late and one never: the silent one costs a second, once.
    #[test]
    fn a_silent_database_ends_no_wait_for_another() {
        let stopping = &Stopping::new();
        stopping.stop();
        block_on(async {
            let alarm = &mut Alarm::default();
            let (done, took) = wait(stopping, ("a:", alarm), None, None).await;
            assert_eq!(done, Err(ErrorKind::Cancelled));
            assert!(took >= STOPPING_LIMIT, "{took:?}");
            let (done, took) = wait(stopping, ("a:", alarm), Some(10_000), None).await;
            assert_eq!(done, Err(ErrorKind::Cancelled));
            assert!(took < STOPPING_LIMIT / 2, "{took:?}");
            let late = STOPPING_LIMIT.as_millis() as u64 / 2;
            assert_eq!(wait(stopping, ("b:", alarm), None, Some(late)).await.0, Ok(()));
            let (done, took) = wait(stopping, ("a:", alarm), None, None).await;
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
                let alarm = &mut Alarm::default();
                assert_eq!(wait(stopping, ("a:", alarm), limit, Some(1)).await.0, Ok(()));
                let stop = async {
                    tokio::time::sleep(ms(150)).await;
                    stopping.stop();
                };
                let ((done, took), ()) =
                    tokio::join!(wait(stopping, ("a:", alarm), limit, None), stop);
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
            let (first, second) = (&mut Alarm::default(), &mut Alarm::default());
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
        let kept: Vec<_> = (0..100).map(|_| lock(&stopping.bells).hang()).collect();
        for _ in 0..10_000 {
            lock(&stopping.bells).hang();
        }
        let bells = lock(&stopping.bells);
        assert!(bells.all.len() <= 2 * kept.len() + 1, "{}", bells.all.len());
        assert_eq!(bells.all.iter().filter(|bell| bell.strong_count() > 0).count(), kept.len());
    }

    #[test]
    fn operations_that_are_answered_leave_the_timer_as_it_is() {
        let stopping = &Stopping::new();
        block_on(async {
            let alarm = &mut Alarm::default();
            assert_eq!(wait(stopping, ("a:", alarm), Some(5_000), Some(1)).await.0, Ok(()));
            let set_for = is_set_for(alarm);
            for limit in [None, Some(5_000), Some(10_000)] {
                assert_eq!(wait(stopping, ("a:", alarm), limit, Some(1)).await.0, Ok(()));
            }
            assert_eq!(is_set_for(alarm), set_for);
        });
    }

    #[test]
    fn a_short_limit_is_exact_whatever_the_timer_was_set_for() {
        let stopping = &Stopping::new();
        block_on(async {
            let alarm = &mut Alarm::default();
            assert_eq!(wait(stopping, ("a:", alarm), Some(60_000), Some(1)).await.0, Ok(()));
            for limit in [20, 50, 30] {
                let (done, took) = wait(stopping, ("a:", alarm), Some(limit), None).await;
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
            let alarm = &mut Alarm::default();
            assert_eq!(wait(stopping, ("a:", alarm), Some(50), Some(1)).await.0, Ok(()));
            let (done, took) = wait(stopping, ("a:", alarm), Some(150), None).await;
            assert_eq!(done, Err(ErrorKind::Timeout));
            assert!(took >= ms(150), "{took:?}");
            for limit in [None, Some(150)] {
                assert_eq!(wait(stopping, ("a:", alarm), Some(20), Some(1)).await.0, Ok(()));
                tokio::time::sleep(ms(50)).await;
                assert_eq!(wait(stopping, ("a:", alarm), limit, Some(100)).await.0, Ok(()));
            }
            let (done, took) = wait(stopping, ("a:", alarm), Some(40), None).await;
            assert_eq!(done, Err(ErrorKind::Timeout));
            assert!(took >= ms(40), "{took:?}");
        });
    }

    #[test]
    fn a_limit_of_a_database_of_its_own_is_as_exact() {
        block_on(async {
            let timer = &mut Timer::default();
            assert_eq!(timer.within(ms(40), async { 7 }).await, Some(7));
            let begin = Instant::now();
            assert_eq!(timer.within(ms(60), pending::<()>()).await, None);
            assert!(begin.elapsed() >= ms(60));
            assert_eq!(timer.within(ms(2_000), tokio::time::sleep(ms(100))).await, Some(()));
        });
    }
}
