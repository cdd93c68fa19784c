//! The types of a collection's fields, and how SQL says them.

use hoap_database::path::{self, Step};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The type of a field: the narrowest that holds its values so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// Only nulls so far.
    Unknown,
    Bool,
    Int,
    Double,
    Text,
    /// The JSON text of values that have no type in common.
    Json,
    List(Box<Kind>),
    /// Fields in the order in which they came first.
    Object(Vec<(String, Kind)>),
}

impl Kind {
    /// An object without fields yet.
    pub fn documents() -> Kind {
        Kind::Object(Vec::new())
    }

    /// The fields of an object.
    pub fn fields(&self) -> &[(String, Kind)] {
        match self {
            Kind::Object(fields) => fields,
            _ => &[],
        }
    }

    /// The type in SQL.
    pub fn sql(&self) -> String {
        match self {
            Kind::Bool => "BOOLEAN".to_owned(),
            Kind::Int => "BIGINT".to_owned(),
            Kind::Double => "DOUBLE".to_owned(),
            Kind::Text => "VARCHAR".to_owned(),
            Kind::List(element) => format!("{}[]", element.sql()),
            Kind::Object(fields) if !fields.is_empty() => {
                let field =
                    |(name, kind): &(String, Kind)| format!("{} {}", quoted(name), kind.sql());
                format!("STRUCT({})", fields.iter().map(field).collect::<Vec<_>>().join(", "))
            }
            Kind::Unknown | Kind::Json | Kind::Object(_) => "JSON".to_owned(),
        }
    }

    /// The type as DuckDB's `from_json` wants it.
    fn structure(&self) -> Value {
        match self {
            Kind::List(element) => json!([element.structure()]),
            Kind::Object(fields) if !fields.is_empty() => {
                fields.iter().map(|(name, kind)| (name.clone(), kind.structure())).collect()
            }
            other => json!(other.sql()),
        }
    }

    /// The expression that reads a field of this type from a JSON document in the column `doc`.
    pub fn read(&self, name: &str) -> String {
        // A path in quotes takes any name but one with quotes in it.
        let path = literal(&format!("$.\"{}\"", name.replace('"', "\\\"")));
        match self {
            Kind::Text => format!("doc ->> {path}"),
            Kind::Bool | Kind::Int | Kind::Double => {
                format!("CAST(doc ->> {path} AS {})", self.sql())
            }
            Kind::List(_) | Kind::Object(_) if self.sql() != "JSON" => {
                format!("from_json(doc -> {path}, {})", literal(&self.structure().to_string()))
            }
            // A JSON null is none of SQL.
            _ => format!("CAST(nullif(CAST(doc -> {path} AS VARCHAR), 'null') AS JSON)"),
        }
    }

    /// The expression that makes a value of this type of a column of a narrower one.
    pub fn widen(&self, column: &str) -> String {
        // By way of JSON: a cast to STRUCT wants every field to be there, and one from VARCHAR to
        // JSON would read the text as JSON.
        format!("from_json(to_json({column}), {})", literal(&self.structure().to_string()))
    }

    /// The expression for a path such as `a.b[3]` below `from`, which is of this kind, and its
    /// kind. What no document has is null.
    pub fn path(&self, from: &str, path: &str) -> (String, Kind) {
        let (mut text, mut kind) = (from.to_owned(), self);
        for step in path::steps(path) {
            let found = match (kind, &step) {
                (Kind::Object(fields), Step::Field(name)) => fields
                    .iter()
                    .find(|(there, _)| there == name)
                    .map(|(_, kind)| (format!("{text}.{}", quoted(name)), kind)),
                // Positions count from one.
                (Kind::List(element), Step::Position(n)) => {
                    Some((format!("{text}[{}]", n + 1), &**element))
                }
                (Kind::Json, Step::Field(name)) => {
                    Some((format!("({text} -> {})", literal(&format!("$.\"{name}\""))), kind))
                }
                (Kind::Json, Step::Position(n)) => Some((format!("({text} -> {n})"), kind)),
                _ => None,
            };
            match found {
                Some(found) => (text, kind) = found,
                None => return ("NULL".to_owned(), Kind::Unknown),
            }
        }
        (text, kind.clone())
    }
}

/// A name in SQL.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text in SQL.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
