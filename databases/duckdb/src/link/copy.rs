//! Copying a collection that the file does not follow yet.

use hoap_database::Batch;
use hoap_database::failure::Done;
use hoap_sqlite::changes::Snapshot;

use super::super::load::Load;
use super::super::table;
use super::follower::Follower;
use crate::error::OrFail;

/// Bytes of documents that are written at once.
const BATCH_BYTES: usize = 16 << 20;

/// Writes the documents of a collection into a new table, in several transactions. The table counts
/// as copied once the transaction says so that brings the file to the snapshot.
pub(super) fn copy(follower: &Follower, snapshot: &Snapshot<'_>, collection: &str) -> Done<()> {
    follower.transaction(|connection| {
        table::unless_foreign(connection, collection)?;
        // What an interrupted copy left.
        table::drop(connection, collection)?;
        table::create(connection, follower.layout, collection)
    })?;
    let mut load = Load::on(follower.connection.try_clone().or_fail()?);
    let mut batch = Batch::default();
    let mut documents = 0;
    let mut write = |batch: &mut Batch, documents: u64| {
        let written = load.write(&follower.file, ("link", collection), batch, documents);
        batch.clear();
        written
    };
    snapshot.documents(collection, None, |key, text| {
        follower.goes_on()?;
        push(&mut batch, key, text);
        documents += 1;
        if batch.bytes() < BATCH_BYTES { Ok(()) } else { write(&mut batch, documents) }
    })?;
    if !batch.is_empty() {
        write(&mut batch, documents)?;
    }
    load.flush()
}

/// Appends a document to a batch.
pub(super) fn push(batch: &mut Batch, key: &str, text: &str) {
    batch.push(|to, document| {
        to.push_str(key);
        document.extend_from_slice(text.as_bytes());
    });
}
