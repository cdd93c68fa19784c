//! Records by key.
//!
//! A record is a document of string fields with its key as `_id`. Each operation is one command on
//! one document, which MongoDB applies as a whole.

use hoap_workload::capability::Applicable;
use hoap_workload::capability::key_value::{Fields, Record, Scanned, Table};
use mongodb::Collection;
use mongodb::bson::raw::{RawBsonRef, RawDocument};
use mongodb::bson::{Document, RawDocumentBuf, doc};

use super::documents::existing;
use super::{MongoDbEngine, encode, error, value};
use crate::failure::{Done, Failure};
use crate::front::engine::{self, Abandon, KeyValue};

impl KeyValue for MongoDbEngine {
    type Session = RecordSession;

    fn scans(&self) -> Applicable<()> {
        Ok(())
    }

    async fn record_session(&self, table: &Table) -> Done<RecordSession> {
        let named = [table.name.as_str()];
        if self.server.limited(existing(&self.server, &named)).await?.is_empty() {
            return Err(error::no_collection());
        }
        let projections = Projections {
            one: table.fields.iter().map(|field| doc! {"_id": 0, field.as_str(): 1}).collect(),
            one_of_scan: table.fields.iter().map(|field| doc! {field.as_str(): 1}).collect(),
            none: doc! {"_id": 1},
        };
        let records = self.server.collection(&table.name);
        Ok(RecordSession { fields: table.fields.clone(), records, projections })
    }
}

/// The records of one client. Each operation takes a connection of the pool.
pub struct RecordSession {
    /// Names of the fields, by their numbers.
    fields: Vec<String>,
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
    fn projection(&self, fields: Fields, scan: bool) -> Option<Document> {
        let of = if scan { &self.projections.one_of_scan } else { &self.projections.one };
        match fields {
            Fields::All => None,
            Fields::None => Some(self.projections.none.clone()),
            Fields::One(field) => Some(of[usize::from(field)].clone()),
        }
    }
}

fn text(value: &[u8]) -> Done<&str> {
    std::str::from_utf8(value).map_err(Failure::invalid)
}

/// Adds the fields of a document that the table has. A field that is null counts as absent.
fn fill(document: &RawDocument, names: &[String], record: &mut Record) -> Done<()> {
    // Fields mostly come in the order of the table's.
    let mut next = 0;
    for element in document {
        let (name, value) = element.map_err(Failure::broken)?;
        let name = name.as_str();
        let number = match names.get(next) {
            Some(expected) if expected == name => Some(next),
            _ => names.iter().position(|known| known == name),
        };
        let Some(number) = number else { continue };
        next = number + 1;
        match value {
            RawBsonRef::String(text) => {
                let number = u16::try_from(number).map_err(Failure::broken)?;
                record.push(number, |out| out.extend_from_slice(text.as_bytes()));
            }
            RawBsonRef::Null => {}
            _ => return Err(Failure::broken(format!("field {name} is no string"))),
        }
    }
    Ok(())
}

impl Abandon for RecordSession {}

impl engine::RecordSession for RecordSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Done<bool> {
        let mut find = self.records.find_one(doc! {"_id": key});
        if let Some(projection) = self.projection(fields, false) {
            find = find.projection(projection);
        }
        let Some(document) = find.await? else { return Ok(false) };
        if fields != Fields::None {
            fill(&document, &self.fields, record)?;
        }
        Ok(true)
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Done<()> {
        let mut bytes = Vec::new();
        let start = encode::begin(&mut bytes);
        encode::string_element("_id", key, &mut bytes);
        for (field, value) in record.iter() {
            encode::string_element(&self.fields[usize::from(field)], text(value)?, &mut bytes);
        }
        encode::end(start, &mut bytes);
        let document = RawDocumentBuf::from_bytes(bytes).map_err(Failure::invalid)?;
        self.records.insert_one(&document).await.map(drop).map_err(error::writing)
    }

    async fn update(&mut self, key: &str, record: &Record) -> Done<bool> {
        if record.is_empty() {
            // An empty $set is an error before MongoDB 5.0.
            return self.read(key, Fields::None, &mut Record::default()).await;
        }
        let mut set = Document::new();
        for (field, value) in record.iter() {
            set.insert(&self.fields[usize::from(field)], text(value)?);
        }
        let update = self.records.update_one(doc! {"_id": key}, doc! {"$set": set});
        Ok(update.await.map_err(error::writing)?.matched_count > 0)
    }

    async fn delete(&mut self, key: &str) -> Done<bool> {
        let delete = self.records.delete_one(doc! {"_id": key});
        Ok(delete.await.map_err(error::writing)?.deleted_count > 0)
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Done<()> {
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
        if let Some(projection) = self.projection(fields, true) {
            find = find.projection(projection);
        }
        let mut cursor = find.await?;
        while cursor.advance().await? {
            let document = cursor.current();
            let record = scanned.push(value::key(document)?);
            if fields != Fields::None {
                fill(document, &self.fields, record)?;
            }
        }
        Ok(())
    }
}
