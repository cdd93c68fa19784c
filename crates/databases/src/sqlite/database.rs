//! The handle that [`super::open`] returns.

use std::sync::Arc;

use super::writer::Writer;

/// A SQLite database. Clones share the writing connection.
#[derive(Clone)]
pub struct Sqlite {
    pub(super) writer: Arc<Writer>,
}
