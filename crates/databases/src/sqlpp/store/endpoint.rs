//! The service of a database, and what the clients of the database share.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hoap_record::Description;
use hoap_workload::capability::{Applicable, NotApplicable};
use hoap_workload::{Error, Result};
use serde_json::Value;

use super::definition::{Definition, Indexes, STATEMENT};
use crate::sqlpp::{Doing, Failure, Request, StatementClient};

/// A database. Clones are the same one.
#[derive(Clone)]
pub struct Store {
    pub(crate) endpoint: Arc<Endpoint>,
}

impl Store {
    pub(super) fn not_applicable<T>(
        &self,
        capability: &'static str,
        because: &'static str,
    ) -> Applicable<T> {
        Err(NotApplicable { capability, database: self.endpoint.description.name.clone(), because })
    }

    /// Why there are no records by key.
    pub(crate) fn no_records<T>(&self) -> Applicable<T> {
        self.not_applicable(
            "records by key",
            "each statement is compiled and runs as a job on all nodes, and no statement changes \
             fields of a record",
        )
    }
}

/// The service, its settings and the state that clients share.
pub(crate) struct Endpoint {
    pub client: StatementClient,
    pub definition: Box<dyn Definition>,
    pub description: Description,
    /// The limit of a query; `None` without.
    pub query_timeout: Option<Duration>,
    pub indexes: Indexes,
    /// Where a load writes files for the nodes, if it loads by files.
    pub folder: Option<Folder>,
    /// Whether shadows are made and have caught up.
    pub prepared: AtomicBool,
}

impl Endpoint {
    pub(super) fn url(&self) -> &str {
        &self.description.url
    }

    pub(super) fn failed(&self, failure: Failure, doing: Doing, tried: impl Into<String>) -> Error {
        failure.into_error(self.definition.service(), doing, tried)
    }

    /// Runs a statement that defines something.
    pub(super) async fn define(&self, statement: String, tried: &str) -> Result<()> {
        let done = self.client.execute(&Request::new(statement).timeout(STATEMENT)).await;
        done.map(drop).map_err(|e| self.failed(e, Doing::Repeatable, tried))
    }

    /// The rows of a small query.
    pub(super) async fn rows(&self, request: Request) -> std::result::Result<Vec<Value>, Failure> {
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
    pub(super) async fn existing(&self, collections: &[&str], tried: &str) -> Result<Vec<String>> {
        let ask = Request::new(self.definition.existing()).parameter("names", collections.to_vec());
        let rows = self.rows(ask).await.map_err(|e| self.failed(e, Doing::Read, tried))?;
        Ok(rows.iter().filter_map(|row| row.as_str().map(str::to_owned)).collect())
    }
}

/// Where a load puts its files.
pub(crate) struct Folder {
    /// The load's own folder, in one that all nodes see under the same path.
    pub path: PathBuf,
    /// The nodes' names.
    pub nodes: Vec<String>,
}
