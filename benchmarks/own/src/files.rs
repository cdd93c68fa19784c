//! Documents as files, each with its key as the field `_id`.

use std::ops::Range;

use hoap_data::Buffer;
use hoap_data::writer::Field;
use hoap_files::{AnyWriter, FileSource, Flat, TypedWriter, Visit};
use serde_json::{Map, Value};

use crate::generate::columns::write_text;
use crate::generate::json;
use crate::plan::model::DATA_VERSION;
use crate::workload::{NAME, Workload};

/// The field of the key.
const ID: &str = "\"_id\":";

impl FileSource for &'static Workload {
    fn benchmark(&self) -> &'static str {
        NAME
    }

    fn data_version(&self) -> u32 {
        DATA_VERSION
    }

    fn parameters(&self) -> Map<String, Value> {
        Workload::parameters(self)
    }

    fn collections(&self) -> Vec<&str> {
        self.names()
    }

    fn count(&self, at: usize) -> u64 {
        self.plan.collections[self.stored[at]].count
    }

    fn append_range(&self, at: usize, range: Range<u64>, end: &[u8], out: &mut Buffer) {
        let (collection, has_id) = (self.stored[at], self.columns[at].has_id);
        let (mut text, mut key) = (Vec::new(), Vec::new());
        for n in range {
            text.clear();
            let place = self.plan.place(collection, n);
            self.plan.document(collection, &place, &mut text);
            if has_id {
                out.extend_from_slice(&text);
            } else {
                key.clear();
                key.extend_from_slice(b"{\"_id\":");
                let start = key.len();
                key.push(b'"');
                self.plan.key(collection, &place, &mut key);
                json::escape(start + 1, &mut key);
                key.push(b'"');
                out.extend_from_slice(&key);
                if text.len() > 2 {
                    out.extend_from_slice(b",");
                }
                out.extend_from_slice(&text[1..]);
            }
            out.extend_from_slice(end);
        }
    }

    fn write(&self, at: usize, index: u64, to: AnyWriter<'_, '_>) {
        to.take(Document { workload: self, at, n: Some(index) });
    }

    fn example(&self, at: usize, to: AnyWriter<'_, '_>) -> bool {
        to.take(Document { workload: self, at, n: None });
        true
    }

    fn flat(&self) -> &'static Flat {
        &self.flat
    }
}

/// A document by its number, or an example of all.
struct Document {
    workload: &'static Workload,
    at: usize,
    n: Option<u64>,
}

impl Visit for Document {
    fn write<W: TypedWriter>(self, to: &mut W) {
        let Document { workload: Workload { plan, stored, columns, .. }, at, n } = self;
        let (collection, of) = (stored[at], &columns[at]);
        let place = n.map(|n| plan.place(collection, n));
        to.begin_object(Field::ELEMENT);
        if !of.has_id {
            let mut key = Vec::new();
            if let Some(place) = &place {
                plan.key(collection, place, &mut key);
            }
            write_text(Field::of_text(ID), &key, to);
        }
        let set = place
            .as_ref()
            .map_or(0, |place| plan.set(&plan.collections[collection].document, place));
        plan.write_columns(&of.columns, set, place.as_ref(), to);
        to.end_object();
    }
}
