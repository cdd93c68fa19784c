//! A statement and its settings.

use std::time::Duration;

use serde_json::{Map, Value};

/// A statement with its parameters and the service's settings for it: the body of a POST.
#[derive(Clone, Debug, Default)]
pub struct Request {
    body: Map<String, Value>,
    /// A parameter with its value as JSON text, which is not taken apart here.
    text: Option<(&'static str, Vec<u8>)>,
    timeout: Option<Duration>,
}

impl Request {
    /// A request for a statement.
    pub fn new(statement: impl Into<String>) -> Self {
        Request::default().set("statement", statement.into())
    }

    /// A setting by its name in the service's manual, such as `readonly`, `client_context_id`,
    /// `scan_consistency`, `txid`, or `prepared` in place of a statement.
    pub fn set(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.body.insert(name.to_owned(), value.into());
        self
    }

    /// The value of `$name`; `name` is without the dollar.
    pub fn parameter(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.body.insert(format!("${name}"), value.into());
        self
    }

    /// The value of `$name` as JSON text. There is one such parameter at most.
    pub fn text_parameter(mut self, name: &'static str, json: Vec<u8>) -> Self {
        self.text = Some((name, json));
        self
    }

    /// The time limit. The service gets it as `timeout`; the client stops waiting a little later.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self.set("timeout", format!("{}ms", limit.as_millis()))
    }

    /// How long the client waits for the whole answer, if there is a limit.
    pub(super) fn patience(&self) -> Option<Duration> {
        const GRACE: Duration = Duration::from_secs(2);
        self.timeout.map(|limit| limit + GRACE)
    }

    pub(super) fn body(&self) -> Vec<u8> {
        // A map with names that are strings always has a text.
        let mut body = serde_json::to_vec(&self.body).unwrap_or_default();
        if let Some((name, json)) = &self.text {
            let empty = body.ends_with(b"{}");
            body.pop();
            body.reserve(json.len() + name.len() + 8);
            body.extend_from_slice(if empty { b"\"$" } else { b",\"$" });
            body.extend_from_slice(name.as_bytes());
            body.extend_from_slice(b"\":");
            body.extend_from_slice(json);
            body.push(b'}');
        }
        body
    }
}
