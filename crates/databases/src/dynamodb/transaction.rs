//! The operations of document transactions. Their work is in [`super::open_transaction`].

use hoap_workload::capability::{Access, Index, Intent, Order, Patch, Row};
use serde_json::Value;

use super::open_transaction::{OpenTransaction, TransactionSession};
use super::{DynamoDbEngine, index, search};
use crate::failure::Done;
use crate::front::engine::{self, Abandon, Session, Transactions};

impl Transactions for DynamoDbEngine {
    type Session = TransactionSession;

    async fn transaction_session(&self) -> Done<TransactionSession> {
        let server = self.server.clone();
        let driver = server.driver();
        let indexes = index::all(&server, &driver).await;
        let tried = || format!("look for indexes in {}", server.url);
        let indexes = indexes.map_err(|e| e.trying(tried()))?;
        Ok(TransactionSession { server, driver, indexes })
    }
}

impl Abandon for TransactionSession {}

impl Session for TransactionSession {
    type Open<'a> = OpenTransaction<'a>;

    async fn begin(&mut self, access: Access) -> Done<OpenTransaction<'_>> {
        Ok(OpenTransaction::new(self, access))
    }
}

impl Abandon for OpenTransaction<'_> {}

impl engine::OpenTransaction for OpenTransaction<'_> {
    /// Nothing is open in the service that an error could end. After a conflict the commit is one.
    fn is_over(&self) -> bool {
        false
    }

    async fn get(
        &mut self,
        collection: &str,
        key: &str,
        fields: &[&str],
        intent: Intent,
    ) -> Done<Option<Row>> {
        let parts = self.read(collection, &[key], fields, intent).await?;
        Ok(self.row(collection, key, fields, &parts))
    }

    async fn get_many(
        &mut self,
        collection: &str,
        keys: &[String],
        fields: &[&str],
        intent: Intent,
    ) -> Done<Vec<Option<Row>>> {
        let asked: Vec<&str> = keys.iter().map(String::as_str).collect();
        let parts = self.read(collection, &asked, fields, intent).await?;
        Ok(keys.iter().map(|key| self.row(collection, key, fields, &parts)).collect())
    }

    async fn find(
        &mut self,
        index: &Index,
        prefix: &[Value],
        order: Order,
        limit: Option<usize>,
        fields: &[&str],
        intent: Intent,
    ) -> Done<Vec<(String, Row)>> {
        search::find(self, index, prefix, (order, limit), fields, intent).await
    }

    async fn insert(&mut self, collection: &str, key: &str, document: &Value) -> Done<()> {
        self.insert_document(collection, key, document).await
    }

    async fn patch(&mut self, collection: &str, key: &str, patches: &[Patch]) -> Done<()> {
        self.patch_document(collection, key, patches).await
    }

    async fn delete(&mut self, collection: &str, key: &str) -> Done<bool> {
        self.delete_document(collection, key).await
    }

    async fn commit(&mut self) -> Done<()> {
        self.commit_all().await
    }

    async fn rollback(&mut self) -> Done<()> {
        // No change was sent.
        Ok(())
    }
}
