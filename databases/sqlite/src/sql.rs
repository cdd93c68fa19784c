//! SQL text: names and paths are checked ones, values are always bound.

use std::borrow::Cow;
use std::fmt::Write;

use hoap_database::failure::{Done, Failure};
use hoap_database::path::{self, Step};
use hoap_database::search::{self, Term};
use hoap_database::{Bounds, Find, Index, Order, Row};
use rusqlite::types::{ToSqlOutput, ValueRef};
use serde_json::Value;

use crate::error::OrFail;

/// `'$.a.b[3]'`: a path as SQLite's functions take it.
pub(super) fn place(path: &str) -> String {
    let mut out = "'$".to_owned();
    for step in path::steps(path) {
        let _ = match step {
            Step::Position(n) => write!(out, "[{n}]"),
            Step::Field(name) if step.is_plain() => write!(out, ".{name}"),
            Step::Field(name) => {
                write!(out, ".{}", Value::from(name).to_string().replace('\'', "''"))
            }
        };
    }
    out.push('\'');
    out
}

/// Appends `doc -> '$.a', doc -> '$.b'`, or `1` where there are no fields.
///
/// `->` gives JSON text, so that a string, a number, a boolean, an array and an object come back
/// as what they are; `->>` would turn booleans into integers.
fn fields(fields: &[&str], out: &mut String) {
    for (i, field) in fields.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        let _ = write!(out, "{comma}doc -> {}", place(field));
    }
    if fields.is_empty() {
        out.push('1');
    }
}

/// `SELECT fields FROM collection WHERE key = ?1`.
pub(super) fn get(collection: &str, asked: &[&str], out: &mut String) {
    out.clear();
    out.push_str("SELECT ");
    fields(asked, out);
    let _ = write!(out, " FROM \"{collection}\" WHERE key = ?1");
}

/// `SELECT key, field FROM collection`, the field as a number.
pub(super) fn counters(collection: &str, field: &str) -> String {
    format!("SELECT key, doc ->> {} FROM \"{collection}\"", place(field))
}

/// `SELECT key, fields FROM collection`.
pub(super) fn scan(collection: &str, asked: &[&str]) -> String {
    let mut out = "SELECT key, ".to_owned();
    fields(asked, &mut out);
    let _ = write!(out, " FROM \"{collection}\"");
    out
}

/// `CREATE TABLE` of a collection.
pub(super) fn create_table(collection: &str) -> String {
    format!("CREATE TABLE \"{collection}\" (key TEXT NOT NULL PRIMARY KEY, doc BLOB NOT NULL)")
}

/// `INSERT` of a key and the JSON text of its document in the place of what is there.
pub(super) fn put(collection: &str, out: &mut String) {
    insert(collection, out);
    out.push_str(" ON CONFLICT (key) DO UPDATE SET doc = excluded.doc");
}

/// `INSERT` of a key and the JSON text of its document.
pub(super) fn insert(collection: &str, out: &mut String) {
    out.clear();
    let _ = write!(out, "INSERT INTO \"{collection}\" (key, doc) VALUES (?1, jsonb(?2))");
}

/// The expression that an index field is on, and that a search must repeat word by word.
fn index_field(field: &str) -> String {
    format!("doc ->> {}", place(field))
}

/// `CREATE INDEX name ON collection (…)`.
pub(super) fn create_index(index: &Index) -> String {
    let expressions: Vec<_> = index.fields.iter().map(|field| index_field(field)).collect();
    let expressions = expressions.join(", ");
    format!("CREATE INDEX \"{}\" ON \"{}\" ({expressions})", index.name, index.collection)
}

/// The search of [`hoap_database::Transaction::find`]; returns the values of its parameters.
///
/// `INDEXED BY` makes a missing index an error instead of a full scan that nobody notices; that of
/// the keys is the table's own.
pub(super) fn find<'a>(find: &Find<'a>, out: &mut String) -> Vec<Cow<'a, Value>> {
    let Find { index, prefix, order, limit, fields: asked, .. } = find;
    out.clear();
    out.push_str("SELECT key, ");
    fields(asked, out);
    let _ = write!(out, " FROM \"{}\"", index.collection);
    if !index.is_keys() {
        let _ = write!(out, " INDEXED BY \"{}\"", index.name);
    }
    let mut values: Vec<Cow<'a, Value>> = prefix.iter().map(Cow::Borrowed).collect();
    let mut word = " WHERE ";
    for (i, (field, value)) in index.fields.iter().zip(*prefix).enumerate() {
        let operator = if value.is_null() { "IS" } else { "=" };
        let _ = write!(out, "{word}{} {operator} ?{}", index_field(field), i + 1);
        word = " AND ";
    }
    if let Some(range) = find.range {
        out.push_str(word);
        let field = find.rest().first().map_or("key".to_owned(), |field| index_field(field));
        within(&field, range, &mut values, out);
        word = " AND ";
    }
    behind(find, word, &mut values, out);
    let direction = match order {
        Order::Ascending => "",
        Order::Descending => " DESC",
    };
    let mut fields: Vec<_> = find.rest().iter().map(|field| index_field(field)).collect();
    fields.extend(find.pages.map(|_| "key".to_owned()));
    for (i, field) in fields.iter().enumerate() {
        let comma = if i == 0 { " ORDER BY " } else { ", " };
        let _ = write!(out, "{comma}{field}{direction}");
    }
    if let Some(limit) = limit {
        values.push(Cow::Owned(i64::try_from(*limit).unwrap_or(i64::MAX).into()));
        let _ = write!(out, " LIMIT ?{}", values.len());
    }
    values
}

/// Appends that a field lies in bounds. Numbers are smaller than texts here: an open end is the
/// border between them.
fn within<'a>(field: &str, bounds: Bounds<'a>, values: &mut Vec<Cow<'a, Value>>, out: &mut String) {
    let text = bounds.is_text();
    let mut bound = |value: &'a Value| {
        values.push(Cow::Borrowed(value));
        format!("?{}", values.len())
    };
    let min = bounds.min.map(&mut bound).or(text.then(|| "''".to_owned()));
    let max = bounds.max.map(&mut bound);
    let below = match (&max, text) {
        (Some(max), _) => Some(format!("<= {max}")),
        (None, false) => Some("< ''".to_owned()),
        (None, true) => None,
    };
    let ends = min.map(|min| format!(">= {min}")).into_iter().chain(below);
    let ends: Vec<_> = ends.map(|end| format!("{field} {end}")).collect();
    out.push_str(&ends.join(" AND "));
}

/// Appends that a document is behind the last one that was found.
fn behind<'a>(find: &Find<'a>, word: &str, values: &mut Vec<Cow<'a, Value>>, out: &mut String) {
    let ways = search::behind(find);
    if ways.is_empty() {
        return;
    }
    let ascending = find.order == Order::Ascending;
    let mut bound = |value: Cow<'a, Value>| {
        values.push(value);
        format!("?{}", values.len())
    };
    out.push_str(word);
    // By this alone the index finds where to begin.
    if let Some((field, value)) =
        find.rest().first().zip(find.behind().and_then(|l| l.values.first()))
        && !value.is_null()
        && (ascending || find.range.is_some())
    {
        let beyond = if ascending { ">=" } else { "<=" };
        let value = bound(Cow::Borrowed(value));
        let _ = write!(out, "{} {beyond} {value} AND ", index_field(field));
    }
    let ways: Vec<_> = ways
        .into_iter()
        .map(|terms| {
            let text = |term| match term {
                Term::Equal(path, Value::Null) => format!("{} IS NULL", index_field(path)),
                Term::Equal(path, value) => {
                    format!("{} = {}", index_field(path), bound(Cow::Borrowed(value)))
                }
                Term::After(path, Value::Null) => format!("{} IS NOT NULL", index_field(path)),
                Term::After(path, value) => {
                    let (field, value) = (index_field(path), bound(Cow::Borrowed(value)));
                    match ascending {
                        true => format!("{field} > {value}"),
                        false => format!("({field} < {value} OR {field} IS NULL)"),
                    }
                }
                Term::KeyAfter(key) => {
                    let than = if ascending { ">" } else { "<" };
                    format!("key {than} {}", bound(Cow::Owned(key.into())))
                }
            };
            terms.into_iter().map(text).collect::<Vec<_>>().join(" AND ")
        })
        .collect();
    let _ = write!(out, "({})", ways.join(" OR "));
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
pub(super) fn row(row: &rusqlite::Row<'_>, first: usize, count: usize) -> Done<Row> {
    let mut values = Row::with_capacity(count);
    for column in first..first + count {
        let value = match row.get_ref(column).or_fail()? {
            ValueRef::Text(json) => serde_json::from_slice(json).map_err(Failure::broken)?,
            _ => Value::Null,
        };
        values.push(value);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_search_repeats_the_expressions_of_its_index() {
        let index = Index::new("i", "c", &["x", "y.z", "w[1]"]);
        assert_eq!(
            create_index(&index),
            r#"CREATE INDEX "i" ON "c" (doc ->> '$.x', doc ->> '$.y.z', doc ->> '$.w[1]')"#
        );
        let mut text = String::new();
        let prefix = [json!(1), json!(null)];
        let search = Find {
            order: Order::Descending,
            limit: Some(3),
            fields: &["q"],
            ..Find::by(&index, &prefix)
        };
        assert_eq!(find(&search, &mut text).len(), 3);
        assert_eq!(
            text,
            r#"SELECT key, doc -> '$.q' FROM "c" INDEXED BY "i" WHERE doc ->> '$.x' = ?1 AND doc ->> '$.y.z' IS ?2 ORDER BY doc ->> '$.w[1]' DESC LIMIT ?3"#
        );
    }

    /// No sorting and no scan: every search reads just the part of the index that it asks for.
    #[test]
    fn the_index_serves_the_search() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch(&create_table("c")).unwrap();
        let index = Index::new("i", "c", &["x", "y.z", "w[1]"]);
        connection.execute_batch(&create_index(&index)).unwrap();
        let mut text = String::new();
        let plan = |text: &str| {
            let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}")).unwrap();
            let mut rows = plan.raw_query();
            let mut steps = Vec::new();
            while let Some(row) = rows.next().unwrap() {
                steps.push(row.get::<_, String>(3).unwrap());
            }
            steps
        };
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
                let (limit, fields) = (Some(1), &["x", "q"][..]);
                find(&Find { order, limit, fields, ..Find::by(&index, prefix) }, &mut text);
                assert_eq!(plan(&text), [searched], "{text}");
            }
            let (keys, min) = (Index::keys("c"), json!("a"));
            let range = Some(Bounds { min: Some(&min), max: None });
            let find_keys = Find { order, range, fields: &["q"], ..Find::by(&keys, &[]) };
            find(&Find { limit: Some(1), pages: Some(None), ..find_keys }, &mut text);
            assert_eq!(
                plan(&text),
                ["SEARCH c USING INDEX sqlite_autoindex_c_1 (key>?)"],
                "{text}"
            );
        }
    }
}
