//! The keyspace and its tables: what is there, and making it.

use std::collections::{BTreeMap, HashMap};

use hoap_workload::{Error, ErrorKind, Result};
use scylla::statement::Consistency;

use super::error::{Done, Failure};
use super::lane::Lane;
use crate::names;

/// The column of the keys, YCSB's name for it.
pub(super) const KEY: &str = "y_id";
/// The column of documents as JSON text.
pub(super) const DOCUMENT: &str = "doc";
/// The column of the marks of the transactions that wrote a document last: see [`super::rows`].
pub(super) const MARKS: &str = "marks";
/// What the names of the tables of look-ups begin with.
pub(super) const LOOKUP: &str = "hoap_index_";

/// A checked name of a collection.
pub(super) fn collection(name: &str) -> Result<&str> {
    names::collection(name, &["hoap_"])
}

/// How many copies of the data there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Replication {
    /// In each datacenter.
    Each(u32),
    /// By datacenter.
    Named(BTreeMap<String, u32>),
}

impl Replication {
    pub fn parse(text: &str) -> std::result::Result<Replication, String> {
        let bad = || {
            format!(
                "`{text}` is not a number of copies from 1 to 100 or such by datacenter, DC1:3,DC2:2"
            )
        };
        let count =
            |text: &str| text.parse().ok().filter(|n| (1..=100).contains(n)).ok_or_else(bad);
        if text.bytes().all(|b| b.is_ascii_digit()) {
            return count(text).map(Replication::Each);
        }
        let mut by_name = BTreeMap::new();
        for part in text.split(',') {
            let (name, copies) = part.split_once(':').ok_or_else(bad)?;
            let good = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
            if name.is_empty() || !name.bytes().all(good) || name == "class" {
                return Err(bad());
            }
            by_name.insert(name.to_owned(), count(copies)?);
        }
        Ok(Replication::Named(by_name))
    }

    /// As CREATE KEYSPACE has it.
    fn cql(&self) -> String {
        let mut text = "{'class': 'NetworkTopologyStrategy'".to_owned();
        match self {
            Replication::Each(copies) => {
                text.push_str(&format!(", 'replication_factor': {copies}"))
            }
            Replication::Named(by_name) => {
                for (name, copies) in by_name {
                    text.push_str(&format!(", '{name}': {copies}"));
                }
            }
        }
        text.push('}');
        text
    }

    /// Whether a keyspace has it.
    pub fn is_of(&self, keyspace: &Keyspace) -> bool {
        let mut there = keyspace.replication.iter().filter(|(name, _)| *name != "class");
        match self {
            Replication::Each(copies) => there.all(|(_, value)| *value == copies.to_string()),
            Replication::Named(by_name) => there
                .map(|(name, value)| (name.clone(), value.clone()))
                .eq(by_name.iter().map(|(name, copies)| (name.clone(), copies.to_string()))),
        }
    }
}

/// A keyspace that exists.
pub(super) struct Keyspace {
    /// Its replication, `class` among it.
    pub replication: BTreeMap<String, String>,
    pub durable_writes: bool,
}

/// The keyspace of the URL, if it is there.
pub(super) async fn keyspace(lane: &Lane) -> Done<Option<Keyspace>> {
    let text =
        "SELECT replication, durable_writes FROM system_schema.keyspaces WHERE keyspace_name = ?";
    let answer = lane.run(text, Consistency::One, (&lane.place.keyspace,)).await?;
    let rows = answer.into_rows_result().map_err(Failure::answer)?;
    let row = rows.maybe_first_row::<(HashMap<String, String>, bool)>().map_err(Failure::answer)?;
    Ok(row.map(|(replication, durable_writes)| Keyspace {
        replication: replication.into_iter().collect(),
        durable_writes,
    }))
}

/// Makes the keyspace where it is missing.
pub(super) async fn make_keyspace(lane: &Lane) -> Done<()> {
    if keyspace(lane).await?.is_some() {
        return Ok(());
    }
    let options = lane.options();
    let replication = options.replication.clone().unwrap_or(Replication::Each(1));
    lane.alter(format!(
        "CREATE KEYSPACE IF NOT EXISTS \"{}\" WITH replication = {} AND durable_writes = {}",
        lane.place.keyspace,
        replication.cql(),
        options.durable_writes.unwrap_or(true)
    ))
    .await
}

/// Names and types of a table's columns, with the kind of each; none where there is no such table.
pub(super) async fn columns(lane: &Lane, table: &str) -> Done<HashMap<String, (String, String)>> {
    let text = "SELECT column_name, type, kind FROM system_schema.columns WHERE keyspace_name = ? \
                AND table_name = ?";
    let answer = lane.run(text, Consistency::One, (&lane.place.keyspace, table)).await?;
    let rows = answer.into_rows_result().map_err(Failure::answer)?;
    let rows = rows.rows::<(String, String, String)>().map_err(Failure::answer)?;
    rows.map(|row| row.map(|(name, of, kind)| (name, (of, kind))).map_err(Failure::answer))
        .collect()
}

/// The tables of look-ups that are there.
pub(super) async fn lookups(lane: &Lane) -> Done<Vec<String>> {
    let text = "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?";
    let answer = lane.run(text, Consistency::One, (&lane.place.keyspace,)).await?;
    let rows = answer.into_rows_result().map_err(Failure::answer)?;
    let rows = rows.rows::<(String,)>().map_err(Failure::answer)?;
    let all = rows.map(|row| row.map(|(name,)| name).map_err(Failure::answer));
    Ok(all.collect::<Done<Vec<_>>>()?.into_iter().filter(|n| n.starts_with(LOOKUP)).collect())
}

/// Whether a table of these columns is one that this module works with: its key is YCSB's.
pub(super) fn is_ours(columns: &HashMap<String, (String, String)>) -> bool {
    columns.get(KEY).is_some_and(|(of, kind)| of == "text" && kind == "partition_key")
        && columns.values().filter(|(_, kind)| kind != "regular" && kind != "static").count() == 1
}

/// What options say of a table that a load makes, as CREATE TABLE has it.
pub(super) fn table_options(lane: &Lane) -> String {
    let options = lane.options();
    let mut parts = Vec::new();
    if let Some(rows) = &options.row_cache {
        parts.push(format!("caching = {{'keys': 'ALL', 'rows_per_partition': '{rows}'}}"));
    }
    match options.compression {
        None => {}
        Some("") => parts.push("compression = {'enabled': 'false'}".to_owned()),
        Some(class) => parts.push(format!("compression = {{'class': '{class}'}}")),
    }
    match parts.is_empty() {
        true => String::new(),
        false => format!(" WITH {}", parts.join(" AND ")),
    }
}

/// Makes the table of a collection where it is missing.
pub(super) async fn make_table(lane: &Lane, name: &str, tried: &str) -> Result<()> {
    let failed = |e: Failure| e.into_error(super::error::Doing::Write, tried);
    let there = columns(lane, name).await.map_err(failed)?;
    if there.is_empty() {
        let text = format!(
            "CREATE TABLE IF NOT EXISTS {} ({KEY} varchar PRIMARY KEY){}",
            lane.table(name),
            table_options(lane)
        );
        return lane.alter(text).await.map_err(failed);
    }
    match is_ours(&there) {
        true => Ok(()),
        false => Err(Error::new(
            ErrorKind::Unavailable,
            tried,
            format!("the table {name} is there and is not ours: its key is not {KEY} varchar"),
        )
        .advise("drop it, or name another keyspace")),
    }
}

/// Gives a table the text columns of these that it lacks.
pub(super) async fn add_columns(lane: &Lane, table: &str, wanted: &[&str]) -> Done<()> {
    // Somebody else may add them at the same time: then one of the two finds them there the next time.
    for last in [false, false, true] {
        let _turn = lane.altering.lock().await;
        let there = columns(lane, table).await?;
        if there.is_empty() {
            return Err(Failure::Missing(format!("there is no collection {table}")));
        }
        if !is_ours(&there) {
            return Err(Failure::Missing(format!("the key of {table} is not {KEY} varchar")));
        }
        let no_text = |name: &&&str| there.get(**name).is_some_and(|(of, _)| of != "text");
        if let Some(name) = wanted.iter().find(no_text) {
            return Err(Failure::Invalid(format!("the column {name} of {table} is no text")));
        }
        let missing = wanted.iter().filter(|name| !there.contains_key(**name));
        let parts: Vec<_> = missing.map(|name| format!("\"{name}\" varchar")).collect();
        if parts.is_empty() {
            return Ok(());
        }
        let text = format!("ALTER TABLE {} ADD ({})", lane.table(table), parts.join(", "));
        match lane.alter(text).await {
            Ok(()) => return Ok(()),
            Err(e) if last => return Err(e),
            Err(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replication_is_a_number_or_one_for_each_datacenter() {
        let keyspace = |pairs: &[(&str, &str)]| Keyspace {
            replication: pairs.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect(),
            durable_writes: true,
        };
        let three = Replication::parse("3").unwrap();
        assert_eq!(three.cql(), "{'class': 'NetworkTopologyStrategy', 'replication_factor': 3}");
        let simple = keyspace(&[("class", "SimpleStrategy"), ("replication_factor", "3")]);
        let two = keyspace(&[("class", "NetworkTopologyStrategy"), ("dc1", "3"), ("dc2", "2")]);
        assert!(three.is_of(&simple) && !three.is_of(&two));
        let named = Replication::parse("dc2:2,dc1:3").unwrap();
        assert_eq!(named.cql(), "{'class': 'NetworkTopologyStrategy', 'dc1': 3, 'dc2': 2}");
        assert!(named.is_of(&two) && !named.is_of(&simple));
        for bad in ["0", "101", "-1", "dc1", "dc1:", "dc1:x", "dc':1", "class:3", ",", "dc1:3,"] {
            assert!(Replication::parse(bad).is_err(), "{bad}");
        }
    }
}
