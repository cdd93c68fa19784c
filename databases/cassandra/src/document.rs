//! Documents as rows.
//!
//! A document of strings is a record, as YCSB's: each member is a column of text under its own
//! name. Any other document is JSON text in one column, as is one with a member whose name is no
//! column's or that of a column with another meaning.

use hoap_database::failure::{Done, Failure};
use hoap_database::path::{self, WHOLE};
use hoap_database::{Row, names};
use scylla::deserialize::row::ColumnIterator;
use serde_json::{Map, Value};

use super::schema::{DOCUMENT, KEY};
use super::values::next_text;

/// A document as it is stored.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// Names and values of its columns.
    Columns(Vec<(String, String)>),
    /// Text in the column `doc`.
    Json,
}

impl Stored {
    /// How the document in this JSON text is stored, or what is wrong with the text.
    pub fn of(text: &[u8]) -> Result<Stored, String> {
        let object: Map<String, Value> =
            serde_json::from_slice(text).map_err(|e| format!("it is no JSON object: {e}"))?;
        let plain = |(name, value): (&String, &Value)| {
            let theirs = [KEY, DOCUMENT].contains(&name.as_str());
            value.is_string() && !theirs && names::field(name).is_ok()
        };
        if !object.iter().all(plain) {
            return Ok(Stored::Json);
        }
        let columns = object.into_iter().filter_map(|(name, value)| match value {
            Value::String(text) => Some((name, text)),
            _ => None,
        });
        Ok(Stored::Columns(columns.collect()))
    }
}

/// Those of a table's columns of text that hold what is at these paths.
pub(super) fn columns(there: impl IntoIterator<Item = String>, fields: &[&str]) -> Vec<String> {
    let wanted = |name: &String| {
        name == DOCUMENT || fields.iter().any(|path| *path == WHOLE || path::member(path) == name)
    };
    let mut columns: Vec<String> = there.into_iter().filter(wanted).collect();
    columns.sort();
    if fields.is_empty() { Vec::new() } else { columns }
}

/// The key and the document of a row with the key, and then these columns: the column of documents
/// if it has one, else an object of what the others hold.
pub(super) fn read<'frame>(
    mut row: ColumnIterator<'frame, '_>,
    columns: &[String],
) -> Done<(&'frame str, Value)> {
    let key = next_text(&mut row)?.unwrap_or_default();
    let mut members = Map::new();
    for name in columns {
        match next_text(&mut row)? {
            Some(text) if name == DOCUMENT => return Ok((key, parse(key, text)?)),
            Some(text) => drop(members.insert(name.clone(), text.into())),
            None => {}
        }
    }
    Ok((key, Value::Object(members)))
}

/// The document in this JSON text.
pub(super) fn parse(key: &str, text: &str) -> Done<Value> {
    serde_json::from_str(text)
        .map_err(|e| Failure::broken(format!("the document {key} is no JSON: {e}")))
}

/// The value at a checked path, null where there is none.
pub(super) fn at(document: &Value, path: &str) -> Value {
    path::get(document, path).cloned().unwrap_or_default()
}

/// The values at these paths.
pub(super) fn row(document: &Value, fields: &[&str]) -> Row {
    fields.iter().map(|path| at(document, path)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn strings_under_plain_names_are_columns_and_everything_else_is_json() {
        let of = |document: &Value| Stored::of(document.to_string().as_bytes()).unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            of(&json!({"field0": "it's \"so\"", "b": ""})),
            Stored::Columns(vec![pair("field0", "it's \"so\""), pair("b", "")])
        );
        assert_eq!(of(&json!({})), Stored::Columns(vec![]));
        for document in [
            json!({"a": "x", "n": 1}),
            json!({"a": null}),
            json!({"a b": "x"}),
            json!({"": "x"}),
            json!({"y_id": "x"}),
            json!({"doc": "x"}),
        ] {
            assert_eq!(of(&document), Stored::Json, "{document}");
        }
        for text in ["", "[1]", "7", "{", "{\"a\":1}x"] {
            let e = Stored::of(text.as_bytes()).unwrap_err();
            assert!(e.starts_with("it is no JSON object"), "{e}");
        }
    }
}
