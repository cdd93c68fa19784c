//! How much a database stores of what was loaded.

use serde::{Deserialize, Serialize};

/// What a database said that it stores, once a load was durable and indexed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// Where the bytes are.
    pub medium: Medium,
    /// All bytes: of an embedded database its file, of an in-memory database all that it holds,
    /// else the sum of the collections.
    pub bytes: u64,
    /// The collections; empty where the database knows only the whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<StoredCollection>,
}

/// Where a database keeps what it stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Medium {
    #[default]
    Disk,
    Memory,
}

impl Medium {
    /// As a text says it: "on disk".
    pub fn place(self) -> &'static str {
        match self {
            Medium::Disk => "on disk",
            Medium::Memory => "in memory",
        }
    }
}

/// A collection with its indexes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StoredCollection {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
}

impl Stored {
    /// The sum of collections on disk.
    pub fn sum(collections: Vec<StoredCollection>) -> Stored {
        let bytes = collections.iter().map(|of| of.bytes).sum();
        Stored { medium: Medium::Disk, bytes, collections }
    }
}
