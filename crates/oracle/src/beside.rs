//! A database beside the oracle: how it gets its documents and how its answers are compared.

use std::sync::Arc;

use hoap_ch2::data::{Collection, DataSet, Schema};
use hoap_ch2::ingestion::Meter;
use hoap_ch2::queries::{Parameters, QuerySet, Texts};
use hoap_database::{Answer, Batch, Database, Index, Row};
use hoap_databases::open;
use hoap_workload::answers::{Column, Kind, Query, compare};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use super::evaluate::Complete;

/// A database with documents in it.
pub struct Filled {
    schema: Schema,
    target: Database,
    runtime: Runtime,
    /// Where an embedded database lies.
    _folder: Option<TempDir>,
}

/// A document's collection, key and JSON text.
pub type Document = (Collection, String, Vec<u8>);

impl Filled {
    /// SQLite in a temporary folder, with these documents in it.
    pub fn with(schema: Schema, documents: impl Iterator<Item = Document>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}?synchronous=off", folder.path().join("bench.db").display());
        Filled { _folder: Some(folder), ..Filled::at(&url, schema, documents) }
    }

    /// SQLite in a temporary folder, with all documents of a data set in it.
    pub fn with_all(set: &DataSet) -> Self {
        Filled::with(set.spec().schema, documents(set))
    }

    /// The database that a URL names, with all documents of a data set in it.
    pub fn at_with_all(url: &str, set: &DataSet) -> Self {
        let database = Filled::open(url, set.spec().schema);
        assert_eq!(database.held(set), (0, "it holds ".into()), "collections that are not there");
        database.filled(documents(set))
    }

    /// The documents that the text for ingestion counts, together and by collection.
    pub fn held(&self, set: &DataSet) -> (u64, String) {
        let mut meter = Meter::new(self.target.clone(), set, Arc::default()).unwrap();
        let all = self.runtime.block_on(meter.begin()).unwrap();
        (all, meter.held())
    }

    fn at(url: &str, schema: Schema, documents: impl Iterator<Item = Document>) -> Self {
        Filled::open(url, schema).filled(documents)
    }

    fn open(url: &str, schema: Schema) -> Self {
        // The connections of network drivers live on threads of the runtime beside the caller's.
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let target = runtime.block_on(open(url)).unwrap();
        Filled { schema, target, runtime, _folder: None }
    }

    fn filled(self, documents: impl Iterator<Item = Document>) -> Self {
        self.runtime.block_on(fill(&self.target, self.schema, documents));
        self
    }

    /// The query sets that have a text of their own for a query: one that has none has the naive
    /// one.
    pub fn query_sets(&self, query: &Query) -> Vec<QuerySet> {
        let dialect = self.target.analytics().unwrap().dialect();
        let text = |set| Texts::embedded(self.schema, dialect, set).unwrap().get(query).to_owned();
        let own = |set: &QuerySet| *set == QuerySet::Naive || text(*set) != text(QuerySet::Naive);
        QuerySet::ALL.into_iter().filter(own).collect()
    }

    /// What it answers to a query in the text of a query set.
    pub fn answer(
        &self,
        query: &Query,
        query_set: QuerySet,
        parameters: &Parameters,
    ) -> Result<Answer, String> {
        let analytics = self.target.analytics().unwrap();
        let texts = Texts::embedded(self.schema, analytics.dialect(), query_set).unwrap();
        let asked = async {
            let mut session = analytics.session().await?;
            session.query(texts.get(query), parameters).await
        };
        self.runtime.block_on(asked).map_err(|e| format!("{}: {e}", query.name))
    }

    /// How its answers to a query in both query sets differ from the oracle's.
    pub fn differences(
        &self,
        query: &Query,
        parameters: &Parameters,
        expected: &Complete,
    ) -> Vec<String> {
        let difference = |query_set| {
            let found = self.answer(query, query_set, parameters);
            let verdict = found.and_then(|found| check(self.schema, query, expected, &found));
            let schema = self.schema.name();
            Some(format!("{schema}, {query_set}, {parameters:?}: {}", verdict.err()?))
        };
        self.query_sets(query).into_iter().filter_map(difference).collect()
    }
}

/// All documents of a data set.
fn documents(set: &DataSet) -> impl Iterator<Item = Document> {
    let of = move |collection| {
        (0..set.count(collection)).map(move |index| {
            let (mut key, mut text) = (String::new(), Vec::new());
            set.append_key(collection, index, &mut key);
            set.append(collection, index, &mut text);
            (collection, key, text)
        })
    };
    Collection::ALL.into_iter().flat_map(of)
}

/// Writes documents that come collection by collection, and settles.
async fn fill(target: &Database, schema: Schema, documents: impl Iterator<Item = Document>) {
    const DOCUMENTS_A_BATCH: usize = 1000;
    let store = target.documents().unwrap();
    store.create(&Collection::ALL.map(Collection::name)).await.unwrap();
    let mut writer = store.bulk("all").await.unwrap();
    let mut documents = documents.peekable();
    let mut batch = Batch::default();
    let mut position = 0;
    while let Some((collection, key, text)) = documents.next() {
        batch.push(|keys, texts| {
            keys.push_str(&key);
            texts.extend_from_slice(&text);
        });
        let last = documents.peek().is_none_or(|next| next.0 != collection);
        if last || batch.len() == DOCUMENTS_A_BATCH {
            position += batch.len() as u64;
            writer.write(collection.name(), &batch, position).await.unwrap();
            batch.clear();
        }
        if last {
            position = 0;
        }
    }
    writer.finish().await.unwrap();
    drop(writer);
    store.settle(&indexes(schema)).await.unwrap();
}

/// Whether an answer is the oracle's. A row tied with the last one at a limit may be another one
/// than the oracle's, but it must be a row of the complete answer.
pub fn check(
    schema: Schema,
    query: &Query,
    expected: &Complete,
    found: &Answer,
) -> Result<(), String> {
    let Answer { columns, rows } = &expected.answer;
    let kept = rows.iter().take(expected.limit.unwrap_or(usize::MAX)).cloned().collect();
    let kept = Answer { columns: columns.clone(), rows: kept };
    compare(schema.name(), query, &kept, found).map_err(|e| e.to_string())?;
    if expected.limit.is_none() {
        return Ok(());
    }
    let known: Vec<String> = rows.iter().map(|row| comparable(query, row)).collect();
    match found.rows.iter().find(|row| !known.contains(&comparable(query, row))) {
        Some(row) => Err(format!("{row:?} is no row of the answer before its limit")),
        None => Ok(()),
    }
}

/// A row as text that is equal where the row is: money in cents, addresses as JSON. No query with a
/// limit returns a ratio.
fn comparable(query: &Query, row: &Row) -> String {
    let value = |(column, value): (&Column, &Value)| match (column.kind, value) {
        (Kind::Cents, value) => {
            let cents = value.as_f64().map(|amount| (amount * 100.0).round());
            format!("{cents:?}")
        }
        (Kind::Json, value) => {
            let parsed = value.as_str().and_then(|text| serde_json::from_str(text).ok());
            let mut address: Value = parsed.unwrap_or_else(|| value.clone());
            // An engine may keep the members of an object in an order of its own.
            address.sort_all_objects();
            address.to_string()
        }
        _ => value.to_string(),
    };
    let values: Vec<String> = query.columns.iter().zip(row).map(value).collect();
    values.join(" ")
}

/// The indexes that the transactions need (section 4), as a loaded database has them.
fn indexes(schema: Schema) -> [Index; 3] {
    let last = match schema {
        Schema::Ch2 => "c_last",
        Schema::Ch2pp => "c_name.c_last",
    };
    [
        Index::new("customer_by_name", "customer", &["c_w_id", "c_d_id", last]),
        Index::new("orders_by_customer", "orders", &["o_w_id", "o_d_id", "o_c_id", "o_id"]),
        Index::new("neworder_by_number", "neworder", &["no_w_id", "no_d_id", "no_o_id"]),
    ]
}
