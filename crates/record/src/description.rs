//! What a run says of a database.

use std::collections::BTreeMap;

/// What a database is, as the run folder records it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Description {
    /// The URL without user, password and any secret option.
    pub url: String,
    /// "SQLite", "PostgreSQL", …
    pub name: String,
    /// As the database states it.
    pub version: String,
    /// Durability, consistency, caches and whatever else decides speed; name → value.
    pub settings: BTreeMap<String, String>,
}
