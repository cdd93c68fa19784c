//! What its parsers keep to, whatever they are given; `hoap_databases::fuzz` has the targets.

use hoap_database::path;
use hoap_record::Result;
use serde_json::{Map, Value};

use super::credentials;
use super::document::{self, Stored};
use super::replication::Replication;

/// A URL as it is shown.
pub fn url(url: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<String> {
    super::parsed_url::parse(url, environment).map(|place| place.url)
}

/// A document: a record's columns are all of it. The text as a path, as numbers of copies, and as
/// a file of credentials.
pub fn document(input: &[u8]) {
    match (Stored::of(input), serde_json::from_slice::<Map<String, Value>>(input)) {
        (Ok(Stored::Columns(columns)), Ok(object)) => {
            let columns = columns.into_iter().map(|(name, text)| (name, Value::from(text)));
            assert_eq!(columns.collect::<Map<_, _>>(), object);
        }
        (Ok(Stored::Json), Ok(_)) | (Err(_), Err(_)) => {}
        (stored, object) => panic!("{stored:?}, {object:?}"),
    }
    let Ok(text) = std::str::from_utf8(input) else { return };
    if let Some((user, password)) = credentials::read(text) {
        assert!(text.contains(&user) && text.contains(&password));
    }
    if path::check(text).is_ok() {
        document::at(&serde_json::json!({"a": [{"b": 1}]}), text);
    }
    if let Ok(Replication::Named(by_name)) = Replication::parse(text) {
        let parts: Vec<_> =
            by_name.iter().map(|(name, copies)| format!("{name}:{copies}")).collect();
        assert_eq!(Replication::parse(&parts.join(",")), Ok(Replication::Named(by_name)));
    }
}

#[cfg(test)]
#[test]
fn cassandra_document() {
    hoap_testing::fuzz::round("cassandra_document", document);
}
