//! What is remembered beside the collections: the benchmark's note, how far a load has come, whether the
//! joining table is whole. A table of names and texts.
//!
//! The note is written by lightweight transactions alone and read at their consistency, so that comparing and
//! setting it is one step. Each attempt carries an id: where its outcome is unknown, the id says afterwards
//! whether it was this one that won.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use scylla::deserialize::row::ColumnIterator;
use scylla::response::query_result::QueryResult;
use scylla::statement::Consistency;
use serde_json::Value;

use super::error::{Done, Failure};
use super::lane::Lane;
use super::schema;

/// The table.
pub(super) const NOTES: &str = "hoap_notes";
const NOTE: &str = "note";
/// The name under which the joining table is noted when it is whole.
pub(super) const JOINED: &str = "joined";

/// What the names begin with under which it is kept what a table of look-ups is made of.
pub(super) const LOOKUP: &str = "index ";

/// The name under which the progress of a part is kept.
pub(super) fn progress(part: &str, collection: &str) -> String {
    format!("progress {collection} {part}")
}

/// Makes keyspace and table where they are missing.
pub(super) async fn make(lane: &Lane) -> Done<()> {
    if !schema::columns(lane, NOTES).await?.is_empty() {
        return Ok(());
    }
    schema::make_keyspace(lane).await?;
    let table = lane.table(NOTES);
    lane.alter(format!(
        "CREATE TABLE IF NOT EXISTS {table} (name varchar PRIMARY KEY, value varchar, writer varchar)"
    ))
    .await
}

/// The value and the writer of a name.
async fn read(
    lane: &Lane,
    name: &str,
    consistency: Consistency,
) -> Done<Option<(String, Option<String>)>> {
    let text = format!("SELECT value, writer FROM {} WHERE name = ?", lane.table(NOTES));
    let answer = match lane.run(text, consistency, (name,)).await {
        Err(e) if e.is_missing() => return Ok(None),
        answer => answer?,
    };
    let rows = answer.into_rows_result().map_err(Failure::answer)?;
    rows.maybe_first_row().map_err(Failure::answer)
}

/// What is kept under a name that [`set`] wrote.
pub(super) async fn get(lane: &Lane, name: &str) -> Done<Option<String>> {
    let consistency = lane.options().read_consistency;
    Ok(read(lane, name, consistency).await?.map(|(value, _)| value))
}

/// What is kept under all names that begin so, without that beginning.
pub(super) async fn all(lane: &Lane, beginning: &str) -> Done<Vec<(String, String)>> {
    let text = format!("SELECT name, value FROM {}", lane.table(NOTES));
    let answer = match lane.run(text, lane.options().read_consistency, ()).await {
        Err(e) if e.is_missing() => return Ok(Vec::new()),
        answer => answer?,
    };
    let rows = answer.into_rows_result().map_err(Failure::answer)?;
    let mut all = Vec::new();
    for row in rows.rows::<(&str, &str)>().map_err(Failure::answer)? {
        let (name, value) = row.map_err(Failure::answer)?;
        if let Some(name) = name.strip_prefix(beginning) {
            all.push((name.to_owned(), value.to_owned()));
        }
    }
    Ok(all)
}

/// Keeps a value under a name.
pub(super) async fn set(lane: &Lane, name: &str, value: &str) -> Done<()> {
    let text = format!("INSERT INTO {} (name, value) VALUES (?, ?)", lane.table(NOTES));
    lane.run(text, lane.options().write_consistency, (name, value)).await.map(drop)
}

fn json(text: &str) -> Done<Value> {
    serde_json::from_str(text).map_err(|e| Failure::Broken(format!("the note is no JSON: {e}")))
}

/// How often a step of a lightweight transaction is tried that times out.
const ATTEMPTS: u32 = 12;

/// The note's text and its writer, as lightweight transactions have agreed on them. Such a read is a
/// lightweight transaction itself: where many meet, some time out and come again, and so do those that a replica
/// fails which does not know the table yet.
async fn agreed(lane: &Lane) -> Done<Option<(String, Option<String>)>> {
    for _ in 1..ATTEMPTS {
        match read(lane, NOTE, lane.serial()).await {
            Err(e) if e.is_unsure() || e.failed_on_a_replica() => rest().await,
            there => return there,
        }
    }
    read(lane, NOTE, lane.serial()).await
}

/// A number that no other attempt has.
pub(super) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A pause that is another one for each of those who meet.
async fn rest() {
    tokio::time::sleep(Duration::from_millis(20 + random() % 400)).await;
}

/// The benchmark's note.
pub(super) async fn note(lane: &Lane) -> Done<Option<Value>> {
    let there = agreed(lane).await?;
    there.map(|(text, _)| json(&text)).transpose()
}

/// Replaces the note if it still is `expected`, and says whether it was.
pub(super) async fn set_note(lane: &Lane, expected: Option<&Value>, note: &Value) -> Done<bool> {
    make(lane).await?;
    let (table, new) = (lane.table(NOTES), note.to_string());
    let writer = format!("{:016x}", random());
    let mut unsure = 0;
    loop {
        let there = agreed(lane).await?;
        if there.as_ref().is_some_and(|(_, by)| by.as_ref() == Some(&writer)) {
            return Ok(true);
        }
        // Objects are equal whatever the order of their names, texts are not.
        if there.as_ref().map(|(text, _)| json(text)).transpose()?.as_ref() != expected {
            return Ok(false);
        }
        let consistency = lane.options().write_consistency;
        let done = match &there {
            None => {
                let text = format!(
                    "INSERT INTO {table} (name, value, writer) VALUES (?, ?, ?) IF NOT EXISTS"
                );
                lane.run(text, consistency, (NOTE, &new, &writer)).await
            }
            Some((old, _)) => {
                let text =
                    format!("UPDATE {table} SET value = ?, writer = ? WHERE name = ? IF value = ?");
                lane.run(text, consistency, (&new, &writer, NOTE, old)).await
            }
        };
        match done {
            // Where it was not, somebody was faster; where it cannot be known, what is there says which.
            Ok(answer) => {
                if applied(answer)? {
                    return Ok(true);
                }
            }
            // The node that was asked, or a replica, does not know yet of the table that somebody has just made.
            Err(e) if (e.is_missing() || e.failed_on_a_replica()) && unsure < ATTEMPTS => {
                unsure += 1;
                lane.agree().await?;
            }
            Err(e) if e.is_unsure() && unsure < ATTEMPTS => {
                unsure += 1;
                rest().await;
            }
            Err(e) => return Err(e),
        }
    }
}

/// What a lightweight transaction answers first: whether it was applied.
pub(super) fn applied(answer: QueryResult) -> Done<bool> {
    let rows = answer.into_rows_result().map_err(Failure::answer)?;
    let mut rows = rows.rows::<ColumnIterator<'_, '_>>().map_err(Failure::answer)?;
    let first = rows.next().transpose().map_err(Failure::answer)?.and_then(|mut row| row.next());
    match first.transpose().map_err(Failure::answer)?.and_then(|column| column.slice) {
        Some(truth) if truth.as_slice().len() == 1 => Ok(truth.as_slice()[0] != 0),
        _ => Err(Failure::answer("it does not say whether it was applied")),
    }
}
