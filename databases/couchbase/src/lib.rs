//! Couchbase Server and Capella Operational:
//! `couchbase://[USER@]HOST[:PORT][,HOST…]/BUCKET[?option=value&…]`, `couchbases://` with TLS. The
//! options are in [`OPTIONS`]. The password comes from `CB_PASSWORD`, from a file, or from the URL
//! where that is in a file.
//!
//! Read [`server`] and [`query`] first.
//!
//! # Mapping
//! A collection is a collection of the scope that the URL names; documents are JSON under their
//! keys. An index is a global secondary index on its fields in their order. Each collection has a
//! primary index for scans by key. The collection `hoap_notes` holds the note of the load and its
//! progress.
//!
//! # Two protocols
//! Records by key and loading use the official driver and the data service. Everything else is
//! SQL++ over the query service's REST API; the clients take its nodes in turn. Statements that run
//! often are prepared, once per client.
//!
//! # Transactions
//! SQL++ statements between BEGIN WORK and COMMIT, as the papers run them; a transaction stays at
//! the node that began it. Transactions are *read committed*, and the service does not compare what
//! a statement changes with what an earlier one read. So a document that is read to be changed is
//! read with its CAS, and the first change requires that CAS: a change by another transaction in
//! between is a conflict, and no update is lost.
//!
//! # Loading
//! Upserts by key, many in flight, and then the progress: the two are not atomic. A load that was
//! interrupted writes its last batch again when it is resumed. An existing key is overwritten.

mod bulk;
mod database;
mod documents;
mod error;
#[doc(hidden)]
pub mod fuzz;
mod indexes;
mod key_value;
mod options;
mod patch;
mod query;
mod server;
mod settle;
mod shop;
mod sql;
mod transaction;

use hoap_database::Database;
use hoap_record::Result;
use server::Server;

pub use database::{CouchbaseEngine, OFFERS};
pub use options::OPTIONS;

/// Opens a `couchbase:` URL: connects the driver and asks the query service for its version. The
/// driver's connections belong to the runtime that this is called on.
///
/// # Errors
/// Returns [`hoap_record::ErrorKind::Invalid`] where the URL is wrong, and
/// [`hoap_record::ErrorKind::Unavailable`] where the cluster cannot be reached or refuses.
pub async fn open(url: &str) -> Result<Database> {
    let place = options::parse(url, &|name| std::env::var(name).ok())?;
    let tried = format!("open {}", place.url);
    let server = Server::open(place).await.map_err(|e| e.into_error(tried))?;
    Ok(Database::new(CouchbaseEngine { server }))
}
