//! What transactions do, without being any: reads go out when they come, each of its own moment; changes wait in
//! memory, where the transaction's own reads and searches see them; the commit applies them a document at a time
//! ([`super::apply`]). A rollback sends nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use hoap_workload::capability::{Access, Patch};
use serde_json::{Map, Value};

use super::apply::{self, Step, Work};
use super::error::{Done, Failure};
use super::lane::Lane;
use super::lookups::Lookup;
use super::rows::{self, Rows, Version};
use super::stepwise::ClientSession;
use crate::document;

/// Documents that one transaction reads at a time.
const READS: usize = 64;

/// What becomes of a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fate {
    Same,
    /// Patched, and by what.
    Patched(Vec<Patch>),
    Put,
    Gone,
}

/// A document of the transaction.
pub(super) struct Held {
    /// As it was read; `None` where it was not there, or is taken not to be.
    pub seen: Option<Version>,
    pub fate: Fate,
    /// As it is to become, where it is patched or put.
    pub then: Map<String, Value>,
    /// When it was changed first, among the changes of the transaction.
    turn: usize,
}

impl Held {
    fn of(seen: Option<Version>) -> Held {
        Held { seen, fate: Fate::Same, then: Map::new(), turn: 0 }
    }

    /// As the transaction sees it.
    pub fn now(&self) -> Option<&Map<String, Value>> {
        match self.fate {
            Fate::Same => self.seen.as_ref().map(|version| &version.document),
            Fate::Patched(_) | Fate::Put => Some(&self.then),
            Fate::Gone => None,
        }
    }
}

/// By collection and key.
pub(super) type Documents = BTreeMap<(String, String), Held>;

pub(super) struct Open<'a> {
    session: &'a mut ClientSession,
    access: Access,
    pub documents: Documents,
    turns: usize,
}

impl<'a> Open<'a> {
    pub fn new(session: &'a mut ClientSession, access: Access) -> Self {
        Open { session, access, documents: BTreeMap::new(), turns: 0 }
    }

    pub fn lane(&self) -> Arc<Lane> {
        self.session.lane.clone()
    }

    /// The look-up of this name.
    pub fn lookup(&self, name: &str) -> Option<Arc<Lookup>> {
        self.session.lookups.iter().find(|lookup| lookup.made.name == name).cloned()
    }

    async fn rows(&mut self, collection: &str) -> Done<Arc<Rows>> {
        if let Some(rows) = self.session.rows.get(collection) {
            return Ok(rows.clone());
        }
        let rows = rows::of(&self.session.lane, collection).await?;
        self.session.rows.insert(collection.to_owned(), rows.clone());
        Ok(rows)
    }

    pub fn held(&self, collection: &str, key: &str) -> Option<&Held> {
        self.documents.get(&(collection.to_owned(), key.to_owned()))
    }

    fn writes(&mut self) -> Done<usize> {
        self.turns += 1;
        match self.access {
            Access::Write => Ok(self.turns),
            Access::Read => {
                Err(Failure::Invalid("the transaction was begun for reading only".to_owned()))
            }
        }
    }

    /// Reads the documents of these keys that it has not read yet.
    pub async fn read(&mut self, collection: &str, keys: &[&str]) -> Done<()> {
        let mut missing: Vec<&str> =
            keys.iter().copied().filter(|key| self.held(collection, key).is_none()).collect();
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() {
            return Ok(());
        }
        let rows = self.rows(collection).await?;
        let (lane, rows) = (&*self.session.lane, &*rows);
        let reads: Vec<_> = missing
            .into_iter()
            .map(|key| async move { Ok::<_, Failure>((key, rows.read(lane, key).await?)) })
            .collect();
        let read: Vec<_> = stream::iter(reads).buffer_unordered(READS).try_collect().await?;
        for (key, seen) in read {
            self.documents.insert((collection.to_owned(), key.to_owned()), Held::of(seen));
        }
        Ok(())
    }

    /// The document of a key, to be changed, and the turn of the change.
    async fn change(&mut self, collection: &str, key: &str) -> Done<Option<(&mut Held, usize)>> {
        let turn = self.writes()?;
        self.read(collection, &[key]).await?;
        let held = self.documents.get_mut(&(collection.to_owned(), key.to_owned()));
        Ok(held.filter(|held| held.now().is_some()).map(|held| (held, turn)))
    }

    pub async fn insert_document(
        &mut self,
        collection: &str,
        key: &str,
        document: &Value,
    ) -> Done<()> {
        let turn = self.writes()?;
        if key.is_empty() {
            return Err(Failure::Invalid("Cassandra has no empty keys".to_owned()));
        }
        let Value::Object(document) = document else {
            return Err(Failure::Invalid("a document is an object".to_owned()));
        };
        self.rows(collection).await?;
        // One that has read nothing yet learns here whether the key is taken. Where something was read,
        // it told which key to choose, and the commit decides: a key that is taken then is a conflict.
        if self.documents.is_empty() {
            self.read(collection, &[key]).await?;
        }
        let place = (collection.to_owned(), key.to_owned());
        let held = self.documents.entry(place).or_insert_with(|| Held::of(None));
        if held.now().is_some() {
            return Err(Failure::Duplicate(key.to_owned()));
        }
        if held.fate == Fate::Same {
            held.turn = turn;
        }
        held.then = document.clone();
        held.fate = Fate::Put;
        Ok(())
    }

    pub async fn patch_document(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch],
    ) -> Done<()> {
        let Some((held, turn)) = self.change(collection, key).await? else {
            return Err(Failure::Broken("no such key".to_owned()));
        };
        if patches.is_empty() {
            return Ok(());
        }
        let mut then = held.now().cloned().unwrap_or_default();
        for patch in patches {
            document::apply(&mut then, patch).map_err(Failure::Broken)?;
        }
        held.then = then;
        match &mut held.fate {
            Fate::Same => {
                held.turn = turn;
                held.fate = Fate::Patched(patches.to_vec());
            }
            Fate::Patched(before) => before.extend_from_slice(patches),
            Fate::Put | Fate::Gone => {}
        }
        Ok(())
    }

    pub async fn delete_document(&mut self, collection: &str, key: &str) -> Done<bool> {
        let Some((held, turn)) = self.change(collection, key).await? else { return Ok(false) };
        if held.fate == Fate::Same {
            held.turn = turn;
        }
        // What was never there is not there again.
        held.fate = if held.seen.is_some() { Fate::Gone } else { Fate::Same };
        Ok(true)
    }

    pub async fn commit_all(self) -> Done<()> {
        let Open { session, documents, .. } = self;
        let mut steps = Vec::new();
        for ((collection, key), held) in documents {
            if held.fate == Fate::Same {
                continue;
            }
            let rows = session.rows.get(&collection).cloned();
            let rows =
                rows.ok_or_else(|| Failure::Broken(format!("no statements: {collection}")))?;
            let of = |lookup: &&Arc<Lookup>| lookup.made.collection == collection;
            let lookups = session.lookups.iter().filter(of).cloned().collect();
            steps.push((held.turn, Step { key, rows, lookups, held }));
        }
        steps.sort_by_key(|(turn, _)| *turn);
        let steps: Vec<Step> = steps.into_iter().map(|(_, step)| step).collect();
        Work::new(&session.lane, apply::mark()).apply(steps).await
    }

    pub fn url(&self) -> &str {
        &self.session.lane.place.url
    }
}
