//! Records by key.
//!
//! A record is a document of string fields with its key as `_id`. Each operation is one command on
//! one document, which MongoDB applies as a whole.

use std::sync::Arc;

use hoap_workload::capability::Applicable;
use hoap_workload::capability::key_value::{
    Fields, KeyValue, KeyValueSession, Record, Scanned, Table,
};
use hoap_workload::{Error, ErrorKind, Result};
use mongodb::Collection;
use mongodb::bson::raw::{RawBsonRef, RawDocument};
use mongodb::bson::{Document, RawDocumentBuf, doc};

use super::documents::existing;
use super::error::{self, Doing};
use super::layout::name;
use super::server::Server;
use super::{MongoDb, encode, value};
use crate::{json, names};

impl KeyValue for MongoDb {
    type Session = RecordSession;

    fn scans(&self) -> Applicable<()> {
        Ok(())
    }

    async fn session(&self, table: &Table) -> Result<RecordSession> {
        let collection = name(&table.name)?;
        for field in &table.fields {
            names::field(field)?;
        }
        if existing(&self.server, &[collection]).await?.is_empty() {
            let tried = format!("read {collection} in {}", self.server.shown);
            return Err(error::no_collection(tried));
        }
        let projections = Projections {
            one: table.fields.iter().map(|field| doc! {"_id": 0, field.as_str(): 1}).collect(),
            one_of_scan: table.fields.iter().map(|field| doc! {field.as_str(): 1}).collect(),
            none: doc! {"_id": 1},
        };
        let records = self.server.collection(collection);
        Ok(RecordSession {
            server: self.server.clone(),
            table: table.clone(),
            records,
            projections,
        })
    }
}

/// The records of one client. Each operation takes a connection of the pool.
pub struct RecordSession {
    server: Arc<Server>,
    table: Table,
    records: Collection<RawDocumentBuf>,
    projections: Projections,
}

/// Projections, made once; the driver takes each by value.
struct Projections {
    one: Vec<Document>,
    one_of_scan: Vec<Document>,
    none: Document,
}

impl RecordSession {
    /// `None` for whole records.
    fn projection(&self, fields: Fields, scan: bool) -> Result<Option<Document>> {
        let of = if scan { &self.projections.one_of_scan } else { &self.projections.one };
        match fields {
            Fields::All => Ok(None),
            Fields::None => Ok(Some(self.projections.none.clone())),
            Fields::One(field) => match of.get(usize::from(field)) {
                Some(projection) => Ok(Some(projection.clone())),
                None => Err(Error::new(
                    ErrorKind::Invalid,
                    format!("read {} in {}", self.table.name, self.server.shown),
                    format!("field number {field} of a table with {} fields", of.len()),
                )),
            },
        }
    }

    /// Appends the fields of a record.
    fn encode(&self, record: &Record, out: &mut Vec<u8>, tried: &dyn Fn() -> String) -> Result<()> {
        let invalid = |answer: String| Error::new(ErrorKind::Invalid, tried(), answer);
        for (field, bytes) in record.iter() {
            let name = json::check(&self.table.fields, field, bytes).map_err(invalid)?;
            let text = std::str::from_utf8(bytes).map_err(|e| invalid(e.to_string()))?;
            encode::string_element(name, text, out);
        }
        Ok(())
    }
}

/// Bytes of this module as a document.
fn raw(bytes: Vec<u8>, tried: &dyn Fn() -> String) -> Result<RawDocumentBuf> {
    RawDocumentBuf::from_bytes(bytes).map_err(|e| Error::new(ErrorKind::Invalid, tried(), e))
}

/// Adds the fields of a document that the table has. A field that is null counts as absent.
fn fill(
    document: &RawDocument,
    names: &[String],
    record: &mut Record,
) -> std::result::Result<(), String> {
    // Fields mostly come in the order of the table's.
    let mut next = 0;
    for element in document {
        let (name, value) = element.map_err(|e| e.to_string())?;
        let name = name.as_str();
        let number = match names.get(next) {
            Some(expected) if expected == name => Some(next),
            _ => names.iter().position(|known| known == name),
        };
        let Some(number) = number else { continue };
        next = number + 1;
        match value {
            RawBsonRef::String(text) => {
                let number = u16::try_from(number).map_err(|e| e.to_string())?;
                record.push(number, |out| out.extend_from_slice(text.as_bytes()));
            }
            RawBsonRef::Null => {}
            _ => return Err(format!("field {name} is no string")),
        }
    }
    Ok(())
}

impl KeyValueSession for RecordSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Result<bool> {
        record.clear();
        let tried = || format!("read {} {key} in {}", self.table.name, self.server.shown);
        let mut find = self.records.find_one(doc! {"_id": key});
        if let Some(projection) = self.projection(fields, false)? {
            find = find.projection(projection);
        }
        let found = self.server.within(Doing::Reading, &tried, find.into_future()).await?;
        let Some(document) = found else { return Ok(false) };
        if fields != Fields::None {
            fill(&document, &self.table.fields, record)
                .map_err(|answer| Error::new(ErrorKind::Broken, tried(), answer))?;
        }
        Ok(true)
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Result<()> {
        let tried = || format!("insert {} {key} in {}", self.table.name, self.server.shown);
        let mut bytes = Vec::new();
        let start = encode::begin(&mut bytes);
        encode::string_element("_id", key, &mut bytes);
        self.encode(record, &mut bytes, &tried)?;
        encode::end(start, &mut bytes);
        let document = raw(bytes, &tried)?;
        let inserted = self.records.insert_one(&document);
        self.server.within(Doing::Writing, &tried, inserted.into_future()).await.map(drop)
    }

    async fn update(&mut self, key: &str, record: &Record) -> Result<bool> {
        let tried = || format!("update {} {key} in {}", self.table.name, self.server.shown);
        if record.is_empty() {
            // An empty $set is an error before MongoDB 5.0.
            return self.read(key, Fields::None, &mut Record::default()).await;
        }
        let mut set = Document::new();
        for (field, bytes) in record.iter() {
            let invalid = |answer: String| Error::new(ErrorKind::Invalid, tried(), answer);
            let name = json::check(&self.table.fields, field, bytes).map_err(invalid)?;
            let text = std::str::from_utf8(bytes).map_err(|e| invalid(e.to_string()))?;
            set.insert(name, text);
        }
        let update = self.records.update_one(doc! {"_id": key}, doc! {"$set": set});
        let done = self.server.within(Doing::Writing, &tried, update.into_future()).await?;
        Ok(done.matched_count > 0)
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Result<()> {
        scanned.clear();
        let tried = || format!("scan {} from {start} in {}", self.table.name, self.server.shown);
        let projection = self.projection(fields, true)?;
        // For MongoDB a limit of 0 is none.
        if count == 0 {
            return Ok(());
        }
        let limit = i64::try_from(count).unwrap_or(i64::MAX);
        let find = self.records.find(doc! {"_id": {"$gte": start}}).sort(doc! {"_id": 1});
        let mut find = find.limit(limit);
        if count <= 10_000 {
            // All of them in the first answer.
            find = find.batch_size(count as u32 + 1);
        }
        if let Some(projection) = projection {
            find = find.projection(projection);
        }
        let table = &self.table.fields;
        let mut wrong = None;
        let reading = async {
            let mut cursor = find.await?;
            while cursor.advance().await? {
                let document = cursor.current();
                let filled = value::key(document, tried).and_then(|key| {
                    let record = scanned.push(key);
                    if fields == Fields::None {
                        return Ok(());
                    }
                    fill(document, table, record)
                        .map_err(|answer| Error::new(ErrorKind::Broken, tried(), answer))
                });
                if let Err(e) = filled {
                    wrong = Some(e);
                    break;
                }
            }
            Ok(())
        };
        self.server.within(Doing::Reading, &tried, reading).await?;
        match wrong {
            Some(e) => Err(e),
            None => Ok(()),
        }
    }
}
