//! An open transaction.
//!
//! Reads are strongly consistent and go out at once. Writes wait in memory ([`crate::overlay`]);
//! the commit sends them as one TransactWriteItems, on the condition that the documents are as they
//! were read: each has the mark of the transaction that wrote it last. A document that is read to
//! be changed is part of the condition; one that is only read is, with `conditions=read`.
//!
//! A transaction that only reads ends by reading the marks again, all of them in TransactGetItems
//! after its last read. If none has changed there was a moment at which everything that it read was
//! current, and no other transaction was half applied; otherwise it is a conflict. A transaction
//! that read once, in one step, does not need this.
//!
//! *Not promised*: a search sees the moment at which it is made. A document that appears among its
//! results before the commit is not noticed, unless both transactions write the same document.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use hoap_database::failure::{Done, Failure};
use hoap_database::{Access, Intent, Row};
use hoap_record::ErrorKind;
use serde_json::{Map, Value};

use super::layout::{self, VERSION};
use super::options::Conditions;
use super::reading::{Driver, KEYS, Wanted, possible};
use super::server::Server;
use super::value::{self, Item};
use crate::overlay::entries::IndexDefinition;
use crate::overlay::{Held, Overlay, Version, document};

/// The transactions of one client.
pub struct TransactionSession {
    pub(super) server: Arc<Server>,
    pub(super) driver: Arc<Driver>,
    /// The indexes whose entries the commit writes.
    pub(super) indexes: Vec<IndexDefinition>,
}

/// An open transaction.
pub struct OpenTransaction<'a> {
    pub(super) session: &'a TransactionSession,
    pub(super) access: Access,
    pub(super) overlay: Overlay,
    /// Collections and keys of the documents that the commit requires to be as they were read.
    pub(super) checked: BTreeSet<(String, String)>,
    /// Requests that have read, each from a state of its own.
    pub(super) reads: u32,
    /// Whether the transaction met a conflict: the commit is refused then.
    pub(super) conflict: bool,
}

/// The version of an item; `None` where there is no item.
fn version(item: Option<&Item>) -> Done<Option<Version>> {
    match item.map(|item| item.get(VERSION)) {
        None => Ok(None),
        Some(None) => Ok(Some(None)),
        Some(Some(AttributeValue::S(version))) => Ok(Some(Some(version.clone()))),
        Some(Some(other)) => Err(Failure::broken(format!("a version is {other:?}"))),
    }
}

impl<'a> OpenTransaction<'a> {
    pub(super) fn new(session: &'a TransactionSession, access: Access) -> Self {
        let (overlay, checked) = Default::default();
        OpenTransaction { session, access, overlay, checked, reads: 0, conflict: false }
    }

    pub(super) fn server(&self) -> &'a Server {
        &self.session.server
    }

    pub(super) fn driver(&self) -> &'a Driver {
        &self.session.driver
    }

    /// The index of this name.
    pub(super) fn index(&self, name: &str) -> Option<&'a IndexDefinition> {
        let session = self.session;
        session.indexes.iter().find(|definition| definition.name == name)
    }

    pub(super) fn count_read(&mut self) {
        self.reads += 1;
    }

    pub(super) fn conflict<T>(&mut self, answer: String) -> Done<T> {
        self.conflict = true;
        Err(Failure::new(ErrorKind::Conflict, answer))
    }

    /// Keeps what was read of a document.
    pub(super) fn keep_read(
        &mut self,
        collection: &str,
        key: &str,
        item: Option<&Item>,
        document: Option<Map<String, Value>>,
    ) -> Done<()> {
        match self.overlay.keep_read(collection, key, version(item)?, document) {
            true => Ok(()),
            false => self.conflict(format!("{collection} {key} was changed between two reads")),
        }
    }

    fn check(&mut self, collection: &str, key: &str) {
        self.checked.insert((collection.to_owned(), key.to_owned()));
    }

    /// Reads items by their keys.
    pub(super) async fn fetch(
        &mut self,
        collection: &str,
        keys: &[&str],
        wanted: &Wanted,
    ) -> Done<HashMap<String, Item>> {
        let (server, driver) = (self.server(), self.driver());
        let table = layout::table(&server.options.prefix, collection);
        let mut items = Vec::with_capacity(keys.len());
        match (keys, self.access) {
            ([], _) => {}
            ([key], _) => {
                self.reads += 1;
                let strong = self.access != Access::Each || server.options.strong;
                items.extend(server.get(driver, &table, key, wanted, strong).await?);
            }
            (keys, Access::Write | Access::Each) => {
                items = server.get_many(driver, &table, keys, wanted).await?;
            }
            (keys, Access::Read) => {
                for some in keys.chunks(KEYS) {
                    self.reads += 1;
                    let keys = some.iter().map(|key| (table.clone(), *key));
                    let found = server.get_at_once(driver, keys, wanted).await?;
                    items.extend(found.into_iter().flatten());
                }
            }
        }
        items
            .into_iter()
            .map(|item| Ok((value::text(&item, layout::KEY)?.to_owned(), item)))
            .collect()
    }

    /// Reads the documents of these keys, as far as they are not known: whole where they are read
    /// to be changed. Returns the documents that were read in part.
    pub(super) async fn read(
        &mut self,
        collection: &str,
        keys: &[&str],
        fields: &[&str],
        intent: Intent,
    ) -> Done<HashMap<String, Map<String, Value>>> {
        let whole = intent == Intent::Change;
        let checked = match self.access {
            Access::Read => true,
            Access::Write => whole || self.server().options.conditions == Conditions::Read,
            Access::Each => whole,
        };
        let mut missing: Vec<&str> = Vec::with_capacity(keys.len());
        for &key in keys {
            let known = self.overlay.get(collection, key).is_some_and(Held::is_known);
            if !known && possible(key) && !missing.contains(&key) {
                missing.push(key);
            }
        }
        let wanted = if whole { Wanted::default() } else { Wanted::paths(fields) };
        let items = self.fetch(collection, &missing, &wanted).await?;
        let mut parts = HashMap::new();
        for key in missing {
            let item = items.get(key);
            let document = item.map(value::document).transpose()?;
            let (held, part) = if whole { (document, None) } else { (None, document) };
            self.keep_read(collection, key, item, held)?;
            if checked {
                self.check(collection, key);
            }
            parts.extend(part.map(|part| (key.to_owned(), part)));
        }
        Ok(parts)
    }

    /// A document after [`OpenTransaction::read`], which returned `parts`.
    pub(super) fn document<'d>(
        &'d self,
        collection: &str,
        key: &str,
        parts: &'d HashMap<String, Map<String, Value>>,
    ) -> Option<&'d Map<String, Value>> {
        let held = self.overlay.get(collection, key).filter(|held| held.exists())?;
        held.now().or_else(|| parts.get(key))
    }

    /// The values of a document after [`OpenTransaction::read`], which returned `parts`.
    pub(super) fn row(
        &self,
        collection: &str,
        key: &str,
        fields: &[&str],
        parts: &HashMap<String, Map<String, Value>>,
    ) -> Option<Row> {
        let document = self.document(collection, key, parts)?;
        Some(document::row(document, fields))
    }

    /// Reads the whole document, to be changed.
    pub(super) async fn read_to_change(&mut self, collection: &str, key: &str) -> Done<()> {
        self.read(collection, &[key], &[], Intent::Change).await?;
        if self.overlay.get(collection, key).is_some_and(Held::exists) {
            self.check(collection, key);
        }
        Ok(())
    }

    /// Refuses where a document has another version than the one that was read.
    pub(super) async fn validate(&mut self) -> Done<()> {
        let (server, driver) = (self.server(), self.driver());
        let wanted = Wanted::fields([]);
        let all: Vec<_> = self.overlay.documents().filter(|(_, _, held)| !held.assumed).collect();
        for some in all.chunks(KEYS) {
            let keys = some.iter().map(|(collection, key, _)| {
                (layout::table(&server.options.prefix, collection), *key)
            });
            let items = server.get_at_once(driver, keys, &wanted).await?;
            for ((collection, key, held), item) in some.iter().zip(&items) {
                if version(item.as_ref())? != held.version {
                    let answer = format!("{collection} {key} was changed after it was read");
                    return Err(Failure::new(ErrorKind::Conflict, answer));
                }
            }
        }
        Ok(())
    }
}
