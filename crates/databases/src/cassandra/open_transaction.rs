//! An open transaction, which promises nothing of a transaction: each read goes out at once and
//! sees a moment of its own; changes wait in memory ([`crate::overlay`]); the commit applies them a
//! document at a time ([`super::commit`]). A rollback sends nothing.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};

use super::lookups::Lookup;
use super::rows::{self, Rows};
use super::runtimes::RuntimeSession;
use crate::failure::Done;
use crate::overlay::{Held, Overlay};

/// Documents that one transaction reads at a time.
const READS: usize = 64;

/// The transactions of one client.
pub struct TransactionSession {
    pub(super) connection: Arc<RuntimeSession>,
    pub(super) lookups: Vec<Arc<Lookup>>,
    /// The statements of the collections that the client has used.
    pub(super) rows: HashMap<String, Arc<Rows>>,
}

impl TransactionSession {
    pub(super) async fn rows(&mut self, collection: &str) -> Done<Arc<Rows>> {
        if let Some(rows) = self.rows.get(collection) {
            return Ok(rows.clone());
        }
        let rows = rows::of(&self.connection, &self.connection.rows, collection).await?;
        self.rows.insert(collection.to_owned(), rows.clone());
        Ok(rows)
    }
}

/// An open transaction.
pub struct OpenTransaction<'a> {
    pub(super) session: &'a mut TransactionSession,
    pub(super) overlay: Overlay,
}

impl OpenTransaction<'_> {
    pub(super) fn connection(&self) -> Arc<RuntimeSession> {
        self.session.connection.clone()
    }

    /// The lookup table of an index.
    pub(super) fn lookup(&self, name: &str) -> Option<Arc<Lookup>> {
        self.session.lookups.iter().find(|lookup| lookup.definition.name == name).cloned()
    }

    /// Reads the documents of these keys that the transaction has not read yet.
    pub(super) async fn read(&mut self, collection: &str, keys: &[&str]) -> Done<()> {
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
            .map(|key| async move { Done::Ok((key, rows.read(connection, key).await?)) })
            .collect();
        let read: Vec<_> = stream::iter(reads).buffer_unordered(READS).try_collect().await?;
        for (key, stored) in read {
            let (marks, document) = stored.map(|stored| (stored.marks, stored.document)).unzip();
            self.overlay.keep_read(collection, key, marks, document);
        }
        Ok(())
    }

    pub(super) fn held(&self, collection: &str, key: &str) -> Option<&Held> {
        self.overlay.get(collection, key)
    }
}
