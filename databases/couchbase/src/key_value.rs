//! Records by key, through the driver; scans in SQL++.
//!
//! A whole record is one get, one field a sub-document look-up. An update of some fields is one
//! sub-document mutation, of all of them a replacement of the document. With `updates=upsert` or
//! `replace` every update has all fields, as the connector of the comparison reports wrote them:
//! `collection.upsert` in workload A, `collection.replace` in E. A sub-document operation
//! has at most sixteen paths: more fields are read, set and written back under their CAS, and a
//! write by another client in between is a conflict. The same holds for every update of some fields
//! with a durability level: the driver (1.1) omits the level from sub-document mutations, which
//! would be acknowledged too early.

use std::sync::Arc;

use couchbase::collection::Collection;
use couchbase::error::ErrorKind as Kind;
use couchbase::options::kv_options::{
    InsertOptions, MutateInOptions, RemoveOptions, ReplaceOptions, UpsertOptions,
};
use couchbase::subdoc::lookup_in_specs::LookupInSpec;
use couchbase::subdoc::mutate_in_specs::MutateInSpec;
use hoap_database::engine::{self, RecordStore};
use hoap_database::failure::{Done, Failure};
use hoap_database::key_value::{Fields, Record, Scanned, Table};
use hoap_database::reads::Reads;
use hoap_database::{Timer, json};
use hoap_record::ErrorKind;
use serde_json::Value;

use super::bulk::JSON;
use super::database::Operation;
use super::options::Updates;
use super::query::Node;
use super::server::Server;
use super::{CouchbaseEngine, error};

/// Paths of a sub-document operation.
const PATHS: usize = 16;

impl RecordStore for CouchbaseEngine {
    type Session = RecordSession;

    fn updates_are_whole(&self) -> bool {
        self.server.place.options.updates != Updates::Fields
    }

    async fn record_session(&self, table: &Table) -> Done<RecordSession> {
        let (node, name) = (self.node()?, &table.name);
        // A missing table fails here, before the first operation.
        node.expect(name).await?;
        let scan = |fields: &str| {
            format!(
                "SELECT RAW [META(d).id{fields}] FROM `{name}` AS d WHERE META(d).id >= $1 \
                 ORDER BY META(d).id LIMIT $2"
            )
        };
        let one: Vec<_> = table.fields.iter().map(|field| format!(", d.`{field}`")).collect();
        let scans = Reads::new(&one.concat(), one, "", scan);
        Ok(RecordSession {
            operations: Operations::new(self.server.clone()),
            node,
            collection: self.server.collection(name),
            fields: table.fields.clone(),
            scans,
            json: Vec::new(),
        })
    }
}

/// The operations of one client on the data service, one after the other.
pub(super) struct Operations {
    server: Arc<Server>,
    timer: Timer,
}

impl Operations {
    pub fn new(server: Arc<Server>) -> Self {
        Operations { server, timer: Timer::default() }
    }

    /// The JSON text of a document.
    pub async fn get(&mut self, collection: &Collection, key: &str) -> Done<Option<Vec<u8>>> {
        // No document has this key, and the server would refuse the request as invalid.
        if key.is_empty() {
            return Ok(None);
        }
        let found = self.find(Box::pin(collection.get(key, None))).await?;
        Ok(found.map(|found| found.content_as_raw().0.to_vec()))
    }

    /// Adds a document.
    pub async fn insert(&mut self, collection: &Collection, key: &str, json: &[u8]) -> Done<()> {
        let options = &self.server.place.options;
        let mut with = InsertOptions::new();
        with.expiry = options.expiry;
        with.durability_level = options.durability.of_driver();
        let insert = collection.insert_raw(key, json, JSON, with);
        self.run(Box::pin(insert)).await.map(drop)
    }

    /// Writes a document, whether or not it is there.
    pub async fn upsert(&mut self, collection: &Collection, key: &str, json: &[u8]) -> Done<()> {
        let options = &self.server.place.options;
        let mut with = UpsertOptions::new();
        with.expiry = options.expiry;
        with.durability_level = options.durability.of_driver();
        let upsert = collection.upsert_raw(key, json, JSON, with);
        self.run(Box::pin(upsert)).await.map(drop)
    }

    /// Removes a document; says whether it was there.
    pub async fn remove(&mut self, collection: &Collection, key: &str) -> Done<bool> {
        if key.is_empty() {
            return Ok(false);
        }
        let mut with = RemoveOptions::new();
        with.durability_level = self.server.place.options.durability.of_driver();
        Ok(self.find(Box::pin(collection.remove(key, with))).await?.is_some())
    }

    async fn run<T>(&mut self, operation: Operation<'_, T>) -> Done<T> {
        let limit = self.server.place.options.kv_timeout;
        match self.timer.within(limit, operation).await {
            Some(done) => done.map_err(|e| error::key_value(&e)),
            None => Err(error::late(limit.as_millis())),
        }
    }

    /// Runs an operation; `None` where there is no such document.
    async fn find<T>(&mut self, operation: Operation<'_, T>) -> Done<Option<T>> {
        match self.run(operation).await {
            Ok(found) => Ok(Some(found)),
            Err(e) if e.kind == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }
}

/// The records of one client.
pub struct RecordSession {
    operations: Operations,
    node: Node,
    collection: Collection,
    /// The names of the table's fields.
    fields: Vec<String>,
    scans: Reads,
    /// Recycled: the JSON text of a record.
    json: Vec<u8>,
}

impl RecordSession {
    async fn exists(&mut self, key: &str) -> Done<bool> {
        let found = self.operations.find(Box::pin(self.collection.exists(key, None))).await?;
        Ok(found.is_some_and(|found| found.exists()))
    }

    /// Makes the JSON text of a record.
    fn write(&mut self, record: &Record) {
        self.json.clear();
        json::write(record, &self.fields, &mut self.json);
    }

    /// Replaces the document by the recycled JSON text.
    async fn replace(&mut self, key: &str, cas: Option<u64>) -> Done<bool> {
        let options = &self.node.server.place.options;
        let mut with = ReplaceOptions::new();
        with.cas = cas;
        with.expiry = options.expiry;
        with.durability_level = options.durability.of_driver();
        let replace = self.collection.replace_raw(key, &self.json, JSON, with);
        Ok(self.operations.find(Box::pin(replace)).await?.is_some())
    }

    /// Sets fields where no sub-document operation can.
    async fn read_and_replace(&mut self, key: &str, record: &Record) -> Done<bool> {
        let get = self.collection.get(key, None);
        let Some(found) = self.operations.find(Box::pin(get)).await? else {
            return Ok(false);
        };
        let mut document: serde_json::Map<String, Value> =
            serde_json::from_slice(found.content_as_raw().0).map_err(Failure::broken)?;
        for (number, value) in record.iter() {
            let text = String::from_utf8_lossy(value).into_owned();
            document.insert(self.fields[usize::from(number)].clone(), text.into());
        }
        self.json.clear();
        serde_json::to_writer(&mut self.json, &document).map_err(Failure::invalid)?;
        self.replace(key, Some(found.cas())).await
    }
}

// The driver throws away late answers, which name their requests; a dropped request for a scan
// closes its connection.
impl engine::RecordSession for RecordSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Done<bool> {
        match fields {
            // No document has this key, and the server would refuse the request as invalid.
            _ if key.is_empty() => Ok(false),
            Fields::One(number) => {
                let name = &*self.fields[usize::from(number)];
                let specs = [LookupInSpec::get(name, None)];
                let look = self.collection.lookup_in(key, &specs, None);
                let Some(found) = self.operations.find(Box::pin(look)).await? else {
                    return Ok(false);
                };
                match found.content_as_raw(0) {
                    Ok(value) if value.as_ref() == b"null" => {}
                    Ok(value) => {
                        let text: String = serde_json::from_slice(&value).map_err(|e| {
                            Failure::broken(format!("field {name} is no string: {e}"))
                        })?;
                        record.push(number, |out| out.extend_from_slice(text.as_bytes()));
                    }
                    Err(e) if *e.kind() == Kind::PathNotFound => {}
                    Err(e) => return Err(error::key_value(&e)),
                }
                Ok(true)
            }
            Fields::None => self.exists(key).await,
            Fields::All => {
                let Some(text) = self.operations.get(&self.collection, key).await? else {
                    return Ok(false);
                };
                json::read(&text, &self.fields, record).map_err(Failure::broken)?;
                Ok(true)
            }
        }
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Done<()> {
        self.write(record);
        self.operations.insert(&self.collection, key, &self.json).await
    }

    async fn update(&mut self, key: &str, record: &Record) -> Done<bool> {
        if record.is_empty() {
            return self.exists(key).await;
        }
        if record.len() == self.fields.len() {
            self.write(record);
            if self.node.server.place.options.updates == Updates::Upsert {
                let upsert = self.operations.upsert(&self.collection, key, &self.json);
                return upsert.await.map(|()| true);
            }
            return self.replace(key, None).await;
        }
        let durable = self.node.server.place.options.durability.of_driver().is_some();
        if record.len() > PATHS || durable {
            return self.read_and_replace(key, record).await;
        }
        let mut specs = Vec::with_capacity(record.len());
        for (number, value) in record.iter() {
            let text = std::str::from_utf8(value).unwrap_or_default();
            let spec = MutateInSpec::upsert(&self.fields[usize::from(number)], text, None);
            specs.push(spec.map_err(|e| Failure::invalid(e.kind()))?);
        }
        let mut with = MutateInOptions::new();
        with.expiry = self.node.server.place.options.expiry;
        let mutate = self.collection.mutate_in(key, &specs, with);
        Ok(self.operations.find(Box::pin(mutate)).await?.is_some())
    }

    async fn delete(&mut self, key: &str) -> Done<bool> {
        self.operations.remove(&self.collection, key).await
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Done<()> {
        let first = if let Fields::One(number) = fields { number } else { 0 };
        if count == 0 {
            return Ok(());
        }
        // Every number up to this one is a whole number to the service.
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let text = self.scans.text(fields);
        let answer = self.node.run(text, &[start.into(), count.into()], None).await?;
        for row in answer.lists()? {
            let mut values = row.into_iter();
            let Some(Value::String(key)) = values.next() else {
                return Err(Failure::broken("a row has no key"));
            };
            let record = scanned.push(&key);
            for (number, value) in (first..).zip(values) {
                match value {
                    Value::String(text) => {
                        record.push(number, |out| out.extend_from_slice(text.as_bytes()));
                    }
                    Value::Null => {}
                    other => {
                        let answer = format!("field {number} of {key} is {other}");
                        return Err(Failure::broken(answer));
                    }
                }
            }
        }
        Ok(())
    }
}
