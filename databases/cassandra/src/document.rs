//! Documents as rows.
//!
//! A document of strings is a record, as YCSB's: each member is a column of text under its own
//! name. Any other document is JSON text in one column, as is one with a member whose name is no
//! column's or that of a column with another meaning.

use hoap_database::{names, path};
use serde_json::{Map, Value};

use super::schema::{DOCUMENT, KEY};

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

/// A path into a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    /// The member: the column, where the document is a record.
    pub member: String,
    /// The rest of the path, as a JSON pointer.
    rest: String,
}

impl Path {
    /// A checked path, `a.b[3]`.
    pub fn new(path: &str) -> Path {
        Path { member: path::member(path).to_owned(), rest: path::pointer(path) }
    }

    /// The value at the path in a document.
    pub fn value(&self, document: &Value) -> Value {
        let member = document.get(&self.member);
        member.and_then(|member| member.pointer(&self.rest)).cloned().unwrap_or_default()
    }

    /// The value at the path in a record whose column holds this text.
    pub fn of_column(&self, text: Option<&str>) -> Value {
        match text {
            Some(text) if self.rest.is_empty() => Value::from(text),
            _ => Value::Null,
        }
    }
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

    #[test]
    fn a_path_leads_into_a_document_or_to_a_column() {
        let document = json!({"s": "x", "o": {"a": [{"b": 7}]}, "n": null});
        for (path, expected) in [
            ("s", json!("x")),
            ("o.a[0].b", json!(7)),
            ("o.a[1]", json!(null)),
            ("n", json!(null)),
            ("absent.a", json!(null)),
        ] {
            assert_eq!(Path::new(path).value(&document), expected, "{path}");
        }
        let path = Path::new("s");
        assert_eq!((path.of_column(Some("x")), path.of_column(None)), (json!("x"), json!(null)));
        assert_eq!(Path::new("s.a").of_column(Some("x")), json!(null));
    }
}
