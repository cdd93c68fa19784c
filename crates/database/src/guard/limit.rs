//! How long an answer is waited for.
//!
//! Every call to a database with a network driver goes through [`within`]: a database that says
//! nothing must neither stop a run for ever nor keep Ctrl-C from ending it.

use std::future::Future;
use std::sync::Mutex;
use std::time::Duration;

use hoap_record::ErrorKind;
use tokio::time::Instant;

use super::stopping::{STOPPING, Waiting};
use crate::engine::{About, Calls};
use crate::failure::{Done, Failure};

/// Waits for an answer within a limit, if there is one, and while the program goes on.
///
/// # Errors
/// Why it was not waited for any longer.
pub(super) async fn within<T>(
    about: &About,
    waiting: &mut Waiting,
    limit: Option<Duration>,
    answer: impl Future<Output = Done<T>>,
) -> Result<Done<T>, Failure> {
    if about.calls != Calls::Server {
        return Ok(answer.await);
    }
    let begin = Instant::now();
    STOPPING.waited(&about.url, (waiting, limit), &|| begin, answer).await
}

/// Waits for an answer that has no limit, while the program goes on.
pub(super) async fn unlimited<T>(about: &About, answer: impl Future<Output = Done<T>>) -> Done<T> {
    match within(about, &mut Waiting::default(), None, answer).await {
        Ok(done) => done.map_err(repeatable),
        Err(silence) => Err(silence),
    }
}

/// Waits for what no capability limits: a step of opening a session, a description.
pub async fn limited<T>(
    url: &str,
    limit: Option<Duration>,
    answer: impl Future<Output = Done<T>>,
) -> Done<T> {
    let begin = Instant::now();
    STOPPING.waited(url, (&mut Waiting::default(), limit), &|| begin, answer).await?
}

/// Opens a database, while the program goes on.
pub async fn opening<T>(url: &str, opening: impl Future<Output = T>) -> Result<T, Failure> {
    let begin = Instant::now();
    STOPPING.waited(url, (&mut Waiting::default(), None), &|| begin, opening).await
}

/// The failure of a commit, or of a write that is its own: ambiguous if it may have been applied.
pub(super) fn written(failure: Failure) -> Failure {
    let failure = repeatable(failure);
    if !failure.may_be_applied {
        return failure;
    }
    // To load first is no advice for what may be there.
    let advice = failure.advice.filter(|_| failure.kind != ErrorKind::Missing);
    let answer = format!("{}: it may have been applied", failure.answer);
    Failure { kind: ErrorKind::Ambiguous, answer, advice, ..failure }
}

/// The failure of an operation that may be run again whatever became of it, and that nobody here
/// asked to end: if it was cancelled, the database did that by itself, or its administrator.
pub(super) fn repeatable(failure: Failure) -> Failure {
    if failure.kind != ErrorKind::Cancelled || STOPPING.has_begun() {
        return failure;
    }
    let look = "look who or which limit ended it there, such as a statement_timeout of the user";
    Failure {
        kind: ErrorKind::Timeout,
        answer: format!("the database cancelled it: {}", failure.answer),
        advice: failure.advice.or(Some(look.into())),
        ..failure
    }
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
    pub async fn within<T>(
        &self,
        about: &About,
        limit: Option<Duration>,
        answer: impl Future<Output = Done<T>>,
    ) -> Done<T> {
        if about.calls != Calls::Server {
            return answer.await;
        }
        let waiting = &mut Waiting::default();
        STOPPING.waited(&about.url, (waiting, limit), &|| *self.at(), answer).await?
    }
}

/// Waits for the answer of a call to the `inner` of a session, with the session's [`Waiting`]; if
/// none comes the session abandons its connection. The last argument, [`repeatable`] or [`written`],
/// says what a failure means.
macro_rules! answer {
    ($session:ident, $call:expr, $outcome:path) => {{
        let waited = {
            // Pinned here, the call is part of one future and not of each that it passes through.
            let call = std::pin::pin!($call);
            let limit = $session.about.answer_timeout;
            $crate::guard::limit::within(&$session.about, &mut $session.waiting, limit, call).await
        };
        match waited {
            Ok(done) => done.map_err($outcome),
            Err(silence) => match $session.inner.abandon() {
                true => Err($outcome(silence)),
                false => Err($crate::guard::limit::unsent(silence)),
            },
        }
    }};
}

pub(super) use answer;
