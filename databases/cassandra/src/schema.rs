//! The keyspace and its tables: looking for them and making them.

use std::collections::HashMap;

use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use scylla::statement::Consistency;

use super::connection::Connection;
use super::replication::{Keyspace, Replication};
use crate::error::OrFail;

/// The column of the keys, as YCSB names it.
pub(super) const KEY: &str = "y_id";
/// The column of documents as JSON text.
pub(super) const DOCUMENT: &str = "doc";
/// The longest name of a table, letters (`SchemaConstants.NAME_LENGTH` of Cassandra).
pub(super) const LONGEST_NAME: usize = 48;

/// The keyspace of the URL, if it exists.
pub(super) async fn keyspace(connection: &Connection) -> Done<Option<Keyspace>> {
    let text =
        "SELECT replication, durable_writes FROM system_schema.keyspaces WHERE keyspace_name = ?";
    let answer = connection.run(text, Consistency::One, (&connection.place.keyspace,)).await?;
    let rows = answer.into_rows_result().or_fail()?;
    let row = rows.maybe_first_row::<(HashMap<String, String>, bool)>().or_fail()?;
    Ok(row.map(|(replication, durable_writes)| Keyspace {
        replication: replication.into_iter().collect(),
        durable_writes,
    }))
}

/// Makes the keyspace where it is missing.
pub(super) async fn make_keyspace(connection: &Connection) -> Done<()> {
    if keyspace(connection).await?.is_some() {
        return Ok(());
    }
    let options = connection.options();
    let replication = options.replication.clone().unwrap_or(Replication::Each(1));
    connection
        .alter(format!(
            "CREATE KEYSPACE IF NOT EXISTS \"{}\" WITH replication = {} AND durable_writes = {}",
            connection.place.keyspace,
            replication.cql(),
            options.durable_writes.unwrap_or(true)
        ))
        .await
}

/// The names of a table's columns, with the type and the kind of each; none where there is no such
/// table.
pub(super) async fn columns(
    connection: &Connection,
    table: &str,
) -> Done<HashMap<String, (String, String)>> {
    let text = "SELECT column_name, type, kind FROM system_schema.columns WHERE keyspace_name = ? \
                AND table_name = ?";
    let answer =
        connection.run(text, Consistency::One, (&connection.place.keyspace, table)).await?;
    let rows = answer.into_rows_result().or_fail()?;
    let rows = rows.rows::<(String, String, String)>().or_fail()?;
    let columns = rows.map(|row| row.map(|(name, of, kind)| (name, (of, kind))));
    columns.collect::<Result<_, _>>().or_fail()
}

/// Those of these columns that hold texts beside the key.
pub(super) fn texts(columns: HashMap<String, (String, String)>) -> impl Iterator<Item = String> {
    let text = |(name, (of, kind)): (String, (String, String))| {
        (of == "text" && kind == "regular").then_some(name)
    };
    columns.into_iter().filter_map(text)
}

/// Whether this module can use a table of these columns: its key is that of YCSB.
pub(super) fn is_ours(columns: &HashMap<String, (String, String)>) -> bool {
    columns.get(KEY).is_some_and(|(of, kind)| of == "text" && kind == "partition_key")
        && columns.values().filter(|(_, kind)| kind != "regular" && kind != "static").count() == 1
}

/// The options of a table that a load makes, in the syntax of CREATE TABLE.
pub(super) fn table_options(connection: &Connection) -> String {
    let options = connection.options();
    let mut parts = Vec::new();
    if let Some(rows) = &options.row_cache {
        parts.push(format!("caching = {{'keys': 'ALL', 'rows_per_partition': '{rows}'}}"));
    }
    match options.compression {
        None => {}
        Some("") => parts.push("compression = {'enabled': 'false'}".to_owned()),
        Some(class) => parts.push(format!("compression = {{'class': '{class}'}}")),
    }
    if options.ttl > 0 {
        parts.push(format!("default_time_to_live = {}", options.ttl));
    }
    if parts.is_empty() { String::new() } else { format!(" WITH {}", parts.join(" AND ")) }
}

/// Makes the table of a collection where it is missing.
pub(super) async fn make_table(connection: &Connection, name: &str) -> Done<()> {
    let there = columns(connection, name).await?;
    if there.is_empty() {
        let text = format!(
            "CREATE TABLE IF NOT EXISTS {} ({KEY} varchar PRIMARY KEY){}",
            connection.table(name),
            table_options(connection)
        );
        return connection.alter(text).await;
    }
    match is_ours(&there) {
        true => Ok(()),
        false => Err(Failure::of(
            ErrorKind::Unavailable,
            format!("the table {name} is there and is not ours: its key is not {KEY} varchar"),
            "name another keyspace",
        )),
    }
}

/// Adds those of these text columns that a table lacks.
pub(super) async fn add_columns(connection: &Connection, table: &str, wanted: &[&str]) -> Done<()> {
    // Another client may add them at the same time: then the next attempt finds them.
    for last in [false, false, true] {
        let _turn = connection.altering.lock().await;
        let there = columns(connection, table).await?;
        if there.is_empty() {
            return Err(Failure::missing(format!("there is no collection {table}")));
        }
        if !is_ours(&there) {
            return Err(Failure::missing(format!("the key of {table} is not {KEY} varchar")));
        }
        let no_text = |name: &&&str| there.get(**name).is_some_and(|(of, _)| of != "text");
        if let Some(name) = wanted.iter().find(no_text) {
            return Err(Failure::invalid(format!("the column {name} of {table} is no text")));
        }
        let missing = wanted.iter().filter(|name| !there.contains_key(**name));
        let parts: Vec<_> = missing.map(|name| format!("\"{name}\" varchar")).collect();
        if parts.is_empty() {
            return Ok(());
        }
        let text = format!("ALTER TABLE {} ADD ({})", connection.table(table), parts.join(", "));
        match connection.alter(text).await {
            Ok(()) => return Ok(()),
            Err(e) if last => return Err(e),
            Err(_) => {}
        }
    }
    Ok(())
}
