//! The notes and the progress of loads, which are tables, and what the catalogue has.

use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use serde_json::Value;

use super::connection::Connection;
use crate::error::OrFail;

/// Notes, JSON values by their names: the benchmark's, and the state of the load that was settled
/// last.
pub(super) const NOTES: &str =
    "CREATE TABLE IF NOT EXISTS hoap_note (name text NOT NULL PRIMARY KEY, value text NOT NULL)";

/// The progress of each part of a load, saved in the transaction that writes the documents.
pub(super) const PROGRESS: &str = "CREATE TABLE IF NOT EXISTS hoap_load (
    part text NOT NULL, collection text NOT NULL, position bigint NOT NULL,
    PRIMARY KEY (part, collection))";

/// Begins a transaction that changes the catalogue, when no other one of the same name runs, of
/// whatever driver: `IF NOT EXISTS` does not wait for those who make the same thing. Dropping the
/// connection rolls it back.
pub(super) async fn begin_alone(connection: &Connection, name: &str) -> Done<()> {
    // What was made while it waited is seen at READ COMMITTED only.
    let begin = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL client_min_messages = warning";
    connection.client.batch_execute(begin).await.or_fail()?;
    let turn = "SELECT pg_advisory_xact_lock(1752130928, hashtext($1::text))";
    connection.client.execute(turn, &[&name]).await.or_fail()?;
    Ok(())
}

/// Commits what a connection of maintenance has done.
pub(super) async fn commit(connection: &mut Connection) -> Done<()> {
    connection.client.batch_execute("COMMIT").await.or_fail()?;
    connection.rest();
    Ok(())
}

/// Whether the schema has a table or an index of this name.
pub(super) async fn exists(connection: &Connection, name: &str) -> Done<bool> {
    let text =
        "SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = current_schema() AND c.relname = $1)";
    connection.client.query_one(text, &[&name]).await.or_fail()?.try_get(0).or_fail()
}

/// The columns of a table, with their types; empty where there is none.
pub(super) async fn columns(connection: &Connection, name: &str) -> Done<String> {
    let text = "SELECT coalesce(string_agg(a.attname || ' ' || format_type(a.atttypid, NULL), ', '
                                           ORDER BY a.attnum), '')
                FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = current_schema() AND c.relname = $1
                AND a.attnum > 0 AND NOT a.attisdropped";
    connection.client.query_one(text, &[&name]).await.or_fail()?.try_get(0).or_fail()
}

/// The failure of a table or an index of this name that another program made.
pub(super) fn foreign(name: &str) -> Failure {
    let answer = format!("{name} is there and is not ours");
    Failure::of(ErrorKind::Unavailable, answer, "name another schema or database")
}

/// The note of this name, locked where it is read to be changed.
pub(super) async fn read_note(
    connection: &Connection,
    name: &str,
    change: bool,
) -> Done<Option<Value>> {
    let lock = if change { "FOR UPDATE" } else { "" };
    let text = format!("SELECT value FROM hoap_note WHERE name = $1 {lock}");
    let row = connection.client.query_opt(&text, &[&name]).await.or_fail()?;
    let text: Option<String> = row.map(|row| row.try_get(0)).transpose().or_fail()?;
    text.map(|text| serde_json::from_str(&text)).transpose().map_err(Failure::broken)
}

pub(super) async fn write_note(connection: &Connection, name: &str, value: &Value) -> Done<()> {
    let text = "INSERT INTO hoap_note (name, value) VALUES ($1, $2)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    connection.client.execute(text, &[&name, &value.to_string()]).await.or_fail()?;
    Ok(())
}
