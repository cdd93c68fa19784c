//! What a database module implements, a trait a capability.
//!
//! They are the traits of `hoap_database` without what [`super::Front`] does. Names and
//! paths are checked before a call; keys are not. A failure says what came back; the sentence about
//! what was tried is the front's, unless the failure has one of its own ([`Failure::trying`]).
//!
//! [`Failure::trying`]: crate::failure::Failure::trying

use std::future::Future;
use std::time::Duration;

use hoap_database::Canceller;
use hoap_database::key_value::{Fields, Record, Scanned, Table};
use hoap_database::shop::{JoinRow, JoinVariant};
use hoap_database::{
    Access, Answer, Applicable, Batch, Explained, Index, Intent, Order, Patch, Row, Texts, Unmade,
};
use hoap_record::Stored;
use hoap_record::witness::Level;
use serde_json::Value;

use crate::failure::{Done, Failure};

/// A database.
pub trait Engine: Send + Sync + 'static {
    /// What names of collections and indexes must not begin with, in whatever case: it belongs to
    /// the database or to `hoap`.
    const RESERVED: &'static [&'static str];
    /// Whether calls block their thread: true of an embedded database.
    const BLOCKING: bool = false;

    /// The URL without user and password, as messages show it.
    fn url(&self) -> &str;

    /// The longest name of a collection, bytes.
    fn longest_name(&self) -> usize {
        usize::MAX
    }

    /// The longest name of an index, bytes.
    fn longest_index(&self) -> usize {
        self.longest_name()
    }

    /// How long an answer may take. Not of queries, of making indexes and of gathering statistics,
    /// which have limits of their own or none.
    fn answer_timeout(&self) -> Option<Duration> {
        None
    }
}

/// Something that sends requests. After an answer that did not come it is told to
/// [`Abandon::abandon`] the connection: what comes later must not be taken for another answer.
pub trait Abandon: Send {
    /// Uses the present connection no more. The next request makes another. Returns whether
    /// anything of what was asked last may have been sent.
    fn abandon(&mut self) -> bool {
        true
    }
}

/// Whole collections; see `hoap_database::Documents`.
pub trait Documents: Engine {
    /// A writer of one part of a load.
    type Bulk: Bulk;

    /// Where else it can hold data, as its URL says it.
    const ELSEWHERE: &'static str;

    /// The note.
    fn note(&self) -> impl Future<Output = Done<Option<Value>>> + Send;
    /// Replaces the note if it equals `expected`.
    fn set_note(
        &self,
        expected: Option<&Value>,
        note: &Value,
    ) -> impl Future<Output = Done<bool>> + Send;
    /// Whether a collection exists.
    fn exists(&self, collection: &str) -> impl Future<Output = Done<bool>> + Send;
    /// Drops the collections and the progress, and the note last: what an interrupted drop leaves
    /// is known by it.
    fn drop(&self, collections: &[&str]) -> impl Future<Output = Done<()>> + Send;
    /// Creates collections that are missing.
    fn create(&self, collections: &[&str]) -> impl Future<Output = Done<()>> + Send;
    /// Whether a load may come in several parts.
    fn in_parts(&self) -> Applicable<()> {
        Ok(())
    }
    /// Whether several writers of one process load faster than one.
    fn several_writers(&self) -> Applicable<()> {
        Ok(())
    }
    /// Opens a writer.
    fn bulk(&self, part: &str) -> impl Future<Output = Done<Self::Bulk>> + Send;
    /// Makes indexes and statistics, and what was loaded durable.
    fn settle(&self, indexes: &[Index]) -> impl Future<Output = Done<()>> + Send;
    /// What it stores of these collections, or why it does not say.
    fn stored(
        &self,
        _collections: &[&str],
    ) -> impl Future<Output = Done<Result<Stored, &'static str>>> + Send {
        async { Ok(Err("it has no figure that holds right after a load")) }
    }
    /// Calls `each` for every document.
    fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut Each<'_>,
    ) -> impl Future<Output = Done<()>> + Send;
}

/// Takes the key and the fields of a document that a scan has read. Its error ends the scan.
pub type Each<'e> = dyn for<'a> FnMut(&'a str, Row) -> Done<()> + Send + 'e;

/// Writes documents in bulk; see `hoap_database::BulkWriter`.
pub trait Bulk: Abandon {
    /// The saved progress.
    fn position(&mut self, collection: &str) -> impl Future<Output = Done<u64>> + Send;
    /// Writes a batch and its progress.
    fn write(
        &mut self,
        collection: &str,
        batch: &Batch,
        position: u64,
    ) -> impl Future<Output = Done<()>> + Send;
    /// How many documents [`Bulk::write_values`] takes at once best; `None` where only
    /// [`Bulk::write`] is there.
    fn values_at_once(&self) -> Option<u64> {
        None
    }
    /// Writes documents that it makes itself, and their progress. Returns their bytes as JSON text.
    fn write_values(
        &mut self,
        _collection: &str,
        _documents: &mut Unmade<'_>,
        _position: u64,
    ) -> impl Future<Output = Done<u64>> + Send {
        async { Err(Failure::broken("it takes JSON text only")) }
    }
    /// Whether [`Bulk::write_texts`] is better than batches.
    fn takes_texts(&self) -> bool {
        false
    }
    /// Writes the first ones of documents that it makes itself, and their progress. Returns their
    /// bytes as JSON text.
    fn write_texts(
        &mut self,
        _collection: &str,
        _documents: &mut Texts<'_>,
        _before: u64,
    ) -> impl Future<Output = Done<u64>> + Send {
        async { Err(Failure::broken("it takes batches only")) }
    }
    /// Ends the part.
    fn finish(&mut self) -> impl Future<Output = Done<()>> + Send {
        async { Ok(()) }
    }
    /// Whether a batch waits for more than one answer, and so has no limit but those of the
    /// engine's own: it tries again what is refused or not answered, or waits for another
    /// collection.
    fn is_patient(&self) -> bool {
        false
    }
    /// The best size of the next batch, bytes of JSON text.
    fn batch_bytes(&self) -> usize {
        4 << 20
    }
    /// The most documents of the next batch.
    fn batch_documents(&self) -> usize {
        usize::MAX
    }
}

/// Multi-document transactions; see `hoap_database::Transactions`.
pub trait Transactions: Engine {
    /// The transactions of one client.
    type Session: Session + 'static;

    /// The isolation that all transactions are promised; `None` where none is.
    fn isolation(&self) -> Option<Level>;

    /// Connects one client.
    fn transaction_session(&self) -> impl Future<Output = Done<Self::Session>> + Send;
}

/// One client's connection for transactions.
pub trait Session: Abandon {
    /// An open transaction. Dropped without a commit it is rolled back.
    type Open<'a>: OpenTransaction
    where
        Self: 'a;

    /// Begins a transaction.
    fn begin(&mut self, access: Access) -> impl Future<Output = Done<Self::Open<'_>>> + Send;
}

/// Operations inside one transaction; see `hoap_database::Transaction`. Those that
/// write are called in a transaction that may write only.
pub trait OpenTransaction: Abandon {
    /// Whether an earlier error has ended it.
    fn is_over(&self) -> bool;
    /// The fields of one document. A transaction that only reads has [`Intent::Look`].
    fn get(
        &mut self,
        collection: &str,
        key: &str,
        fields: &[&str],
        intent: Intent,
    ) -> impl Future<Output = Done<Option<Row>>> + Send;
    /// The fields of several documents, in the order of the keys, of which there is at least one.
    fn get_many(
        &mut self,
        collection: &str,
        keys: &[String],
        fields: &[&str],
        intent: Intent,
    ) -> impl Future<Output = Done<Vec<Option<Row>>>> + Send;
    /// Documents by an index. The prefix is not longer than the index and has scalars only.
    fn find(
        &mut self,
        index: &Index,
        prefix: &[Value],
        order: Order,
        limit: Option<usize>,
        fields: &[&str],
        intent: Intent,
    ) -> impl Future<Output = Done<Vec<(String, Row)>>> + Send;
    /// Inserts a document, which is an object.
    fn insert(
        &mut self,
        collection: &str,
        key: &str,
        document: &Value,
    ) -> impl Future<Output = Done<()>> + Send;
    /// Patches a document. Patches of one field follow each other.
    fn patch(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch],
    ) -> impl Future<Output = Done<()>> + Send;
    /// Deletes a document; returns whether it existed.
    fn delete(&mut self, collection: &str, key: &str) -> impl Future<Output = Done<bool>> + Send;
    /// Commits.
    fn commit(&mut self) -> impl Future<Output = Done<()>> + Send;
    /// Undoes all changes. Also of one that is over.
    fn rollback(&mut self) -> impl Future<Output = Done<()>> + Send;
}

// Each database needs a part of it.
#[cfg_attr(not(feature = "all"), allow(dead_code))]
/// Rows that were found by their keys, in the order of the keys.
///
/// A transaction names a dozen keys: a linear search costs less than a hash table.
pub fn in_order(keys: &[String], found: &[(String, Row)]) -> Vec<Option<Row>> {
    let row_of =
        |key: &String| found.iter().find(|(there, _)| there == key).map(|(_, row)| row.clone());
    keys.iter().map(row_of).collect()
}

/// Analytical queries; see `hoap_database::Analytics`.
pub trait Analytics: Engine {
    /// One query stream.
    type Session: QuerySession + 'static;
    /// The folder of its query texts.
    const DIALECT: &'static str;

    /// Connects one query stream.
    fn query_session(&self) -> impl Future<Output = Done<Self::Session>> + Send;
}

/// One query stream's connection.
pub trait QuerySession: Abandon {
    /// Runs a query. Each parameter has a name of its own and a scalar.
    fn query(
        &mut self,
        text: &str,
        parameters: &[(String, Value)],
    ) -> impl Future<Output = Done<Answer>> + Send;
    /// How a query runs.
    fn explain(
        &mut self,
        text: &str,
        parameters: &[(String, Value)],
    ) -> impl Future<Output = Done<Explained>> + Send;
    /// Warnings about the last query.
    fn warnings(&self) -> &[String] {
        &[]
    }
    /// Key and integer field of every document of a small collection.
    fn counters(
        &mut self,
        collection: &str,
        field: &str,
    ) -> impl Future<Output = Done<Vec<(String, i64)>>> + Send;
    /// A handle that interrupts a running query.
    fn canceller(&self) -> Option<Canceller>;
}

/// Records by key; see `hoap_database::key_value::KeyValue`.
pub trait KeyValue: Engine {
    /// One client's connection.
    type Session: RecordSession;

    /// Whether the database can scan keys in order.
    fn scans(&self) -> Applicable<()>;
    /// Whether an update writes the whole record, and so gets every field.
    fn updates_are_whole(&self) -> bool {
        false
    }
    /// Connects one client to a table, whose name and fields are checked.
    fn record_session(&self, table: &Table) -> impl Future<Output = Done<Self::Session>> + Send;
    /// Connects the check of a table after a run.
    fn checking_session(&self, table: &Table) -> impl Future<Output = Done<Self::Session>> + Send {
        self.record_session(table)
    }
}

/// One client's records. Numbers of fields are those of the table; buffers arrive empty.
pub trait RecordSession: Abandon {
    /// Reads a record; returns whether the key exists.
    fn read(
        &mut self,
        key: &str,
        fields: Fields,
        record: &mut Record,
    ) -> impl Future<Output = Done<bool>> + Send;
    /// Inserts a record.
    fn insert(&mut self, key: &str, record: &Record) -> impl Future<Output = Done<()>> + Send;
    /// Sets fields; returns whether the key exists.
    fn update(&mut self, key: &str, record: &Record) -> impl Future<Output = Done<bool>> + Send;
    /// Removes a record; returns whether the key existed.
    fn delete(&mut self, key: &str) -> impl Future<Output = Done<bool>> + Send;
    /// Reads records in the order of their keys.
    fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> impl Future<Output = Done<()>> + Send;
}

/// Pages of customers; see `hoap_database::shop::Pages`.
pub trait Pages: Engine {
    /// One client's connection.
    type Pager: Pager;
    /// Connects one client.
    fn pager(&self) -> impl Future<Output = Done<Self::Pager>> + Send;
}

/// One client that reads pages.
pub trait Pager: Abandon {
    /// Replaces `keys`, whose strings are used again, by those of a page.
    fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> impl Future<Output = Done<()>> + Send;
}

/// Puts a key at this place of a page, into the string of the page before where there is one.
#[inline]
pub fn put_key(keys: &mut Vec<String>, at: usize, key: &str) {
    match keys.get_mut(at) {
        Some(slot) => key.clone_into(slot),
        None => keys.push(key.to_owned()),
    }
}

/// Joins of customers and orders; see `hoap_database::shop::Joins`.
pub trait Joins: Engine {
    /// One client's connection.
    type Joiner: Joiner;
    /// The variants, the first choice first.
    const VARIANTS: &'static [JoinVariant];
    /// Connects one client. The variant is one of them.
    fn joiner(&self, variant: JoinVariant) -> impl Future<Output = Done<Self::Joiner>> + Send;
}

/// One client that joins.
pub trait Joiner: Abandon {
    /// Adds the rows of a join to `rows`, which is empty.
    fn join(
        &mut self,
        zip: &str,
        month: &str,
        rows: &mut Vec<JoinRow>,
    ) -> impl Future<Output = Done<()>> + Send;
}
