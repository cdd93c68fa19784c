//! How long an answer is waited for.
//!
//! Every call to a database with a network driver goes through [`within`]: a database that says
//! nothing must neither stop a run for ever nor keep Ctrl-C from ending it.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hoap_workload::ErrorKind;
use tokio::time::Instant;

use super::engine::Engine;
use crate::failure::{Done, Failure};

/// How often a wait looks whether the program is stopping.
const LOOK: Duration = Duration::from_millis(100);
/// How long an answer may take once the program is stopping.
const STOPPING_LIMIT: Duration = Duration::from_millis(1000);

/// The end of all waits when the program stops.
struct Stopping {
    begun: AtomicBool,
    /// The URLs of databases that gave no answer while the program was stopping: no other one is
    /// waited for.
    silent: Mutex<BTreeSet<String>>,
}

static STOPPING: Stopping = Stopping::new();

/// The program is stopping: from now on no answer of a database is waited for longer than a second,
/// whatever its limit, and none of one that has let such a second pass. A signal handler may call
/// this.
pub fn stop_waiting() {
    STOPPING.begun.store(true, Ordering::Release);
}

impl Stopping {
    const fn new() -> Stopping {
        Stopping { begun: AtomicBool::new(false), silent: Mutex::new(BTreeSet::new()) }
    }

    /// Waits for something of the database of this URL: within a limit since the last sign of life,
    /// if there is one, and while the program goes on.
    ///
    /// # Errors
    /// Why it was not waited for any longer.
    async fn waited<T>(
        &self,
        url: &str,
        limit: Option<Duration>,
        last: &(dyn Fn() -> Instant + Sync),
        what: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        tokio::select! {
            biased;
            done = what => Ok(done),
            failure = self.silence(url, limit, last) => Err(failure),
        }
    }

    /// Returns when the limit is over, or the program was asked to stop.
    async fn silence(
        &self,
        url: &str,
        limit: Option<Duration>,
        last: &(dyn Fn() -> Instant + Sync),
    ) -> Failure {
        let mut stopping: Option<Instant> = None;
        loop {
            let now = Instant::now();
            let until = limit.map(|limit| last() + limit);
            if let Some(until) = until.filter(|until| *until <= now) {
                let limit = (until - last()).as_millis();
                return Failure::of(
                    ErrorKind::Timeout,
                    format!("no answer within {limit} ms"),
                    "look whether the server is alive, or raise answer_timeout_ms",
                );
            }
            if self.begun.load(Ordering::Acquire) {
                let since = *stopping.get_or_insert(now);
                let mut silent = self.silent.lock().unwrap_or_else(PoisonError::into_inner);
                if silent.contains(url) || now >= since.max(last()) + STOPPING_LIMIT {
                    silent.insert(url.to_owned());
                    return Failure::new(ErrorKind::Cancelled, "interrupted before the answer");
                }
            }
            let look = now + LOOK;
            tokio::time::sleep_until(until.map_or(look, |until| until.min(look))).await;
        }
    }
}

/// Waits for an answer within a limit, if there is one, and while the program goes on.
///
/// # Errors
/// Why it was not waited for any longer.
pub(super) async fn within<E: Engine, T>(
    engine: &E,
    limit: Option<Duration>,
    answer: impl Future<Output = Done<T>>,
) -> Result<Done<T>, Failure> {
    if E::BLOCKING {
        return Ok(answer.await);
    }
    let begin = Instant::now();
    STOPPING.waited(engine.url(), limit, &|| begin, answer).await
}

/// Waits for an answer that has no limit, while the program goes on.
pub(super) async fn unlimited<E: Engine, T>(
    engine: &E,
    answer: impl Future<Output = Done<T>>,
) -> Done<T> {
    within(engine, None, answer).await.unwrap_or_else(Err)
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
    STOPPING.waited(url, limit, &|| begin, answer).await?
}

/// Opens a database, while the program goes on.
pub(crate) async fn opening<T>(url: &str, opening: impl Future<Output = T>) -> Result<T, Failure> {
    let begin = Instant::now();
    STOPPING.waited(url, None, &|| begin, opening).await
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
        STOPPING.waited(engine.url(), limit, &|| *self.at(), answer).await?
    }
}

/// Waits for the answer of a call to a session; where none comes the session abandons its
/// connection, and the last argument makes the failure of the silence, unless nothing was sent.
macro_rules! answer {
    ($engine:expr, $session:expr, $call:expr, $failure:path) => {{
        match $crate::front::limit::within(&*$engine, $engine.answer_timeout(), $call).await {
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

    /// Of two databases one answers late and one never: the silent one costs a second, once.
    #[test]
    fn a_silent_database_ends_no_wait_for_another() {
        let stopping = Stopping::new();
        stopping.begun.store(true, Ordering::Release);
        let begin = Instant::now();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let last = || begin;
        let never = || stopping.waited("a:", None, &last, pending::<()>());
        runtime.block_on(async {
            assert_eq!(never().await.unwrap_err().kind, ErrorKind::Cancelled);
            assert!(begin.elapsed() >= STOPPING_LIMIT);
            let again = Instant::now();
            assert_eq!(never().await.unwrap_err().kind, ErrorKind::Cancelled);
            assert!(again.elapsed() < STOPPING_LIMIT / 2);
            let begin = Instant::now();
            let late = tokio::time::sleep(STOPPING_LIMIT / 2);
            assert_eq!(stopping.waited("b:", None, &|| begin, late).await, Ok(()));
            assert_eq!(never().await.unwrap_err().kind, ErrorKind::Cancelled);
        });
    }
}
