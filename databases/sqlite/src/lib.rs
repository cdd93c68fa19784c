//! SQLite, embedded: `sqlite:PATH[?option=value&…]`. The options are in [`OPTIONS`].
//!
//! Read [`connection`] and [`writer`] first.
//!
//! # Mapping
//! A collection is a table `(key TEXT NOT NULL PRIMARY KEY, doc BLOB NOT NULL)` with the document
//! as JSONB. An index is an index on the expressions `doc ->> '$.path'` in the order of its fields.
//! Query texts read documents in the same words, `doc ->> '$.o_id'` and
//! `jsonb_each(doc, '$.o_orderline')`, so that the indexes serve them too. The tables `hoap_note`
//! and `hoap_load` hold the note of the load and its progress.
//!
//! # Durability
//! The file is in write-ahead-log mode. With `synchronous=full`, the default, a commit returns when
//! its log is on the disk: it survives a loss of the process, the system and the power. With
//! `normal` a power failure may lose the last commits and leaves the file intact; with `off` it may
//! destroy the file. With each of them the process may be killed at any moment.
//!
//! Bulk loading runs at `synchronous=normal`: each batch and its progress are one transaction, so a
//! power failure loses the last batches *and* their progress, and the load resumes from there.
//! Settling moves the whole log into the file and syncs it: then the load is durable.
//!
//! # Isolation
//! Serializable. A reader sees one snapshot throughout; it neither waits for writers nor delays
//! them. Writers run one at a time: each takes the write lock when it begins, so that its reads are
//! never stale at the commit. Within a process writers queue in the order of arrival; processes
//! poll for the lock. `busy_timeout_ms` limits the wait, which then ends in a conflict: only at the
//! begin of a transaction.
//!
//! # Limits
//! * One writer runs at a time, whatever the number of clients and processors: more clients
//!   lengthen the queue.
//! * The log cannot be reset while a reader needs an old snapshot: it grows during long queries,
//!   and slows all reads down.
//! * The commit that brings the log to `checkpoint_pages` also moves it into the file, within its
//!   own response time.
//! * A file on a network file system is not supported by SQLite's log.

mod analytics;
mod bulk;
pub mod changes;
mod connection;
mod database;
mod documents;
mod engine;
mod error;
mod export;
#[doc(hidden)]
pub mod fuzz;
mod key_value;
mod options;
mod own;
mod patch;
mod settings;
mod shop;
mod sql;
mod transaction;
mod writer;

use std::sync::Arc;

use hoap_database::Database;
use hoap_record::Result;
use writer::Writer;

pub use analytics::DIALECT;
pub use database::SqliteEngine;
pub use options::OPTIONS;

/// It offers all.
pub const OFFERS: hoap_database::Offers = hoap_database::Offers(&[]);

/// Opens a `sqlite:` URL. Looks at the file only when it is used, and makes a missing one only to
/// load it.
///
/// # Errors
/// Returns [`hoap_record::ErrorKind::Invalid`] where the URL is wrong.
pub fn open(url: &str) -> Result<Database> {
    let (path, options) = options::parse(url)?;
    let database = Arc::new(connection::Database { url: url.to_owned(), path, options });
    Ok(Database::new(SqliteEngine { writer: Arc::new(Writer::new(database)) }))
}
