//! The operations of transactions, which promise nothing of a transaction here. Their work is in
//! [`super::open_transaction`].

use std::collections::HashMap;

use async_trait::async_trait;
use hoap_workload::capability::{
    Access, Index, Intent, Order, Patch, Row, Session, Transaction, Transactions,
};
use hoap_workload::{Error, Result};
use serde_json::Value;

use super::error::Doing;
use super::open_transaction::{OpenTransaction, TransactionSession};
use super::{Cassandra, lookups, schema, search};
use crate::names;
use crate::overlay::{Held, document};

#[async_trait]
impl Transactions for Cassandra {
    async fn session(&self) -> Result<Box<dyn Session>> {
        let connection = self.connection().await?;
        let tried = || format!("look for the tables of look-ups in {}", connection.place.url);
        let found = lookups::all(&connection, &connection.lookups).await;
        let lookups = found.map_err(|e| e.into_error(Doing::Read, tried()))?;
        Ok(Box::new(TransactionSession { connection, lookups, rows: HashMap::new() }))
    }
}

#[async_trait]
impl Session for TransactionSession {
    async fn begin<'a>(&'a mut self, access: Access) -> Result<Box<dyn Transaction + 'a>> {
        Ok(Box::new(OpenTransaction::new(self, access)))
    }
}

/// The values of a document at these paths.
fn row(held: Option<&Held>, fields: &[&str]) -> Option<Row> {
    held.and_then(Held::now).map(|document| document::row(document, fields))
}

/// Refuses invalid names.
fn check(collection: &str, fields: &[&str]) -> Result<()> {
    schema::collection(collection)?;
    fields.iter().try_for_each(|field| names::path(field).map(drop))
}

#[async_trait]
impl Transaction for OpenTransaction<'_> {
    async fn get(
        &mut self,
        collection: &str,
        key: &str,
        fields: &[&str],
        _: Intent,
    ) -> Result<Option<Row>> {
        check(collection, fields)?;
        let done = self.read(collection, &[key]).await;
        let tried = || format!("get {collection} {key} in {}", self.url());
        done.map_err(|e| e.into_error(Doing::Read, tried()))?;
        Ok(row(self.held(collection, key), fields))
    }

    async fn get_many(
        &mut self,
        collection: &str,
        keys: &[String],
        fields: &[&str],
        _: Intent,
    ) -> Result<Vec<Option<Row>>> {
        check(collection, fields)?;
        let asked: Vec<&str> = keys.iter().map(String::as_str).collect();
        let done = self.read(collection, &asked).await;
        let tried = || format!("get {} {collection} in {}", keys.len(), self.url());
        done.map_err(|e| e.into_error(Doing::Read, tried()))?;
        Ok(keys.iter().map(|key| row(self.held(collection, key), fields)).collect())
    }

    async fn find(
        &mut self,
        index: &Index,
        prefix: &[Value],
        order: Order,
        limit: Option<usize>,
        fields: &[&str],
        _: Intent,
    ) -> Result<Vec<(String, Row)>> {
        check(index.collection, fields)?;
        check(index.collection, &index.fields)?;
        let found = search::find(self, index, prefix, order, limit).await;
        let tried = || format!("find in {} by {} in {}", index.collection, index.name, self.url());
        let keys = found.map_err(|e| e.into_error(Doing::Read, tried()))?;
        let rows = keys.into_iter().map(|key| {
            let row = row(self.held(index.collection, &key), fields).unwrap_or_default();
            (key, row)
        });
        Ok(rows.collect())
    }

    async fn insert(&mut self, collection: &str, key: &str, document: &Value) -> Result<()> {
        check(collection, &[])?;
        let done = self.insert_document(collection, key, document).await;
        let tried = || format!("insert {collection} {key} into {}", self.url());
        done.map_err(|e| e.into_error(Doing::Read, tried()))
    }

    async fn patch(&mut self, collection: &str, key: &str, patches: &[Patch]) -> Result<()> {
        let paths: Vec<&str> = patches.iter().map(|patch| patch.path).collect();
        check(collection, &paths)?;
        let done = self.patch_document(collection, key, patches).await;
        let tried = || format!("patch {collection} {key} in {}", self.url());
        done.map_err(|e| e.into_error(Doing::Read, tried()))
    }

    async fn delete(&mut self, collection: &str, key: &str) -> Result<bool> {
        check(collection, &[])?;
        let done = self.delete_document(collection, key).await;
        let tried = || format!("delete {collection} {key} in {}", self.url());
        done.map_err(|e| e.into_error(Doing::Read, tried()))
    }

    async fn commit(self: Box<Self>) -> Result<()> {
        let tried = format!("commit in {}", self.url());
        self.commit_all().await.map_err(|e| -> Error { e.into_error(Doing::Write, tried) })
    }

    async fn rollback(self: Box<Self>) -> Result<()> {
        // No change was sent.
        Ok(())
    }
}
