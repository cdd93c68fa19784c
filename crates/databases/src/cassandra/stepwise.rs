//! Transactions as the workloads see them, which are none here: clients, and the operations, whose work is in
//! [`super::held`].

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use hoap_workload::capability::{
    Access, Index, Intent, Order, Patch, Row, Session, Transaction, Transactions,
};
use hoap_workload::{Error, Result};
use serde_json::Value;

use super::error::Doing;
use super::held::{Held, Open};
use super::lane::Lane;
use super::lookups::{self, Lookup};
use super::rows::Rows;
use super::{Cassandra, schema, search};
use crate::{document, names};

#[async_trait]
impl Transactions for Cassandra {
    async fn session(&self) -> Result<Box<dyn Session>> {
        let lane = self.lane().await?;
        let tried = || format!("look for the tables of look-ups in {}", lane.place.url);
        let found = lookups::all(&lane).await;
        let lookups = found.map_err(|e| e.into_error(Doing::Read, tried()))?;
        Ok(Box::new(ClientSession { lane, lookups, rows: HashMap::new() }))
    }
}

/// One client.
pub(super) struct ClientSession {
    pub lane: Arc<Lane>,
    pub lookups: Vec<Arc<Lookup>>,
    /// The statements of the collections that it has touched.
    pub rows: HashMap<String, Arc<Rows>>,
}

#[async_trait]
impl Session for ClientSession {
    async fn begin<'a>(&'a mut self, access: Access) -> Result<Box<dyn Transaction + 'a>> {
        Ok(Box::new(Open::new(self, access)))
    }
}

/// The values of a document at these paths.
fn row(held: Option<&Held>, fields: &[&str]) -> Option<Row> {
    held.and_then(Held::now).map(|document| document::row(document, fields))
}

/// Refuses names that are none.
fn check(collection: &str, fields: &[&str]) -> Result<()> {
    schema::collection(collection)?;
    fields.iter().try_for_each(|field| names::path(field).map(drop))
}

#[async_trait]
impl Transaction for Open<'_> {
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
        // Nothing was sent.
        Ok(())
    }
}
