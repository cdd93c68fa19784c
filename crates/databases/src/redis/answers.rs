//! Answers of the server.

use redis::Value;

use crate::failure::{Done, Failure};

/// An answer that is a list of texts.
pub(super) fn texts(answer: Value) -> Done<Vec<String>> {
    let Value::Array(values) = answer else {
        return Err(Failure::broken(format!("a list was expected, not {answer:?}")));
    };
    let text = |value| match value {
        Value::BulkString(bytes) => {
            String::from_utf8(bytes).map_err(|_| Failure::broken("a key or value is not UTF-8"))
        }
        other => Err(Failure::broken(format!("a text was expected, not {other:?}"))),
    };
    values.into_iter().map(text).collect()
}
