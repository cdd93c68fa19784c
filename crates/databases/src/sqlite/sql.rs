//! SQL text: names and paths are checked identifiers, values are always bound.

use std::fmt::Write;

use hoap_workload::capability::{Index, Order, Row};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};
use rusqlite::types::{ToSqlOutput, ValueRef};
use serde_json::Value;

use super::error;
use crate::names;
pub(super) use crate::names::{field, path};

/// Refuses a collection name that is no plain identifier or belongs to SQLite or to us.
pub(super) fn name(collection: &str) -> Result<&str> {
    names::collection(collection, &["sqlite_", "hoap_"])
}

/// Appends `doc -> '$.a', doc -> '$.b'`, or `1` where there are no fields.
///
/// `->` gives JSON text, so that a string, a number, a boolean, an array and an object come back
/// as what they are; `->>` would turn booleans into integers.
fn fields(fields: &[&str], out: &mut String) -> Result<()> {
    for (i, field) in fields.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        let _ = write!(out, "{comma}doc -> '$.{}'", path(field)?);
    }
    if fields.is_empty() {
        out.push('1');
    }
    Ok(())
}

/// `SELECT fields FROM collection WHERE key = ?1`.
pub(super) fn get(collection: &str, asked: &[&str], out: &mut String) -> Result<()> {
    out.clear();
    out.push_str("SELECT ");
    fields(asked, out)?;
    let _ = write!(out, " FROM \"{}\" WHERE key = ?1", name(collection)?);
    Ok(())
}

/// `SELECT key, field FROM collection`, the field as a number.
pub(super) fn counters(collection: &str, field: &str) -> Result<String> {
    Ok(format!("SELECT key, doc ->> '$.{}' FROM \"{}\"", path(field)?, name(collection)?))
}

/// `SELECT key, fields FROM collection`.
pub(super) fn scan(collection: &str, asked: &[&str], out: &mut String) -> Result<()> {
    out.clear();
    out.push_str("SELECT key, ");
    fields(asked, out)?;
    let _ = write!(out, " FROM \"{}\"", name(collection)?);
    Ok(())
}

/// `INSERT` of a key and the JSON text of its document.
pub(super) fn insert(collection: &str, out: &mut String) -> Result<()> {
    out.clear();
    let collection = name(collection)?;
    let _ = write!(out, "INSERT INTO \"{collection}\" (key, doc) VALUES (?1, jsonb(?2))");
    Ok(())
}

/// The expression that an index field is on, and that a search must repeat word by word.
pub(super) fn index_field(field: &str) -> Result<String> {
    Ok(format!("doc ->> '$.{}'", path(field)?))
}

/// `CREATE INDEX name ON collection (…)`.
pub(super) fn create_index(index: &Index) -> Result<String> {
    let expressions: Vec<_> = index.fields.iter().map(|f| index_field(f)).collect::<Result<_>>()?;
    Ok(format!(
        "CREATE INDEX \"{}\" ON \"{}\" ({})",
        name(index.name)?,
        name(index.collection)?,
        expressions.join(", ")
    ))
}

/// The search of [`hoap_workload::capability::Transaction::find`]: parameter i is value i of the
/// prefix, the one after them the limit.
///
/// `INDEXED BY` makes a missing index an error instead of a full scan that nobody notices.
pub(super) fn find(
    index: &Index,
    prefix: &[Value],
    order: Order,
    limited: bool,
    asked: &[&str],
    out: &mut String,
) -> Result<()> {
    out.clear();
    out.push_str("SELECT key, ");
    fields(asked, out)?;
    let _ =
        write!(out, " FROM \"{}\" INDEXED BY \"{}\"", name(index.collection)?, name(index.name)?);
    if prefix.len() > index.fields.len() {
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("find in {} by {}", index.collection, index.name),
            format!(
                "{} values for {}",
                prefix.len(),
                counted(index.fields.len(), "index field", "index fields")
            ),
        ));
    }
    for (i, (field, value)) in index.fields.iter().zip(prefix).enumerate() {
        let word = if i == 0 { "WHERE" } else { "AND" };
        let operator = if value.is_null() { "IS" } else { "=" };
        let _ = write!(out, " {word} {} {operator} ?{}", index_field(field)?, i + 1);
    }
    for (i, field) in index.fields.iter().skip(prefix.len()).enumerate() {
        let comma = if i == 0 { " ORDER BY " } else { ", " };
        let direction = match order {
            Order::Ascending => "",
            Order::Descending => " DESC",
        };
        let _ = write!(out, "{comma}{}{direction}", index_field(field)?);
    }
    if limited {
        let _ = write!(out, " LIMIT ?{}", prefix.len() + 1);
    }
    Ok(())
}

/// JSON text as a parameter. SQLite takes text for JSON, and a blob for JSONB.
pub(super) fn json_text(text: &[u8]) -> ToSqlOutput<'_> {
    ToSqlOutput::Borrowed(ValueRef::Text(text))
}

/// A value that is compared with `doc ->> path`, or given to a query: `None` for arrays, objects
/// and numbers outside SQLite's range.
pub(super) fn scalar(value: &Value) -> Option<ToSqlOutput<'_>> {
    let value = match value {
        Value::Null => ValueRef::Null,
        Value::Bool(b) => ValueRef::Integer((*b).into()),
        Value::Number(n) => match n.as_i64() {
            Some(i) => ValueRef::Integer(i),
            None if n.is_u64() => return None,
            None => ValueRef::Real(n.as_f64()?),
        },
        Value::String(s) => ValueRef::Text(s.as_bytes()),
        Value::Array(_) | Value::Object(_) => return None,
    };
    Some(ToSqlOutput::Borrowed(value))
}

/// Reads `count` columns of JSON text from column `first` on.
pub(super) fn row(
    row: &rusqlite::Row<'_>,
    first: usize,
    count: usize,
    tried: impl Fn() -> String,
) -> Result<Row> {
    let mut values = Row::with_capacity(count);
    for column in first..first + count {
        let value = match row.get_ref(column).map_err(|e| error::sqlite(e, tried()))? {
            ValueRef::Text(json) => serde_json::from_slice(json)
                .map_err(|e| Error::new(ErrorKind::Broken, tried(), e))?,
            _ => Value::Null,
        };
        values.push(value);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_and_paths_are_checked_identifiers() {
        for good in ["a", "_a1", "Orders", "c_name.c_last", "s_dists[3]", "a[0][12].b"] {
            assert!(path(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            ".",
            "a.",
            "1a",
            "a b",
            "a'",
            "a\"",
            "a[",
            "a[]",
            "a[x]",
            "a[1",
            "a[1]b",
            "a]",
            "[1]",
            "a[-1]",
            "a[1234567890]",
            "ä",
            "$",
            "a;b",
            "a\0",
        ] {
            assert!(path(bad).is_err(), "{bad}");
        }
        for bad in ["", "a.b", "a[1]", "sqlite_schema", "SQLite_x", "hoap_note", "a\"b", "a b"] {
            assert!(name(bad).is_err(), "{bad}");
        }
        assert!(name("orders").is_ok());
    }

    #[test]
    fn a_search_repeats_the_expressions_of_its_index() {
        let index = Index { name: "i", collection: "c", fields: vec!["x", "y.z", "w[1]"] };
        let made = create_index(&index).unwrap();
        assert_eq!(
            made,
            r#"CREATE INDEX "i" ON "c" (doc ->> '$.x', doc ->> '$.y.z', doc ->> '$.w[1]')"#
        );
        let mut text = String::new();
        let prefix = [json!(1), json!(null)];
        find(&index, &prefix, Order::Descending, true, &["q"], &mut text).unwrap();
        assert_eq!(
            text,
            r#"SELECT key, doc -> '$.q' FROM "c" INDEXED BY "i" WHERE doc ->> '$.x' = ?1 AND doc ->> '$.y.z' IS ?2 ORDER BY doc ->> '$.w[1]' DESC LIMIT ?3"#
        );
        let prefix = vec![json!(1); 4];
        let e = find(&index, &prefix, Order::Ascending, false, &[], &mut text).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid);
    }

    /// No sorting and no scan: every search reads just the part of the index that it asks for.
    #[test]
    fn the_index_serves_the_search() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        let table = "CREATE TABLE c (key TEXT NOT NULL PRIMARY KEY, doc BLOB NOT NULL)";
        connection.execute_batch(table).unwrap();
        let index = Index { name: "i", collection: "c", fields: vec!["x", "y.z", "w[1]"] };
        connection.execute_batch(&create_index(&index).unwrap()).unwrap();
        let mut text = String::new();
        for order in [Order::Ascending, Order::Descending] {
            for (given, searched) in [
                (json!([]), "SCAN c USING INDEX i"),
                (json!([1]), "SEARCH c USING INDEX i (<expr>=?)"),
                (json!([1, "a"]), "SEARCH c USING INDEX i (<expr>=? AND <expr>=?)"),
                (
                    json!([1, null, 2]),
                    "SEARCH c USING INDEX i (<expr>=? AND <expr>=? AND <expr>=?)",
                ),
            ] {
                let prefix = given.as_array().unwrap();
                find(&index, prefix, order, true, &["x", "q"], &mut text).unwrap();
                let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}")).unwrap();
                let mut rows = plan.raw_query();
                let mut steps = Vec::new();
                while let Some(row) = rows.next().unwrap() {
                    steps.push(row.get::<_, String>(3).unwrap());
                }
                assert_eq!(steps, [searched], "{text}");
            }
        }
    }
}
