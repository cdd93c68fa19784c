//! Applying changes.

use duckdb::Connection;
use hoap_database::Batch;
use hoap_database::failure::{Done, Failure};
use hoap_sqlite::changes::Snapshot;

use super::super::kind::{Kind, quoted};
use super::super::shred::shred;
use super::super::table;
use super::copy::push;
use super::follower::Follower;
use crate::error::OrFail;

/// Documents that are read, and written, at once.
const CHUNK: usize = 8192;

/// What the transaction says beside the documents.
pub(super) struct To<'a> {
    pub position: i64,
    pub note: Option<&'a str>,
    /// Collections that were copied, with their generations.
    pub copied: &'a [(&'a String, &'a String)],
}

/// A collection whose table has no room for some documents, and the kind that has.
struct Wider {
    collection: String,
    before: Kind,
    after: Kind,
}

/// Brings the collections that changed to the snapshot, in one transaction. Where a table has to
/// change for that, it begins again after the change.
pub(super) fn apply(
    follower: &Follower,
    snapshot: &Snapshot<'_>,
    changed: &[String],
    to: &To<'_>,
) -> Done<()> {
    let after = follower.position;
    loop {
        let mut wider = None;
        let applied = follower.transaction(|connection| {
            for collection in changed {
                wider = bring(follower, connection, snapshot, collection, after)?;
                if wider.is_some() {
                    return Err(Failure::broken("a table is too narrow"));
                }
            }
            save(connection, to)
        });
        match wider {
            None => return applied,
            Some(Wider { collection, before, after }) => {
                table::change(&follower.connection, follower.layout, &collection, &before, &after)?;
            }
        }
    }
}

/// Replaces the documents of a collection that changed.
fn bring(
    follower: &Follower,
    connection: &Connection,
    snapshot: &Snapshot<'_>,
    collection: &str,
    after: i64,
) -> Done<Option<Wider>> {
    let kind = table::expect_kind(connection, collection)?;
    let (name, key) = (table::name(follower.layout, collection), table::KEY);
    connection
        .execute_batch(
            "CREATE TEMP TABLE IF NOT EXISTS hoap_changed (key VARCHAR NOT NULL);
         DELETE FROM hoap_changed",
        )
        .or_fail()?;
    let mut keys = connection.appender("hoap_changed").or_fail()?;
    snapshot.keys(collection, after, |key| keys.append_row([key]).or_fail())?;
    keys.flush().or_fail()?;
    drop(keys);
    let table = quoted(&name);
    let gone = format!("DELETE FROM {table} WHERE {key} IN (SELECT key FROM hoap_changed)");
    connection.execute_batch(&gone).or_fail()?;
    let mut appender = connection.appender(&name).or_fail()?;
    let (mut batch, mut wider) = (Batch::default(), None);
    let mut write = |batch: &mut Batch| {
        let (needed, chunks) = shred(batch, &kind, follower.layout)?;
        batch.clear();
        if needed != kind {
            let (collection, before) = (collection.to_owned(), kind.clone());
            wider = Some(Wider { collection, before, after: needed });
            return Err(Failure::broken("a table is too narrow"));
        }
        chunks.into_iter().try_for_each(|chunk| appender.append_record_batch(chunk).or_fail())
    };
    let written = snapshot
        .documents(collection, Some(after), |key, text| {
            follower.goes_on()?;
            push(&mut batch, key, text);
            if batch.len() < CHUNK { Ok(()) } else { write(&mut batch) }
        })
        .and_then(|()| if batch.is_empty() { Ok(()) } else { write(&mut batch) });
    if wider.is_some() {
        return Ok(wider);
    }
    written?;
    appender.flush().or_fail()?;
    Ok(None)
}

fn save(connection: &Connection, to: &To<'_>) -> Done<()> {
    for (collection, generation) in to.copied {
        connection
            .execute("INSERT INTO hoap_follow VALUES (?, ?)", [collection, generation])
            .or_fail()?;
    }
    connection.execute("UPDATE hoap_link SET position = ?", [to.position]).or_fail()?;
    connection.execute_batch("DELETE FROM hoap_note; DELETE FROM hoap_load").or_fail()?;
    if let Some(note) = to.note {
        connection.execute("INSERT INTO hoap_note VALUES (?)", [note]).or_fail()?;
    }
    Ok(())
}
