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
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
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

use std::collections::BTreeMap;
use std::sync::Arc;

use hoap_database::{Analytics, Applicable, Documents, NotApplicable, Target, Transactions};
use hoap_record::Description;
use hoap_record::Result;

use instance::Instance;

use crate::remote::{Remote, RemoteJoins, RemotePages};

pub use database::{DuckDb, DuckDbEngine};
pub use options::OPTIONS;

/// The capabilities.
pub(crate) const CAPABILITIES: &[&str] = &["documents", "analytics", "pagination", "join"];

const COLUMNS: &str = "it stores columns in groups of rows, and a change of one document rewrites its \
                       columns there";

/// What it lacks, and why.
pub(crate) const LACKS: &[crate::capabilities::Lack] =
    &[("transactions", COLUMNS), ("key-value", COLUMNS)];

/// Opens a `duckdb:` URL. Looks at the file only when it is used, and makes a missing one only to
/// load it.
///
/// # Errors
/// Returns [`hoap_record::ErrorKind::Invalid`] where the URL is wrong, or this process uses the
/// file with other options.
pub fn open(url: &str) -> Result<DuckDb> {
    let (path, options) = options::parse(url)?;
    let instance = Instance::of(path, options);
    let instance = instance.map_err(|failure| failure.into_error(format!("open {url}")))?;
    Ok(DuckDb::new(DuckDbEngine::new(url, instance)))
}

/// The database with all that it has.
pub(crate) fn remote(database: DuckDb) -> Remote {
    let key_value = Err(lacks("records by key"));
    let database = Arc::new(database);
    Remote {
        target: database.clone(),
        key_value,
        pages: Ok(RemotePages::new(database.clone())),
        joins: Ok(RemoteJoins::new(database)),
    }
}

/// What would change single documents.
fn lacks(capability: &'static str) -> NotApplicable {
    NotApplicable { capability, database: "DuckDB".to_owned(), because: COLUMNS }
}

impl Target for DuckDb {
    fn description(&self) -> Description {
        let settings = self.0.instance.file.settings().unwrap_or_else(|failure| {
            let error = failure.into_error("read the settings");
            BTreeMap::from([("settings".to_owned(), format!("unknown: {error}"))])
        });
        Description {
            url: self.0.url.clone(),
            name: "DuckDB".to_owned(),
            version: file::version(),
            settings,
        }
    }

    fn documents(&self) -> Applicable<&dyn Documents> {
        Ok(self)
    }

    fn transactions(&self) -> Applicable<&dyn Transactions> {
        Err(lacks("document transactions"))
    }

    fn analytics(&self) -> Applicable<&dyn Analytics> {
        Ok(self)
    }
}
