//! Answers of the server.

use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use redis::Value;

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

/// The primary's answer to a command that writes, and whether as many replicas as wanted have it.
pub(super) struct Written {
    pub answer: Value,
    pub replicated: Done<()>,
}

impl Written {
    /// The answers to a command and to the WAIT after it, which waited for replicas so long.
    pub fn of(answers: Vec<Value>, wanted: u32, milliseconds: u32) -> Done<Written> {
        let Ok([answer, replicas]) = <[Value; 2]>::try_from(answers) else {
            return Err(Failure::broken("a command and WAIT have not two answers"));
        };
        let replicated = match replicas {
            Value::Int(replicas) => enough(replicas, wanted, milliseconds),
            other => Err(Failure::broken(format!("WAIT answered {other:?}"))),
        };
        Ok(Written { answer, replicated })
    }

    /// The answer, where as many replicas as wanted have what it wrote.
    pub fn by_replicas(self) -> Done<Value> {
        self.replicated.map(|()| self.answer)
    }
}

/// Whether as many replicas as wanted have a write, by the answer to a WAIT of so long.
pub(super) fn enough(replicas: i64, wanted: u32, milliseconds: u32) -> Done<()> {
    if replicas >= i64::from(wanted) {
        return Ok(());
    }
    Err(Failure::of(
        ErrorKind::Timeout,
        format!("written, but after {milliseconds} ms {replicas} of {wanted} replicas have it"),
        "look after the replicas, raise wait_timeout_ms or lower wait_replicas",
    ))
}
