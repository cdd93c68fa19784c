//! Documents and queries of AsterixDB and of the analytical services built from it.
//!
//! What differs among them is behind [`Definition`]: the statements that define collections, the name
//! of the endpoint's settings, where a document's key is. The rest is the same SQL++.

mod analytics;
mod bulk;
mod documents;
mod files;
mod parameters;
mod settle;
mod shadow;
mod shop;
mod underway;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hoap_record::Description;
use hoap_workload::capability::shop::JoinVariant;
use hoap_workload::capability::{
    Analytics, Applicable, Documents, Index, NotApplicable, Target, Transactions,
};
use hoap_workload::{Error, Result};
use serde_json::Value;

use super::{Client, Doing, Failure, Request, Service};
use crate::options::{Read, meant};

pub(crate) use files::Folder;
pub(crate) use shadow::Shadow;

/// The collection of the benchmark's note.
pub(crate) const NOTE: &str = "hoap_note";

/// The collection that holds how far a load has come.
pub(crate) const PROGRESS: &str = "hoap_load";

/// The field of a document that holds its key, where nothing else does.
pub(crate) const KEY: &str = "hoap_key";

/// The limit of a statement that defines, loads or deletes.
const STATEMENT: Duration = Duration::from_secs(3600);

/// How a service defines collections and names things.
pub(crate) trait Definition: Send + Sync {
    /// Whose error codes it has.
    fn service(&self) -> Service;

    /// The full name of a collection, quoted.
    fn name(&self, collection: &str) -> Result<String>;

    /// The key of the document that a variable names.
    fn key(&self, variable: &str) -> String;

    /// The name of a setting of the endpoint, and its value, by which names in query texts are resolved.
    fn context(&self) -> (&'static str, String);

    /// What stands before a query text: settings, and definitions of functions that it calls and the
    /// service lacks.
    fn prelude(&self, text: &str) -> String;

    /// The statements that make these collections where they are not there.
    fn create(&self, collections: &[&str]) -> Result<Vec<String>>;

    /// The statement that drops a collection if it is there.
    fn remove(&self, collection: &str) -> Result<String>;

    /// A query of the names, among `$names`, of collections that are there.
    fn existing(&self) -> String;

    /// A query of the names of the indexes of collection `$name`.
    fn indexes(&self) -> String;

    /// The statement that makes an index over these fields and their types if it is not there.
    fn index(&self, name: &str, collection: &str, fields: &[(String, &str)]) -> Result<String>;

    /// The statements that make the indexes that the CH2++ paper publishes for a collection.
    fn published(&self, collection: &str) -> Result<Vec<String>>;

    /// The statement that gathers statistics of a collection, if that is wanted.
    fn analyze(&self, collection: &str) -> Result<Option<String>>;

    /// The path by which a request is cancelled: DELETE with `client_context_id` in its query.
    fn cancel(&self) -> &'static str;

    /// A query of the documents in the lines of parameter `$d`; `None` where that is best a list of them.
    fn lines(&self) -> Option<&'static str>;

    /// Whether a request may have several statements, which run one after the other.
    fn several(&self) -> bool;

    /// How its collections follow others, where they do.
    fn shadow(&self) -> Option<Shadow>;
}

/// The indexes of the CH2++ paper's data definition 1.4 for a collection: what follows CREATE INDEX, with `@` for
/// the collection's name.
pub(crate) fn published(collection: &str) -> &'static [&'static str] {
    match collection {
        "customer" => &["customer_c_balance IF NOT EXISTS ON @(c_balance: double)"],
        "orders" => &[
            "orders_entry_d IF NOT EXISTS ON @(o_entry_d: string)",
            "orderline_i_id IF NOT EXISTS ON @(UNNEST o_orderline SELECT ol_i_id: bigint) \
             EXCLUDE UNKNOWN KEY",
            "orderline_delivery_d IF NOT EXISTS ON \
             @(UNNEST o_orderline SELECT ol_delivery_d: string) EXCLUDE UNKNOWN KEY",
        ],
        _ => &[],
    }
}

/// Which indexes a load makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Indexes {
    /// Those that a workload on this database searches: the shop's.
    Searched,
    /// All that a benchmark names.
    All,
    /// Those searched, and those that the CH2++ paper publishes.
    Published,
}

/// The meaning of option `indexes`.
pub(crate) const INDEXES: &str = "which indexes a load makes: searched: those that a workload here searches (the shop's); \
     published: those and the CH2++ paper's for queries; all: those of the benchmarks' \
     transactions, too";

impl Indexes {
    /// The word of the option.
    pub fn parse(word: &str) -> Read<Indexes> {
        let words = [
            ("searched", Indexes::Searched),
            ("all", Indexes::All),
            ("published", Indexes::Published),
        ];
        meant(&words)(word)
    }

    fn makes(self, index: &Index) -> bool {
        // Orders are found by their key: no index covers a join here.
        let covering = index.name == hoap_workload::shop::source::COVERING_INDEX;
        !covering && (self == Indexes::All || index.collection.starts_with("shop_"))
    }
}

/// A database. Clones are the same one.
#[derive(Clone)]
pub struct Store {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub client: Client,
    pub definition: Box<dyn Definition>,
    pub description: Description,
    /// The limit of a query; `None` without.
    pub query_timeout: Option<Duration>,
    pub indexes: Indexes,
    pub joins: &'static [JoinVariant],
    /// Where a load puts files for the nodes, if it does.
    pub folder: Option<Folder>,
    /// Whether shadows are made and have caught up.
    pub prepared: AtomicBool,
}

impl Shared {
    fn url(&self) -> &str {
        &self.description.url
    }

    fn failed(&self, failure: Failure, doing: Doing, tried: impl Into<String>) -> Error {
        failure.into_error(self.definition.service(), doing, tried)
    }

    /// Runs a statement that defines something.
    async fn define(&self, statement: String, tried: &str) -> Result<()> {
        let done = self.client.execute(&Request::new(statement).timeout(STATEMENT)).await;
        done.map(drop).map_err(|e| self.failed(e, Doing::Repeatable, tried))
    }

    /// The rows of a small query.
    async fn rows(&self, request: Request) -> std::result::Result<Vec<Value>, Failure> {
        let mut rows = Vec::new();
        let request = request.set("readonly", true).timeout(STATEMENT);
        let read = |row: &[u8]| {
            rows.push(serde_json::from_slice(row).map_err(|e| e.to_string())?);
            Ok(())
        };
        let mut read = read;
        self.client.run(&request, &mut read).await?;
        Ok(rows)
    }

    /// Which of these collections are there.
    async fn existing(&self, collections: &[&str], tried: &str) -> Result<Vec<String>> {
        let ask = Request::new(self.definition.existing()).parameter("names", collections.to_vec());
        let rows = self.rows(ask).await.map_err(|e| self.failed(e, Doing::Read, tried))?;
        Ok(rows.iter().filter_map(|row| row.as_str().map(str::to_owned)).collect())
    }
}

impl Store {
    fn not_applicable<T>(&self, capability: &'static str, because: &'static str) -> Applicable<T> {
        Err(NotApplicable { capability, database: self.shared.description.name.clone(), because })
    }

    /// Why it has no records by key.
    pub(crate) fn no_records<T>(&self) -> Applicable<T> {
        self.not_applicable(
            "records by key",
            "each statement is compiled and runs as a job on all nodes, and no statement changes \
             fields of a record",
        )
    }
}

impl Target for Store {
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
            "a statement is all that it does at once: there is no transaction of several",
        )
    }

    fn analytics(&self) -> Applicable<&dyn Analytics> {
        Ok(self)
    }
}
