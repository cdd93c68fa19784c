//! The operations of document transactions. Their work is in [`super::open_transaction`].

use async_trait::async_trait;
use hoap_workload::capability::{
    Access, Index, Intent, Order, Patch, Row, Session, Transaction, Transactions,
};
use hoap_workload::{Error, Result};
use serde_json::Value;

use super::error::Failure;
use super::open_transaction::{OpenTransaction, TransactionSession};
use super::{DynamoDb, index, layout, search};
use crate::names;

#[async_trait]
impl Transactions for DynamoDb {
    async fn session(&self) -> Result<Box<dyn Session>> {
        let server = self.server.clone();
        let driver = server.driver();
        let tried = || format!("look for indexes in {}", server.url);
        let indexes = index::all(&server, &driver).await.map_err(|e| e.into_error(tried()))?;
        Ok(Box::new(TransactionSession { server, driver, indexes }))
    }
}

#[async_trait]
impl Session for TransactionSession {
    async fn begin<'a>(&'a mut self, access: Access) -> Result<Box<dyn Transaction + 'a>> {
        Ok(Box::new(OpenTransaction::new(self, access)))
    }
}

/// Refuses invalid names.
fn check(collection: &str, fields: &[&str]) -> Result<()> {
    layout::collection(collection)?;
    fields.iter().try_for_each(|field| names::path(field).map(drop))
}

#[async_trait]
impl Transaction for OpenTransaction<'_> {
    async fn get(
        &mut self,
        collection: &str,
        key: &str,
        fields: &[&str],
        intent: Intent,
    ) -> Result<Option<Row>> {
        check(collection, fields)?;
        let url = &self.server().url;
        let parts = self.read(collection, &[key], fields, intent).await;
        let parts = parts.map_err(|e| e.into_error(format!("get {collection} {key} in {url}")))?;
        Ok(self.row(collection, key, fields, &parts))
    }

    async fn get_many(
        &mut self,
        collection: &str,
        keys: &[String],
        fields: &[&str],
        intent: Intent,
    ) -> Result<Vec<Option<Row>>> {
        check(collection, fields)?;
        let url = &self.server().url;
        let asked: Vec<&str> = keys.iter().map(String::as_str).collect();
        let parts = self.read(collection, &asked, fields, intent).await;
        let tried = || format!("get {} {collection} in {url}", keys.len());
        let parts = parts.map_err(|e| e.into_error(tried()))?;
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
    ) -> Result<Vec<(String, Row)>> {
        check(index.collection, fields)?;
        check(index.collection, &index.fields)?;
        let url = &self.server().url;
        let found = search::find(self, index, prefix, (order, limit), fields, intent).await;
        let tried = || format!("find in {} by {} in {url}", index.collection, index.name);
        found.map_err(|e| e.into_error(tried()))
    }

    async fn insert(&mut self, collection: &str, key: &str, document: &Value) -> Result<()> {
        check(collection, &[])?;
        let url = &self.server().url;
        let done = self.insert_document(collection, key, document).await;
        done.map_err(|e| e.into_error(format!("insert {collection} {key} into {url}")))
    }

    async fn patch(&mut self, collection: &str, key: &str, patches: &[Patch]) -> Result<()> {
        let paths: Vec<&str> = patches.iter().map(|patch| patch.path).collect();
        check(collection, &paths)?;
        let url = &self.server().url;
        let done = self.patch_document(collection, key, patches).await;
        done.map_err(|e| e.into_error(format!("patch {collection} {key} in {url}")))
    }

    async fn delete(&mut self, collection: &str, key: &str) -> Result<bool> {
        check(collection, &[])?;
        let url = &self.server().url;
        let done = self.delete_document(collection, key).await;
        done.map_err(|e| e.into_error(format!("delete {collection} {key} in {url}")))
    }

    async fn commit(self: Box<Self>) -> Result<()> {
        let tried = format!("commit in {}", self.server().url);
        let done = self.commit_all().await;
        done.map_err(|e: Failure| -> Error { e.into_error(tried) })
    }

    async fn rollback(self: Box<Self>) -> Result<()> {
        // No change was sent.
        Ok(())
    }
}
