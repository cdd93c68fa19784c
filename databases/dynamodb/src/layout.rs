//! Names of tables and attributes.
//!
//! Documents keep the names of their own fields; the names that this module adds begin with an
//! underscore. No collection has a dot in its name, so that no other table is mistaken for one.

/// The key of a document, a string: the partition key of every collection's table.
pub(super) const KEY: &str = "_key";

/// The mark of the transaction that wrote a document last, a string that no other transaction has.
/// A document as it was loaded has none.
pub(super) const VERSION: &str = "_v";

/// The partition key and the sort key of an index entry: see [`crate::overlay::entries`].
pub(super) const PARTITION: &str = "_p";
#[allow(missing_docs)]
pub(super) const SORT: &str = "_s";

/// The attribute of a note's text.
pub(super) const VALUE: &str = "value";

/// The name of the benchmark's note.
pub(super) const NOTE: &str = "note";

/// The beginning of the names of the notes of progress.
pub(super) const PROGRESS: &str = "progress:";

/// The beginning of the names of the notes that define indexes.
pub(super) const INDEX: &str = "index:";

/// The longest name of a table, letters (Amazon DynamoDB Developer Guide, "Naming rules").
pub(super) const LONGEST_TABLE: usize = 255;

/// The table of a collection.
pub(super) fn table(prefix: &str, collection: &str) -> String {
    format!("{prefix}.{collection}")
}

/// The table of an index.
pub(super) fn index(prefix: &str, name: &str) -> String {
    format!("{prefix}.index.{name}")
}

/// The table of the notes.
pub(super) fn notes(prefix: &str) -> String {
    format!("{prefix}.hoap.notes")
}

/// The note of a part's progress in a collection.
pub(super) fn progress(part: &str, collection: &str) -> String {
    format!("{PROGRESS}{part}:{collection}")
}
