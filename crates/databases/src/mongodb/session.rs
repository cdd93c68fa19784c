//! Clients of document transactions: a driver's session each, from which its transactions are begun.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_workload::Result;
use hoap_workload::capability::{Access, Session, Transaction, Transactions};
use mongodb::ClientSession;
use mongodb::bson::doc;
use mongodb::options::{SelectionCriteria, TransactionOptions};

use super::MongoDb;
use super::documents::NOTES;
use super::error::Doing;
use super::server::Server;
use super::transaction::Open;

#[async_trait]
impl Transactions for MongoDb {
    async fn session(&self) -> Result<Box<dyn Session>> {
        let session = start_session(&self.server).await?;
        let options = &self.server.options;
        let mut transaction = TransactionOptions::default();
        transaction.read_concern = Some(options.transaction_read_concern.clone());
        transaction.write_concern = options.transaction_write_concern.clone();
        // Whatever the URL says of reads outside of transactions: these are the primary's.
        transaction.selection_criteria =
            Some(SelectionCriteria::ReadPreference(mongodb::options::ReadPreference::Primary));
        transaction.max_commit_time = Some(options.commit_timeout);
        let server = self.server.clone();
        Ok(Box::new(Client { server, session: Some(session), options: transaction }))
    }
}

async fn start_session(server: &Server) -> Result<ClientSession> {
    let tried = || format!("begin a session in {}", server.shown);
    server
        .within(Doing::Other, &tried, server.database.client().start_session().into_future())
        .await
}

/// One client.
struct Client {
    server: Arc<Server>,
    /// Lent to the transaction; gone where that was dropped.
    session: Option<ClientSession>,
    options: TransactionOptions,
}

#[async_trait]
impl Session for Client {
    async fn begin<'a>(&'a mut self, access: Access) -> Result<Box<dyn Transaction + 'a>> {
        let tried = || format!("begin a transaction in {}", self.server.shown);
        let mut session = match self.session.take() {
            Some(session) => session,
            None => start_session(&self.server).await?,
        };
        let begin = session.start_transaction().with_options(self.options.clone());
        self.server.within(Doing::InTransaction, &tried, begin.into_future()).await?;
        let mut open = Open::new(&self.server, &mut self.session, session, access);
        if access == Access::Read {
            // The snapshot is the first command's: it is taken here, not when the first read comes.
            let notes = self.server.collection(NOTES);
            let look = notes.find_one(doc! {"_id": 0}).session(open.session());
            self.server.within(Doing::InTransaction, &tried, look.into_future()).await?;
        }
        Ok(Box::new(open))
    }
}
