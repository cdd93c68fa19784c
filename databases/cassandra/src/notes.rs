//! The table of notes, texts by their names: the benchmark's note, the progress of loads, whether
//! the joining table is complete.
//!
//! The benchmark's note is written by lightweight transactions alone and read at their consistency,
//! so that comparing and setting it is atomic. Each attempt has an id: where the outcome is
//! unknown, a later read of the id tells whether the attempt succeeded.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use hoap_database::failure::{Done, Failure};
use scylla::deserialize::row::ColumnIterator;
use scylla::response::query_result::QueryResult;
use scylla::statement::Consistency;
use serde_json::Value;

use super::connection::Connection;
use super::error::{failed_on_a_replica, is_missing, misfit};
use super::schema;
use crate::error::OrFail;

/// The table.
pub(super) const NOTES: &str = "hoap_notes";
const NOTE: &str = "note";
/// The name of the note of a complete joining table.
pub(super) const JOINED: &str = "joined";

/// The name of the note of a part's progress.
pub(super) fn progress(part: &str, collection: &str) -> String {
    format!("progress {collection} {part}")
}

/// Makes keyspace and table where they are missing.
pub(super) async fn make(connection: &Connection) -> Done<()> {
    if !schema::columns(connection, NOTES).await?.is_empty() {
        return Ok(());
    }
    schema::make_keyspace(connection).await?;
    let table = connection.table(NOTES);
    connection.alter(format!(
        "CREATE TABLE IF NOT EXISTS {table} (name varchar PRIMARY KEY, value varchar, writer varchar)"
    ))
    .await
}

/// The value and the writer of a name.
async fn read(
    connection: &Connection,
    name: &str,
    consistency: Consistency,
) -> Done<Option<(String, Option<String>)>> {
    let text = format!("SELECT value, writer FROM {} WHERE name = ?", connection.table(NOTES));
    let answer = match connection.run(text, consistency, (name,)).await {
        Err(e) if is_missing(&e) => return Ok(None),
        answer => answer?,
    };
    let rows = answer.into_rows_result().or_fail()?;
    rows.maybe_first_row().or_fail()
}

/// The value of a note that [`set`] wrote.
pub(super) async fn get(connection: &Connection, name: &str) -> Done<Option<String>> {
    let consistency = connection.options().read_consistency;
    Ok(read(connection, name, consistency).await?.map(|(value, _)| value))
}

/// Writes a note.
pub(super) async fn set(connection: &Connection, name: &str, value: &str) -> Done<()> {
    let text = format!("INSERT INTO {} (name, value) VALUES (?, ?)", connection.table(NOTES));
    connection.run(text, connection.options().write_consistency, (name, value)).await.map(drop)
}

fn json(text: &str) -> Done<Value> {
    serde_json::from_str(text).map_err(|e| Failure::broken(format!("the note is no JSON: {e}")))
}

/// The attempts at a lightweight transaction that times out.
const ATTEMPTS: u32 = 12;

/// The note's text and its writer, as lightweight transactions have agreed on them. Such a read is
/// a lightweight transaction itself: it is tried again where it meets others and times out, and
/// where a replica fails it that does not know the table yet.
async fn agreed(connection: &Connection) -> Done<Option<(String, Option<String>)>> {
    for _ in 1..ATTEMPTS {
        match read(connection, NOTE, connection.serial()).await {
            Err(e) if e.may_be_applied || failed_on_a_replica(&e) => rest().await,
            there => return there,
        }
    }
    read(connection, NOTE, connection.serial()).await
}

/// A random number.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A random pause, which separates clients that have met.
async fn rest() {
    tokio::time::sleep(Duration::from_millis(20 + random() % 400)).await;
}

/// The benchmark's note.
pub(super) async fn note(connection: &Connection) -> Done<Option<Value>> {
    let there = agreed(connection).await?;
    there.map(|(text, _)| json(&text)).transpose()
}

/// Replaces the note if it is still `expected`; returns whether it was.
pub(super) async fn set_note(
    connection: &Connection,
    expected: Option<&Value>,
    note: &Value,
) -> Done<bool> {
    make(connection).await?;
    let (table, new) = (connection.table(NOTES), note.to_string());
    let writer = format!("{:016x}", random());
    let mut unsure = 0;
    loop {
        let there = agreed(connection).await?;
        if there.as_ref().is_some_and(|(_, by)| by.as_ref() == Some(&writer)) {
            return Ok(true);
        }
        // The order of names matters to texts, not to objects.
        if there.as_ref().map(|(text, _)| json(text)).transpose()?.as_ref() != expected {
            return Ok(false);
        }
        let consistency = connection.options().write_consistency;
        let done = match &there {
            None => {
                let text = format!(
                    "INSERT INTO {table} (name, value, writer) VALUES (?, ?, ?) IF NOT EXISTS"
                );
                connection.run(text, consistency, (NOTE, &new, &writer)).await
            }
            Some((old, _)) => {
                let text =
                    format!("UPDATE {table} SET value = ?, writer = ? WHERE name = ? IF value = ?");
                connection.run(text, consistency, (&new, &writer, NOTE, old)).await
            }
        };
        match done {
            // If not, another writer was faster: the next read tells.
            Ok(answer) => {
                if applied(answer)? {
                    return Ok(true);
                }
            }
            // The node, or a replica, does not know yet the table that another client has just
            // made.
            Err(e) if (is_missing(&e) || failed_on_a_replica(&e)) && unsure < ATTEMPTS => {
                unsure += 1;
                connection.agree().await?;
            }
            Err(e) if e.may_be_applied && unsure < ATTEMPTS => {
                unsure += 1;
                rest().await;
            }
            Err(e) => return Err(e),
        }
    }
}

/// Whether a lightweight transaction was applied: the first column of its answer.
pub(super) fn applied(answer: QueryResult) -> Done<bool> {
    let rows = answer.into_rows_result().or_fail()?;
    let mut rows = rows.rows::<ColumnIterator<'_, '_>>().or_fail()?;
    let first = rows.next().transpose().or_fail()?.and_then(|mut row| row.next());
    match first.transpose().or_fail()?.and_then(|column| column.slice) {
        Some(truth) if truth.as_slice().len() == 1 => Ok(truth.as_slice()[0] != 0),
        _ => Err(misfit("it does not say whether it was applied")),
    }
}
