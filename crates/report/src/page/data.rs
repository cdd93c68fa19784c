//! The charts as one JSON block.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::format::text::harmless;

/// The JSON text, safe inside a `script` element: no `<`, `>` or `&` is left in it.
pub fn json(charts: &Map<String, Value>) -> String {
    let text = serde_json::to_string(charts).unwrap_or_default();
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '<' | '>' | '&') || harmless(c) != c {
            // All of these are in the first plane, where one escape holds one character.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}
