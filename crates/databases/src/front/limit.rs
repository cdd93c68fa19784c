//! The limit on an answer.

use std::future::Future;
use std::sync::Mutex;
use std::time::Duration;

use hoap_workload::ErrorKind;
use tokio::time::Instant;

use crate::failure::{Done, Failure};

/// Waits for an answer: `None` where it does not come within the limit.
pub(super) async fn within<T>(
    limit: Option<Duration>,
    answer: impl Future<Output = Done<T>>,
) -> Option<Done<T>> {
    match limit {
        None => Some(answer.await),
        Some(limit) => tokio::time::timeout(limit, answer).await.ok(),
    }
}

// Each database needs a part of it.
#[cfg_attr(not(feature = "all"), allow(dead_code))]
/// The same for what no capability limits: a step of opening a session, a description.
pub(crate) async fn limited<T>(
    limit: Option<Duration>,
    answer: impl Future<Output = Done<T>>,
) -> Done<T> {
    within(limit, answer).await.unwrap_or_else(|| Err(unanswered(limit)))
}

/// The failure where an answer did not come.
pub(super) fn unanswered(limit: Option<Duration>) -> Failure {
    let limit = limit.unwrap_or_default().as_millis();
    Failure::of(
        ErrorKind::Timeout,
        format!("no answer within {limit} ms"),
        "look whether the server is alive, or raise answer_timeout_ms",
    )
}

/// The same of a write that is its own commit: it may have been applied.
pub(super) fn maybe_applied(limit: Option<Duration>) -> Failure {
    Failure { kind: ErrorKind::Ambiguous, ..unanswered(limit) }
}

/// The time of the last sign of life of an answer that comes in pieces.
pub(super) struct LastPiece(Mutex<Instant>);

impl LastPiece {
    pub fn now() -> Self {
        LastPiece(Mutex::new(Instant::now()))
    }

    /// Notes a piece.
    pub fn arrived(&self) {
        *self.0.lock().expect("no code panics with it") = Instant::now();
    }

    /// Waits for an answer as [`within`] does, the limit counted from its last piece on.
    pub async fn within<T>(
        &self,
        limit: Option<Duration>,
        answer: impl Future<Output = Done<T>>,
    ) -> Option<Done<T>> {
        let Some(limit) = limit else { return Some(answer.await) };
        let silent = async {
            loop {
                let last = *self.0.lock().expect("no code panics with it");
                if last.elapsed() >= limit {
                    return;
                }
                tokio::time::sleep_until(last + limit).await;
            }
        };
        tokio::select! {
            done = answer => Some(done),
            () = silent => None,
        }
    }
}

/// Waits for the answer of a call to a session; where none comes the session abandons its
/// connection, and the last argument makes the failure.
macro_rules! answer {
    ($engine:expr, $session:expr, $call:expr, $failure:ident) => {{
        let limit = $engine.answer_timeout();
        match $crate::front::limit::within(limit, $call).await {
            Some(done) => done,
            None => {
                $session.abandon();
                Err($failure(limit))
            }
        }
    }};
}

pub(super) use answer;
