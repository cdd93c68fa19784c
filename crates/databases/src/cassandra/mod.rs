//! Apache Cassandra, DataStax Enterprise, ScyllaDB: `cassandra://[USER@]HOST[:PORT][,HOST…]/KEYSPACE?…`. The
//! options are in [`OPTIONS`]; user and password come from where [`credentials`] says.
//!
//! # Mapping
//! A collection is a table with the column `y_id`, its partition key, as YCSB's own binding has it. The
//! members of a document of strings, such as YCSB's records, are columns of their own, added when the first such
//! document is loaded; any other document is JSON text in the column `doc` ([`document`]).
//!
//! # What Cassandra promises
//! Each operation is one statement on one partition at the consistency of the options. There are no
//! transactions of several documents; where the user of a run allows it their changes are applied one by one
//! ([`stepwise`], [`apply`]). An INSERT replaces what is there and an UPDATE makes what is not, so that
//! neither says whether the key existed; with `lwt=on` both ask first, in a lightweight transaction (Paxos),
//! which takes several round trips among the replicas ([`key_value`]).
//!
//! # Connections
//! The clients of a worker thread share a driver's session and with it a connection to each node, on
//! which their requests are under way together, as the driver's users have it ([`lane`]). The driver repeats
//! nothing and sends nothing twice.
//!
//! # Limits
//! * A scan of a whole collection is no snapshot ([`documents`]).
//! * A batch of a load is not one step: see [`bulk`].

mod apply;
mod bulk;
mod credentials;
mod document;
mod documents;
mod error;
mod held;
mod joined;
mod key_value;
mod lane;
mod lookups;
mod notes;
mod options;
mod place;
mod rows;
mod schema;
mod search;
mod server;
mod shop;
mod statements;
mod stepwise;
mod tls;
mod values;

use std::sync::Arc;

use hoap_record::Description;
use hoap_workload::Result;
use hoap_workload::capability::{
    Analytics, Applicable, Documents, NotApplicable, Stepwise, Target, Transactions,
};

use lane::{Lane, Lanes};

pub use options::OPTIONS;

/// What it offers.
pub(crate) const CAPABILITIES: &[&str] = &["documents", "key-value", "scans", "join"];

/// What its transactions are without being any.
const CAVEAT: &str = "Cassandra has no transactions: the changes of each were applied a document at a time by \
                      lightweight transactions, so that others saw it in part, a value computed from what was \
                      read may have overwritten a newer one, and a crash in its midst leaves a part";

/// A cluster. Clones are the same one.
#[derive(Clone)]
pub struct Cassandra {
    shared: Arc<Shared>,
}

struct Shared {
    lanes: Lanes,
    /// The lane of the runtime in which the cluster was opened, kept for what is done there.
    _home: Arc<Lane>,
    description: Description,
}

/// Opens a `cassandra:` URL and asks the cluster what it is.
///
/// # Errors
/// [`hoap_workload::ErrorKind::Invalid`] where the URL is wrong or does not fit the cluster;
/// [`hoap_workload::ErrorKind::Unavailable`] where the cluster cannot be reached or refuses.
pub async fn open(url: &str) -> Result<Cassandra> {
    let place = place::parse(url, &|name| std::env::var(name).ok())?;
    let lanes = Lanes::new(Arc::new(place))?;
    let home = lanes.get().await?;
    let description = server::describe(&home).await?;
    Ok(Cassandra { shared: Arc::new(Shared { lanes, _home: home, description }) })
}

impl Cassandra {
    /// The driver's session of the runtime that this is called in.
    async fn lane(&self) -> Result<Arc<Lane>> {
        self.shared.lanes.get().await
    }

    fn not_applicable<T>(&self, capability: &'static str, because: &'static str) -> Applicable<T> {
        Err(NotApplicable { capability, database: self.shared.description.name.clone(), because })
    }
}

impl Target for Cassandra {
    fn description(&self) -> Description {
        self.shared.description.clone()
    }

    fn blocking(&self) -> bool {
        false
    }

    fn documents(&self) -> Applicable<&dyn Documents> {
        Ok(self)
    }

    fn transactions(&self) -> Applicable<&dyn Transactions> {
        self.not_applicable(
            "document transactions",
            "a statement here changes one partition, and nothing makes the changes of several one step \
             that can be undone",
        )
    }

    fn stepwise(&self) -> Applicable<Stepwise<'_>> {
        Ok(Stepwise { transactions: self, caveat: CAVEAT })
    }

    fn analytics(&self) -> Applicable<&dyn Analytics> {
        self.not_applicable(
            "analytical queries",
            "CQL reads one table by its key, without joins and without grouping by other columns",
        )
    }
}
