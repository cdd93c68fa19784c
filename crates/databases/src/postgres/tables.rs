//! The notes and the progress of loads, which are tables, and what the catalogue has.

use hoap_workload::{Error, ErrorKind, Result};

use super::connection::Connection;
use super::error;

/// Notes, JSON texts by their names: the benchmark's, and the state of the load that was settled
/// last.
pub(super) const NOTES: &str =
    "CREATE TABLE IF NOT EXISTS hoap_note (name text NOT NULL PRIMARY KEY, value text NOT NULL)";

/// The progress of each part of a load, saved in the transaction that writes the documents.
pub(super) const PROGRESS: &str = "CREATE TABLE IF NOT EXISTS hoap_load (
    part text NOT NULL, collection text NOT NULL, position bigint NOT NULL,
    PRIMARY KEY (part, collection))";

pub(super) async fn commit(connection: &Connection, tried: impl Fn() -> String) -> Result<()> {
    let done = connection.client.batch_execute("COMMIT").await;
    done.map_err(|e| error::commit(&e, tried()))
}

/// Whether the schema has a table or an index of this name.
pub(super) async fn exists(
    connection: &Connection,
    name: &str,
) -> std::result::Result<bool, tokio_postgres::Error> {
    let text =
        "SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = current_schema() AND c.relname = $1)";
    connection.client.query_one(text, &[&name]).await?.try_get(0)
}

/// The columns of a table, with their types; empty where there is none.
pub(super) async fn columns(
    connection: &Connection,
    name: &str,
) -> std::result::Result<String, tokio_postgres::Error> {
    let text = "SELECT coalesce(string_agg(a.attname || ' ' || format_type(a.atttypid, NULL), ', '
                                           ORDER BY a.attnum), '')
                FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = current_schema() AND c.relname = $1
                AND a.attnum > 0 AND NOT a.attisdropped";
    connection.client.query_one(text, &[&name]).await?.try_get(0)
}

/// The error of a table or an index of this name that another program made.
pub(super) fn foreign(name: &str, tried: String) -> Error {
    Error::new(ErrorKind::Unavailable, tried, format!("{name} is there and is not ours"))
        .advise("drop it, or name another schema or database")
}

/// The note of this name, locked where it is read to be changed.
pub(super) async fn read_note(
    connection: &Connection,
    name: &str,
    change: bool,
) -> std::result::Result<Option<String>, tokio_postgres::Error> {
    let lock = if change { "FOR UPDATE" } else { "" };
    let text = format!("SELECT value FROM hoap_note WHERE name = $1 {lock}");
    let row = connection.client.query_opt(&text, &[&name]).await?;
    row.map(|row| row.try_get(0)).transpose()
}

pub(super) async fn write_note(
    connection: &Connection,
    name: &str,
    value: &str,
) -> std::result::Result<(), tokio_postgres::Error> {
    let text = "INSERT INTO hoap_note (name, value) VALUES ($1, $2)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    connection.client.execute(text, &[&name, &value]).await.map(drop)
}
