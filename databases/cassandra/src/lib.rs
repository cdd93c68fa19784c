//! Apache Cassandra, DataStax Enterprise, ScyllaDB:
//! `cassandra://[USER@]HOST[:PORT][,HOST…]/KEYSPACE?…`. The options are in [`OPTIONS`];
//! [`credentials`] says where user and password come from.
//!
//! Read [`database`] and [`connection`] first.
//!
//! # Mapping
//! A collection is a table whose partition key is the column `y_id`, as in YCSB's own binding. A
//! document of strings, such as a record of YCSB's, has a column for each member, which the first
//! load adds. Any other document is JSON text in the column `doc` ([`document`]).
//!
//! # What Cassandra promises
//! Each operation is one statement on one partition, at the consistency of the options. There are
//! no transactions of several documents. An INSERT replaces an existing row and an UPDATE creates a
//! missing one, so that neither tells whether the key existed. With `lwt=on` both are lightweight
//! transactions (Paxos), which check first and take several round trips among the replicas
//! ([`key_value`]).
//!
//! # Connections
//! The clients of a worker thread share a session of the driver and its connections to the nodes,
//! with their requests in flight together, as applications use the driver ([`runtimes`]). The
//! driver neither retries nor sends anything twice.
//!
//! # Limits
//! * A scan of a whole collection is no snapshot ([`documents`]).
//! * A batch of a load is not atomic ([`bulk`]).

mod bulk;
mod connection;
mod credentials;
mod database;
mod document;
mod documents;
mod error;
#[doc(hidden)]
pub mod fuzz;
mod joined;
mod key_value;
mod notes;
mod operations;
mod options;
mod pages;
mod parsed_url;
mod replication;
mod runtimes;
mod schema;
mod server;
mod shop;
mod statements;
mod tls;
mod values;

use hoap_database::Database;
use hoap_record::Result;

pub use database::{CassandraEngine, OFFERS};
pub use options::OPTIONS;

/// Opens a `cassandra:` URL and asks the cluster for its version and settings.
///
/// # Errors
/// Returns [`hoap_record::ErrorKind::Invalid`] where the URL is wrong or does not fit the
/// cluster; [`hoap_record::ErrorKind::Unavailable`] where the cluster cannot be reached or
/// refuses.
pub async fn open(url: &str) -> Result<Database> {
    let place = parsed_url::parse(url, &|name| std::env::var(name).ok())?;
    Ok(Database::new(CassandraEngine::open(place).await?))
}
