//! See [`crate::fuzz`].

use hoap_workload::Result;
use serde_json::Value;

use super::password::password_of;
use super::{nul, numeric};

/// A URL as it is shown.
pub(crate) fn url(url: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<String> {
    super::options::parse(url, environment).map(|parsed| parsed.shown)
}

/// Values in PostgreSQL's forms: numbers and texts come back.
pub fn values(input: &[u8]) {
    if let Some(text) = numeric::decode(input) {
        assert!(text.parse::<f64>().is_ok(), "{text}");
        number(&text);
    }
    let stored = nul::encode_json(input);
    let read = |text: &[u8]| serde_json::from_slice::<Value>(text).ok();
    if let Some(value) = read(input) {
        assert_eq!(read(&nul::decode_json(&stored)), Some(value));
    }
    nul::decode_json(input);
    let Ok(text) = std::str::from_utf8(input) else { return };
    assert_eq!(nul::decode(&nul::encode(text)), text);
    assert!(!nul::encode(text).contains('\0'));
    nul::decode(text);
    number(text);
    let asked = ["h", "5432", "d", "u"];
    password_of(text, &asked);
    let line = format!("*:5432:*:u:{}", text.replace('\\', "\\\\").replace(':', "\\:"));
    assert_eq!(password_of(&line, &asked).as_deref(), Some(text));
}

/// The form of a number that was written once does not change again.
fn number(text: &str) {
    let Some(raw) = numeric::encode(text) else { return };
    let once = numeric::decode(&raw).unwrap();
    let again = numeric::encode(&once).map(|raw| numeric::decode(&raw).unwrap());
    assert!(again.is_none_or(|again| again == once), "{text}: {once}");
}

#[cfg(test)]
#[test]
fn postgres_values() {
    hoap_testing::fuzz::round("postgres_values", values);
}
