//! Bringing the file that follows to a later snapshot of its source.

use std::collections::BTreeMap;

use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use hoap_sqlite::changes::Snapshot;

use super::super::table;
use super::follower::Follower;
use super::{apply, copy};
use crate::error::OrFail;

/// Brings the file to a snapshot of the source.
///
/// # Errors
/// The file is as it was, or lacks collections that were to be copied, and its note with them.
pub(super) fn advance(follower: &mut Follower, snapshot: &Snapshot<'_>) -> Done<()> {
    let there = snapshot.collections()?;
    // What an older copy of the file lacks may be pruned.
    let pruned = snapshot.first()? > follower.position + 1;
    let none = BTreeMap::new();
    forget(follower, if pruned { &none } else { &there })?;
    if follower.copied.is_empty() {
        // All are copied, perhaps of another database under the same name.
        follower.position = 0;
    }
    let last = snapshot.last()?;
    if last < follower.position {
        return Err(Failure::of(
            ErrorKind::Broken,
            format!("its log ends at {last}, and {} was applied", follower.position),
            "somebody changed the log: follow with a new file",
        ));
    }
    let new: Vec<_> =
        there.iter().filter(|(name, _)| !follower.copied.contains_key(*name)).collect();
    for (name, _) in &new {
        copy::copy(follower, snapshot, name)?;
    }
    let mut changed = snapshot.changed(follower.position)?;
    changed.retain(|name| follower.copied.contains_key(name));
    let note = snapshot.note()?;
    if new.is_empty() && changed.is_empty() && note == follower.note {
        follower.position = last;
        return Ok(());
    }
    let to = apply::To { position: last, note: note.as_deref(), copied: &new };
    apply::apply(follower, snapshot, &changed, &to)?;
    let new: Vec<_> = new.into_iter().map(|(name, of)| (name.clone(), of.clone())).collect();
    follower.copied.extend(new);
    (follower.position, follower.note) = (last, note);
    Ok(())
}

/// Drops the collections that the source dropped or made anew.
fn forget(follower: &mut Follower, there: &BTreeMap<String, String>) -> Done<()> {
    let copied = follower.copied.iter();
    let gone = copied.filter(|(name, of)| there.get(*name) != Some(*of));
    let gone: Vec<String> = gone.map(|(name, _)| name.clone()).collect();
    if gone.is_empty() {
        return Ok(());
    }
    // Whoever reads the file without the link finds no note of data that is not there.
    follower.transaction(|connection| {
        connection.execute_batch("DELETE FROM hoap_note").or_fail()?;
        for name in &gone {
            table::drop(connection, name)?;
            connection.execute("DELETE FROM hoap_follow WHERE collection = ?", [name]).or_fail()?;
        }
        Ok(())
    })?;
    follower.note = None;
    follower.copied.retain(|name, _| !gone.contains(name));
    Ok(())
}
