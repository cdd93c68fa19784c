//! Names of keys.
//!
//! With the prefix `hoap`:
//!
//! * `hoap:COLLECTION:KEY` is a document, a hash.
//! * `hoap.keys:COLLECTION` holds the keys of a collection, a sorted set of equal scores: in the
//!   order of their bytes.
//! * `hoap.index:NAME:VALUE` holds the keys of the documents with this value in the field of an
//!   index, likewise; `hoap.values:NAME` is the set of these values.
//! * `hoap.notes` is a hash: the note, and a field for each collection, index and progress.
//!
//! Neither a prefix nor the name of a collection has a dot or a colon, so that no two names
//! collide.

/// The field of the benchmark's note.
pub(super) const NOTE: &str = "note";

/// The field that settling writes.
pub(super) const SETTLED: &str = "settled";

/// The prefix of the names of a collection's documents.
pub(super) fn documents(prefix: &str, collection: &str) -> String {
    format!("{prefix}:{collection}:")
}

/// The keys of a collection.
pub(super) fn keys(prefix: &str, collection: &str) -> String {
    format!("{prefix}.keys:{collection}")
}

/// The prefix of the names of an index's sets.
pub(super) fn index(prefix: &str, name: &str) -> String {
    format!("{prefix}.index:{name}:")
}

/// The values of an index.
pub(super) fn values(prefix: &str, name: &str) -> String {
    format!("{prefix}.values:{name}")
}

/// The hash of notes.
pub(super) fn notes(prefix: &str) -> String {
    format!("{prefix}.notes")
}

/// The field of an existing collection.
pub(super) fn collection_field(collection: &str) -> String {
    format!("collection {collection}")
}

/// The field of an index's definition.
pub(super) fn index_field(name: &str) -> String {
    format!("index {name}")
}

/// The beginning of the fields of progress.
pub(super) const PROGRESS: &str = "progress ";

/// The field of a part's progress.
pub(super) fn progress_field(part: &str, collection: &str) -> String {
    format!("{PROGRESS}{collection} {part}")
}
