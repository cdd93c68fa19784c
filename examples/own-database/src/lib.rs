//! A database of one's own, the smallest: collections in memory, `memory:NAME`, for as long as the
//! process lives.
//!
//! It has whole collections and records by key; a record is the fields of a document. Nothing is
//! durable. Every operation holds the one lock.
//!
//! `src/main.rs` is a `hoap` that has it beside all others; `tests/conformance.rs` holds it to what
//! every database promises.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};

use async_trait::async_trait;
use hoap_database::engine::{
    self, About, Bulk, Calls, Documents, Done, Each, Engine, Offered, RecordStore,
};
use hoap_database::failure::Failure;
use hoap_database::key_value::{Fields, Record, Scanned, Table};
use hoap_database::{Batch, Database, Index, Offers, What};
use hoap_databases::Scheme;
use hoap_record::{Description, Error, ErrorKind, Result};

use serde_json::{Map, Value};

/// The database. Clones are the same one.
#[derive(Clone, Default)]
pub struct Memory(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    note: Option<Value>,
    collections: BTreeMap<String, BTreeMap<String, Value>>,
    /// Progress of loads by part and collection.
    positions: BTreeMap<(String, String), u64>,
}

/// What it lacks, and why.
const OFFERS: Offers = Offers(&[
    (What::Transactions, "it has no transactions"),
    (What::Analytics, "it has no query language"),
    (What::Pagination, "it has no indexes"),
    (What::Join, "it has no indexes"),
    (What::Operations, "it was made for records"),
    (What::Patches, "it was made for records"),
    (What::NestedPatches, "it was made for records"),
    (What::Finds, "it has no indexes"),
    (What::Ranges, "it was made for records"),
]);

/// What a `hoap` must know of it before a URL is opened.
pub static SCHEME: Scheme = Scheme {
    offers: OFFERS,
    open: Some(|url| Box::pin(async move { open(url) })),
    ..Scheme::absent(&["memory"], "Memory", "memory:NAME")
};

/// Opens `memory:NAME`.
///
/// # Errors
/// Refuses any other URL.
pub fn open(url: &str) -> Result<Database> {
    static OPEN: LazyLock<Mutex<BTreeMap<String, Memory>>> = LazyLock::new(Mutex::default);
    match url.strip_prefix("memory:") {
        Some(name) => {
            let memory = OPEN.lock().unwrap().entry(name.to_owned()).or_default().clone();
            Ok(Database::new(memory))
        }
        None => Err(Error::new(ErrorKind::Invalid, "open a database", "it is not memory:NAME")),
    }
}

impl Memory {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }
}

impl State {
    fn collection(&mut self, name: &str) -> Done<&mut BTreeMap<String, Value>> {
        self.collections.get_mut(name).ok_or_else(|| Failure::missing(format!("no {name}")))
    }

    fn insert(&mut self, collection: &str, key: &str, document: Value) -> Done<()> {
        let there = self.collection(collection)?;
        if there.contains_key(key) {
            return Err(Failure::duplicate(key));
        }
        there.insert(key.to_owned(), document);
        Ok(())
    }
}

impl Engine for Memory {
    fn about(&self) -> About {
        About { offers: OFFERS, ..About::new("Memory", "memory:", &[], Calls::InProcess) }
    }

    fn description(&self) -> Description {
        Description {
            url: "memory:".to_owned(),
            name: "Memory".to_owned(),
            version: "1".to_owned(),
            settings: BTreeMap::new(),
        }
    }

    hoap_database::gives!(documents, key_value);
}

#[async_trait]
impl Documents for Memory {
    async fn note(&self) -> Done<Option<Value>> {
        Ok(self.state().note.clone())
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Done<bool> {
        let there = &mut self.state().note;
        let same = there.as_ref() == expected;
        if same {
            *there = Some(note.clone());
        }
        Ok(same)
    }

    async fn exists(&self, collection: &str) -> Done<bool> {
        Ok(self.state().collections.contains_key(collection))
    }

    fn elsewhere(&self) -> &'static str {
        "another name"
    }

    async fn drop(&self, collections: &[&str]) -> Done<()> {
        let mut state = self.state();
        state.collections.retain(|name, _| !collections.contains(&name.as_str()));
        (state.note, state.positions) = (None, BTreeMap::new());
        Ok(())
    }

    async fn create(&self, collections: &[&str]) -> Done<()> {
        let mut state = self.state();
        for name in collections {
            state.collections.entry((*name).to_owned()).or_default();
        }
        Ok(())
    }

    async fn bulk(&self, part: &str) -> Done<Box<dyn Bulk>> {
        Ok(Box::new(BatchWriter { memory: self.clone(), part: part.to_owned() }))
    }

    async fn settle(&self, _: &[Index]) -> Done<()> {
        Ok(())
    }

    async fn has(&self, _: &[Index]) -> Done<Offered<Vec<Option<bool>>>> {
        Ok(Err("it has none"))
    }

    async fn scan(&self, collection: &str, fields: &[&str], each: &mut Each<'_>) -> Done<()> {
        let documents = self.state().collection(collection)?.clone();
        let pointer = |path: &&str| format!("/{}", path.replace(['.', '['], "/").replace(']', ""));
        let pointers: Vec<_> = fields.iter().map(pointer).collect();
        documents.iter().try_for_each(|(key, document)| {
            let value = |at: &String| document.pointer(at).cloned().unwrap_or_default();
            each(key, pointers.iter().map(value).collect())
        })
    }
}

struct BatchWriter {
    memory: Memory,
    part: String,
}

#[async_trait]
impl Bulk for BatchWriter {
    async fn position(&mut self, collection: &str) -> Done<u64> {
        let key = (self.part.clone(), collection.to_owned());
        Ok(self.memory.state().positions.get(&key).copied().unwrap_or(0))
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Done<()> {
        let mut state = self.memory.state();
        for (key, text) in batch.iter() {
            let read = serde_json::from_slice(text);
            let document = read.map_err(Failure::broken)?;
            state.insert(collection, key, document)?;
        }
        state.positions.insert((self.part.clone(), collection.to_owned()), position);
        Ok(())
    }
}

/// One client of a table.
pub struct RecordSession {
    memory: Memory,
    table: Table,
}

impl RecordStore for Memory {
    type Session = RecordSession;

    async fn record_session(&self, table: &Table) -> Done<RecordSession> {
        self.state().collection(&table.name)?;
        Ok(RecordSession { memory: self.clone(), table: table.clone() })
    }
}

impl RecordSession {
    /// The fields asked for that the document has.
    fn fill(&self, document: &Value, fields: Fields, record: &mut Record) -> Done<()> {
        let numbers = match fields {
            Fields::All => 0..self.table.fields.len() as u16,
            Fields::One(field) => field..field + 1,
            Fields::None => 0..0,
        };
        for field in numbers {
            if let Some(value) = document[self.name(field)?].as_str() {
                record.push(field, |out| out.extend_from_slice(value.as_bytes()));
            }
        }
        Ok(())
    }

    fn name(&self, field: u16) -> Done<&str> {
        let name = self.table.fields.get(field as usize);
        name.map(String::as_str).ok_or_else(|| Failure::invalid("the table has no such field"))
    }

    fn named(&self, record: &Record) -> Done<Map<String, Value>> {
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned().into();
        record.iter().map(|(n, value)| Ok((self.name(n)?.to_owned(), text(value)))).collect()
    }
}

impl engine::RecordSession for RecordSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Done<bool> {
        let mut state = self.memory.state();
        match state.collection(&self.table.name)?.get(key) {
            Some(document) => self.fill(document, fields, record).map(|()| true),
            None => Ok(false),
        }
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Done<()> {
        let document = Value::Object(self.named(record)?);
        self.memory.state().insert(&self.table.name, key, document)
    }

    async fn update(&mut self, key: &str, record: &Record) -> Done<bool> {
        let new = self.named(record)?;
        let mut state = self.memory.state();
        let there = state.collection(&self.table.name)?.get_mut(key);
        let fields = there.and_then(Value::as_object_mut);
        Ok(fields.map(|fields| fields.extend(new)).is_some())
    }

    async fn delete(&mut self, key: &str) -> Done<bool> {
        let mut state = self.memory.state();
        Ok(state.collection(&self.table.name)?.remove(key).is_some())
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Done<()> {
        let mut state = self.memory.state();
        let from = state.collection(&self.table.name)?.range(start.to_owned()..).take(count);
        for (key, document) in from {
            self.fill(document, fields, scanned.push(key))?;
        }
        Ok(())
    }
}
