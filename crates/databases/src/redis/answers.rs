//! Answers of the server.

use redis::Value;

use super::error::{Done, Failure};

/// An answer that is a list of texts.
pub(super) fn texts(answer: Value) -> Done<Vec<String>> {
    let Value::Array(values) = answer else {
        return Err(Failure::Broken(format!("a list was expected, not {answer:?}")));
    };
    let text = |value| match value {
        Value::BulkString(bytes) => String::from_utf8(bytes)
            .map_err(|_| Failure::Broken("a key or value is not UTF-8".to_owned())),
        other => Err(Failure::Broken(format!("a text was expected, not {other:?}"))),
    };
    values.into_iter().map(text).collect()
}
