//! MongoDB and Atlas: `mongodb://…` and `mongodb+srv://…` as MongoDB's manual writes them, with
//! options of `hoap` beside MongoDB's own; both are in [`OPTIONS`].
//!
//! Read [`server`] first.
//!
//! # Mapping
//! A collection is a collection, a document is a document with its key as `_id`. Whole numbers are
//! `int` or `long`, others `double`: money that a transaction adds is rounded to the cent by the
//! server, in the same step. An index is an ascending index on the paths of its fields. The
//! collections `hoap_note` and `hoap_load` hold the note of the load and its progress.
//!
//! # Transactions
//! Each client has a session, each transaction is a multi-document transaction, with read concern
//! `snapshot` and write concern `majority` unless options say otherwise. An error that the server
//! or the driver labels `TransientTransactionError` is a conflict. A commit labelled
//! `UnknownTransactionCommitResult` is sent again until its deadline, after which it is ambiguous.
//! Transactions require a replica set or a sharded cluster.
//!
//! # Loading
//! Batches are inserted unordered, and their progress afterwards. `--resume` writes again what a
//! crash left between the two: an existing document is replaced.
//!
//! # Answers that do not come
//! Each operation takes a connection of the driver's pool. Dropped before its answer, it takes the
//! connection along: the driver closes it, so that no late answer is taken for another one. A
//! session in whose transaction an answer did not come is given up too.

mod analytics;
mod bulk;
mod database;
mod documentdb;
mod documents;
mod encode;
mod error;
mod export;
#[doc(hidden)]
pub mod fuzz;
mod key_value;
mod layout;
mod options;
mod parsed_url;
mod patch;
mod server;
mod session;
mod settings;
mod settle;
mod shop;
mod sqlstate;
mod text;
mod transaction;
mod value;

use std::sync::Arc;

use hoap_database::Database;
use hoap_record::Result;
use server::Server;

pub use analytics::DIALECT;
pub use database::MongoDbEngine;
pub use options::OPTIONS;

/// It offers all; transactions require a replica set or a sharded cluster.
pub const OFFERS: hoap_database::Offers = hoap_database::Offers(&[]);

/// Opens a `mongodb:` or `mongodb+srv:` URL and asks the server for its version and deployment.
///
/// # Errors
/// Returns [`hoap_record::ErrorKind::Invalid`] where the URL is wrong, and
/// [`hoap_record::ErrorKind::Unavailable`] where no server answers or one refuses.
pub async fn open(url: &str) -> Result<Database> {
    Ok(Database::new(MongoDbEngine { server: Arc::new(Server::open(url).await?) }))
}
