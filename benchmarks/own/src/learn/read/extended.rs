//! MongoDB's Extended JSON (v2): a value with its type in the name is the type that it means.

use hoap_data::Timestamp;
use serde_json::{Number, Value};

/// The names of types that have a value of JSON.
const TYPES: [&str; 8] = [
    "$oid",
    "$uuid",
    "$date",
    "$numberInt",
    "$numberLong",
    "$numberDouble",
    "$numberDecimal",
    "$symbol",
];

/// Puts plain values in the place of those that are written with their types. Binary values, and
/// types that JSON has nothing like, stay as they are.
pub fn plain(value: &mut Value) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(plain),
        Value::Object(members) => {
            if members.len() == 1
                && let Some((name, of)) = members.iter().next()
                && TYPES.contains(&name.as_str())
                && let Some(meant) = meant(name, of)
            {
                *value = meant;
                return;
            }
            members.values_mut().for_each(plain);
        }
        _ => {}
    }
}

fn meant(name: &str, of: &Value) -> Option<Value> {
    match (name, of) {
        ("$oid" | "$uuid" | "$symbol" | "$date", Value::String(text)) => Some(text.as_str().into()),
        ("$date", of) => date(of),
        ("$numberInt" | "$numberLong", Value::String(text)) => {
            Some(text.parse::<i64>().ok()?.into())
        }
        ("$numberDouble" | "$numberDecimal", Value::String(text)) => number(text),
        (_, Value::Number(_)) => Some(of.clone()),
        _ => None,
    }
}

/// The number of a text; null if JSON has none, as of infinity.
fn number(text: &str) -> Option<Value> {
    if let Ok(n) = text.parse::<i64>() {
        return Some(n.into());
    }
    let value = text.parse::<f64>().ok()?;
    Some(Number::from_f64(value).map_or(Value::Null, Value::Number))
}

/// Milliseconds since 1970 as text.
fn date(of: &Value) -> Option<Value> {
    let millis = match of {
        Value::Number(n) => n.as_i64()?,
        Value::Object(members) => members.get("$numberLong")?.as_str()?.parse().ok()?,
        _ => return None,
    };
    let text = Timestamp::from_micros(millis.saturating_mul(1000)).to_string();
    Some(format!("{}T{}Z", &text[..10], &text[11..23]).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extended_json_is_the_type_that_it_means() {
        for (extended, expected) in [
            (r#"{"$oid":"65a1b2c3d4e5f60718293a4b"}"#, r#""65a1b2c3d4e5f60718293a4b""#),
            (r#"{"$date":"2024-01-31T12:30:00Z"}"#, r#""2024-01-31T12:30:00Z""#),
            (r#"{"$date":{"$numberLong":"1706704200123"}}"#, r#""2024-01-31T12:30:00.123Z""#),
            (r#"{"a":[{"$numberLong":"9007199254740993"}]}"#, r#"{"a":[9007199254740993]}"#),
            (r#"{"$numberDecimal":"12.5"}"#, "12.5"),
            (r#"{"$numberDouble":"Infinity"}"#, "null"),
            (r#"{"$price":1}"#, r#"{"$price":1}"#),
            (r#"{"$oid":5,"b":1}"#, r#"{"$oid":5,"b":1}"#),
            (r#"{"$numberInt":"x"}"#, r#"{"$numberInt":"x"}"#),
        ] {
            let mut value = serde_json::from_str(extended).unwrap();
            plain(&mut value);
            assert_eq!(value.to_string(), expected, "{extended}");
        }
    }
}
