//! CH2 and CH2++ on a real database: loading, the effects of the transactions, and the checks, each
//! of which must catch the fault it is there for. Written against the capability traits; SQLite is
//! the database that is always there.

mod checks;
mod loading;
mod transactions;

use std::future::Future;
use std::sync::Arc;

use hoap_data::{DataSet, Schema, Spec};
use hoap_target::open;
use hoap_workload::Result;
use hoap_workload::capability::{Access, Change, Intent, Patch, Row, Session, Target, Transaction};
use hoap_workload::load::{Existing, Part, load};
use serde_json::Value;

/// Runs a future to its end on this thread.
fn wait<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(future)
}

/// A small data set: two warehouses of 30 customers a district.
fn data(schema: Schema) -> DataSet {
    let spec = Spec { scale_down: 100, ..Spec::new(schema, 2) };
    DataSet::new(spec).unwrap()
}

/// A loaded database; its folder goes when it is dropped.
struct Loaded {
    data: DataSet,
    target: Arc<dyn Target>,
    _dir: tempfile::TempDir,
}

impl Loaded {
    fn new(schema: Schema) -> Loaded {
        Loaded::of(data(schema))
    }

    fn of(data: DataSet) -> Loaded {
        let dir = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}?synchronous=off", dir.path().join("t.db").display());
        let target: Arc<dyn Target> = Arc::from(wait(open(&url)).unwrap());
        load_part(&*target, &data, Part::WHOLE, Existing::Refuse).unwrap();
        Loaded { data, target, _dir: dir }
    }

    fn session(&self) -> Box<dyn Session> {
        wait(self.target.transactions().unwrap().session()).unwrap()
    }

    /// One document's fields.
    fn get(&self, collection: &str, key: &str, fields: &[&str]) -> Option<Row> {
        let mut session = self.session();
        wait(async {
            let mut tx = session.begin(Access::Read).await.unwrap();
            tx.get(collection, key, fields, Intent::Look).await.unwrap()
        })
    }

    /// One field of a document that must be there.
    fn field(&self, collection: &str, key: &str, field: &str) -> Value {
        let row = self.get(collection, key, &[field]);
        row.unwrap_or_else(|| panic!("no {collection} {key}")).remove(0)
    }

    /// Runs a transaction of any kind and commits it.
    fn write<T>(&self, body: impl AsyncFnOnce(&mut dyn Transaction) -> Result<T>) -> Result<T> {
        let mut session = self.session();
        wait(async {
            let mut tx = session.begin(Access::Write).await?;
            let end = body(&mut *tx).await?;
            tx.commit().await?;
            Ok(end)
        })
    }

    /// Breaks a document on purpose.
    fn set(&self, collection: &str, key: &str, path: &'static str, value: Value) {
        let patch = [Patch { path, change: Change::Set(value) }];
        self.write(async |tx| tx.patch(collection, key, &patch).await).unwrap();
    }
}

fn load_part(
    target: &dyn Target,
    data: &DataSet,
    part: Part,
    existing: Existing,
) -> Result<hoap_workload::load::Loaded> {
    wait(load(target.documents()?, data, part, existing, &|| false, &mut |_| ()))
}
