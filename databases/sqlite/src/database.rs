//! The handle that [`super::open`] returns.

use std::sync::Arc;

use super::connection::Database;
use super::writer::Writer;

/// A SQLite database. Clones share the writing connection.
#[derive(Clone)]
pub struct SqliteEngine {
    pub(super) writer: Arc<Writer>,
}

impl SqliteEngine {
    pub(super) fn database(&self) -> &Database {
        &self.writer.database
    }
}
