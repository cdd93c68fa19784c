//! What differs between the services, and the names that do not.

use std::time::Duration;

use hoap_database::Index;
use hoap_database::options::{Read, meant};

/// The collection of the benchmark's note.
pub(super) const NOTE: &str = "hoap_note";

/// The collection of the progress of loads.
pub(super) const PROGRESS: &str = "hoap_load";

/// The field of a document that has its key, where the service has no other place for it.
pub const KEY: &str = "hoap_key";

/// The limit of a statement that defines, loads or deletes.
pub(super) const STATEMENT: Duration = Duration::from_secs(3600);

/// The differences between the services: how each defines collections and names things.
pub trait Definition: Send + Sync {
    /// The full name of a collection, quoted.
    fn name(&self, collection: &str) -> String;

    /// The key of the document that a variable names.
    fn key(&self, variable: &str) -> String;

    /// The name of a setting of the endpoint, and its value, by which names in query texts are
    /// resolved.
    fn context(&self) -> (&'static str, String);

    /// The text before a query: settings, and definitions of functions that the query calls and the
    /// service lacks.
    fn prelude(&self, text: &str) -> String;

    /// The statements that make these collections where they are missing.
    fn create(&self, collections: &[&str]) -> Vec<String>;

    /// The statement that drops a collection if it exists.
    fn remove(&self, collection: &str) -> String;

    /// A query of the names, among `$names`, of existing collections.
    fn existing(&self) -> String;

    /// A query of the names of the indexes of collection `$name`.
    fn indexes(&self) -> String;

    /// The statement that makes an index over these fields and their types if it is missing.
    fn index(&self, name: &str, collection: &str, fields: &[(String, &str)]) -> String;

    /// The statements that make the indexes that the CH2++ paper publishes for a collection.
    fn published(&self, collection: &str) -> Vec<String>;

    /// The statement that gathers statistics of a collection, if that is wanted.
    fn analyze(&self, collection: &str) -> Option<String>;

    /// A query of the bytes, one a partition, that a collection with its indexes takes once it is
    /// loaded, or why there is none.
    fn stored(&self, _collection: &str) -> Result<String, &'static str> {
        Err("it has no figure that holds right after a load")
    }

    /// The path by which a request is cancelled: DELETE with `client_context_id` in its query.
    fn cancel(&self) -> &'static str;

    /// A query of the documents in the lines of parameter `$d`; `None` where `$d` is better a list.
    fn lines(&self) -> Option<&'static str>;

    /// Whether a request may have several statements, which run one after the other.
    fn several(&self) -> bool;

    /// How its collections shadow operational ones, where they do.
    fn shadow(&self) -> Option<Shadow>;
}

/// The indexes of the CH2++ paper's data definition 1.4 for a collection: the text after CREATE
/// INDEX, with `@` for the collection's name.
pub fn published(collection: &str) -> &'static [&'static str] {
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

/// The indexes that a load makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexes {
    /// Those that a workload on this database searches: the shop's.
    Searched,
    /// All that a benchmark names.
    All,
    /// Those searched, and those that the CH2++ paper publishes.
    Published,
}

/// The meaning of option `indexes`.
pub const INDEXES: &str = "which indexes a load makes: searched: those that a workload here searches (the shop's); \
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

    pub(super) fn makes(self, index: &Index) -> bool {
        // Orders are found by their key: no index covers a join here.
        let covering = index.name == hoap_database::shop::COVERING_INDEX;
        !covering && (self == Indexes::All || index.collection.starts_with("shop_"))
    }
}

/// The collections that shadow operational ones, and how they are made.
pub struct Shadow {
    /// The collections that are shadowed.
    pub collections: &'static [&'static str],
    /// Those of which statistics are gathered.
    pub analyzed: &'static [&'static str],
    /// Whether the indexes that are published are made before the link is connected, so that the
    /// ingestion keeps them.
    pub indexed_before: bool,
    /// The statement that connects the link.
    pub connect: String,
    /// A query of the operational note.
    pub note: String,
    /// The path under which the service says how far it has taken in what.
    pub progress: &'static str,
    /// The link's name.
    pub link: String,
    /// The scope's name as the service's report has it, in either spelling.
    pub scope: String,
    /// With dots.
    pub scope_with_dots: String,
}
