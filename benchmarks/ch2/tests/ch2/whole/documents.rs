//! A database that holds what a load makes, and what a test changes in it. Its documents are made
//! when they are read, one at a time, so that it takes no memory that a check would be blamed for.

use std::sync::{Arc, Mutex};

use hoap_ch2::data::{Collection, DataSet};
use hoap_database::engine::{About, Calls, Documents, Done, Each, Engine};
use hoap_record::Description;
use serde_json::{Map, Value};

/// A document.
pub type Document = Map<String, Value>;

/// Changes a document that is read, told how often its collection was read before; whether it is
/// there.
pub type Change = fn(Collection, &str, usize, &mut Document) -> bool;

#[derive(Clone)]
pub struct Made {
    pub data: DataSet,
    pub change: Change,
    /// How often each collection was read.
    pub read: Arc<Mutex<Vec<Collection>>>,
}

impl Made {
    pub fn new(data: DataSet, change: Change) -> Self {
        Made { data, change, read: Arc::default() }
    }

    /// How often a collection was read.
    pub fn times(&self, collection: Collection) -> usize {
        self.read.lock().unwrap().iter().filter(|&&c| c == collection).count()
    }
}

impl Engine for Made {
    fn about(&self) -> About {
        About::new("made", "made:", &[], Calls::InProcess)
    }

    fn description(&self) -> Description {
        unreachable!("nothing is recorded of it")
    }

    fn documents(&self) -> Option<&dyn Documents> {
        Some(self)
    }
}

hoap_testing::only_scanned! { Made:
    async fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut Each<'_>,
    ) -> Done<()> {
        let collection = Collection::ALL.into_iter().find(|c| c.name() == collection).unwrap();
        let before = self.times(collection);
        self.read.lock().unwrap().push(collection);
        let (mut key, mut text) = (String::new(), Vec::new());
        for index in 0..self.data.count(collection) {
            key.clear();
            text.clear();
            self.data.append_key(collection, index, &mut key);
            let mut document = Document::new();
            // Documents of which nothing is asked are only counted.
            if !fields.is_empty() {
                self.data.append(collection, index, &mut text);
                document = serde_json::from_slice(&text).unwrap();
            }
            if !(self.change)(collection, &key, before, &mut document) {
                continue;
            }
            let take = |field: &&str| document.remove(*field).unwrap_or_default();
            each(&key, fields.iter().map(take).collect())?;
        }
        Ok(())
    }
}
