//! Names of tables and attributes.
//!
//! Documents keep the names of their own fields; what this module adds begins with an underscore.
//! No collection has a dot in its name, so the other tables are never mistaken for one.

use hoap_workload::Result;

use crate::names;

/// The key of a document, a string: the partition key of every collection's table.
pub(super) const KEY: &str = "_key";

/// What a transaction that writes a document puts beside it: a string that no other write has used. A
/// document as it was loaded has none.
pub(super) const VERSION: &str = "_v";

/// Of an entry of an index: its partition, the rest of its values with the document's key, and that
/// key.
pub(super) const PARTITION: &str = "_p";
#[allow(missing_docs)]
pub(super) const SORT: &str = "_s";

/// The text of an entry among the notes.
pub(super) const VALUE: &str = "value";

/// The note of the benchmark, among the notes.
pub(super) const NOTE: &str = "note";

/// What the names of the notes begin with that say how far a part of a load has come.
pub(super) const PROGRESS: &str = "progress:";

/// What the names of the notes begin with that say what an index is made of.
pub(super) const INDEX: &str = "index:";

/// A checked name of a collection.
pub(super) fn collection(name: &str) -> Result<&str> {
    names::collection(name, &["hoap_"])
}

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
