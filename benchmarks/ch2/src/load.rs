//! CH2 and CH2++ data as the source of a load.

use std::ops::Range;

use hoap_database::{Index, Values};
use hoap_workload::load::{LoadSource, TypedSource, hand_over};
use serde_json::{Value, json};

use crate::data::{Collection, DataSet};
use crate::note::DataNote;
use crate::schema::Paths;

impl LoadSource for DataSet {
    fn benchmark(&self) -> &'static str {
        self.spec().schema.name()
    }

    fn parameters(&self) -> Value {
        json!(DataNote::of(self.spec()))
    }

    fn collections(&self) -> Vec<&'static str> {
        Collection::ALL.iter().map(|c| c.name()).collect()
    }

    fn other_collections(&self) -> Vec<&'static str> {
        vec![crate::freshness::COLLECTION, crate::witness::COLLECTION]
    }

    fn part(&self, at: usize, part: u64, of: u64) -> Range<u64> {
        DataSet::part(self, Collection::ALL[at], part, of)
    }

    fn append(&self, at: usize, index: u64, key: &mut String, text: &mut Vec<u8>) {
        let collection = Collection::ALL[at];
        self.append_key(collection, index, key);
        DataSet::append(self, collection, index, text);
    }

    fn typed(&self) -> Option<&dyn TypedSource> {
        Some(self)
    }

    fn indexes(&self) -> Vec<Index> {
        Paths::of(self.spec().schema).indexes()
    }
}

impl TypedSource for DataSet {
    fn write(&self, at: usize, index: u64, key: &mut String, values: &mut dyn Values) -> u64 {
        let collection = Collection::ALL[at];
        self.append_key(collection, index, key);
        hand_over(values, |writer| DataSet::write(self, collection, index, writer))
    }
}
