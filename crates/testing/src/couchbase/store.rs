//! Documents in memory, with transactions as Couchbase isolates them: a statement sees what is committed
//! and what its own transaction has staged; a document that another transaction has staged cannot be
//! staged; what is staged becomes visible at the commit; nothing remembers what a statement has read.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Why a statement is refused: HTTP's status and the service's error.
#[derive(Debug)]
pub struct Refusal(pub u16, pub Value);

pub type Done<T> = Result<T, Refusal>;

/// An error as the service writes it.
pub fn refusal(status: u16, code: u64, message: impl Into<String>) -> Refusal {
    Refusal(status, json!({"code": code, "msg": message.into()}))
}

#[derive(Default)]
pub struct Document {
    /// What is committed, `None` where the document is only staged yet.
    pub text: Option<Vec<u8>>,
    /// The same, read.
    value: Option<Arc<Value>>,
    pub cas: u64,
    staged: Option<Staged>,
}

struct Staged {
    by: String,
    /// The document's when it was staged.
    cas: u64,
    /// `None`: it goes.
    value: Option<Arc<Value>>,
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
    staged: Vec<(String, String)>,
}

#[derive(Default)]
pub struct Store {
    pub scopes: BTreeMap<String, BTreeMap<String, Collection>>,
    pub prepared: HashMap<(usize, String), String>,
    pub txs: HashMap<String, Tx>,
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
        let tx = Tx { node, deadline: Instant::now() + limit, statement: 0, staged: Vec::new() };
        self.txs.insert(id.clone(), tx);
        id
    }

    /// Whether the transaction may run this statement.
    pub fn enter(&mut self, id: &str, node: usize, statement: u64, scope: &str) -> Done<()> {
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
            self.roll_back(id, scope);
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
        let collection = self.collection(scope, name)?;
        let mut seen = Vec::new();
        for (key, document) in &collection.documents {
            if let Some((cas, value)) = document.seen(tx) {
                seen.push((key.clone(), cas, value));
            }
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
        Ok(self.collection(scope, name)?.documents.get(key).and_then(|d| d.seen(tx)))
    }

    /// Writes a document, in a transaction or at once. `None` removes it.
    pub fn write(
        &mut self,
        scope: &str,
        name: &str,
        key: &str,
        value: Option<Value>,
        tx: Option<&str>,
    ) -> Done<()> {
        let cas = self.next_cas();
        let collection = self.collection(scope, name)?;
        let Some(id) = tx else {
            let text = value.map(|value| value.to_string().into_bytes());
            match text {
                Some(text) => collection.set(key, text, cas),
                None => drop(collection.documents.remove(key)),
            }
            return Ok(());
        };
        let document = collection.documents.entry(key.to_owned()).or_default();
        if document.staged.as_ref().is_some_and(|staged| staged.by != id) {
            let error = json!({
                "code": 17020, "msg": format!("Transaction staging error: write write conflict on {key}"),
                "cause": {"cause": "write write conflict", "retry": true, "rollback": true, "raise": "failed"},
            });
            return Err(Refusal(500, error));
        }
        // Staging is a change of the document, and so its CAS is another one.
        document.cas = cas;
        let value = value.map(Arc::new);
        document.staged = Some(Staged { by: id.to_owned(), cas, value });
        let tx = self.txs.get_mut(id).expect("entered before");
        tx.staged.push((name.to_owned(), key.to_owned()));
        Ok(())
    }

    pub fn commit(&mut self, id: &str, scope: &str) -> Done<()> {
        let tx = self.txs.get(id).expect("entered before");
        let places: BTreeSet<_> = tx.staged.iter().cloned().collect();
        for (name, key) in &places {
            let document = self.collection(scope, name)?.documents.get(key);
            let sound = document.is_some_and(|d| {
                d.staged.as_ref().is_some_and(|staged| staged.by == id && staged.cas == d.cas)
            });
            if !sound {
                self.roll_back(id, scope);
                let text =
                    format!("Commit Transaction statement error: cas mismatch for key: {key}");
                return Err(refusal(500, 17007, text));
            }
        }
        for (name, key) in places {
            let cas = self.next_cas();
            let collection = self.collection(scope, &name)?;
            let document = collection.documents.get_mut(&key).expect("looked at before");
            match document.staged.take().and_then(|staged| staged.value) {
                Some(value) => collection.set(&key, value.to_string().into_bytes(), cas),
                None => drop(collection.documents.remove(&key)),
            }
        }
        self.txs.remove(id);
        Ok(())
    }

    pub fn roll_back(&mut self, id: &str, scope: &str) {
        let Some(tx) = self.txs.remove(id) else { return };
        for (name, key) in tx.staged {
            let cas = self.next_cas();
            let Ok(collection) = self.collection(scope, &name) else { continue };
            let Some(document) = collection.documents.get_mut(&key) else { continue };
            if document.staged.as_ref().is_some_and(|staged| staged.by == id) {
                document.staged = None;
                document.cas = cas;
            }
            if document.text.is_none() && document.staged.is_none() {
                collection.documents.remove(&key);
            }
        }
    }
}

impl Collection {
    /// Writes a document by key.
    pub fn set(&mut self, key: &str, text: Vec<u8>, cas: u64) {
        let document = self.documents.entry(key.to_owned()).or_default();
        document.value = Some(Arc::new(serde_json::from_slice(&text).expect("documents are JSON")));
        document.text = Some(text);
        document.cas = cas;
    }
}

impl Document {
    fn seen(&self, tx: Option<&str>) -> Option<(u64, Arc<Value>)> {
        match &self.staged {
            Some(staged) if Some(staged.by.as_str()) == tx => {
                staged.value.clone().map(|value| (self.cas, value))
            }
            _ => Some((self.cas, self.value.clone()?)),
        }
    }
}
