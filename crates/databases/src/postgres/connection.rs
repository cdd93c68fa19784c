//! One connection with its prepared statements.

use std::collections::HashMap;

use futures_util::FutureExt;
use tokio::task::AbortHandle;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, RowStream, Statement};

/// The prepared statements that a connection keeps: more than the operations of any benchmark need.
const STATEMENTS: usize = 1000;

/// A connection. Dropping it ends the session.
pub(super) struct Connection {
    pub client: Client,
    statements: HashMap<Box<str>, Statement>,
    task: AbortHandle,
    /// Whether an error showed the loss before the driver did.
    lost: bool,
}

impl Connection {
    pub fn new(client: Client, task: AbortHandle) -> Self {
        Connection { client, statements: HashMap::new(), task, lost: false }
    }

    /// Whether it is known to be lost.
    pub fn is_lost(&self) -> bool {
        self.lost || self.client.is_closed()
    }

    /// Notes an error that may be the end of the connection.
    pub fn look_at(&mut self, error: &Error) {
        self.lost |= super::error::is_lost(error);
    }

    /// The statement of a text, prepared the first time.
    pub async fn prepared(&mut self, text: &str) -> Result<Statement, Error> {
        if let Some(statement) = self.statements.get(text) {
            return Ok(statement.clone());
        }
        // In a box: preparing happens once, and must not enlarge the future of every operation.
        let statement = Box::pin(self.client.prepare(text)).await?;
        self.keep(text, statement.clone());
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

    /// Keeps a statement for [`Connection::prepared`].
    pub fn keep(&mut self, text: &str, statement: Statement) {
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        self.statements.insert(text.into(), statement);
    }

    /// Whether a text is prepared.
    pub fn has(&self, text: &str) -> bool {
        self.statements.contains_key(text)
    }

    /// Sends ROLLBACK and does not wait for the answer: the next statement follows it.
    pub fn roll_back_later(&self) {
        let _ = self.client.batch_execute("ROLLBACK").now_or_never();
    }

    /// Closes the connection at once, even while the server sends a result.
    pub fn abandon(self) {
        self.task.abort();
    }
}
