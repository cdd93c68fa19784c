//! SQL text: names and paths are checked ones, values are always bound.

use std::fmt::Write;

use hoap_database::failure::{Done, Failure};
use hoap_database::path::{self, Step};
use hoap_database::search::{self, Term};
use hoap_database::{Bounds, Find, Index, Intent, Order, Row};
use serde_json::Value;

use super::types::{Parameter, StoredJson};
use crate::error::OrFail;

/// A text in quotes.
pub(super) fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The steps of a path: names in quotes and array positions, as `->` takes them.
fn steps(path: &str) -> impl Iterator<Item = String> {
    path::steps(path).map(|step| match step {
        Step::Position(n) => n.to_string(),
        Step::Field(name) => text(name),
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

/// `'{"a","b",3}'`: a path as `jsonb_set` takes it.
pub(super) fn place(path: &str) -> String {
    let step = |step| match step {
        Step::Position(n) => n.to_string(),
        Step::Field(name) => format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")),
    };
    let steps: Vec<_> = path::steps(path).map(step).collect();
    text(&format!("{{{}}}", steps.join(",")))
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

/// The search of [`hoap_database::Transaction::find`]; returns the values of its parameters.
pub(super) fn find(find: &Find<'_>, out: &mut String) -> Vec<Parameter> {
    let Find { index, prefix, order, limit, .. } = find;
    scan(&index.collection, find.fields, out);
    let mut values: Vec<Parameter> = prefix.iter().map(Parameter::json).collect();
    let mut conditions = Vec::new();
    for (i, (field, value)) in index.fields.iter().zip(*prefix).enumerate() {
        conditions.push(equal(field, value, i + 1));
    }
    if let Some(range) = find.range {
        let field = find.rest().first().map(|field| at(field));
        let open = range.min.is_none() || range.max.is_none();
        conditions.extend(field.as_ref().filter(|_| open).map(|at| is_of(at, range)));
        for (operator, bound) in [(">=", range.min), ("<=", range.max)] {
            if let Some(value) = bound {
                values.push(match (&field, value) {
                    (None, Value::String(key)) => Parameter::Text(key.clone()),
                    _ => Parameter::json(value),
                });
                let at = field.as_deref().unwrap_or("key");
                conditions.push(format!("{at} {operator} ${}", values.len()));
            }
        }
    }
    behind(find, &mut values, &mut conditions);
    for (i, condition) in conditions.iter().enumerate() {
        let _ = write!(out, " {} {condition}", if i == 0 { "WHERE" } else { "AND" });
    }
    let (direction, of_key) = match order {
        Order::Ascending => ("NULLS FIRST", ""),
        Order::Descending => ("DESC NULLS LAST", " DESC"),
    };
    let mut fields: Vec<_> =
        find.rest().iter().map(|field| format!("{} {direction}", at(field))).collect();
    fields.extend(find.pages.map(|_| format!("key{of_key}")));
    for (i, field) in fields.iter().enumerate() {
        let _ = write!(out, "{}{field}", if i == 0 { " ORDER BY " } else { ", " });
    }
    if let Some(limit) = limit {
        values.push(Parameter::Number(i64::try_from(*limit).unwrap_or(i64::MAX)));
        let _ = write!(out, " LIMIT ${}", values.len());
    }
    lock(find.intent, out);
    values
}

/// That a field equals parameter `n`.
fn equal(field: &str, value: &Value, n: usize) -> String {
    let at = at(field);
    match value {
        Value::Null => format!("({at} = ${n} OR ({at}) IS NULL)"),
        _ => format!("{at} = ${n}"),
    }
}

/// That a value is of the type of these bounds.
pub(super) fn is_of(at: &str, bounds: Bounds<'_>) -> String {
    format!("jsonb_typeof({at}) = '{}'", if bounds.is_text() { "string" } else { "number" })
}

/// That a document is behind the last one that was found.
fn behind(find: &Find<'_>, values: &mut Vec<Parameter>, conditions: &mut Vec<String>) {
    let ways = search::behind(find);
    let ascending = find.order == Order::Ascending;
    let mut add = |value: Parameter| {
        values.push(value);
        values.len()
    };
    // By this alone the index finds where to begin.
    if let Some((field, value)) =
        find.rest().first().zip(find.behind().and_then(|l| l.values.first()))
        && !value.is_null()
        && (ascending || find.range.is_some())
    {
        let beyond = if ascending { ">=" } else { "<=" };
        conditions.push(format!("{} {beyond} ${}", at(field), add(Parameter::json(value))));
    }
    let mut way = |terms: Vec<Term<'_>>| {
        let text = |term| match term {
            Term::Equal(path, value) => equal(path, value, add(Parameter::json(value))),
            Term::After(path, Value::Null) => format!("{} > 'null'", at(path)),
            Term::After(path, value) => {
                let (at, n) = (at(path), add(Parameter::json(value)));
                match ascending {
                    true => format!("{at} > ${n}"),
                    false => format!("({at} < ${n} OR ({at}) IS NULL)"),
                }
            }
            Term::KeyAfter(key) => {
                let than = if ascending { ">" } else { "<" };
                format!("key {than} ${}", add(Parameter::Text(key.to_owned())))
            }
        };
        terms.into_iter().map(text).collect::<Vec<_>>().join(" AND ")
    };
    let ways: Vec<_> = ways.into_iter().map(&mut way).collect();
    if !ways.is_empty() {
        conditions.push(format!("({})", ways.join(" OR ")));
    }
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
        assert_eq!(place("a[0][012].b"), "'{\"a\",0,12,\"b\"}'");
        assert_eq!(at("\"it's\".'a.b'"), "doc -> 'it''s' -> 'a.b'");
        assert_eq!(place("'a\"\\b'"), r#"'{"a\"\\b"}'"#);
        assert_eq!(at(path::WHOLE), "doc");
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
        let search = Find {
            order: Order::Descending,
            limit: Some(3),
            fields: &["q"],
            intent: Intent::Change,
            ..Find::by(&index, &prefix)
        };
        assert_eq!(find(&search, &mut text).len(), 3);
        assert_eq!(
            text,
            r#"SELECT key, doc -> 'q' FROM "c" WHERE doc -> 'x' = $1 AND (doc -> 'y' -> 'z' = $2 OR (doc -> 'y' -> 'z') IS NULL) ORDER BY doc -> 'w' -> 1 DESC NULLS LAST LIMIT $3 FOR UPDATE"#
        );
        let (keys, min) = (Index::keys("c"), json!("a"));
        let range = Some(Bounds { min: Some(&min), max: None });
        let (limit, pages) = (Some(3), Some(None));
        let values = find(&Find { limit, range, pages, ..Find::by(&keys, &[]) }, &mut text);
        assert!(matches!(&values[0], Parameter::Text(key) if key == "a"));
        assert_eq!(text, r#"SELECT key FROM "c" WHERE key >= $1 ORDER BY key LIMIT $2"#);
    }
}
