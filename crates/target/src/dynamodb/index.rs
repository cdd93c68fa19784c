//! Indexes: a table of entries each, written in the same transaction as the document.
//!
//! DynamoDB's own secondary indexes hold no nested field, are never read strongly consistent and are no
//! part of a transaction; and an order may not be delivered twice because an index was late. So an entry is
//! an item of its own: its partition is the value of the first field (the warehouse), its sort key
//! the values of the others and the document's key, in bytes that compare as the values do. A search by
//! the first fields is a Query of one partition.
//!
//! A value is a byte for its type and then: of a number its nearest floating-point number and its whole
//! part, both as bytes that compare as numbers; of a string its bytes, a zero byte as two, and an end
//! that is smaller than any other byte. Nulls and absent fields come first.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use hoap_workload::capability::Index;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::{Map, Value, json};

use super::bulk::put_all;
use super::error::{Done, Failure};
use super::layout::{self, INDEX, KEY, PARTITION, SORT};
use super::reading::{Driver, Wanted};
use super::server::Server;
use super::tables::{NoteIs, Purpose};
use super::value::{self, Item};
use super::{documents, patch};
use crate::names;

/// What the notes say of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Made {
    pub name: String,
    pub collection: String,
    /// Paths of its fields.
    pub fields: Vec<String>,
    /// Whether it has an entry for every document.
    pub whole: bool,
}

impl Made {
    /// From the text of a note; the name is the note's.
    pub fn parse(text: &str) -> Option<Made> {
        let value: Value = serde_json::from_str(text).ok()?;
        let texts = |value: &Value| value.as_str().map(str::to_owned);
        Some(Made {
            name: String::new(),
            collection: texts(&value["collection"])?,
            fields: value["fields"].as_array()?.iter().map(texts).collect::<Option<_>>()?,
            whole: value["whole"].as_bool()?,
        })
    }

    fn text(&self) -> String {
        json!({"collection": self.collection, "fields": self.fields, "whole": self.whole})
            .to_string()
    }

    /// The place of a document among the entries.
    pub fn place(&self, key: &str, document: &Map<String, Value>) -> Place {
        let values = self.fields.iter().map(|field| patch::get(document, field));
        let mut place = place(values);
        place.sort.extend_from_slice(key.as_bytes());
        place
    }
}

/// Where an entry is, or where those with the same first values begin.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    pub partition: Vec<u8>,
    pub sort: Vec<u8>,
}

impl Place {
    /// The key of the entry.
    pub fn key(&self) -> Item {
        let bytes = |bytes: &Vec<u8>| AttributeValue::B(Blob::new(bytes.clone()));
        [(PARTITION, &self.partition), (SORT, &self.sort)]
            .map(|(name, value)| (name.to_owned(), bytes(value)))
            .into()
    }

    /// The entry of a document.
    pub fn entry(&self, key: &str) -> Item {
        let mut entry = self.key();
        entry.insert(KEY.to_owned(), AttributeValue::S(key.to_owned()));
        entry
    }

    /// The place of an entry that was read.
    pub fn of(entry: &Item) -> Done<Place> {
        let bytes = |name: &str| match entry.get(name) {
            Some(AttributeValue::B(blob)) => Ok(blob.as_ref().to_vec()),
            other => Err(Failure::broken(format!("an entry's {name} is {other:?}"))),
        };
        Ok(Place { partition: bytes(PARTITION)?, sort: bytes(SORT)? })
    }
}

/// The place of these values, of which there is at least one.
pub(super) fn place<'a>(values: impl IntoIterator<Item = Option<&'a Value>>) -> Place {
    let mut place = Place { partition: Vec::new(), sort: Vec::new() };
    for (n, value) in values.into_iter().enumerate() {
        append(value, if n == 0 { &mut place.partition } else { &mut place.sort });
    }
    place
}

fn append(value: Option<&Value>, out: &mut Vec<u8>) {
    match value {
        None | Some(Value::Null) => out.push(0x05),
        Some(Value::Bool(b)) => out.extend_from_slice(&[0x10, u8::from(*b)]),
        Some(Value::Number(n)) => {
            let near = n.as_f64().unwrap_or(0.0);
            let whole = n.as_i64().unwrap_or_else(|| near.floor() as i64);
            // Minus zero is zero.
            let bits = (near + 0.0).to_bits() as i64;
            let ordered = bits ^ (((bits >> 63) as u64) >> 1) as i64;
            out.push(0x20);
            out.extend_from_slice(&((ordered as u64) ^ (1 << 63)).to_be_bytes());
            out.extend_from_slice(&((whole as u64) ^ (1 << 63)).to_be_bytes());
        }
        Some(Value::String(s)) => append_text(0x30, s.as_bytes(), out),
        Some(other) => append_text(0x40, other.to_string().as_bytes(), out),
    }
}

fn append_text(kind: u8, text: &[u8], out: &mut Vec<u8>) {
    out.push(kind);
    for &byte in text {
        out.push(byte);
        if byte == 0 {
            out.push(0xFF);
        }
    }
    out.extend_from_slice(&[0, 1]);
}

/// Makes an index from the documents that are there, unless it is whole already.
pub(super) async fn make(server: &Server, index: &Index) -> Result<()> {
    let collection = layout::collection(index.collection)?;
    names::field(index.name)?;
    for field in &index.fields {
        names::path(field)?;
    }
    let tried = || format!("make the index {} in {}", index.name, server.url);
    if index.fields.is_empty() {
        return Err(Error::new(ErrorKind::Invalid, tried(), "it has no field"));
    }
    let driver = server.driver();
    documents::expect(server, &driver, collection).await?;
    let made = Made {
        name: index.name.to_owned(),
        collection: collection.to_owned(),
        fields: index.fields.iter().map(|field| (*field).to_owned()).collect(),
        whole: true,
    };
    let fill = fill(server, &driver, &made);
    fill.await.map_err(|e| e.into_error(tried()))
}

async fn fill(server: &Server, driver: &Driver, made: &Made) -> Done<()> {
    let note = format!("{INDEX}{}", made.name);
    let text = made.text();
    if server.note(driver, &note).await?.as_ref() == Some(&text) {
        return Ok(());
    }
    let begun = Made { whole: false, ..made.clone() };
    server.put_note(driver, &note, &begun.text(), NoteIs::Anything).await?;
    let prefix = &server.options.prefix;
    let entries = layout::index(prefix, &made.name);
    documents::make_all(server, driver, &[(entries.clone(), Purpose::Index)]).await?;
    let table = layout::table(prefix, &made.collection);
    let wanted = Wanted::fields(made.fields.iter().map(|field| patch::top(field)));
    let mut after = None;
    loop {
        let (items, next) = server.page(driver, &table, after, None, &wanted, true).await?;
        let mut all = Vec::with_capacity(items.len());
        for item in &items {
            let key = value::text(item, KEY)?;
            all.push(made.place(key, &value::document(item)?).entry(key));
        }
        put_all(server, driver, &entries, all).await?;
        match next {
            Some(_) => after = next,
            None => break,
        }
    }
    server.put_note(driver, &note, &text, NoteIs::Anything).await.map(drop)
}

/// The indexes that are whole.
pub(super) async fn all(server: &Server, driver: &Driver) -> Done<Vec<Made>> {
    let mut all = Vec::new();
    for (name, text) in server.notes(driver, INDEX).await? {
        let made = Made::parse(&text)
            .ok_or_else(|| Failure::broken(format!("the note {name} is {text}")))?;
        if made.whole {
            let name = name[INDEX.len()..].to_owned();
            all.push(Made { name, ..made });
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes compare as the values do.
    #[test]
    fn values_keep_their_order() {
        let values = [
            json!(null),
            json!(false),
            json!(true),
            json!(i64::MIN),
            json!(i64::MIN + 1),
            json!(-1e10),
            json!(-1.5),
            json!(-1),
            json!(-0.25),
            json!(0),
            json!(1e-9),
            json!(1),
            json!(1.5),
            json!(2),
            json!(10),
            json!(9_007_199_254_740_993i64),
            json!(9_007_199_254_740_994i64),
            json!(i64::MAX - 1),
            json!(i64::MAX),
            json!(1e30),
            json!(""),
            json!("\0"),
            json!("\0\0"),
            json!("\u{1}"),
            json!("BAR"),
            json!("BARBAR"),
            json!("BARBARA"),
            json!("b"),
            json!("é"),
            json!([1]),
        ];
        let bytes = |value: &Value| {
            let mut out = Vec::new();
            append(Some(value), &mut out);
            // What follows does not change the order.
            out.push(0xFF);
            out
        };
        for pair in values.windows(2) {
            assert!(bytes(&pair[0]) < bytes(&pair[1]), "{} < {}", pair[0], pair[1]);
        }
        assert_eq!(bytes(&json!(1)), bytes(&json!(1.0)));
        assert_eq!(bytes(&json!(0)), bytes(&json!(-0.0)));
    }

    #[test]
    fn an_index_is_found_again_in_its_note() {
        let made = Made {
            name: String::new(),
            collection: "orders".into(),
            fields: vec!["a".into(), "b.c".into()],
            whole: true,
        };
        assert_eq!(Made::parse(&made.text()), Some(made));
        for text in ["", "{}", "[]", "{\"collection\":\"a\",\"fields\":[1],\"whole\":true}"] {
            assert_eq!(Made::parse(text), None);
        }
    }
}
