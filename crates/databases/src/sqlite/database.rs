//! The handle that [`super::open`] returns.

use std::sync::Arc;

use super::connection::Database;
use super::writer::Writer;
use crate::front::Front;
use crate::front::engine::Engine;

/// A SQLite database. Clones share the writing connection.
pub type Sqlite = Front<SqliteEngine>;

/// What is SQLite's of it.
pub struct SqliteEngine {
    pub(super) writer: Arc<Writer>,
}

impl SqliteEngine {
    pub(super) fn database(&self) -> &Database {
        &self.writer.database
    }
}

impl Engine for SqliteEngine {
    const RESERVED: &'static [&'static str] = &["sqlite_", "hoap_"];
    const BLOCKING: bool = true;

    fn url(&self) -> &str {
        &self.database().url
    }
}
