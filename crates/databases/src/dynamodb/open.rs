//! Document transactions.
//!
//! Reads are strongly consistent and go out when they come. Writes wait in memory, where the transaction's
//! own reads and searches see them; the commit sends them as one TransactWriteItems, on the condition that
//! the documents are as they were read: each has a mark of the transaction that wrote it last. What
//! is read to be changed is a condition too; what is only looked at is one with `conditions=read`.
//!
//! A transaction that only reads ends by reading the marks again, all of them in TransactGetItems after
//! the last of its reads. Where none has changed there was a moment at which all that it read was
//! current, and no other transaction was half applied; else it is a conflict. One that has read once, in
//! one step, need not look again.
//!
//! *Not promised*: a search finds what there is when it is made. A document that appears among the results
//! between the search and the commit is not noticed, unless both transactions write the same document.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::ReturnConsumedCapacity;
use hoap_workload::ErrorKind;
use hoap_workload::capability::{Access, Intent, Patch, Row};
use serde_json::{Map, Value};

use super::counters::Units;
use super::error::{Doing, Done, Failure};
use super::held::{self, Documents, Fate, Held, Seen};
use super::layout;
use super::options::Conditions;
use super::reading::{Driver, KEYS, Wanted, possible};
use super::server::Server;
use super::transaction::ClientSession;
use super::value::{self, Item};
use crate::document;
use crate::entries::Made;

/// Items that one TransactWriteItems takes.
const ITEMS: usize = 100;

pub(super) struct Open<'a> {
    session: &'a ClientSession,
    access: Access,
    pub documents: Documents,
    /// Requests that have read, each from a state of its own.
    reads: u32,
    /// A conflict that was seen before the commit: there is no use in one.
    conflict: bool,
}

impl<'a> Open<'a> {
    pub fn new(session: &'a ClientSession, access: Access) -> Self {
        let documents = Documents::new();
        Open { session, access, documents, reads: 0, conflict: false }
    }

    pub fn server(&self) -> &'a Server {
        &self.session.server
    }

    pub fn driver(&self) -> &'a Driver {
        &self.session.driver
    }

    /// The index of this name.
    pub fn index(&self, name: &str) -> Option<&'a Made> {
        let session = self.session;
        session.indexes.iter().find(|made| made.name == name)
    }

    pub fn count_read(&mut self) {
        self.reads += 1;
    }

    fn writes(&self) -> Done<()> {
        match self.access {
            Access::Write => Ok(()),
            Access::Read => {
                Err(Failure::invalid("the transaction was begun for reading only".to_owned()))
            }
        }
    }

    pub fn conflict<T>(&mut self, answer: String) -> Done<T> {
        self.conflict = true;
        Err(Failure::new(ErrorKind::Conflict, answer))
    }

    fn held(&self, collection: &str, key: &str) -> Option<&Held> {
        self.documents.get(&(collection.to_owned(), key.to_owned()))
    }

    /// Takes note of what was read.
    fn note(&mut self, collection: &str, key: &str, item: Option<&Item>) -> Done<&mut Held> {
        let seen = Seen::of(item)?;
        let place = (collection.to_owned(), key.to_owned());
        if self.documents.get(&place).is_some_and(|held| held.seen != seen) {
            return self.conflict(format!("{collection} {key} was changed between two reads"));
        }
        Ok(self.documents.entry(place).or_insert_with(|| Held::new(seen)))
    }

    /// Reads items by their keys.
    async fn fetch(
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
                items.extend(server.get(driver, &table, key, wanted, true).await?);
            }
            (keys, Access::Write) => {
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

    /// Makes sure that of each key as much is known as is asked for, and gives those documents of which
    /// only a part is.
    pub async fn read(
        &mut self,
        collection: &str,
        keys: &[&str],
        fields: &[&str],
        intent: Intent,
    ) -> Done<HashMap<String, Map<String, Value>>> {
        let whole = self.access == Access::Write && intent == Intent::Change;
        let checked = match self.access {
            Access::Read => true,
            Access::Write => whole || self.server().options.conditions == Conditions::Read,
        };
        let mut missing: Vec<&str> = Vec::with_capacity(keys.len());
        for &key in keys {
            let known = self.held(collection, key).is_some_and(Held::is_known);
            if !known && possible(key) && !missing.contains(&key) {
                missing.push(key);
            }
        }
        let wanted = match whole {
            true => Wanted::default(),
            false => Wanted::fields(fields.iter().map(|field| document::top(field))),
        };
        let items = self.fetch(collection, &missing, &wanted).await?;
        let mut parts = HashMap::new();
        for key in missing {
            let item = items.get(key);
            let document = item.map(value::document).transpose()?;
            let held = self.note(collection, key, item)?;
            held.checked |= checked;
            match document {
                Some(document) if whole => held.whole = Some(document),
                Some(document) => drop(parts.insert(key.to_owned(), document)),
                None => {}
            }
        }
        Ok(parts)
    }

    /// The values of a document that [`Open::read`] has read.
    pub fn row(
        &self,
        collection: &str,
        key: &str,
        fields: &[&str],
        parts: &HashMap<String, Map<String, Value>>,
    ) -> Option<Row> {
        let held = self.held(collection, key)?;
        if !held.is_there() {
            return None;
        }
        let document = held.whole.as_ref().or_else(|| parts.get(key))?;
        Some(document::row(document, fields))
    }

    /// The whole document, to be changed.
    async fn change(&mut self, collection: &str, key: &str) -> Done<Option<&mut Held>> {
        self.read(collection, &[key], &[], Intent::Change).await?;
        let session = self.session;
        let indexes: Vec<&Made> =
            session.indexes.iter().filter(|i| i.collection == collection).collect();
        let held = self.documents.get_mut(&(collection.to_owned(), key.to_owned()));
        let Some(held) = held.filter(|held| held.is_there()) else { return Ok(None) };
        held.checked = true;
        held.remember(key, &indexes);
        Ok(Some(held))
    }

    pub async fn insert_document(
        &mut self,
        collection: &str,
        key: &str,
        document: &Value,
    ) -> Done<()> {
        self.writes()?;
        if !possible(key) {
            return Err(Failure::invalid("a key has 1 to 2048 bytes"));
        }
        let Value::Object(document) = document else {
            return Err(Failure::invalid("a document is an object"));
        };
        value::check_names(document.keys())?;
        if self.held(collection, key).is_none() {
            let items = self.fetch(collection, &[key], &Wanted::fields([])).await?;
            self.note(collection, key, items.get(key))?;
        }
        let place = (collection.to_owned(), key.to_owned());
        match self.documents.get_mut(&place) {
            Some(held) if !held.is_there() => {
                held.whole = Some(document.clone());
                held.fate = Fate::Put;
                Ok(())
            }
            _ => {
                // Another transaction may have put it there since this one began to read, and changed
                // what told it to choose this key.
                if let Err(e) = self.validate().await {
                    self.conflict |= e.kind == ErrorKind::Conflict;
                    return Err(e);
                }
                Err(Failure::new(ErrorKind::Duplicate, "the key exists"))
            }
        }
    }

    pub async fn patch_document(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch],
    ) -> Done<()> {
        self.writes()?;
        for patch in patches {
            value::check_names([&document::top(patch.path).to_owned()])?;
        }
        if patches.is_empty() {
            return Ok(());
        }
        let held = self.change(collection, key).await?;
        let Some((held, whole)) = held.and_then(|held| {
            let whole = held.whole.clone()?;
            Some((held, whole))
        }) else {
            return Err(Failure::broken("no such key"));
        };
        let mut whole = whole;
        for patch in patches {
            document::apply(&mut whole, patch).map_err(Failure::broken)?;
        }
        held.dirty.extend(patches.iter().map(|patch| document::top(patch.path).to_owned()));
        held.whole = Some(whole);
        if held.fate == Fate::Same {
            held.fate = Fate::Patched;
        }
        Ok(())
    }

    pub async fn delete_document(&mut self, collection: &str, key: &str) -> Done<bool> {
        self.writes()?;
        let Some(held) = self.change(collection, key).await? else { return Ok(false) };
        held.whole = None;
        held.dirty.clear();
        // What was never there is not there again.
        held.fate = if held.seen == Seen::Absent { Fate::Same } else { Fate::Gone };
        Ok(true)
    }

    /// Whether everything that was read is as it was.
    async fn validate(&mut self) -> Done<()> {
        let (server, driver) = (self.server(), self.driver());
        let wanted = Wanted::fields([]);
        let all: Vec<_> = self.documents.iter().collect();
        for some in all.chunks(KEYS) {
            let keys = some.iter().map(|((collection, key), _)| {
                (layout::table(&server.options.prefix, collection), key.as_str())
            });
            let items = server.get_at_once(driver, keys, &wanted).await?;
            for (((collection, key), held), item) in some.iter().zip(&items) {
                if Seen::of(item.as_ref())? != held.seen {
                    let answer = format!("{collection} {key} was changed after it was read");
                    return Err(Failure::new(ErrorKind::Conflict, answer));
                }
            }
        }
        Ok(())
    }

    pub async fn commit_all(mut self) -> Done<()> {
        if self.conflict {
            return Err(Failure::new(ErrorKind::Conflict, "the transaction met a conflict before"));
        }
        if self.access == Access::Read {
            return if self.reads < 2 { Ok(()) } else { self.validate().await };
        }
        let (server, driver) = (self.server(), self.driver());
        let writes = held::writes(&server.options.prefix, &self.documents, &self.session.indexes)?;
        if writes.is_empty() {
            return Ok(());
        }
        if writes.len() > ITEMS {
            return Err(Failure::invalid(format!(
                "the transaction has {} items with its conditions and the entries of its indexes, and \
                 TransactWriteItems takes {ITEMS}",
                writes.len()
            )));
        }
        let request = driver
            .transact_write_items()
            .set_transact_items(Some(writes))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = server.send(Doing::Write, request.send()).await.map_err(|e| match e.kind {
            // It may be applied all the same.
            ErrorKind::Timeout => Failure { kind: ErrorKind::Ambiguous, ..e },
            _ => e,
        })?;
        server.counters.consumed(Units::Write, answer.consumed_capacity());
        Ok(())
    }
}
