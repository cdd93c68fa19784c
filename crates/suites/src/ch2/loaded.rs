//! A loaded database.

use std::any::Any;
use std::sync::{Arc, Mutex};

use hoap_ch2::data::{Collection, DataSet, Schema, Spec};
use hoap_data::Part;
use hoap_database::{Access, Change, Database, Intent, Patch, Row, Session, Transaction};
use hoap_databases::open;
use hoap_workload::Result;
use hoap_workload::load::{Existing, Load, load};
use serde_json::{Map, Value};

use hoap_testing::wait;

/// Makes an empty database: its URL, and what must outlive it.
pub type Fresh = fn() -> (String, Box<dyn Any + Send + Sync>);

/// A small data set: two warehouses of 30 customers a district.
pub fn data(schema: Schema) -> DataSet {
    let spec = Spec { scale_down: 100, ..Spec::new(schema, 2) };
    DataSet::new(spec).unwrap()
}

/// A loaded database; what it is in goes when it is dropped.
pub struct Loaded {
    pub data: DataSet,
    pub target: Database,
    /// The session of `get` and `write`: to open one takes longer than to read a document.
    kept: Mutex<Option<Session>>,
    _guard: Box<dyn Any + Send + Sync>,
}

impl Loaded {
    pub fn new(fresh: Fresh, schema: Schema) -> Loaded {
        Loaded::of(fresh, data(schema))
    }

    pub fn of(fresh: Fresh, data: DataSet) -> Loaded {
        let (url, guard) = fresh();
        let target: Database = wait(open(&url)).unwrap();
        load_part(&target, &data, Part::WHOLE, Existing::Refuse).unwrap();
        Loaded { data, target, kept: Mutex::default(), _guard: guard }
    }

    pub fn session(&self) -> Session {
        wait(self.target.transactions().unwrap().session()).unwrap()
    }

    /// One document's fields.
    pub fn get(&self, collection: &str, key: &str, fields: &[&str]) -> Option<Row> {
        let row = self.in_session(async |session| {
            let mut tx = session.begin(Access::Read).await?;
            tx.get(collection, key, fields, Intent::Look).await
        });
        row.unwrap()
    }

    /// Uses the session that is kept, or a new one. One that failed is not kept.
    fn in_session<T>(&self, body: impl AsyncFnOnce(&mut Session) -> Result<T>) -> Result<T> {
        let kept = self.kept.lock().unwrap().take();
        let mut session = kept.unwrap_or_else(|| self.session());
        let done = wait(body(&mut session))?;
        *self.kept.lock().unwrap() = Some(session);
        Ok(done)
    }

    /// One field of a document that must be there.
    pub fn field(&self, collection: &str, key: &str, field: &str) -> Value {
        let row = self.get(collection, key, &[field]);
        row.unwrap_or_else(|| panic!("no {collection} {key}")).remove(0)
    }

    /// Runs a transaction of any kind and commits it.
    pub fn write<T>(&self, body: impl AsyncFnOnce(&mut Transaction<'_>) -> Result<T>) -> Result<T> {
        self.in_session(async |session| {
            let mut tx = session.begin(Access::Write).await?;
            let end = body(&mut tx).await?;
            tx.commit().await?;
            Ok(end)
        })
    }

    /// Breaks a document on purpose.
    pub fn set(&self, collection: &str, key: &str, path: &'static str, value: Value) {
        let patch = [Patch { path, change: Change::Set(value) }];
        self.write(async |tx| tx.patch(collection, key, &patch).await).unwrap();
    }
}

pub fn load_part(
    target: &Database,
    data: &DataSet,
    part: Part,
    existing: Existing,
) -> Result<hoap_workload::load::Loaded> {
    let what = Load { part, ..Load::whole(*data, existing) };
    wait(load(target.documents()?, what, Arc::new(|| false), &mut |_| ()))
}

/// A document as the load makes it: its key and its fields.
pub fn document(
    data: &DataSet,
    collection: Collection,
    index: u64,
) -> (String, Map<String, Value>) {
    let (mut key, mut text) = (String::new(), Vec::new());
    data.append_key(collection, index, &mut key);
    data.append(collection, index, &mut text);
    (key, serde_json::from_slice(&text).unwrap())
}
