//! What a database offers, and why not the rest: known before one is opened.

use hoap_data::named;

named! {
    /// What a database may offer.
    What, "capability":
    /// Whole collections.
    Documents = "documents",
    /// Multi-document transactions.
    Transactions = "transactions",
    /// Analytical queries.
    Analytics = "analytics",
    /// Records by key.
    KeyValue = "key-value",
    /// Scans of records in the order of their keys.
    Scans = "scans",
    /// Pages of customers.
    Pagination = "pagination",
    /// Joins of customers and orders.
    Join = "join",
    /// Operations on documents, each a command of its own.
    Operations = "operations",
    /// Changes of some fields of a document, by such a command.
    Patches = "patches",
    /// Those of fields within others.
    NestedPatches = "nested-patches",
    /// Searches by an index that follows such commands.
    Finds = "finds",
    /// Collections that others made, to learn from.
    Learn = "learn",
    /// Documents from a key on, in the order of their keys.
    Ranges = "ranges",
}

impl What {
    /// As errors call it.
    pub fn in_words(self) -> &'static str {
        match self {
            What::Transactions => "document transactions",
            What::Analytics => "analytical queries",
            What::KeyValue => "records by key",
            What::Operations => "operations on documents",
            What::Patches => "changes of fields",
            What::NestedPatches => "changes of nested fields",
            What::Finds => "searches by an index",
            What::Learn => "learning from a collection",
            What::Ranges => "documents in the order of their keys",
            other => other.name(),
        }
    }
}

/// What is offered, or the reason why it is not: a clause that completes "not applicable,
/// because …".
pub type Offered<T> = Result<T, &'static str>;

/// What a database offers, whatever its server says: all but what has a reason here.
#[derive(Clone, Copy, Debug)]
pub struct Offers(pub &'static [(What, &'static str)]);

impl Offers {
    /// Whether it offers this.
    ///
    /// # Errors
    /// Why not.
    pub fn has(&self, what: What) -> Offered<()> {
        match self.0.iter().find(|(lacking, _)| *lacking == what) {
            Some((_, because)) => Err(because),
            None => Ok(()),
        }
    }

    /// All that it offers.
    pub fn all(&self) -> impl Iterator<Item = What> {
        What::ALL.into_iter().filter(|what| self.has(*what).is_ok())
    }
}
