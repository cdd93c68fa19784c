//! What its parsers keep to, whatever they are given; `hoap_databases::fuzz` has the targets.

use hoap_record::Result;

use super::answers::{Written, texts};
use super::error;
use super::server;

/// A URL as it is shown.
pub fn url(url: &str) -> Result<String> {
    super::options::parse(url, Some("from outside")).map(|place| place.url)
}

/// An answer: an error, the state of a cluster or a server, texts, what WAIT says.
pub fn answer(input: &[u8]) {
    let Ok(value) = redis::parse_redis_value(input) else { return };
    if let Err(e) = value.clone().extract_error() {
        for failure in [error::of(&e), error::connecting(&e)] {
            assert!(!failure.answer.contains(['\n', '\r']), "{failure:?}");
        }
    }
    assert!(server::nodes(&value).is_sorted());
    server::lines(&value);
    for wanted in [0, 1, u32::MAX] {
        let _ = Written::of(vec![value.clone(), value.clone()], wanted, 100);
    }
    let _ = texts(value);
}

#[cfg(test)]
#[test]
fn redis_answer() {
    hoap_testing::fuzz::round("redis_answer", answer);
}
