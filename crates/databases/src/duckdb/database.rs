//! The handle that [`super::open`] returns.

use std::sync::Arc;

use super::instance::Instance;
use crate::front::Front;
use crate::front::engine::Engine;

/// A DuckDB database. Clones, and all others of the same file, share its instance.
pub type DuckDb = Front<DuckDbEngine>;

/// What is DuckDB's of it.
pub struct DuckDbEngine {
    /// As the user wrote it.
    pub(super) url: String,
    pub(super) instance: Arc<Instance>,
}

impl Engine for DuckDbEngine {
    const RESERVED: &'static [&'static str] = &["hoap_"];
    const BLOCKING: bool = true;

    fn url(&self) -> &str {
        &self.url
    }
}
