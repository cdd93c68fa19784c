//! How long an answer is waited for.
//!
//! Every call to a database with a network driver goes through [`within`]: a database that says
//! nothing must neither stop a run for ever nor keep Ctrl-C from ending it.

use std::future::Future;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hoap_workload::ErrorKind;
use tokio::time::Instant;

use super::engine::Engine;
use crate::failure::{Done, Failure};

/// How often a wait looks whether the program is stopping.
const LOOK: Duration = Duration::from_millis(100);
/// How long an answer may take once the program is stopping.
const STOPPING_LIMIT: Duration = Duration::from_millis(1000);

static STOPPING: AtomicBool = AtomicBool::new(false);
/// Whether an answer did not come while the program was stopping. No other one is waited for.
static SILENT: AtomicBool = AtomicBool::new(false);

/// The program is stopping: from now on no answer of a database is waited for longer than a second,
/// whatever its limit. A signal handler may call this.
pub fn stop_waiting() {
    STOPPING.store(true, Ordering::Release);
}

/// Waits for an answer within a limit, if there is one, and while the program goes on.
///
/// # Errors
/// Why it was not waited for any longer.
pub(super) async fn within<E: Engine, T>(
    limit: Option<Duration>,
    answer: impl Future<Output = Done<T>>,
) -> Result<Done<T>, Failure> {
    if E::BLOCKING {
        return Ok(answer.await);
    }
    let begin = Instant::now();
    tokio::select! {
        biased;
        done = answer => Ok(done),
        failure = silence(limit, || begin) => Err(failure),
    }
}

/// Waits for an answer that has no limit, while the program goes on.
pub(super) async fn unlimited<E: Engine, T>(answer: impl Future<Output = Done<T>>) -> Done<T> {
    within::<E, T>(None, answer).await.unwrap_or_else(Err)
}

/// Opens a database, while the program goes on.
pub(crate) async fn opening<T>(opening: impl Future<Output = T>) -> Result<T, Failure> {
    let begin = Instant::now();
    tokio::select! {
        biased;
        opened = opening => Ok(opened),
        failure = silence(None, || begin) => Err(failure),
    }
}

/// Returns when the limit since the last sign of life is over, or the program was asked to stop.
async fn silence(limit: Option<Duration>, last: impl Fn() -> Instant) -> Failure {
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
        if STOPPING.load(Ordering::Acquire) {
            let since = *stopping.get_or_insert(now);
            if SILENT.load(Ordering::Acquire) || now >= since.max(last()) + STOPPING_LIMIT {
                SILENT.store(true, Ordering::Release);
                return Failure::new(ErrorKind::Cancelled, "interrupted before the answer");
            }
        }
        let look = now + LOOK;
        tokio::time::sleep_until(until.map_or(look, |until| until.min(look))).await;
    }
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
        limit: Option<Duration>,
        answer: impl Future<Output = Done<T>>,
    ) -> Done<T> {
        if E::BLOCKING {
            return answer.await;
        }
        tokio::select! {
            biased;
            done = answer => done,
            failure = silence(limit, || *self.at()) => Err(failure),
        }
    }
}

/// Waits for the answer of a call to a session; where none comes the session abandons its
/// connection, and the last argument makes the failure of the silence.
macro_rules! answer {
    ($engine:expr, $session:expr, $call:expr, $failure:path) => {{
        match $crate::front::limit::within::<E, _>($engine.answer_timeout(), $call).await {
            Ok(done) => done,
            Err(silence) => {
                $session.abandon();
                Err($failure(silence))
            }
        }
    }};
}

pub(super) use answer;
