//! The capabilities a database offers, each a small trait.
//!
//! A database implements [`Target`] and, of the others, what it has. What it lacks is a typed
//! [`NotApplicable`] with the reason, known before a run starts.
//!
//! Fields are named by *paths*: dotted names with array positions, `c_name.c_last`, `s_dists[3]`.

pub mod key_value;
mod non_transactional;
pub mod shop;

use std::collections::BTreeMap;
use std::fmt;

use async_trait::async_trait;
use hoap_record::Description;
use serde_json::Value;

use crate::client::Canceller;
use crate::{Error, ErrorKind, Result};

pub use non_transactional::{NonTransactional, Stepwise};

/// A database, opened by its URL.
///
/// Errors of every method: [`ErrorKind::Unavailable`] where it cannot be reached or refuses,
/// [`ErrorKind::Missing`] where it has not what a load makes.
#[async_trait]
pub trait Target: Send + Sync {
    /// What it is and how it is set, for the run folder. Holds no secret.
    fn description(&self) -> Description;

    /// Whether calls block their thread (embedded databases) or yield (network drivers).
    fn blocking(&self) -> bool;

    /// Where the loader and the checks read and write whole collections.
    fn documents(&self) -> Applicable<&dyn Documents>;

    /// Multi-document transactions.
    fn transactions(&self) -> Applicable<&dyn Transactions>;

    /// The operations of transactions without their promises, of a database whose
    /// [`Target::transactions`] are not applicable. A run takes them only where its user allows it:
    /// [`NonTransactional`].
    fn stepwise(&self) -> Applicable<Stepwise<'_>> {
        Err(NotApplicable {
            capability: "transactions a document at a time",
            database: self.description().name,
            because: "there is no way to apply them here",
        })
    }

    /// Analytical queries.
    fn analytics(&self) -> Applicable<&dyn Analytics>;

    /// What the database's driver has counted since the target was opened, by all its clients: capacity
    /// consumed, requests throttled, … Name → amount; the names are those that price files may use.
    /// Empty where there is nothing to count.
    fn usage(&self) -> BTreeMap<String, f64> {
        BTreeMap::new()
    }
}

/// A capability, or the reason why the database does not have it.
pub type Applicable<T> = std::result::Result<T, NotApplicable>;

/// Why a database cannot do what a benchmark needs. An answer, not a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotApplicable {
    /// The capability, such as "document transactions".
    pub capability: &'static str,
    /// The database's name.
    pub database: String,
    /// The reason, a clause that completes "not applicable, because …".
    pub because: &'static str,
}

impl fmt::Display for NotApplicable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} on {}: not applicable, because {}",
            self.capability, self.database, self.because
        )
    }
}

impl From<NotApplicable> for Error {
    fn from(n: NotApplicable) -> Self {
        Error::new(
            ErrorKind::Invalid,
            format!("{} on {}", n.capability, n.database),
            format!("not applicable, because {}", n.because),
        )
    }
}

/// An index that a benchmark's transactions need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// A name unique in the benchmark.
    pub name: &'static str,
    /// The collection it is on.
    pub collection: &'static str,
    /// Paths of its fields, in order.
    pub fields: Vec<&'static str>,
}

/// Values of the fields asked for, in that order; [`Value::Null`] where a field is null or absent.
pub type Row = Vec<Value>;

// ---------------------------------------------------------------------------------------------
// Whole collections: load, checks
// ---------------------------------------------------------------------------------------------

/// Whole collections: what loading and checking need.
///
/// A loaded database carries one small *note* (a JSON document outside the benchmark's collections)
/// that says what it holds; the meaning of the note belongs to the benchmark.
#[async_trait]
pub trait Documents: Send + Sync {
    /// The note, or `None` where the database holds none.
    async fn note(&self) -> Result<Option<Value>>;

    /// Replaces the note if it still is `expected` (`None`: absent) and says whether it was. The
    /// compare-and-set is atomic among processes.
    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Result<bool>;

    /// Whether any of these collections exists, whoever made it.
    async fn any_exists(&self, collections: &[&str]) -> Result<bool>;

    /// Drops those of these collections that exist, their indexes, the note and all loading progress.
    async fn drop(&self, collections: &[&str]) -> Result<()>;

    /// Makes these collections where they do not exist yet, without the benchmark's indexes.
    async fn create(&self, collections: &[&str]) -> Result<()>;

    /// Whether a load may come in several parts.
    fn in_parts(&self) -> Applicable<()> {
        Ok(())
    }

    /// Opens a bulk writer that keeps its progress under the name `part`.
    async fn bulk(&self, part: &str) -> Result<Box<dyn BulkWriter>>;

    /// Makes the indexes, gathers statistics, and returns when everything written is durable.
    /// Does nothing where that is done already.
    async fn settle(&self, indexes: &[Index]) -> Result<()>;

    /// Calls `each` for every document of a collection, in no particular order, from one
    /// consistent state, with the values of `fields`. Stops at the first error of `each`.
    async fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut (dyn for<'a> FnMut(&'a str, Row) -> Result<()> + Send),
    ) -> Result<()>;
}

/// Writes documents in bulk and keeps, in the same atomic step, how far it has come.
#[async_trait]
pub trait BulkWriter: Send {
    /// The progress that this part has saved: the number of documents of this collection that are
    /// written, or 0.
    async fn position(&mut self, collection: &str) -> Result<u64>;

    /// Inserts a batch and saves `position` as the new progress of the collection. All or nothing.
    ///
    /// A writer may take a collection as a whole, and has it in the database and its progress saved after
    /// [`BulkWriter::finish`] only. The batches of a collection come one after the other.
    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Result<()>;

    /// Ends the part after its last batch: everything written is in the database then, and so is its
    /// progress. May be given up, and is repeated by a resumed load.
    async fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    /// Bytes of JSON text after which a batch is best written: enough to pay for a commit, and little
    /// enough for constant memory.
    fn batch_bytes(&self) -> usize {
        4 << 20
    }
}

/// Documents as JSON text beside their keys, in one recycled buffer each.
#[derive(Default)]
pub struct Batch {
    text: Vec<u8>,
    keys: String,
    /// End of each document in `text` and of its key in `keys`.
    ends: Vec<(usize, usize)>,
}

impl Batch {
    /// Appends one document: `fill` writes its key and its JSON text at the end of the buffers.
    pub fn push(&mut self, fill: impl FnOnce(&mut String, &mut Vec<u8>)) {
        fill(&mut self.keys, &mut self.text);
        self.ends.push((self.text.len(), self.keys.len()));
    }

    /// Empties the batch and keeps its buffers.
    pub fn clear(&mut self) {
        self.text.clear();
        self.keys.clear();
        self.ends.clear();
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether it holds no document.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of JSON text.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Key and JSON text of each document. The text is UTF-8.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let mut start = (0, 0);
        self.ends.iter().map(move |&end| {
            let document = (&self.keys[start.1..end.1], &self.text[start.0..end.0]);
            start = end;
            document
        })
    }
}

// ---------------------------------------------------------------------------------------------
// Document transactions
// ---------------------------------------------------------------------------------------------

/// Multi-document transactions.
#[async_trait]
pub trait Transactions: Send + Sync {
    /// Connects one client.
    async fn session(&self) -> Result<Box<dyn Session>>;
}

/// One client's connection.
#[async_trait]
pub trait Session: Send {
    /// Begins a transaction. Dropping it without a commit rolls it back.
    async fn begin<'a>(&'a mut self, access: Access) -> Result<Box<dyn Transaction + 'a>>;
}

/// What a transaction is going to do, said when it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It reads one consistent state.
    Read,
    /// It writes.
    Write,
}

/// What a reader is going to do with a document, so that engines with row locks take the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// Only look.
    Look,
    /// Patch or delete it later in this transaction.
    Change,
}

/// Document operations inside one transaction.
///
/// Every method may return [`ErrorKind::Conflict`]; the transaction is over then and the caller may
/// begin it anew.
#[async_trait]
pub trait Transaction: Send {
    /// The fields of one document, or `None` where there is no such key.
    async fn get(
        &mut self,
        collection: &str,
        key: &str,
        fields: &[&str],
        intent: Intent,
    ) -> Result<Option<Row>>;

    /// The fields of several documents, in the order of the keys.
    async fn get_many(
        &mut self,
        collection: &str,
        keys: &[String],
        fields: &[&str],
        intent: Intent,
    ) -> Result<Vec<Option<Row>>>;

    /// Documents whose first index fields equal `prefix`, ordered by the remaining ones.
    async fn find(
        &mut self,
        index: &Index,
        prefix: &[Value],
        order: Order,
        limit: Option<usize>,
        fields: &[&str],
        intent: Intent,
    ) -> Result<Vec<(String, Row)>>;

    /// Adds a document. [`ErrorKind::Duplicate`] where the key exists.
    async fn insert(&mut self, collection: &str, key: &str, document: &Value) -> Result<()>;

    /// Changes fields of one document. [`ErrorKind::Broken`] where there is no such key.
    async fn patch(&mut self, collection: &str, key: &str, patches: &[Patch]) -> Result<()>;

    /// Removes one document and says whether it was there.
    async fn delete(&mut self, collection: &str, key: &str) -> Result<bool>;

    /// Makes it durable as the target's settings promise. [`ErrorKind::Ambiguous`] where that
    /// cannot be known.
    async fn commit(self: Box<Self>) -> Result<()>;

    /// Undoes everything.
    async fn rollback(self: Box<Self>) -> Result<()>;
}

/// Order of the index fields after the prefix of a [`Transaction::find`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
}

/// One change of one field.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Path of the field.
    pub path: &'static str,
    /// What happens to it.
    pub change: Change,
}

/// What happens to a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// It gets this value.
    Set(Value),
    /// A whole number grows by this much.
    AddInteger(i64),
    /// An amount of money grows by this many cents; the stored number keeps two decimals.
    AddCents(i64),
    /// An array gets one more element.
    Append(Value),
}

// ---------------------------------------------------------------------------------------------
// Analytical queries
// ---------------------------------------------------------------------------------------------

/// Analytical queries.
#[async_trait]
pub trait Analytics: Send + Sync {
    /// The dialect of its query texts: the folder below `queries/<benchmark>/`.
    fn dialect(&self) -> &'static str;

    /// Connects one query stream.
    async fn session(&self) -> Result<Box<dyn AnalyticalSession>>;
}

/// One query stream's connection. It reads a consistent snapshot beside the writers.
#[async_trait]
pub trait AnalyticalSession: Send {
    /// Runs one query. `text` names its parameters `$name`.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] where the text does not parse or names a parameter not in `parameters`.
    async fn query(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Answer>;

    /// How the database runs a query: it is run once more for that, where its plan alone does not tell.
    ///
    /// # Errors
    /// Those of [`AnalyticalSession::query`].
    async fn explain(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Explained>;

    /// What the database warned of in the last [`AnalyticalSession::query`], a line each.
    fn warnings(&self) -> &[String] {
        &[]
    }

    /// Key and whole number `field` of every document of a small collection, from one state that a
    /// query begun now would see: what freshness is measured with (spec ch2 §7).
    async fn counters(&mut self, collection: &str, field: &str) -> Result<Vec<(String, i64)>>;

    /// Interrupts a running [`AnalyticalSession::query`], which then fails with
    /// [`ErrorKind::Cancelled`].
    fn canceller(&self) -> Option<Canceller>;
}

/// How a database ran a query, in its own form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explained {
    /// The plan.
    pub plan: Value,
    /// What it took beside that, null where the database does not say.
    pub profile: Value,
}

/// The rows of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Column names.
    pub columns: Vec<String>,
    /// Values: null, integer, number or string.
    pub rows: Vec<Row>,
}
