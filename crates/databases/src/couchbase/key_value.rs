//! Records by key, through the driver; scans in SQL++.
//!
//! A whole record is one get, one field a sub-document look-up. An update of some fields is one
//! sub-document mutation, of all of them a replacement of the document. A sub-document operation
//! has at most sixteen paths: more fields are read, set and written back under their CAS, and a
//! write by another client in between is a conflict. The same holds for every update of some fields
//! with a durability level: the driver (1.1) omits the level from sub-document mutations, which
//! would be acknowledged too early.

use couchbase::collection::Collection;
use couchbase::error::ErrorKind as Kind;
use couchbase::options::kv_options::{InsertOptions, MutateInOptions, ReplaceOptions};
use couchbase::subdoc::lookup_in_specs::LookupInSpec;
use couchbase::subdoc::mutate_in_specs::MutateInSpec;
use hoap_workload::capability::Applicable;
use hoap_workload::capability::key_value::{
    Fields, KeyValue, KeyValueSession, Record, Scanned, Table,
};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::bulk::JSON;
use super::error::LOAD_FIRST;
use super::query::Node;
use super::{Couchbase, error, sql};
use crate::sqlpp::Doing;
use crate::{json, names};

/// Paths of a sub-document operation.
const PATHS: usize = 16;

impl KeyValue for Couchbase {
    type Session = RecordSession;

    fn scans(&self) -> Applicable<()> {
        Ok(())
    }

    async fn session(&self, table: &Table) -> Result<RecordSession> {
        let name = sql::name(&table.name)?;
        for field in &table.fields {
            names::field(field)?;
        }
        let node = self.node()?;
        // A missing table fails here, before the first operation.
        if !node.has(name).await? {
            let tried = format!("read {name} in {}", self.url());
            let answer = format!("there is no collection {name}");
            return Err(Error::new(ErrorKind::Missing, tried, answer).advise(LOAD_FIRST));
        }
        let collection = self.server.collection(name);
        let scan = |fields: &str| {
            format!(
                "SELECT RAW [META(d).id{fields}] FROM `{name}` AS d WHERE META(d).id >= $1 \
                 ORDER BY META(d).id LIMIT $2"
            )
        };
        let one: Vec<_> = table.fields.iter().map(|field| format!(", d.`{field}`")).collect();
        let scans = Scans {
            all: scan(&one.concat()),
            none: scan(""),
            one: one.iter().map(|field| scan(field)).collect(),
        };
        let target = self.clone();
        Ok(RecordSession {
            target,
            node,
            collection,
            table: table.clone(),
            scans,
            json: Vec::new(),
        })
    }
}

/// The texts of scans, made once.
struct Scans {
    all: String,
    none: String,
    one: Vec<String>,
}

/// The records of one client.
pub struct RecordSession {
    target: Couchbase,
    node: Node,
    collection: Collection,
    table: Table,
    scans: Scans,
    /// Recycled: the JSON text of a record.
    json: Vec<u8>,
}

impl RecordSession {
    fn tried(&self, what: &str, key: &str) -> String {
        format!("{what} {} {key} in {}", self.table.name, self.target.url())
    }

    fn invalid(&self, what: &str, key: &str, answer: String) -> Error {
        Error::new(ErrorKind::Invalid, self.tried(what, key), answer)
    }

    fn field(&self, number: u16, what: &str, key: &str) -> Result<&str> {
        let name = self.table.fields.get(usize::from(number)).map(String::as_str);
        name.ok_or_else(|| self.invalid(what, key, format!("no field has the number {number}")))
    }

    /// Runs an operation; `None` where there is no such document.
    async fn find<T>(
        &self,
        operation: impl Future<Output = couchbase::error::Result<T>>,
        doing: Doing,
        what: &str,
        key: &str,
    ) -> Result<Option<T>> {
        match self.target.limited(operation, doing, || self.tried(what, key)).await? {
            Ok(found) => Ok(Some(found)),
            Err(e) if *e.kind() == Kind::DocumentNotFound => Ok(None),
            Err(e) => Err(error::key_value(&e, doing, self.tried(what, key))),
        }
    }

    async fn exists(&self, key: &str, what: &str) -> Result<bool> {
        let found = self.find(self.collection.exists(key, None), Doing::Read, what, key).await?;
        Ok(found.is_some_and(|found| found.exists()))
    }

    /// Replaces the document by the recycled JSON text.
    async fn replace(&self, key: &str, cas: Option<u64>) -> Result<bool> {
        let options = &self.target.server.place.options;
        let mut with = ReplaceOptions::new();
        with.cas = cas;
        with.expiry = options.expiry;
        with.durability_level = options.durability.of_driver();
        let replace = self.collection.replace_raw(key, &self.json, JSON, with);
        Ok(self.find(replace, Doing::Write, "update", key).await?.is_some())
    }

    /// Sets fields where no sub-document operation can.
    async fn read_and_replace(&mut self, key: &str, record: &Record) -> Result<bool> {
        let get = self.collection.get(key, None);
        let Some(found) = self.find(get, Doing::Read, "update", key).await? else {
            return Ok(false);
        };
        let broken =
            |answer: String| Error::new(ErrorKind::Broken, self.tried("update", key), answer);
        let mut document: serde_json::Map<String, Value> =
            serde_json::from_slice(found.content_as_raw().0).map_err(|e| broken(e.to_string()))?;
        for (number, value) in record.iter() {
            let name = json::check(&self.table.fields, number, value)
                .map_err(|e| self.invalid("update", key, e))?;
            let text = String::from_utf8_lossy(value).into_owned();
            document.insert(name.to_owned(), text.into());
        }
        self.json.clear();
        let written = serde_json::to_writer(&mut self.json, &document);
        written.map_err(|e| self.invalid("update", key, e.to_string()))?;
        self.replace(key, Some(found.cas())).await
    }
}

impl KeyValueSession for RecordSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Result<bool> {
        record.clear();
        let broken =
            |answer: String| Error::new(ErrorKind::Broken, self.tried("read", key), answer);
        match fields {
            Fields::One(number) => {
                let name = self.field(number, "read", key)?;
                if key.is_empty() {
                    return Ok(false);
                }
                let specs = [LookupInSpec::get(name, None)];
                let look = self.collection.lookup_in(key, &specs, None);
                let Some(found) = self.find(look, Doing::Read, "read", key).await? else {
                    return Ok(false);
                };
                match found.content_as_raw(0) {
                    Ok(value) if value.as_ref() == b"null" => {}
                    Ok(value) => {
                        let text: String = serde_json::from_slice(&value)
                            .map_err(|e| broken(format!("field {name} is no string: {e}")))?;
                        record.push(number, |out| out.extend_from_slice(text.as_bytes()));
                    }
                    Err(e) if *e.kind() == Kind::PathNotFound => {}
                    Err(e) => {
                        let tried = self.tried("read", key);
                        return Err(error::key_value(&e, Doing::Read, tried));
                    }
                }
                Ok(true)
            }
            // No document has this key, and the server would refuse the request as invalid.
            _ if key.is_empty() => Ok(false),
            Fields::None => self.exists(key, "read").await,
            Fields::All => {
                let get = self.collection.get(key, None);
                let Some(found) = self.find(get, Doing::Read, "read", key).await? else {
                    return Ok(false);
                };
                let read = json::read(found.content_as_raw().0, &self.table.fields, record);
                read.map_err(|e| {
                    record.clear();
                    broken(e)
                })?;
                Ok(true)
            }
        }
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Result<()> {
        self.json.clear();
        let written = json::write_checked(record, &self.table.fields, &mut self.json);
        written.map_err(|e| self.invalid("insert", key, e))?;
        let options = &self.target.server.place.options;
        let mut with = InsertOptions::new();
        with.expiry = options.expiry;
        with.durability_level = options.durability.of_driver();
        let insert = self.collection.insert_raw(key, &self.json, JSON, with);
        let tried = || self.tried("insert", key);
        let done = self.target.limited(insert, Doing::Write, tried).await?;
        done.map(drop).map_err(|e| error::key_value(&e, Doing::Write, tried()))
    }

    async fn update(&mut self, key: &str, record: &Record) -> Result<bool> {
        if record.is_empty() {
            return self.exists(key, "update").await;
        }
        if record.len() == self.table.fields.len() {
            self.json.clear();
            let written = json::write_checked(record, &self.table.fields, &mut self.json);
            written.map_err(|e| self.invalid("update", key, e))?;
            return self.replace(key, None).await;
        }
        let durable = self.target.server.place.options.durability.of_driver().is_some();
        if record.len() > PATHS || durable {
            return self.read_and_replace(key, record).await;
        }
        let mut specs = Vec::with_capacity(record.len());
        for (number, value) in record.iter() {
            let name = json::check(&self.table.fields, number, value)
                .map_err(|e| self.invalid("update", key, e))?;
            let text = std::str::from_utf8(value).unwrap_or_default();
            let spec = MutateInSpec::upsert(name, text, None);
            specs.push(spec.map_err(|e| self.invalid("update", key, e.kind().to_string()))?);
        }
        let options = &self.target.server.place.options;
        let mut with = MutateInOptions::new();
        with.expiry = options.expiry;
        let mutate = self.collection.mutate_in(key, &specs, with);
        Ok(self.find(mutate, Doing::Write, "update", key).await?.is_some())
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Result<()> {
        scanned.clear();
        let (text, first) = match fields {
            Fields::All => (&self.scans.all, 0),
            Fields::None => (&self.scans.none, 0),
            Fields::One(number) => {
                self.field(number, "scan from", start)?;
                (&self.scans.one[usize::from(number)], number)
            }
        };
        if count == 0 {
            return Ok(());
        }
        // Every number up to this one is a whole number to the service.
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let answer = self.node.run(text, &[start.into(), count.into()], None).await;
        let tried = || self.tried("scan from", start);
        let answer = answer.map_err(|e| error::statement(e, Doing::Read, tried()))?;
        for row in answer.lists(tried)? {
            let mut values = row.into_iter();
            let Some(Value::String(key)) = values.next() else {
                return Err(Error::new(ErrorKind::Broken, tried(), "a row has no key"));
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
                        return Err(Error::new(ErrorKind::Broken, tried(), answer));
                    }
                }
            }
        }
        Ok(())
    }
}
