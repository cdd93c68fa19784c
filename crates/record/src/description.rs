//! The description of a database.

use std::collections::BTreeMap;

/// The description of a database in the run folder.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Description {
    /// The URL without user, password and any secret option.
    pub url: String,
    /// "SQLite", "PostgreSQL", …
    pub name: String,
    /// The version that the database reports.
    pub version: String,
    /// Durability, consistency, caches and other settings that determine speed; name → value.
    pub settings: BTreeMap<String, String>,
}
