//! What a document must be: as it was made, but for the fields that operations change.

use hoap_database::path;
use hoap_workload::checks::{Document, Wanted};
use serde_json::{Map, Value};

use crate::generate::place::At;
use crate::plan::action::Changed;
use crate::workload::Workload;

impl Workload {
    /// A document as it was made.
    pub fn made(&self, collection: usize, at: &At) -> Map<String, Value> {
        let mut text = Vec::new();
        self.plan.document(collection, at, &mut text);
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// The key of a document.
    pub fn key(&self, collection: usize, at: &At) -> String {
        let mut key = Vec::new();
        self.plan.key(collection, at, &mut key);
        // Literal pieces are text of the file, and all others ASCII.
        String::from_utf8(key).unwrap_or_default()
    }

    /// A document that must be as it was made, but for the fields that operations change.
    pub fn unchanged(&self, collection: usize, at: &At) -> Document<'static> {
        let fields = self.changed(collection).iter();
        fields.fold(Document::of(self.made(collection, at)), |document, field| {
            document.but(field.shape.clone(), Wanted::Fits(Box::new(|_, _| None)))
        })
    }

    /// The fields that operations change.
    pub fn changed(&self, collection: usize) -> &[Changed] {
        &self.plan.changes[collection].fields
    }

    /// Whether operations change what is at a path.
    pub fn changes(&self, collection: usize, at: &str) -> bool {
        let meets =
            |field: &Changed| path::is_within(at, &field.path) || path::is_within(&field.path, at);
        self.changed(collection).iter().any(meets)
    }
}
