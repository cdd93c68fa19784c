//! CH2 and CH2++ data as the source of a load.

use std::ops::Range;

use hoap_data::{Collection, DataSet};
use hoap_database::{Index, Values};
use serde_json::{Value, json};

use super::note::DataNote;
use super::schema::Paths;
use crate::load::{LoadSource, TypedSource, hand_over};

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

    fn beside(&self) -> Vec<&'static str> {
        vec![super::freshness::COLLECTION, super::witness::COLLECTION]
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
