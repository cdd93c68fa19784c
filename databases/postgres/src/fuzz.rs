//! What its parsers keep to, whatever they are given; `hoap_databases::fuzz` has the targets.

use hoap_record::Result;
use serde_json::Value;

use super::password::password_of;
use super::{bulk, numeric};

/// A URL as it is shown.
pub fn url(url: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<String> {
    super::options::parse(url, environment).map(|parsed| parsed.shown)
}

/// Values in PostgreSQL's forms: numbers and passwords come back, and no U+0000 is overlooked.
pub fn values(input: &[u8]) {
    if let Some(text) = numeric::decode(input) {
        assert!(text.parse::<f64>().is_ok(), "{text}");
        number(&text);
    }
    let nul = bulk::holds_nul(input);
    if let Ok(value) = serde_json::from_slice::<Value>(input) {
        assert!(nul || !value.to_string().replace("\\\\", "").contains("\\u0000"));
    }
    let Ok(text) = std::str::from_utf8(input) else { return };
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
