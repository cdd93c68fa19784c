//! What its parsers keep to, whatever they are given; `hoap_databases::fuzz` has the targets.

use hoap_record::Result;
use serde_json::{Map, Value};

use super::{error, value};

/// A URL as it is shown.
pub fn url(url: &str) -> Result<String> {
    super::options::parse(url).map(|place| place.url)
}

/// A document, which comes back from the item it is stored as; and the text as an error's.
pub fn document(input: &[u8]) {
    if let Ok(item) = value::parse(input) {
        let object: Map<String, Value> = serde_json::from_slice(input).unwrap();
        assert_eq!(value::document(&item).unwrap(), object);
    }
    let text = String::from_utf8_lossy(input);
    let (code, message) = text.split_once(':').unwrap_or((&text, ""));
    for status in [400, 500] {
        let failure = error::served(Some(code), Some(message), status);
        assert!(!failure.answer.contains(['\n', '\r']), "{failure:?}");
    }
}

#[cfg(test)]
#[test]
fn dynamodb_document() {
    hoap_testing::fuzz::round("dynamodb_document", document);
}
