//! SQLite, embedded: `sqlite:PATH[?option=value&…]`. The options are in [`OPTIONS`].
//!
//! # Mapping
//! A collection is a table `(key TEXT NOT NULL PRIMARY KEY, doc BLOB NOT NULL)` with the document
//! as JSONB. An index is an index on the expressions `doc ->> '$.path'` in the order of its fields.
//! Query texts read documents in the same words, `doc ->> '$.o_id'` and
//! `jsonb_each(doc, '$.o_orderline')`, so that the indexes serve them too. The tables `hoap_note`
//! and `hoap_load` hold what the database contains and how far a load has come.
//!
//! # Durability
//! The file is in write-ahead-log mode. With `synchronous=full`, the default, a commit returns when
//! its log is on the disk: it survives the process, the system and the power. With `normal` a power
//! loss may take the last commits and leaves the file sound; with `off` it may destroy the file. The
//! process may be killed at any moment with any of them.
//!
//! Bulk loading runs at `synchronous=normal`: each batch and its progress are one transaction, so a
//! power loss takes the last batches *and* their progress, and the load goes on from there. Settling
//! moves the whole log into the file and syncs it, after which the load is durable.
//!
//! # Isolation
//! Serializable. A reader sees one snapshot from its begin to its end; it neither waits for writers
//! nor makes them wait. Writers run one at a time: each takes the write lock when it begins, so it
//! never finds at its end that its reads were too old. Within a process writers queue in the order
//! of arrival; among processes they poll for the lock. Waiting is limited by `busy_timeout_ms` and
//! ends in a conflict, which can only happen at the begin of a transaction.
//!
//! # Limits
//! * One writer at a time, however many clients and processors: more clients make the queue longer.
//! * The log cannot be reset while any reader needs an old snapshot, so it grows during long
//!   queries, and everybody's reads get slower with it.
//! * The commit that brings the log to `checkpoint_pages` also moves it into the file and pays for
//!   that in its own response time.
//! * A file on a network file system is not supported by SQLite's log.

mod analytics;
mod bulk;
mod connection;
mod documents;
mod error;
mod key_value;
mod options;
mod patch;
mod shop;
mod sql;
mod transaction;
mod writer;

use std::collections::BTreeMap;
use std::sync::Arc;

use hoap_record::Description;
use hoap_workload::Result;
use hoap_workload::capability::{Analytics, Applicable, Blocking, Documents, Target, Transactions};

use connection::Database;
use writer::Writer;

pub use options::OPTIONS;

/// What it offers.
pub(crate) use crate::CAPABILITIES;

/// A SQLite database. Clones share the writing connection.
#[derive(Clone)]
pub struct Sqlite {
    shared: Arc<Shared>,
}

/// What all clients of one target share.
struct Shared {
    database: Arc<Database>,
    writer: Writer,
}

/// Opens a `sqlite:` URL. Looks at the file only when it is used, and makes a missing one only to
/// load it.
///
/// # Errors
/// [`hoap_workload::ErrorKind::Invalid`] where the URL is wrong.
pub fn open(url: &str) -> Result<Sqlite> {
    let (path, options) = options::parse(url)?;
    let database = Arc::new(Database { url: url.to_owned(), path, options });
    let writer = Writer::new(database.clone());
    Ok(Sqlite { shared: Arc::new(Shared { database, writer }) })
}

impl Blocking for Sqlite {
    fn blocking(&self) -> bool {
        true
    }
}

impl Target for Sqlite {
    fn description(&self) -> Description {
        let database = &self.shared.database;
        let settings = match database.settings() {
            Ok(settings) => settings.into_iter().collect(),
            Err(e) => BTreeMap::from([("settings".to_owned(), format!("unknown: {e}"))]),
        };
        Description {
            url: database.url.clone(),
            name: "SQLite".to_owned(),
            version: rusqlite::version().to_owned(),
            settings,
        }
    }

    fn documents(&self) -> Applicable<&dyn Documents> {
        Ok(self)
    }

    fn transactions(&self) -> Applicable<&dyn Transactions> {
        Ok(self)
    }

    fn analytics(&self) -> Applicable<&dyn Analytics> {
        Ok(self)
    }
}
