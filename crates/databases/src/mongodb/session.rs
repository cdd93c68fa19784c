//! Clients of document transactions: each has a session of the driver, which begins its
//! transactions.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_workload::Result;
use hoap_workload::capability::{Access, Session, Transaction, Transactions};
use mongodb::ClientSession;
use mongodb::bson::doc;
use mongodb::options::{SelectionCriteria, TransactionOptions};

use super::MongoDb;
use super::error::Doing;
use super::layout::NOTES;
use super::server::Server;
use super::transaction::OpenTransaction;

#[async_trait]
impl Transactions for MongoDb {
    async fn session(&self) -> Result<Box<dyn Session>> {
        let session = start_session(&self.server).await?;
        let options = &self.server.options;
        let mut transaction = TransactionOptions::default();
        transaction.read_concern = Some(options.transaction_read_concern.clone());
        transaction.write_concern = options.transaction_write_concern.clone();
        // The read preference of the URL is for reads outside of transactions: these go to the
        // primary.
        transaction.selection_criteria =
            Some(SelectionCriteria::ReadPreference(mongodb::options::ReadPreference::Primary));
        transaction.max_commit_time = Some(options.commit_timeout);
        let server = self.server.clone();
        Ok(Box::new(TransactionSession { server, session: Some(session), options: transaction }))
    }
}

async fn start_session(server: &Server) -> Result<ClientSession> {
    let tried = || format!("begin a session in {}", server.shown);
    server
        .within(Doing::Other, &tried, server.database.client().start_session().into_future())
        .await
}

/// The transactions of one client.
struct TransactionSession {
    server: Arc<Server>,
    /// Lent to the open transaction; `None` after one was dropped.
    session: Option<ClientSession>,
    options: TransactionOptions,
}

#[async_trait]
impl Session for TransactionSession {
    async fn begin<'a>(&'a mut self, access: Access) -> Result<Box<dyn Transaction + 'a>> {
        let tried = || format!("begin a transaction in {}", self.server.shown);
        let mut session = match self.session.take() {
            Some(session) => session,
            None => start_session(&self.server).await?,
        };
        let begin = session.start_transaction().with_options(self.options.clone());
        self.server.within(Doing::InTransaction, &tried, begin.into_future()).await?;
        let mut open = OpenTransaction::new(&self.server, &mut self.session, session, access);
        if access == Access::Read {
            // The first command takes the snapshot: here, not at the first read.
            let notes = self.server.collection(NOTES);
            let look = notes.find_one(doc! {"_id": 0}).session(open.session());
            self.server.within(Doing::InTransaction, &tried, look.into_future()).await?;
        }
        Ok(Box::new(open))
    }
}
