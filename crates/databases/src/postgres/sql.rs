//! SQL text: names and paths are checked identifiers, values are always bound.

use std::fmt::Write;

use hoap_workload::capability::{Index, Intent, Order, Row};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::types::StoredJson;
use super::{error, nul};
pub(super) use crate::names::field;
use crate::names::{self, path};

/// Refuses a collection name that is no plain identifier, does not fit, or belongs to PostgreSQL or
/// to us.
pub(super) fn name(collection: &str) -> Result<&str> {
    let name = names::collection(collection, &["pg_", "hoap_"], usize::MAX)?;
    // The server truncates a longer name silently (NAMEDATALEN).
    match name.len() {
        0..64 => Ok(name),
        _ => Err(Error::new(
            ErrorKind::Invalid,
            format!("name a collection `{name}`"),
            "PostgreSQL's names have at most 63 letters",
        )),
    }
}

/// The steps of a path: names in quotes and array positions, as `->` takes them.
fn steps(checked: &str) -> impl Iterator<Item = String> {
    checked.split(['.', '[']).map(|step| match step.strip_suffix(']') {
        Some(position) => position.trim_start_matches('0').parse().unwrap_or(0u32).to_string(),
        None => format!("'{step}'"),
    })
}

/// `doc -> 'a' -> 'b' -> 3`: the value at a path, as jsonb.
pub(super) fn at(field: &str) -> Result<String> {
    let mut out = "doc".to_owned();
    for step in steps(path(field)?) {
        let _ = write!(out, " -> {step}");
    }
    Ok(out)
}

/// `'{a,b,3}'`: a path as `jsonb_set` takes it.
pub(super) fn place(field: &str) -> Result<String> {
    let steps: Vec<_> = steps(path(field)?).map(|s| s.trim_matches('\'').to_owned()).collect();
    Ok(format!("'{{{}}}'", steps.join(",")))
}

/// Appends `, doc -> 'a', doc -> 'b'`.
fn fields(fields: &[&str], out: &mut String) -> Result<()> {
    for field in fields {
        out.push_str(", doc");
        for step in steps(path(field)?) {
            let _ = write!(out, " -> {step}");
        }
    }
    Ok(())
}

/// `SELECT key, fields FROM collection`.
pub(super) fn scan(collection: &str, asked: &[&str], out: &mut String) -> Result<()> {
    out.clear();
    out.push_str("SELECT key");
    fields(asked, out)?;
    let _ = write!(out, " FROM \"{}\"", name(collection)?);
    Ok(())
}

/// The same `WHERE key = $1`.
pub(super) fn get(
    collection: &str,
    asked: &[&str],
    intent: Intent,
    out: &mut String,
) -> Result<()> {
    scan(collection, asked, out)?;
    out.push_str(" WHERE key = $1");
    lock(intent, out);
    Ok(())
}

/// The same `WHERE key = ANY($1)`, in the order of the keys: transactions that lock the same rows
/// lock them in the same order, without deadlocks.
pub(super) fn get_many(
    collection: &str,
    asked: &[&str],
    intent: Intent,
    out: &mut String,
) -> Result<()> {
    scan(collection, asked, out)?;
    out.push_str(" WHERE key = ANY($1)");
    if intent == Intent::Change {
        out.push_str(" ORDER BY key");
    }
    lock(intent, out);
    Ok(())
}

fn lock(intent: Intent, out: &mut String) {
    if intent == Intent::Change {
        out.push_str(" FOR UPDATE");
    }
}

/// `SELECT key, field FROM collection`, the field as a whole number.
pub(super) fn counters(collection: &str, field: &str) -> Result<String> {
    Ok(format!("SELECT key, ({})::int8 FROM \"{}\"", at(field)?, name(collection)?))
}

/// `CREATE INDEX name ON collection (…)`, on jsonb values: numbers order as numbers, whatever a
/// field holds. What is absent comes first, beside null, which is the smallest jsonb.
pub(super) fn create_index(index: &Index) -> Result<String> {
    let expressions: Vec<_> = index
        .fields
        .iter()
        .map(|f| at(f).map(|at| format!("({at}) NULLS FIRST")))
        .collect::<Result<_>>()?;
    Ok(format!(
        "CREATE INDEX \"{}\" ON \"{}\" ({})",
        name(index.name)?,
        name(index.collection)?,
        expressions.join(", ")
    ))
}

/// The search of [`hoap_workload::capability::Transaction::find`]: parameter i is value i of the
/// prefix, the one after them the limit.
pub(super) fn find(
    index: &Index,
    prefix: &[Value],
    order: Order,
    limited: bool,
    asked: &[&str],
    intent: Intent,
    out: &mut String,
) -> Result<()> {
    scan(index.collection, asked, out)?;
    if prefix.len() > index.fields.len() {
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("find in {} by {}", index.collection, index.name),
            format!("{} values for {} index fields", prefix.len(), index.fields.len()),
        ));
    }
    for (i, (field, value)) in index.fields.iter().zip(prefix).enumerate() {
        let (word, at, n) = (if i == 0 { "WHERE" } else { "AND" }, at(field)?, i + 1);
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
        let _ = write!(out, "{comma}{} {direction}", at(field)?);
    }
    if limited {
        let _ = write!(out, " LIMIT ${}", prefix.len() + 1);
    }
    lock(intent, out);
    Ok(())
}

/// Reads `count` columns of jsonb after the key.
pub(super) fn row(
    row: &tokio_postgres::Row,
    count: usize,
    tried: impl Fn() -> String,
) -> Result<Row> {
    let mut values = Row::with_capacity(count);
    for column in 1..=count {
        let stored: Option<StoredJson<'_>> =
            row.try_get(column).map_err(|e| error::postgres(&e, tried()))?;
        let value = match stored {
            Some(StoredJson(text)) => serde_json::from_slice(&nul::decode_json(text))
                .map_err(|e| Error::new(ErrorKind::Broken, tried(), e))?,
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
    fn names_are_checked_identifiers_that_fit() {
        assert!(name("orders").is_ok());
        assert!(name(&"a".repeat(63)).is_ok());
        for bad in ["", "a.b", "pg_class", "PG_x", "hoap_note", "a\"b", "a b"] {
            assert!(name(bad).is_err(), "{bad}");
        }
        assert!(name(&"a".repeat(64)).is_err());
    }

    #[test]
    fn a_path_is_steps_that_hold_no_quote() {
        assert_eq!(at("a").unwrap(), "doc -> 'a'");
        assert_eq!(at("c_name.c_last").unwrap(), "doc -> 'c_name' -> 'c_last'");
        assert_eq!(at("a[0][012].b").unwrap(), "doc -> 'a' -> 0 -> 12 -> 'b'");
        assert_eq!(place("a[0][012].b").unwrap(), "'{a,0,12,b}'");
        for bad in ["", "a'", "a\"", "a]", "a[x]", "a b", "a,b", "a}"] {
            assert!(at(bad).is_err() && place(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_search_repeats_the_expressions_of_its_index() {
        let index = Index { name: "i", collection: "c", fields: vec!["x", "y.z", "w[1]"] };
        assert_eq!(
            create_index(&index).unwrap(),
            r#"CREATE INDEX "i" ON "c" ((doc -> 'x') NULLS FIRST, (doc -> 'y' -> 'z') NULLS FIRST, (doc -> 'w' -> 1) NULLS FIRST)"#
        );
        let mut text = String::new();
        let prefix = [json!(1), json!(null)];
        let change = Intent::Change;
        find(&index, &prefix, Order::Descending, true, &["q"], change, &mut text).unwrap();
        assert_eq!(
            text,
            r#"SELECT key, doc -> 'q' FROM "c" WHERE doc -> 'x' = $1 AND (doc -> 'y' -> 'z' = $2 OR (doc -> 'y' -> 'z') IS NULL) ORDER BY doc -> 'w' -> 1 DESC NULLS LAST LIMIT $3 FOR UPDATE"#
        );
        let prefix = vec![json!(1); 4];
        let e = find(&index, &prefix, Order::Ascending, false, &[], change, &mut text).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid);
    }
}
