//! What its parsers keep to, whatever they are given; `hoap_databases::fuzz` has the targets.

use hoap_record::Result;
use mongodb::bson::RawDocumentBuf;
use mongodb::bson::raw::RawBsonRef;
use serde_json::{Map, Value};

use super::{encode, parsed_url, text, value};

/// A URL as it is shown.
pub fn url(url: &str) -> Result<String> {
    parsed_url::parse(url, Some("from outside")).map(|place| place.shown)
}

/// A document: the direct way to BSON and the one over a tree of values say the same. And the text
/// as one of a query.
pub fn document(input: &[u8]) {
    let mut direct = Vec::new();
    if encode::document("k", input, &mut direct).is_ok() {
        let mut object: Map<String, Value> = serde_json::from_slice(input).unwrap();
        object.insert("_id".to_owned(), "k".into());
        let tree = RawDocumentBuf::try_from(&value::document(&object).unwrap()).unwrap();
        let direct = RawDocumentBuf::from_bytes(direct).unwrap();
        let json = |document: &RawDocumentBuf| value::json(RawBsonRef::Document(document)).unwrap();
        assert_eq!(json(&direct), json(&tree));
    }
    if let Ok(query) = std::str::from_utf8(input) {
        let _ = text::read(query, &[("p".to_owned(), 1.into())]);
    }
}

/// A server's answer.
pub fn answer(input: &[u8]) {
    let Ok(document) = RawDocumentBuf::from_bytes(input.to_vec()) else { return };
    let _ = value::json(RawBsonRef::Document(&document));
    let _ = value::row(&document, &["a.b[3]", "c[0][1]", "_id"]);
    let _ = value::key(&document);
}

#[cfg(test)]
mod tests {
    use hoap_testing::fuzz::round;

    #[test]
    fn mongodb_document() {
        round("mongodb_document", super::document);
    }

    #[test]
    fn mongodb_answer() {
        round("mongodb_answer", super::answer);
    }
}
