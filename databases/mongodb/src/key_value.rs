//! Records by key.
//!
//! A record is a document of string fields with its key as `_id`. Each operation is one command on
//! one document, which MongoDB applies as a whole.

use hoap_database::engine::{self, RecordStore};
use hoap_database::failure::{Done, Failure};
use hoap_database::key_value::{Fields, Record, Scanned, Table};
use mongodb::Collection;
use mongodb::bson::raw::{RawBsonRef, RawDocument};
use mongodb::bson::{Document, RawDocumentBuf, doc};

use super::documents::existing;
use super::{MongoDbEngine, encode, error, value};
use crate::error::OrFail;

impl RecordStore for MongoDbEngine {
    type Session = RecordSession;

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

/// Adds the fields of a document that the table has to an empty record. A field that is null counts
/// as absent.
fn fill(document: &RawDocument, names: &[String], record: &mut Record) -> Done<()> {
    if fill_strings(document.as_bytes(), names, record).is_some() {
        return Ok(());
    }
    record.clear();
    fill_any(document, names, record)
}

/// The same for a document of strings alone, as all records are that Hoap wrote: the driver's
/// reader costs several times as much. `None` where it is none.
fn fill_strings(document: &[u8], names: &[String], record: &mut Record) -> Option<()> {
    const STRING: u8 = 2;
    let (_, mut rest) = document.split_first_chunk::<4>()?;
    // Fields mostly come in the order of the table's.
    let mut next = 0;
    loop {
        let body = match rest.split_first()? {
            (&STRING, body) => body,
            (0, []) => return Some(()),
            _ => return None,
        };
        let expected = names.get(next).and_then(|name| body.strip_prefix(name.as_bytes()));
        let (number, value) = match expected.and_then(|rest| rest.strip_prefix(&[0])) {
            Some(value) => (Some(next), value),
            None => {
                let end = memchr::memchr(0, body)?;
                let number = names.iter().position(|name| name.as_bytes() == &body[..end]);
                (number, &body[end + 1..])
            }
        };
        let (length, value) = value.split_first_chunk::<4>()?;
        let length = usize::try_from(i32::from_le_bytes(*length)).ok()?;
        let (value, after) = value.split_at_checked(length)?;
        let (0, value) = value.split_last()? else { return None };
        if let Some(number) = number {
            std::str::from_utf8(value).ok()?;
            record.push(u16::try_from(number).ok()?, |out| out.extend_from_slice(value));
            next = number + 1;
        }
        rest = after;
    }
}

fn fill_any(document: &RawDocument, names: &[String], record: &mut Record) -> Done<()> {
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

impl engine::RecordSession for RecordSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Done<bool> {
        let mut find = self.records.find_one(doc! {"_id": key});
        if let Some(projection) = self.projection(fields, false) {
            find = find.projection(projection);
        }
        let Some(document) = find.await.or_fail()? else { return Ok(false) };
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
        self.records.insert_one(&document).await.map(drop).map_err(error::failure)
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
        Ok(update.await.map_err(error::failure)?.matched_count > 0)
    }

    async fn delete(&mut self, key: &str) -> Done<bool> {
        let delete = self.records.delete_one(doc! {"_id": key});
        Ok(delete.await.map_err(error::failure)?.deleted_count > 0)
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
        let mut cursor = find.await.or_fail()?;
        while cursor.advance().await.or_fail()? {
            let document = cursor.current();
            let record = scanned.push(value::key(document)?);
            if fields != Fields::None {
                fill(document, &self.fields, record)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use mongodb::bson::rawdoc;

    use super::*;

    fn names() -> Vec<String> {
        ["field0", "field1", "field2"].map(str::to_owned).to_vec()
    }

    fn read(document: &RawDocument) -> Done<Record> {
        let mut record = Record::default();
        fill(document, &names(), &mut record).map(|()| record)
    }

    #[test]
    fn strings_are_read_in_every_order_as_the_driver_reads_them() {
        for document in [
            rawdoc! {},
            rawdoc! {"_id": "k", "field0": "", "field1": "b", "field2": "ä\u{0}€"},
            rawdoc! {"field2": "c", "x": "y", "field": "z", "field00": "z", "field0": "a"},
            rawdoc! {"_id": "k", "field1": "b", "x": 1, "field0": mongodb::bson::RawBson::Null},
        ] {
            let mut record = Record::default();
            fill_any(&document, &names(), &mut record).unwrap();
            assert_eq!(read(&document).unwrap(), record, "{document:?}");
        }
        let wrong = read(&rawdoc! {"field0": "a", "field1": 7}).unwrap_err();
        assert!(wrong.answer.contains("field field1 is no string"), "{}", wrong.answer);
    }

    /// Whatever the bytes, nothing panics, and what is read is what the driver reads, if it does: it
    /// also refuses what is no UTF-8 outside of the table's fields.
    #[test]
    fn bytes_that_are_no_document_are_left_to_the_driver() {
        let whole = rawdoc! {"_id": "k", "field0": "a", "field1": "bc"};
        let bytes = whole.as_bytes();
        for end in 0..bytes.len() {
            assert_eq!(fill_strings(&bytes[..end], &names(), &mut Record::default()), None);
        }
        for at in 4..bytes.len() {
            for byte in [0, 1, 2, 0x7f, 0x80, 0xff] {
                let mut changed = bytes.to_vec();
                changed[at] = byte;
                let mut record = Record::default();
                if fill_strings(&changed, &names(), &mut record).is_some() {
                    let document = RawDocument::from_bytes(&changed).unwrap();
                    let mut same = Record::default();
                    if fill_any(document, &names(), &mut same).is_ok() {
                        assert_eq!(record, same, "{changed:?}");
                    }
                }
            }
        }
    }
}
