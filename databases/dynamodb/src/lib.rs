//! Amazon DynamoDB: `dynamodb://REGION[?option=value&…]`, by AWS's own driver. The options are in
//! [`OPTIONS`]. Credentials are found as the AWS command line finds them: environment, profiles,
//! roles of containers and instances.
//!
//! Read [`layout`] and [`server`] first, then [`open_transaction`].
//!
//! # Mapping
//! A collection is a table with a string for its key; the fields of a document are top-level
//! attributes of its item ([`value`]). An index is a table of entries ([`index`]). A table of notes
//! has the benchmark's note and the progress of loads.
//!
//! # Transactions
//! The service takes the writes of a transaction in one request. Reads go out at once; writes wait
//! for the commit, which is one TransactWriteItems on the condition that nothing has changed since
//! ([`open_transaction`], [`commit`]).
//!
//! # Requests
//! The driver retries only where an option says so: a throttled or failed request fails the
//! operation. Requests, their outcomes and the capacity that they consumed are counted
//! ([`counters`]).
//!
//! # Limits
//! * An item holds 400 KB, a transaction 100 items and 4 MB.
//! * A scan of a whole collection is no snapshot ([`documents`]), a batch of a load is not atomic
//!   ([`bulk`]).
//! * A search does not see documents that appear between it and the commit ([`open_transaction`]).

mod bulk;
mod commit;
mod counters;
mod database;
mod describe;
mod documents;
mod each;
mod error;
mod files;
#[doc(hidden)]
pub mod fuzz;
mod index;
mod key_value;
mod layout;
mod open_transaction;
mod options;
mod overlay;
mod reading;
mod search;
mod server;
mod shop;
mod tables;
mod transaction;
mod value;

use hoap_database::Database;
use hoap_record::Result;

pub use database::{DynamoDbEngine, OFFERS};
pub use options::OPTIONS;

/// Opens a `dynamodb:` URL and asks the service which tables of its prefix there are.
///
/// # Errors
/// Returns [`hoap_record::ErrorKind::Invalid`] where the URL is wrong;
/// [`hoap_record::ErrorKind::Unavailable`] where the service cannot be reached, or credentials
/// are missing or refused.
pub async fn open(url: &str) -> Result<Database> {
    Ok(Database::new(DynamoDbEngine::open(options::parse(url)?).await?))
}
