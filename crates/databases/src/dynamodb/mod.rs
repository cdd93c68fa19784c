//! Amazon DynamoDB: `dynamodb://REGION[?option=value&…]`, by AWS's own driver. The options are in
//! [`OPTIONS`]. Credentials are found as the AWS command line finds them: environment, profiles, the roles
//! of containers and instances.
//!
//! # Mapping
//! A collection is a table with a string for its key; the fields of a document are attributes at the top
//! of its item ([`value`]). An index is a table of entries ([`index`]). A table of notes has the
//! benchmark's note and how far a load has come. Names are in [`layout`].
//!
//! # Transactions
//! The service takes a whole transaction at once, so reads go out when they come, writes wait for the
//! commit, and that is one TransactWriteItems on the condition that nothing has changed since
//! ([`open`]).
//!
//! # Requests
//! The driver sends no request again by itself unless an option says so: what is throttled or fails is
//! the operation's failure. Requests, how they ended and the capacity they consumed are counted
//! ([`counters`]).
//!
//! # Limits
//! * An item holds 400 KB, a transaction 100 items and 4 MB.
//! * A scan of a whole collection is no snapshot ([`documents`]), a batch of a load is not atomic ([`bulk`]).
//! * Searches see no documents that appear between them and the commit ([`open`]).

mod bulk;
mod counters;
mod describe;
mod documents;
mod error;
mod held;
mod index;
mod key_value;
mod layout;
mod open;
mod options;
mod reading;
mod search;
mod server;
mod tables;
mod transaction;
mod value;

use std::collections::BTreeMap;
use std::sync::Arc;

use hoap_record::Description;
use hoap_workload::Result;
use hoap_workload::capability::{
    Analytics, Applicable, Blocking, Documents, NotApplicable, Target, Transactions,
};

use crate::{Remote, RemoteKeyValue};
use server::Server;

pub use options::OPTIONS;

/// What it offers.
pub(crate) const CAPABILITIES: &[&str] = &["documents", "transactions", "key-value", "scans"];

/// DynamoDB in a region. Clones are the same one.
#[derive(Clone)]
pub struct DynamoDb {
    shared: Arc<Shared>,
}

struct Shared {
    server: Arc<Server>,
    description: Description,
}

/// Opens a `dynamodb:` URL and asks the service which tables of its prefix there are.
///
/// # Errors
/// [`hoap_workload::ErrorKind::Invalid`] where the URL is wrong;
/// [`hoap_workload::ErrorKind::Unavailable`] where the service cannot be reached, or there are no
/// credentials or not these.
pub async fn open(url: &str) -> Result<DynamoDb> {
    let server = Arc::new(Server::new(options::parse(url)?).await);
    let description = describe::describe(&server).await?;
    Ok(DynamoDb { shared: Arc::new(Shared { server, description }) })
}

impl DynamoDb {
    /// With what it lacks, and why.
    pub(crate) fn remote(self) -> Remote {
        let because =
            "its indexes hold no nested field such as address.country, and it has no join";
        let target = Arc::new(self);
        Remote {
            key_value: Ok(RemoteKeyValue::new(target.clone())),
            target,
            pages: not_applicable("pagination and join", because),
            joins: not_applicable("pagination and join", because),
        }
    }

    fn server(&self) -> &Server {
        &self.shared.server
    }
}

fn not_applicable<T>(capability: &'static str, because: &'static str) -> Applicable<T> {
    Err(NotApplicable { capability, database: describe::NAME.to_owned(), because })
}

impl Blocking for DynamoDb {}

impl Target for DynamoDb {
    fn description(&self) -> Description {
        self.shared.description.clone()
    }

    fn documents(&self) -> Applicable<&dyn Documents> {
        Ok(self)
    }

    fn transactions(&self) -> Applicable<&dyn Transactions> {
        Ok(self)
    }

    fn analytics(&self) -> Applicable<&dyn Analytics> {
        not_applicable(
            "analytical queries",
            "it has neither joins nor aggregates: they run on what is exported from it",
        )
    }

    fn usage(&self) -> BTreeMap<String, f64> {
        self.server().counters.all()
    }
}
