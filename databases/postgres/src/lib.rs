//! PostgreSQL: `postgres://[USER@]HOST[:PORT]/DATABASE[?option=value&…]`, as libpq names things.
//! The options are in [`OPTIONS`]. The password comes from `PGPASSWORD`, `PGPASSFILE` or
//! `~/.pgpass`, or from the URL where that is in a file.
//!
//! Read [`server`], [`connection`] and [`link`] first.
//!
//! # Mapping
//! A collection is a table `(key text COLLATE "C" PRIMARY KEY, doc jsonb NOT NULL)` in the schema
//! that the URL names. An index is an index on the expressions `doc -> 'a' -> 'b'` in the order of
//! its fields: jsonb has an order in which numbers order as numbers, whatever a field holds.
//! Numbers are `numeric` inside jsonb: money is exact. The tables `hoap_note` and `hoap_load` hold
//! the note of the load and its progress. PostgreSQL's text cannot hold U+0000: a key or document with
//! it is refused.
//!
//! # Durability
//! As the server is set, unless `synchronous_commit` says otherwise; the run folder records the
//! setting in force. Bulk loading commits asynchronously: a crash loses the last batches *and*
//! their progress, and the load resumes from there. Settling ends with a synchronous commit and,
//! where the user may, a checkpoint: then the load is durable.
//!
//! # Isolation
//! A transaction that only reads is REPEATABLE READ, READ ONLY (at `isolation=serializable`
//! SERIALIZABLE, READ ONLY): one snapshot, taken when it begins.
//! A transaction that writes runs at `isolation`. What it reads in order to change it is locked
//! (`FOR UPDATE`), so that READ COMMITTED loses no update either. There, transactions that change
//! the same document wait for each other; at the higher levels one of them is a conflict and runs
//! again.
//!
//! # Round trips
//! BEGIN goes out together with the first statement of a transaction that writes. A transaction
//! that only reads begins with a round trip of its own, in which it takes its snapshot. Statements
//! are prepared once per connection. A dropped transaction sends ROLLBACK and does not wait.
//!
//! # Answers that do not come
//! The driver sends statements one after the other and takes the answers in this order: behind an
//! answer that does not come nothing else may wait. After `answer_timeout_ms` the connection is
//! closed, which rolls an open transaction back, the server is asked to cancel what runs, and the
//! next operation connects again.

mod analytics;
mod bulk;
mod connection;
mod database;
mod documents;
mod error;
mod export;
#[doc(hidden)]
pub mod fuzz;
mod key_value;
mod layer;
mod link;
mod numeric;
mod options;
mod parameters;
mod password;
mod patch;
mod pooler;
mod server;
mod settings;
mod settle;
mod shop;
mod sql;
mod tables;
mod tls;
mod transaction;
mod types;

use std::sync::Arc;

use hoap_database::Database;
use hoap_record::Result;
use link::Pools;
use server::Server;

pub use analytics::DIALECT;
pub use database::PostgresEngine;
pub use options::OPTIONS;

/// It offers all.
pub const OFFERS: hoap_database::Offers = hoap_database::Offers(&[]);

/// Opens a `postgres:` URL. Connects only when it is used.
///
/// # Errors
/// Returns [`hoap_record::ErrorKind::Invalid`] where the URL is wrong, and
/// [`hoap_record::ErrorKind::Unavailable`] where a certificate cannot be read.
pub async fn open(url: &str) -> Result<Database> {
    Ok(Database::new(PostgresEngine { pools: Arc::new(Pools::new(Server::new(url)?)) }))
}
