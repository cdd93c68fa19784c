//! SQL text: names and paths are checked ones, values are always bound.

use std::fmt::Write;

use hoap_database::failure::{Done, Failure};
use hoap_database::path::{self, Step};
use hoap_database::{Index, Intent, Order, Row};
use serde_json::Value;

use super::types::StoredJson;
use crate::error::OrFail;

/// The steps of a path: names in quotes and array positions, as `->` takes them.
fn steps(path: &str) -> impl Iterator<Item = String> {
    path::steps(path).map(|step| match step {
        Step::Position(n) => n.to_string(),
        Step::Field(name) => format!("'{name}'"),
    })
}

/// `doc -> 'a' -> 'b' -> 3`: the value at a path, as jsonb.
pub(super) fn at(path: &str) -> String {
    let mut out = String::new();
    append_at(path, &mut out);
    out
}

fn append_at(path: &str, out: &mut String) {
    out.push_str("doc");
    for step in steps(path) {
        let _ = write!(out, " -> {step}");
    }
}

/// `'{a,b,3}'`: a path as `jsonb_set` takes it.
pub(super) fn place(path: &str) -> String {
    format!("'{{{}}}'", path::joined(path, ","))
}

/// `SELECT key, fields FROM collection`.
pub(super) fn scan(collection: &str, asked: &[&str], out: &mut String) {
    out.clear();
    out.push_str("SELECT key");
    for path in asked {
        out.push_str(", ");
        append_at(path, out);
    }
    let _ = write!(out, " FROM \"{collection}\"");
}

/// The same `WHERE key = $1`.
pub(super) fn get(collection: &str, asked: &[&str], intent: Intent, out: &mut String) {
    scan(collection, asked, out);
    out.push_str(" WHERE key = $1");
    lock(intent, out);
}

/// The same `WHERE key = ANY($1)`, in the order of the keys: transactions that lock the same rows
/// lock them in the same order, without deadlocks.
pub(super) fn get_many(collection: &str, asked: &[&str], intent: Intent, out: &mut String) {
    scan(collection, asked, out);
    out.push_str(" WHERE key = ANY($1)");
    if intent == Intent::Change {
        out.push_str(" ORDER BY key");
    }
    lock(intent, out);
}

fn lock(intent: Intent, out: &mut String) {
    if intent == Intent::Change {
        out.push_str(" FOR UPDATE");
    }
}

/// `SELECT key, field FROM collection`, the field as a whole number.
pub(super) fn counters(collection: &str, field: &str) -> String {
    format!("SELECT key, ({})::int8 FROM \"{collection}\"", at(field))
}

/// `CREATE INDEX name ON collection (…)`, on jsonb values: numbers order as numbers, whatever a
/// field holds. What is absent comes first, beside null, which is the smallest jsonb.
pub(super) fn create_index(index: &Index) -> String {
    let expressions: Vec<_> =
        index.fields.iter().map(|path| format!("({}) NULLS FIRST", at(path))).collect();
    let expressions = expressions.join(", ");
    format!("CREATE INDEX \"{}\" ON \"{}\" ({expressions})", index.name, index.collection)
}

/// The search of [`hoap_database::Transaction::find`]: parameter i is value i of the
/// prefix, the one after them the limit.
pub(super) fn find(
    index: &Index,
    prefix: &[Value],
    order: Order,
    limited: bool,
    asked: &[&str],
    intent: Intent,
    out: &mut String,
) {
    scan(&index.collection, asked, out);
    for (i, (field, value)) in index.fields.iter().zip(prefix).enumerate() {
        let (word, at, n) = (if i == 0 { "WHERE" } else { "AND" }, at(field), i + 1);
        let _ = match value {
            Value::Null => write!(out, " {word} ({at} = ${n} OR ({at}) IS NULL)"),
            _ => write!(out, " {word} {at} = ${n}"),
        };
    }
    for (i, field) in index.fields.iter().skip(prefix.len()).enumerate() {
        let comma = if i == 0 { " ORDER BY " } else { ", " };
        let direction = match order {
            Order::Ascending => "NULLS FIRST",
            Order::Descending => "DESC NULLS LAST",
        };
        let _ = write!(out, "{comma}{} {direction}", at(field));
    }
    if limited {
        let _ = write!(out, " LIMIT ${}", prefix.len() + 1);
    }
    lock(intent, out);
}

/// Reads `count` columns of jsonb after the key.
pub(super) fn row(row: &tokio_postgres::Row, count: usize) -> Done<Row> {
    let mut values = Row::with_capacity(count);
    for column in 1..=count {
        let stored: Option<StoredJson<'_>> = row.try_get(column).or_fail()?;
        let value = match stored {
            Some(StoredJson(text)) => serde_json::from_slice(text).map_err(Failure::broken)?,
            None => Value::Null,
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
    fn a_path_is_steps() {
        assert_eq!(at("a"), "doc -> 'a'");
        assert_eq!(at("c_name.c_last"), "doc -> 'c_name' -> 'c_last'");
        assert_eq!(at("a[0][012].b"), "doc -> 'a' -> 0 -> 12 -> 'b'");
        assert_eq!(place("a[0][012].b"), "'{a,0,12,b}'");
    }

    #[test]
    fn a_search_repeats_the_expressions_of_its_index() {
        let index = Index::new("i", "c", &["x", "y.z", "w[1]"]);
        assert_eq!(
            create_index(&index),
            r#"CREATE INDEX "i" ON "c" ((doc -> 'x') NULLS FIRST, (doc -> 'y' -> 'z') NULLS FIRST, (doc -> 'w' -> 1) NULLS FIRST)"#
        );
        let mut text = String::new();
        let prefix = [json!(1), json!(null)];
        let change = Intent::Change;
        find(&index, &prefix, Order::Descending, true, &["q"], change, &mut text);
        assert_eq!(
            text,
            r#"SELECT key, doc -> 'q' FROM "c" WHERE doc -> 'x' = $1 AND (doc -> 'y' -> 'z' = $2 OR (doc -> 'y' -> 'z') IS NULL) ORDER BY doc -> 'w' -> 1 DESC NULLS LAST LIMIT $3 FOR UPDATE"#
        );
    }
}
