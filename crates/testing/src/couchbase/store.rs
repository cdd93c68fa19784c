//! Documents in memory, with transactions as Couchbase's query service isolates them (7.0.3 to
//! 8.0): a statement sees what is committed and what its own transaction has changed. Changes wait
//! in the query node until COMMIT, which stages them: only there a key that another one inserted,
//! or a document that another one changed since this transaction's first change of it, is refused.
//! Nothing remembers what a statement has read.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::account::BUCKET;

/// Why a statement is refused: HTTP's status and the service's error.
#[derive(Debug)]
pub struct Refusal(pub u16, pub Value);

pub type Done<T> = Result<T, Refusal>;

/// An error as the service writes it.
pub fn refusal(status: u16, code: u64, message: impl Into<String>) -> Refusal {
    Refusal(status, json!({"code": code, "msg": message.into()}))
}

pub struct Document {
    pub text: Vec<u8>,
    /// The same, read.
    value: Arc<Value>,
    pub cas: u64,
}

/// A change that waits for COMMIT.
struct Change {
    /// The document's CAS before the first change; `None` where there was none.
    before: Option<u64>,
    /// `None`: it goes.
    value: Option<Arc<Value>>,
}

impl Change {
    /// What its transaction sees.
    fn seen(&self) -> Option<(u64, Arc<Value>)> {
        self.value.clone().map(|value| (self.before.unwrap_or(0), value))
    }
}

#[derive(Default)]
pub struct Collection {
    pub id: u32,
    pub documents: BTreeMap<String, Document>,
    /// Name → (whether it is online, how many fields).
    pub indexes: BTreeMap<String, (bool, usize)>,
}

pub struct Tx {
    pub node: usize,
    pub deadline: Instant,
    pub statement: u64,
    /// By collection and key.
    changes: BTreeMap<(String, String), Change>,
}

#[derive(Default)]
pub struct Store {
    pub scopes: BTreeMap<String, BTreeMap<String, Collection>>,
    pub prepared: HashMap<(usize, String), String>,
    pub txs: HashMap<String, Tx>,
    /// Whether hints for hash joins are passed over.
    pub community: bool,
    made: u32,
    cas: u64,
}

impl Store {
    pub fn next_cas(&mut self) -> u64 {
        // As large as real ones, which are nanoseconds: no float holds them.
        self.cas += 1;
        1_700_000_000_000_000_000 + self.cas
    }

    pub fn make_collection(&mut self, scope: &str, name: &str) -> Done<()> {
        self.made += 1;
        let id = 8 + self.made;
        let scope = self.scopes.get_mut(scope);
        let scope = scope.ok_or_else(|| refusal(500, 12021, "Scope not found in CB datastore"))?;
        if scope.contains_key(name) {
            let text = format!("Collection with name {name} already exists");
            return Err(refusal(500, 12027, text));
        }
        scope.insert(name.to_owned(), Collection { id, ..Collection::default() });
        Ok(())
    }

    pub fn collection(&mut self, scope: &str, name: &str) -> Done<&mut Collection> {
        let found = self.scopes.get_mut(scope).and_then(|scope| scope.get_mut(name));
        let text = format!("Keyspace not found in CB datastore: default:bench.{scope}.{name}");
        found.ok_or_else(|| refusal(404, 12003, text))
    }

    pub fn by_id(&mut self, id: u32) -> Option<&mut Collection> {
        self.scopes.values_mut().flat_map(BTreeMap::values_mut).find(|c| c.id == id)
    }

    pub fn begin(&mut self, node: usize, limit: Duration) -> String {
        self.made += 1;
        let id = format!("d81d9b4a-b758-4f98-b007-{:012x}", self.made);
        let changes = BTreeMap::new();
        let tx = Tx { node, deadline: Instant::now() + limit, statement: 0, changes };
        self.txs.insert(id.clone(), tx);
        id
    }

    /// Whether the transaction may run this statement.
    pub fn enter(&mut self, id: &str, node: usize, statement: u64) -> Done<()> {
        let there = self.txs.get_mut(id).filter(|tx| tx.node == node);
        let gone = || refusal(500, 17004, "Transaction context error: transaction not found");
        let tx = there.ok_or_else(gone)?;
        if statement <= tx.statement {
            let text =
                format!("Transaction statement is out of order ({}, {statement}) ", tx.statement);
            return Err(refusal(500, 17005, text));
        }
        tx.statement = statement;
        if Instant::now() > tx.deadline {
            self.roll_back(id);
            return Err(refusal(500, 17010, "Transaction timeout"));
        }
        Ok(())
    }

    /// What a statement sees of a collection, in the order of the keys.
    pub fn visible(
        &mut self,
        scope: &str,
        name: &str,
        tx: Option<&str>,
    ) -> Done<Vec<(String, u64, Arc<Value>)>> {
        let mut changed = BTreeMap::new();
        if let Some(tx) = tx.and_then(|id| self.txs.get(id)) {
            let of_it = tx.changes.iter().filter(|((collection, _), _)| collection == name);
            changed.extend(of_it.map(|((_, key), change)| (key.clone(), change.seen())));
        }
        let documents = &self.collection(scope, name)?.documents;
        let mut seen: Vec<_> = documents
            .iter()
            .filter(|(key, _)| !changed.contains_key(*key))
            .map(|(key, document)| (key.clone(), document.cas, document.value.clone()))
            .collect();
        if !changed.is_empty() {
            let changed =
                changed.into_iter().filter_map(|(key, to)| to.map(|(cas, v)| (key, cas, v)));
            seen.extend(changed);
            seen.sort_by(|a, b| a.0.cmp(&b.0));
        }
        Ok(seen)
    }

    pub fn visible_at(
        &mut self,
        scope: &str,
        name: &str,
        key: &str,
        tx: Option<&str>,
    ) -> Done<Option<(u64, Arc<Value>)>> {
        if let Some(tx) = tx.and_then(|id| self.txs.get(id))
            && let Some(change) = tx.changes.get(&(name.to_owned(), key.to_owned()))
        {
            return Ok(change.seen());
        }
        let document = self.collection(scope, name)?.documents.get(key);
        Ok(document.map(|document| (document.cas, document.value.clone())))
    }

    /// Adds a document. A key that is there is refused at once only outside of a transaction, and
    /// where the same transaction wrote it.
    pub fn insert(
        &mut self,
        scope: &str,
        name: &str,
        key: &str,
        value: Value,
        tx: Option<&str>,
    ) -> Done<()> {
        let text = format!("Duplicate Key for '{name}': {key}");
        let place = (name.to_owned(), key.to_owned());
        let Some(tx) = tx else {
            return match self.visible_at(scope, name, key, None)? {
                Some(_) => Err(Refusal(
                    500,
                    json!({"code": 12009, "msg": "DML Error", "reason": {"code": 17012, "message": text}}),
                )),
                None => self.write(scope, name, key, Some(value), None),
            };
        };
        self.collection(scope, name)?;
        let changes = &mut self.txs.get_mut(tx).expect("entered before").changes;
        match changes.get_mut(&place) {
            Some(Change { value: Some(_), .. }) => return Err(refusal(500, 17012, text)),
            Some(change) => change.value = Some(value.into()),
            None => drop(changes.insert(place, Change { before: None, value: Some(value.into()) })),
        }
        Ok(())
    }

    /// Changes a document, in a transaction or at once. `None` removes it.
    pub fn write(
        &mut self,
        scope: &str,
        name: &str,
        key: &str,
        value: Option<Value>,
        tx: Option<&str>,
    ) -> Done<()> {
        let next = self.next_cas();
        let collection = self.collection(scope, name)?;
        let before = collection.documents.get(key).map(|document| document.cas);
        match (tx, value) {
            (None, Some(value)) => collection.set(key, value.to_string().into_bytes(), next),
            (None, None) => drop(collection.documents.remove(key)),
            (Some(id), value) => {
                let changes = &mut self.txs.get_mut(id).expect("entered before").changes;
                let place = (name.to_owned(), key.to_owned());
                let change = changes.entry(place).or_insert(Change { before, value: None });
                change.value = value.map(Arc::new);
            }
        }
        Ok(())
    }

    pub fn commit(&mut self, id: &str, scope: &str) -> Done<()> {
        let Tx { changes, .. } = self.txs.remove(id).expect("entered before");
        let failed = "Commit Transaction statement error";
        for ((name, key), change) in &changes {
            let now = self.collection(scope, name)?.documents.get(key).map(|d| d.cas);
            if change.before.is_none() && now.is_some() {
                let text = format!("{failed}: Duplicate Key for '{BUCKET}.{scope}.{name}': {key}");
                return Err(refusal(500, 17007, text));
            }
            if change.before != now {
                let cause = json!({"retry": true, "rollback": true, "raise": "failed"});
                return Err(Refusal(500, json!({"code": 17007, "msg": failed, "cause": cause})));
            }
        }
        for ((name, key), change) in changes {
            let cas = self.next_cas();
            let collection = self.collection(scope, &name)?;
            match change.value {
                Some(value) => collection.set(&key, value.to_string().into_bytes(), cas),
                None => drop(collection.documents.remove(&key)),
            }
        }
        Ok(())
    }

    pub fn roll_back(&mut self, id: &str) {
        self.txs.remove(id);
    }
}

impl Collection {
    /// Writes a document by key.
    pub fn set(&mut self, key: &str, text: Vec<u8>, cas: u64) {
        let value = Arc::new(serde_json::from_slice(&text).expect("documents are JSON"));
        self.documents.insert(key.to_owned(), Document { text, value, cas });
    }
}
