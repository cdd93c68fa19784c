//! The names of collections.

/// The collection of the benchmark's note: a document `{_id, value}` with JSON text as its value.
pub(super) const NOTES: &str = "hoap_note";

/// The progress of each part of a load: `{_id: {part, collection}, position}`.
pub(super) const PROGRESS: &str = "hoap_load";

/// What names of collections must not begin with: it is MongoDB's or ours.
pub(super) const RESERVED: &[&str] = &["hoap_", "system"];
