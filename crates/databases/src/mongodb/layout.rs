//! The names of collections.

use hoap_workload::Result;

use crate::names;

/// The collection of the benchmark's note: a document `{_id, value}` with JSON text as its value.
pub(super) const NOTES: &str = "hoap_note";

/// The progress of each part of a load: `{_id: {part, collection}, position}`.
pub(super) const PROGRESS: &str = "hoap_load";

/// A checked name of a collection.
pub(super) fn name(name: &str) -> Result<&str> {
    names::collection(name, &["hoap_", "system"], usize::MAX)
}
