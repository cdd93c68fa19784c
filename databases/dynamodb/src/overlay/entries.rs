//! Indexes as tables of entries, for a database whose own indexes hold no nested field or lag
//! behind.
//!
//! The partition key of an entry is the value of the index's first field (the warehouse). The sort
//! key is the values of the other fields and the document's key, in bytes that compare as the
//! values do. A search by the first fields reads a range of one partition.
//!
//! A value is encoded as a byte for its type and then:
//! * a number as its nearest floating-point number and its whole part, both in bytes that compare
//!   as the numbers do;
//! * a string as its bytes, a zero byte as two bytes, and an end that is smaller than any other
//!   byte.
//!
//! Nulls and absent fields come first.

use hoap_database::failure::{Done, Failure};
use hoap_database::{Find, Index, Order};
use serde_json::{Map, Value, json};

use super::document;

/// An index, as the notes describe it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexDefinition {
    pub name: String,
    pub collection: String,
    /// Paths of its fields.
    pub fields: Vec<String>,
    /// Whether every document has its entry.
    pub whole: bool,
}

impl IndexDefinition {
    /// Reads the text of a note. The name is empty: it is part of the note's name.
    pub fn parse(text: &str) -> Option<IndexDefinition> {
        let value: Value = serde_json::from_str(text).ok()?;
        let texts = |value: &Value| value.as_str().map(str::to_owned);
        Some(IndexDefinition {
            name: String::new(),
            collection: texts(&value["collection"])?,
            fields: value["fields"].as_array()?.iter().map(texts).collect::<Option<_>>()?,
            whole: value["whole"].as_bool()?,
        })
    }

    /// The text of the note.
    pub fn text(&self) -> String {
        json!({"collection": self.collection, "fields": self.fields, "whole": self.whole})
            .to_string()
    }

    /// The key of a document's entry.
    pub fn entry_key(&self, key: &str, document: &Map<String, Value>) -> EntryKey {
        let values = self.fields.iter().map(|field| document::get(document, field));
        let mut entry = encode(values);
        entry.sort.extend_from_slice(key.as_bytes());
        entry
    }

    /// Refuses a search by an index that was made on other fields.
    pub fn check(&self, index: &Index) -> Done<()> {
        match self.fields.iter().eq(index.fields.iter()) {
            true => Ok(()),
            false => {
                let fields = self.fields.join(", ");
                Err(Failure::invalid(format!("the index {} is on {fields}", index.name)))
            }
        }
    }
}

/// The key of an entry, or the beginning of the keys of all entries with the same first values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EntryKey {
    pub partition: Vec<u8>,
    pub sort: Vec<u8>,
}

/// The entries of a search: their partition, and where their sort keys lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub partition: Vec<u8>,
    /// What all sort keys begin with, if they are not in bounds.
    pub beginning: Vec<u8>,
    /// The smallest and the largest sort key, both included.
    pub bounds: Option<[Vec<u8>; 2]>,
    /// The entry that they follow in the order of the search.
    pub behind: Option<EntryKey>,
    descending: bool,
}

impl Span {
    /// The entries of a search that has at least one value.
    pub fn of(find: &Find<'_>) -> Span {
        let EntryKey { partition, sort: beginning } = encode(find.prefix.iter().map(Some));
        let bounds = find.range.map(|range| {
            // A type's values lie between its byte and the next one.
            let kind = if range.is_text() { TEXT } else { NUMBER };
            let bound = |bound: Option<&Value>, open: u8| {
                let mut sort = beginning.clone();
                match bound {
                    Some(value) => append(Some(value), &mut sort),
                    None => sort.push(open),
                }
                sort
            };
            let mut high = bound(range.max, kind + 1);
            // Behind the value come other fields and the key, whose bytes are smaller.
            high.push(0xFF);
            [bound(range.min, kind), high]
        });
        let behind = find.behind().map(|last| {
            let mut entry = encode(find.prefix.iter().chain(last.values).map(Some));
            entry.sort.extend_from_slice(last.key.as_bytes());
            entry
        });
        let descending = find.order == Order::Descending;
        Span { partition, beginning, bounds, behind, descending }
    }

    /// Whether an entry is one of them.
    pub fn has(&self, entry: &EntryKey) -> bool {
        entry.partition == self.partition
            && entry.sort.starts_with(&self.beginning)
            && self.bounds.as_ref().is_none_or(|[low, high]| (low..=high).contains(&&entry.sort))
            && self.behind.as_ref().is_none_or(|behind| match self.descending {
                true => entry.sort < behind.sort,
                false => entry.sort > behind.sort,
            })
    }
}

/// The bytes before numbers and texts.
const NUMBER: u8 = 0x20;
const TEXT: u8 = 0x30;

fn encode<'a>(values: impl IntoIterator<Item = Option<&'a Value>>) -> EntryKey {
    let mut entry = EntryKey { partition: Vec::new(), sort: Vec::new() };
    for (n, value) in values.into_iter().enumerate() {
        append(value, if n == 0 { &mut entry.partition } else { &mut entry.sort });
    }
    entry
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
            out.push(NUMBER);
            out.extend_from_slice(&((ordered as u64) ^ (1 << 63)).to_be_bytes());
            out.extend_from_slice(&((whole as u64) ^ (1 << 63)).to_be_bytes());
        }
        Some(Value::String(s)) => append_text(TEXT, s.as_bytes(), out),
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
        let made = IndexDefinition {
            name: String::new(),
            collection: "orders".into(),
            fields: vec!["a".into(), "b.c".into()],
            whole: true,
        };
        assert_eq!(IndexDefinition::parse(&made.text()), Some(made));
        for text in ["", "{}", "[]", "{\"collection\":\"a\",\"fields\":[1],\"whole\":true}"] {
            assert_eq!(IndexDefinition::parse(text), None);
        }
    }
}
