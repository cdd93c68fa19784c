//! Couchbase Server and Capella Operational:
//! `couchbase://[USER@]HOST[:PORT][,HOST…]/BUCKET[?option=value&…]`, `couchbases://` with TLS. The options
//! are in [`OPTIONS`]. The password comes from `CB_PASSWORD`, from a file, or from the URL where that is
//! in a file.
//!
//! # Mapping
//! A collection is a collection of the scope that the URL names, and documents are JSON under their
//! keys. An index is a global secondary index on its fields in their order; each collection has a
//! primary index for scans by key. The collection `hoap_notes` holds what the scope contains and how far a load
//! has come.
//!
//! # Two ways in
//! Records by key and loading go through the official driver to the data service. Everything else is SQL++
//! over the query service's REST API, each client at a node of its own in turn. All statements that run
//! often are prepared, once a client.
//!
//! # Transactions
//! SQL++ statements between BEGIN WORK and COMMIT, as the papers run them; a transaction stays at the node that
//! began it. They are *read committed*, and the service does not compare what a statement changes with what
//! an earlier one read. So a document that is read in order to be changed is read with its CAS, and the first
//! change demands that CAS: what somebody else changed in between is a conflict, and no update is lost.
//!
//! # Loading
//! Upserts by key, many under way, and then the progress: no step covers both. A load that ended halfway
//! writes its last batch again when it is resumed. A key that is there already is overwritten.

mod bulk;
mod documents;
mod error;
mod key_value;
mod options;
mod patch;
mod query;
mod server;
mod settle;
mod shop;
mod sql;
mod transaction;

use std::sync::Arc;

use hoap_record::Description;
use hoap_workload::Result;
use hoap_workload::capability::{
    Analytics, Applicable, Blocking, Documents, NotApplicable, Target, Transactions,
};

use query::Node;
use server::Shared;

pub use options::OPTIONS;

/// What it offers.
pub(crate) const CAPABILITIES: &[&str] =
    &["documents", "transactions", "key-value", "scans", "pagination", "join"];

/// A scope of a bucket. Clones share the driver.
#[derive(Clone)]
pub struct Couchbase {
    shared: Arc<Shared>,
}

/// Opens a `couchbase:` URL: connects the driver and asks the query service for its version. The driver's
/// connections belong to the runtime that this is called on.
///
/// # Errors
/// [`hoap_workload::ErrorKind::Invalid`] where the URL is wrong, and
/// [`hoap_workload::ErrorKind::Unavailable`] where the cluster cannot be reached or refuses.
pub async fn open(url: &str) -> Result<Couchbase> {
    let place = options::parse(url, &|name| std::env::var(name).ok())?;
    Ok(Couchbase { shared: Shared::open(place).await? })
}

impl Couchbase {
    fn node(&self) -> Result<Node> {
        Node::new(self.shared.clone())
    }

    fn url(&self) -> &str {
        &self.shared.place.url
    }
}

impl Blocking for Couchbase {}

impl Target for Couchbase {
    fn description(&self) -> Description {
        self.shared.description()
    }

    fn documents(&self) -> Applicable<&dyn Documents> {
        Ok(self)
    }

    fn transactions(&self) -> Applicable<&dyn Transactions> {
        Ok(self)
    }

    fn analytics(&self) -> Applicable<&dyn Analytics> {
        Err(NotApplicable {
            capability: "analytical queries",
            database: "Couchbase Server".to_owned(),
            because: "its queries are for transactions: analytical ones run on its Analytics \
                      service or Capella Columnar, which --analytical couchbase-analytics://… names",
        })
    }
}
