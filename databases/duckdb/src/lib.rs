//! DuckDB, embedded: `duckdb:PATH[?option=value&…]`. The options are in [`OPTIONS`].
//!
//! Read [`file`], [`table`] and [`load`] first.
//!
//! # Mapping
//! With `layout=columns` a collection is a table with the key, `hoap_key`, and a column for each
//! field of its documents, with the type of its values: an object is a STRUCT, an array a LIST, an
//! integer BIGINT, another number DOUBLE, a string VARCHAR. With `layout=json` it is a table with
//! the key and one JSON column, and a view with the same columns as before over it. The tables
//! `hoap_note`, `hoap_load` and `hoap_kind` hold the note of the load, its progress, and the types.
//!
//! # Durability
//! A commit is in the log of the file, synced, before it returns. A load commits many batches, with
//! their progress, at once; see [`load`].
//!
//! # Isolation
//! A query reads one snapshot.
//!
//! # Limits
//! * One process writes a file, and no other can open it meanwhile; several can with
//!   `read_only=on`.
//! * Neither transactions nor records by key are offered: DuckDB stores columns in groups of
//!   122,880 rows, and a change of one document rewrites its columns there.
//! * Keys are not checked: a document that is written twice is there twice. A load writes each
//!   once.

mod analytics;
mod bulk;
mod column;
mod database;
mod documents;
mod error;
mod file;
mod fill;
#[doc(hidden)]
pub mod fuzz;
mod instance;
mod kind;
mod link;
mod load;
mod options;
mod own;
mod shop;
mod shred;
mod single;
mod table;
mod take;
mod value;

use hoap_database::Database;
use hoap_record::Result;
use instance::Instance;

pub use analytics::DIALECT;
pub use database::{DuckDbEngine, OFFERS};
pub use options::OPTIONS;

/// Opens a `duckdb:` URL. Looks at the file only when it is used, and makes a missing one only to
/// load it.
///
/// # Errors
/// Returns [`hoap_record::ErrorKind::Invalid`] where the URL is wrong, or this process uses the
/// file with other options.
pub fn open(url: &str) -> Result<Database> {
    let (path, mut options) = options::parse(url)?;
    let query_timeout = std::mem::take(&mut options.query_timeout);
    let instance = Instance::of(path, options);
    let instance = instance.map_err(|failure| failure.into_error(format!("open {url}")))?;
    Ok(Database::new(DuckDbEngine::new(url, instance, query_timeout)))
}
