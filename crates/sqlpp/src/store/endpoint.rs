//! The service of a database, and what the clients of the database share.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hoap_database::engine::{About, Calls, Engine, Offers, What};
use hoap_database::failure::Done;
use hoap_record::Description;
use serde_json::Value;

use super::definition::{Definition, Indexes, STATEMENT};
use crate::{Error, Request, StatementClient};

const NO_RECORDS: &str = "each statement is compiled and runs as a job on all nodes, and no \
                          statement changes fields of a record";

const NO_LEARN: &str = "the documents are also elsewhere, in what feeds it: learn from there, or export \
                        them as NDJSON and learn from that file";

/// What they offer, and why not the rest.
pub const OFFERS: Offers = Offers(&[
    (What::Transactions, "there are no transactions of several statements"),
    (What::KeyValue, NO_RECORDS),
    (What::Scans, NO_RECORDS),
    (What::Operations, NO_RECORDS),
    (What::Patches, NO_RECORDS),
    (What::NestedPatches, NO_RECORDS),
    (What::Finds, NO_RECORDS),
    (What::Learn, NO_LEARN),
    (What::Ranges, NO_RECORDS),
]);

/// What names of collections must not begin with.
pub(super) const RESERVED: &[&str] = &["hoap_"];

/// A database of the service.
pub struct StoreEngine {
    /// The service.
    pub endpoint: Arc<Endpoint>,
}

impl Engine for StoreEngine {
    fn about(&self) -> About {
        About {
            answer_timeout: Some(self.endpoint.answer_timeout),
            offers: OFFERS,
            ..About::new(
                &self.endpoint.description.name,
                &self.endpoint.description.url,
                RESERVED,
                Calls::Server,
            )
        }
    }

    fn description(&self) -> Description {
        self.endpoint.description.clone()
    }

    hoap_database::gives!(documents, analytics, shop);
}

/// The service, its settings and the state that clients share.
pub struct Endpoint {
    /// Sends statements.
    pub client: StatementClient,
    /// What differs between the services.
    pub definition: Box<dyn Definition>,
    /// For the run folder.
    pub description: Description,
    /// The limit of a query; `None` without.
    pub query_timeout: Option<Duration>,
    /// The limit of every other answer.
    pub answer_timeout: Duration,
    /// Which indexes a load makes.
    pub indexes: Indexes,
    /// Where a load writes files for the nodes, if it loads by files.
    pub folder: Option<Folder>,
    /// Whether shadows are made and have caught up.
    pub prepared: AtomicBool,
}

impl Endpoint {
    /// Runs a statement that defines something.
    pub(super) async fn define(&self, statement: String) -> Done<()> {
        self.client.execute(&Request::new(statement).timeout(STATEMENT)).await?;
        Ok(())
    }

    /// The rows of a small query.
    pub(super) async fn rows(&self, request: Request) -> Result<Vec<Value>, Error> {
        let mut rows = Vec::new();
        let request = request.set("readonly", true).timeout(STATEMENT);
        let mut read = |row: &[u8]| {
            rows.push(serde_json::from_slice(row).map_err(|e| e.to_string())?);
            Ok(())
        };
        self.client.run(&request, &mut read).await?;
        Ok(rows)
    }

    /// Those of these collections that exist.
    pub(super) async fn existing(&self, collections: &[&str]) -> Done<Vec<String>> {
        let ask = Request::new(self.definition.existing()).parameter("names", collections.to_vec());
        let rows = self.rows(ask).await?;
        Ok(rows.iter().filter_map(|row| row.as_str().map(str::to_owned)).collect())
    }

    /// Whether a collection has an index of this name.
    pub(super) async fn has_index(&self, collection: &str, name: &str) -> Result<bool, Error> {
        let ask = Request::new(self.definition.indexes()).parameter("name", collection);
        Ok(self.rows(ask).await?.iter().any(|row| row.as_str() == Some(name)))
    }
}

/// Where a load puts its files.
pub struct Folder {
    /// The load's own folder, in one that all nodes see under the same path.
    pub path: PathBuf,
    /// The nodes' names.
    pub nodes: Vec<String>,
}
