//! Clients of document transactions: each has a session of the driver, which begins its
//! transactions.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_database::Access;
use hoap_database::engine::{self, Session, Transactions};
use hoap_database::failure::Done;
use hoap_record::witness::Level;
use mongodb::ClientSession;
use mongodb::options::{ReadConcernLevel, ReadPreference, SelectionCriteria, TransactionOptions};

use super::MongoDbEngine;
use super::error;
use super::server::Server;
use super::transaction::OpenTransaction;
use crate::error::OrFail;

#[async_trait]
impl Transactions for MongoDbEngine {
    /// Of the read concerns only `snapshot` is one across shards. What a transaction reads at
    /// `local` may be rolled back.
    fn isolation(&self) -> Option<Level> {
        Some(match self.server.options.transaction_read_concern.level {
            ReadConcernLevel::Snapshot => Level::Snapshot,
            ReadConcernLevel::Majority => Level::ReadCommitted,
            _ => Level::ReadUncommitted,
        })
    }

    async fn transaction_session(&self) -> Done<Box<dyn engine::Session>> {
        let options = &self.server.options;
        let mut transaction = TransactionOptions::default();
        transaction.read_concern = Some(options.transaction_read_concern.clone());
        transaction.write_concern = options.transaction_write_concern.clone();
        // The read preference of the URL is for reads outside of transactions: these go to the
        // primary.
        transaction.selection_criteria =
            Some(SelectionCriteria::ReadPreference(ReadPreference::Primary));
        transaction.max_commit_time = Some(options.commit_timeout);
        let server = self.server.clone();
        // A server alone may have no sessions, and has operations outside of them.
        let session = match server.facts.transactions() {
            true => Some(server.database.client().start_session().await.or_fail()?),
            false => None,
        };
        Ok(Box::new(TransactionSession { server, session, options: transaction }))
    }
}

/// The transactions of one client.
pub struct TransactionSession {
    server: Arc<Server>,
    /// Lent to the open transaction; `None` after one was dropped.
    session: Option<ClientSession>,
    options: TransactionOptions,
}

/// A begin without an answer has taken the session along.
#[async_trait]
impl Session for TransactionSession {
    /// Sends nothing: the first command begins the transaction and takes its snapshot.
    async fn begin<'a>(
        &'a mut self,
        access: Access,
    ) -> Done<Box<dyn engine::OpenTransaction + 'a>> {
        if access == Access::Each {
            return Ok(Box::new(OpenTransaction::new(&self.server, &mut self.session, None)));
        }
        let mut session = match self.session.take() {
            Some(session) => session,
            None => self.server.database.client().start_session().await.or_fail()?,
        };
        let begin = session.start_transaction().with_options(self.options.clone());
        begin.await.map_err(error::failure)?;
        Ok(Box::new(OpenTransaction::new(&self.server, &mut self.session, Some(session))))
    }
}
