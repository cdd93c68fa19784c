//! What a run is, for those who watch it.

use std::collections::BTreeMap;

/// What a run is.
pub struct About<'a> {
    /// Its benchmark, as users type it.
    pub benchmark: &'a str,
    /// As people write it.
    pub title: &'a str,
    /// Its labels.
    pub labels: &'a BTreeMap<String, String>,
}
