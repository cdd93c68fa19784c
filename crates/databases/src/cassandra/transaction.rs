//! The operations of transactions, which promise nothing of a transaction here: see
//! [`super::open_transaction`].

use std::collections::HashMap;
use std::sync::Arc;

use hoap_record::witness::Level;
use hoap_workload::capability::{Access, Index, Intent, Order, Patch, Row};
use serde_json::Value;

use super::commit::{self, Commit, Step};
use super::lookups::{self, Lookup};
use super::open_transaction::{OpenTransaction, TransactionSession};
use super::{CassandraEngine, search};
use crate::failure::{Done, Failure};
use crate::front::engine::{self, Abandon, Session, Transactions};
use crate::overlay::{self, Held, Overlay, document};

impl Transactions for CassandraEngine {
    type Session = TransactionSession;

    fn isolation(&self) -> Option<Level> {
        None
    }

    async fn transaction_session(&self) -> Done<TransactionSession> {
        let connection = self.connection().await?;
        let found = lookups::all(&connection, &connection.lookups).await;
        let tried = || format!("look for the tables of look-ups in {}", connection.place.url);
        let lookups = found.map_err(|e| e.trying(tried()))?;
        Ok(TransactionSession { connection, lookups, rows: HashMap::new() })
    }
}

impl Abandon for TransactionSession {}

impl Session for TransactionSession {
    type Open<'a> = OpenTransaction<'a>;

    async fn begin(&mut self, _: Access) -> Done<OpenTransaction<'_>> {
        Ok(OpenTransaction { session: self, overlay: Overlay::default() })
    }
}

/// The values of a document at these paths.
fn row(held: Option<&Held>, fields: &[&str]) -> Option<Row> {
    held.and_then(Held::now).map(|document| document::row(document, fields))
}

impl Abandon for OpenTransaction<'_> {}

impl engine::OpenTransaction for OpenTransaction<'_> {
    /// Nothing is open in the cluster that an error could end.
    fn is_over(&self) -> bool {
        false
    }

    async fn get(
        &mut self,
        collection: &str,
        key: &str,
        fields: &[&str],
        _: Intent,
    ) -> Done<Option<Row>> {
        self.read(collection, &[key]).await?;
        Ok(row(self.held(collection, key), fields))
    }

    async fn get_many(
        &mut self,
        collection: &str,
        keys: &[String],
        fields: &[&str],
        _: Intent,
    ) -> Done<Vec<Option<Row>>> {
        let asked: Vec<&str> = keys.iter().map(String::as_str).collect();
        self.read(collection, &asked).await?;
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
    ) -> Done<Vec<(String, Row)>> {
        let keys = search::find(self, index, prefix, order, limit).await?;
        let rows = keys.into_iter().map(|key| {
            let row = row(self.held(index.collection, &key), fields).unwrap_or_default();
            (key, row)
        });
        Ok(rows.collect())
    }

    async fn insert(&mut self, collection: &str, key: &str, document: &Value) -> Done<()> {
        if key.is_empty() {
            return Err(Failure::invalid("Cassandra has no empty keys"));
        }
        let document = overlay::object(document)?;
        self.session.rows(collection).await?;
        // A transaction that has read nothing learns here whether the key is taken. Any other one
        // chose the key by what it read, and the commit decides: a key that is taken then is a
        // conflict.
        if self.overlay.is_empty() {
            self.read(collection, &[key]).await?;
        }
        self.overlay.insert(collection, key, document)
    }

    async fn patch(&mut self, collection: &str, key: &str, patches: &[Patch]) -> Done<()> {
        self.read(collection, &[key]).await?;
        self.overlay.patch(collection, key, patches)
    }

    async fn delete(&mut self, collection: &str, key: &str) -> Done<bool> {
        self.read(collection, &[key]).await?;
        Ok(self.overlay.delete(collection, key))
    }

    async fn commit(&mut self) -> Done<()> {
        let session = &*self.session;
        let mut steps = Vec::new();
        for ((collection, key), held) in self.overlay.take_writes() {
            let rows = session.rows.get(&collection).cloned();
            let rows =
                rows.ok_or_else(|| Failure::broken(format!("no statements: {collection}")))?;
            let of = |lookup: &&Arc<Lookup>| lookup.definition.collection == collection;
            let lookups = session.lookups.iter().filter(of).cloned().collect();
            steps.push(Step { key, rows, lookups, held });
        }
        Commit::new(&session.connection, commit::mark()).apply(steps).await
    }

    async fn rollback(&mut self) -> Done<()> {
        // No change was sent.
        Ok(())
    }
}
