//! A loaded database, wherever [`super::fresh`] says that it is.

use std::future::Future;
use std::sync::{Arc, LazyLock};

use hoap_data::{DataSet, Schema, Spec};
use hoap_databases::open;
use hoap_workload::Result;
use hoap_workload::capability::{Access, Change, Intent, Patch, Row, Session, Target, Transaction};
use hoap_workload::load::{Existing, Part, load};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::{Guard, fresh};

/// Runs a future to its end on this thread. What it leaves running in the background (a driver's
/// connections) goes on between calls.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
    RUNTIME.block_on(future)
}

/// A small data set: two warehouses of 30 customers a district.
pub fn data(schema: Schema) -> DataSet {
    let spec = Spec { scale_down: 100, ..Spec::new(schema, 2) };
    DataSet::new(spec).unwrap()
}

/// A loaded database; what it is in goes when it is dropped.
pub struct Loaded {
    pub data: DataSet,
    pub target: Arc<dyn Target>,
    _guard: Guard,
}

impl Loaded {
    pub fn new(schema: Schema) -> Loaded {
        Loaded::of(data(schema))
    }

    pub fn of(data: DataSet) -> Loaded {
        let (url, guard) = fresh();
        let target: Arc<dyn Target> = wait(open(&url)).unwrap();
        load_part(&*target, &data, Part::WHOLE, Existing::Refuse).unwrap();
        Loaded { data, target, _guard: guard }
    }

    pub fn session(&self) -> Box<dyn Session> {
        wait(self.target.transactions().unwrap().session()).unwrap()
    }

    /// One document's fields.
    pub fn get(&self, collection: &str, key: &str, fields: &[&str]) -> Option<Row> {
        let mut session = self.session();
        wait(async {
            let mut tx = session.begin(Access::Read).await.unwrap();
            tx.get(collection, key, fields, Intent::Look).await.unwrap()
        })
    }

    /// One field of a document that must be there.
    pub fn field(&self, collection: &str, key: &str, field: &str) -> Value {
        let row = self.get(collection, key, &[field]);
        row.unwrap_or_else(|| panic!("no {collection} {key}")).remove(0)
    }

    /// Runs a transaction of any kind and commits it.
    pub fn write<T>(&self, body: impl AsyncFnOnce(&mut dyn Transaction) -> Result<T>) -> Result<T> {
        let mut session = self.session();
        wait(async {
            let mut tx = session.begin(Access::Write).await?;
            let end = body(&mut *tx).await?;
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
    target: &dyn Target,
    data: &DataSet,
    part: Part,
    existing: Existing,
) -> Result<hoap_workload::load::Loaded> {
    wait(load(target.documents()?, data, part, existing, &|| false, &mut |_| ()))
}
