//! What this crate's parsers keep to, whatever they are given: for tests and under `cfg(fuzzing)`.
//! `hoap_testing::fuzz` says what a target is. A database's own parsers have theirs in a module
//! `fuzz` beside them.

use hoap_database::json;
use hoap_database::key_value::Record;
use hoap_database::url::{has_secret, redact, scrub};
use hoap_record::{Error, Result};
use serde_json::Value;

use crate::{null, sqlite};

#[cfg(feature = "cassandra")]
pub use crate::cassandra::fuzz::document as cassandra_document;
#[cfg(feature = "dynamodb")]
pub use crate::dynamodb::fuzz::document as dynamodb_document;
#[cfg(feature = "mongodb")]
pub use crate::mongodb::fuzz::{answer as mongodb_answer, document as mongodb_document};
#[cfg(feature = "postgres")]
pub use crate::postgres::fuzz::values as postgres_values;
#[cfg(feature = "redis")]
pub use crate::redis::fuzz::answer as redis_answer;
#[cfg(any(feature = "asterixdb", feature = "couchbase", feature = "couchbase-analytics"))]
pub use hoap_sqlpp::fuzz::answer as sqlpp_answer;

/// A password that no URL has by accident.
const SECRET: &str = "hunter2";

/// An error's text, which must be one line.
pub(crate) fn told(error: &Error) -> String {
    let text = error.to_string();
    assert!(!text.contains(['\n', '\r']), "not one line: {text:?}");
    text
}

/// URLs of all databases: none shows a secret that [`redact`] sees.
pub fn url(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    // Options name files, which are read.
    if text.contains("/dev") || text.contains("/proc") {
        return;
    }
    let hidden = redact(text);
    assert_eq!(redact(&hidden), hidden, "{text:?}");
    let secret = text.contains(SECRET) && !hidden.contains(SECRET);
    let scrubbed = scrub(text);
    // Within a text a URL ends at a space.
    let one = !text.contains(char::is_whitespace);
    assert!(!secret || !one || !scrubbed.contains(SECRET), "{text:?}: {scrubbed}");
    // A text in which a secret is found is not shown as it is.
    assert!(!has_secret(text) || hidden != text, "{text:?}");
    let Some(parsed) = parsed(text) else { return };
    let shown = parsed.unwrap_or_else(|e| told(&e));
    assert!(!secret || !shown.contains(SECRET), "{text:?}: {shown}");
}

/// The URL as its database shows it; `None` where there is no such database.
fn parsed(url: &str) -> Option<Result<String>> {
    let (scheme, _) = url.split_once(':')?;
    Some(match scheme {
        "sqlite" => sqlite::fuzz::url(url),
        "null" => null::open(url).map(|_| String::new()),
        #[cfg(feature = "asterixdb")]
        "asterixdb" => crate::asterixdb::fuzz::url(url),
        #[cfg(feature = "cassandra")]
        "cassandra" => crate::cassandra::fuzz::url(url, &environment),
        #[cfg(feature = "couchbase")]
        "couchbase" | "couchbases" => crate::couchbase::fuzz::url(url, &environment),
        #[cfg(feature = "couchbase-analytics")]
        "couchbase-analytics" | "couchbases-analytics" => {
            crate::couchbase_analytics::fuzz::url(url, &environment)
        }
        #[cfg(feature = "duckdb")]
        "duckdb" => crate::duckdb::fuzz::url(url),
        #[cfg(feature = "dynamodb")]
        "dynamodb" => crate::dynamodb::fuzz::url(url),
        #[cfg(feature = "mongodb")]
        "mongodb" | "mongodb+srv" => crate::mongodb::fuzz::url(url),
        #[cfg(feature = "postgres")]
        "postgres" | "postgresql" => crate::postgres::fuzz::url(url, &environment),
        #[cfg(feature = "redis")]
        "redis" | "rediss" => crate::redis::fuzz::url(url),
        _ => return None,
    })
}

/// What a variable of the environment says.
// Some databases need it.
#[cfg_attr(not(feature = "all"), allow(dead_code))]
fn environment(name: &str) -> Option<String> {
    name.ends_with("PASSWORD").then(|| "from outside".to_owned())
}

/// Records as JSON, against `serde_json`.
pub fn record_json(input: &[u8]) {
    let names = ["field0", "field1", "field2"].map(String::from);
    let read = |text: &[u8]| {
        let mut record = Record::default();
        json::read(text, &names, &mut record).map(|()| record)
    };
    let _ = read(input);
    let Ok(Value::Object(object)) = serde_json::from_slice::<Value>(input) else { return };
    // As SQLite writes it.
    let minified = Value::Object(object.clone()).to_string();
    let strings = names.iter().all(|n| object.get(n).is_none_or(|v| v.is_string() || v.is_null()));
    let record = match (read(minified.as_bytes()), strings) {
        (Ok(record), true) => record,
        (Err(_), false) => return,
        (read, _) => panic!("{minified}: {read:?}"),
    };
    for (number, value) in record.iter() {
        let name = &names[usize::from(number)];
        assert_eq!(object[name].as_str().map(str::as_bytes), Some(value), "{minified}");
    }
    let there = names.iter().filter(|n| object.get(*n).is_some_and(Value::is_string)).count();
    assert_eq!(record.iter().count(), there, "{minified}");
    let mut written = Vec::new();
    json::write(&record, &names, &mut written);
    assert_eq!(read(&written), Ok(record));
}

#[cfg(test)]
mod tests {
    use hoap_testing::fuzz::round;

    #[test]
    fn url() {
        round("url", super::url);
    }

    #[test]
    fn record_json() {
        round("record_json", super::record_json);
    }
}
