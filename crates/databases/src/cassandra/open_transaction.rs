//! An open transaction, which promises nothing of a transaction: each read goes out at once and
//! sees a moment of its own; changes wait in memory ([`crate::overlay`]); the commit applies them a
//! document at a time ([`super::commit`]). A rollback sends nothing.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use hoap_workload::capability::{Access, Patch};
use serde_json::Value;

use super::commit::{self, Commit, Step};
use super::error::{Done, Failure};
use super::lookups::Lookup;
use super::rows::{self, Rows};
use super::runtimes::RuntimeSession;
use crate::overlay::{self, Held, Overlay, Refused};

/// Documents that one transaction reads at a time.
const READS: usize = 64;

/// The transactions of one client.
pub(super) struct TransactionSession {
    pub connection: Arc<RuntimeSession>,
    pub lookups: Vec<Arc<Lookup>>,
    /// The statements of the collections that the client has used.
    pub rows: HashMap<String, Arc<Rows>>,
}

impl TransactionSession {
    async fn rows(&mut self, collection: &str) -> Done<Arc<Rows>> {
        if let Some(rows) = self.rows.get(collection) {
            return Ok(rows.clone());
        }
        let rows = rows::of(&self.connection, &self.connection.rows, collection).await?;
        self.rows.insert(collection.to_owned(), rows.clone());
        Ok(rows)
    }
}

pub(super) struct OpenTransaction<'a> {
    session: &'a mut TransactionSession,
    pub overlay: Overlay,
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Failure {
        match refused {
            Refused::Invalid(why) => Failure::Invalid(why),
            Refused::Duplicate(key) => Failure::Duplicate(key),
            Refused::Broken(why) => Failure::Broken(why),
        }
    }
}

impl<'a> OpenTransaction<'a> {
    pub fn new(session: &'a mut TransactionSession, access: Access) -> Self {
        OpenTransaction { session, overlay: Overlay::new(access) }
    }

    pub fn connection(&self) -> Arc<RuntimeSession> {
        self.session.connection.clone()
    }

    /// The lookup table of an index.
    pub fn lookup(&self, name: &str) -> Option<Arc<Lookup>> {
        self.session.lookups.iter().find(|lookup| lookup.definition.name == name).cloned()
    }

    /// Reads the documents of these keys that the transaction has not read yet.
    pub async fn read(&mut self, collection: &str, keys: &[&str]) -> Done<()> {
        let held = |key: &str| self.overlay.get(collection, key).is_some();
        let mut missing: Vec<&str> = keys.iter().copied().filter(|key| !held(key)).collect();
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() {
            return Ok(());
        }
        let rows = self.session.rows(collection).await?;
        let (connection, rows) = (&*self.session.connection, &*rows);
        let reads: Vec<_> = missing
            .into_iter()
            .map(|key| async move { Ok::<_, Failure>((key, rows.read(connection, key).await?)) })
            .collect();
        let read: Vec<_> = stream::iter(reads).buffer_unordered(READS).try_collect().await?;
        for (key, stored) in read {
            let (marks, document) = stored.map(|stored| (stored.marks, stored.document)).unzip();
            self.overlay.keep_read(collection, key, marks, document);
        }
        Ok(())
    }

    pub async fn insert_document(
        &mut self,
        collection: &str,
        key: &str,
        document: &Value,
    ) -> Done<()> {
        self.overlay.begin_change()?;
        if key.is_empty() {
            return Err(Failure::Invalid("Cassandra has no empty keys".to_owned()));
        }
        let document = overlay::object(document)?;
        self.session.rows(collection).await?;
        // A transaction that has read nothing learns here whether the key is taken. Any other one
        // chose the key by what it read, and the commit decides: a key that is taken then is a
        // conflict.
        if self.overlay.is_empty() {
            self.read(collection, &[key]).await?;
        }
        Ok(self.overlay.insert(collection, key, document)?)
    }

    pub async fn patch_document(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch],
    ) -> Done<()> {
        self.overlay.begin_change()?;
        self.read(collection, &[key]).await?;
        Ok(self.overlay.patch(collection, key, patches)?)
    }

    pub async fn delete_document(&mut self, collection: &str, key: &str) -> Done<bool> {
        self.overlay.begin_change()?;
        self.read(collection, &[key]).await?;
        Ok(self.overlay.delete(collection, key))
    }

    pub async fn commit_all(self) -> Done<()> {
        let OpenTransaction { session, overlay } = self;
        let mut steps = Vec::new();
        for ((collection, key), held) in overlay.into_writes() {
            let rows = session.rows.get(&collection).cloned();
            let rows =
                rows.ok_or_else(|| Failure::Broken(format!("no statements: {collection}")))?;
            let of = |lookup: &&Arc<Lookup>| lookup.definition.collection == collection;
            let lookups = session.lookups.iter().filter(of).cloned().collect();
            steps.push(Step { key, rows, lookups, held });
        }
        Commit::new(&session.connection, commit::mark()).apply(steps).await
    }

    pub fn held(&self, collection: &str, key: &str) -> Option<&Held> {
        self.overlay.get(collection, key)
    }

    pub fn url(&self) -> &str {
        &self.session.connection.place.url
    }
}
