//! One connection with its prepared statements.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::FutureExt;
use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio_postgres::types::ToSql;
use tokio_postgres::{CancelToken, Client, Error, RowStream, Statement};

use super::error;
use super::layer::Layer;

/// The prepared statements that a connection keeps: more than the operations of any benchmark need.
const STATEMENTS: usize = 1000;

/// A connection. Dropping it ends the session: where an answer is due, at once.
pub(super) struct Connection {
    pub client: Client,
    pub cancel: Cancel,
    statements: HashMap<Box<str>, Statement>,
    task: AbortHandle,
    /// Whether an error showed the loss before the driver did, or it was abandoned.
    lost: bool,
    /// Whether an answer may be due.
    due: bool,
}

impl Connection {
    pub fn new(client: Client, task: AbortHandle, cancel: Cancel) -> Self {
        Connection { client, cancel, statements: HashMap::new(), task, lost: false, due: false }
    }

    /// Whether it is known to be lost.
    pub fn is_lost(&self) -> bool {
        self.lost || self.client.is_closed()
    }

    /// Whether it can be used for something new.
    pub fn is_at_rest(&self) -> bool {
        !self.due && !self.is_lost()
    }

    /// From here to [`Connection::rest`] an answer may be due: whoever asked may be dropped before
    /// it comes, and nobody else may wait behind it.
    pub fn ask(&mut self) {
        self.due = true;
    }

    /// Every answer has come, or is sure to come before the next one.
    pub fn rest(&mut self) {
        self.due = false;
    }

    /// Takes the answer, good or bad.
    pub fn answered<T>(&mut self, done: Done<T>) -> Done<T> {
        self.rest();
        done.map_err(|failure| self.looked_at(failure))
    }

    /// Notes a failure that may be the end of the connection; says why it ended, if that is known.
    pub fn looked_at(&mut self, failure: Failure) -> Failure {
        self.lost |= error::is_lost(&failure);
        let seen = &self.cancel.layer.seen;
        if !failure.code.is_empty() {
            return failure;
        }
        let why = match (seen.stopped.get(), seen.ended.get()) {
            (Some(stopped), _) => error::stopped(*stopped),
            (None, Some(ended)) if !ended.code.is_empty() => ended.clone(),
            _ => return failure,
        };
        match failure.kind {
            // A commit may have been applied, whatever ended the session.
            ErrorKind::Ambiguous => Failure { answer: why.answer, ..failure },
            _ => why,
        }
    }

    /// The statement of a text, prepared the first time.
    pub async fn prepared(&mut self, text: &str) -> Result<Statement, Error> {
        if let Some(statement) = self.statements.get(text) {
            return Ok(statement.clone());
        }
        // In a box: preparing happens once, and must not enlarge the future of every operation.
        let statement = Box::pin(self.client.prepare(text)).await?;
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        self.statements.insert(text.into(), statement.clone());
        Ok(statement)
    }

    /// Runs the statement of a text and returns its rows as they arrive.
    pub async fn rows(
        &mut self,
        text: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<RowStream, Error> {
        let statement = self.prepared(text).await?;
        self.client.query_raw(&statement, parameters.iter().copied()).await
    }

    /// Whether a text is prepared.
    pub fn has(&self, text: &str) -> bool {
        self.statements.contains_key(text)
    }

    /// Sends ROLLBACK and does not wait for the answer: the next statement follows it.
    pub fn roll_back_later(&self) {
        let _ = self.client.batch_execute("ROLLBACK").now_or_never();
    }

    /// Closes the connection at once, and asks the server to end what runs on it, which would
    /// otherwise hold its locks to its end.
    pub fn abandon(&mut self) {
        self.lost = true;
        self.task.abort();
        if let Ok(runtime) = Handle::try_current() {
            let cancel = self.cancel.clone();
            runtime.spawn(async move { cancel.send().await });
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if self.due && !self.is_lost() {
            self.abandon();
        }
    }
}

/// How to ask the server to cancel what a connection runs.
#[derive(Clone)]
pub(super) struct Cancel {
    pub token: CancelToken,
    pub layer: Layer,
    /// How long it may take.
    pub limit: Duration,
}

impl Cancel {
    /// Asks. If that fails what runs goes on.
    pub async fn send(&self) {
        let sending = self.token.cancel_query(self.layer.clone());
        let _ = tokio::time::timeout(self.limit, sending).await;
    }
}
