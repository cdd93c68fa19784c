//! Redis and Valkey: `redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE][?option=value&…]`,
//! `rediss://` with TLS. The options are in [`OPTIONS`]. The environment variable `REDISCLI_AUTH`
//! has the password where the URL has none.
//!
//! Read [`layout`] and [`connection`] first.
//!
//! # Mapping
//! A document is a hash: a string of its object under its own name, as in YCSB's binding, any other
//! value as JSON text ([`document`]). The keys of a collection are a sorted set of equal scores,
//! which Redis keeps in the order of their bytes; scans read it. Each value of an indexed field has
//! such a set too ([`indexes`]).
//!
//! Lua scripts ([`script`]) run atomically: an insert with the key's entry in the set. A batch of a
//! load is a transaction with its progress ([`bulk`]).
//!
//! # Durability
//! The server's own settings decide (`appendonly`, `appendfsync`, `save`); each run records them.
//! With `wait_replicas` a write is acknowledged when that many replicas have it in memory;
//! otherwise its outcome is unknown.
//!
//! # Clusters
//! The driver finds the nodes and follows redirections. Nothing is atomic across nodes: [`bulk`]
//! says what that means for loading, [`key_value`] for inserts. The set of a collection's keys is
//! one key, on one node.
//!
//! # Limits
//! * A scan of a whole collection is no snapshot ([`documents`]).
//! * The server runs one command at a time; a long one, such as a batch of a load, delays all
//!   others.

mod answers;
mod bounded;
mod bulk;
mod connection;
mod database;
mod document;
mod documents;
mod error;
#[doc(hidden)]
pub mod fuzz;
mod indexes;
mod key_value;
mod layout;
mod notes;
mod operations;
mod options;
mod pages;
mod script;
mod server;
mod settle;
mod shop;

use hoap_database::Database;
use hoap_record::Result;

pub use database::{OFFERS, RedisEngine};
pub use options::OPTIONS;

/// Opens a `redis:` URL and asks the server for its version and settings.
///
/// # Errors
/// Returns [`hoap_record::ErrorKind::Invalid`] where the URL is wrong or does not fit the server;
/// [`hoap_record::ErrorKind::Unavailable`] where the server cannot be reached or refuses.
pub async fn open(url: &str) -> Result<Database> {
    let place = options::parse(url, std::env::var("REDISCLI_AUTH").ok().as_deref())?;
    let tried = format!("open {}", place.url);
    RedisEngine::open(place).await.map(Database::new).map_err(|e| e.into_error(tried))
}
