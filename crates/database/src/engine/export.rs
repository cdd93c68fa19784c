//! Collections that others made.

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::batch::Index;
use crate::failure::Done;

/// Collections that others made; see [`Database::export`](crate::Database::export).
#[async_trait]
pub trait Export: Send + Sync {
    /// Calls `each` for every document of a collection of whatever name, and returns the indexes.
    /// Nothing is written, and no lock is held for which a writer waits.
    async fn export(&self, collection: &str, each: &mut EachDocument<'_>) -> Done<Vec<Index>>;
}

/// Takes a document. Its error ends the export.
pub type EachDocument<'e> = dyn FnMut(Map<String, Value>) -> Done<()> + Send + 'e;
