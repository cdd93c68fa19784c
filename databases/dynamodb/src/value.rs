//! JSON values as attribute values and back.
//!
//! A number is DynamoDB's decimal of 38 digits: integers of 64 bits and sums of money are exact. It
//! keeps no trailing zeros: a whole number comes back as an integer, `300000.0` as `300000`.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use hoap_database::failure::{Done, Failure};
use serde_json::{Map, Number, Value};

use super::layout;

/// An item: attributes by their names.
pub(super) type Item = HashMap<String, AttributeValue>;

/// A JSON value as an attribute.
pub(super) fn attribute(value: &Value) -> AttributeValue {
    match value {
        Value::Null => AttributeValue::Null(true),
        Value::Bool(b) => AttributeValue::Bool(*b),
        Value::Number(n) => AttributeValue::N(n.to_string()),
        Value::String(s) => AttributeValue::S(s.clone()),
        Value::Array(values) => AttributeValue::L(values.iter().map(attribute).collect()),
        Value::Object(map) => {
            AttributeValue::M(map.iter().map(|(k, v)| (k.clone(), attribute(v))).collect())
        }
    }
}

/// The same without a copy of its texts.
fn into_attribute(value: Value) -> AttributeValue {
    match value {
        Value::String(s) => AttributeValue::S(s),
        Value::Array(values) => AttributeValue::L(values.into_iter().map(into_attribute).collect()),
        Value::Object(map) => {
            AttributeValue::M(map.into_iter().map(|(k, v)| (k, into_attribute(v))).collect())
        }
        plain => attribute(&plain),
    }
}

/// An attribute as a JSON value.
///
/// # Errors
/// A type of attribute that no document of ours has.
pub(super) fn json(attribute: &AttributeValue) -> Done<Value> {
    Ok(match attribute {
        AttributeValue::Null(_) => Value::Null,
        AttributeValue::Bool(b) => Value::Bool(*b),
        AttributeValue::N(text) => Value::Number(number(text)?),
        AttributeValue::S(s) => Value::String(s.clone()),
        AttributeValue::L(values) => values.iter().map(json).collect::<Done<_>>()?,
        AttributeValue::M(map) => {
            let pairs = map.iter().map(|(k, v)| Ok((k.clone(), json(v)?)));
            Value::Object(pairs.collect::<Done<Map<_, _>>>()?)
        }
        other => return Err(Failure::broken(format!("an attribute is {other:?}"))),
    })
}

fn number(text: &str) -> Done<Number> {
    let whole = text.parse::<i64>().map(Number::from);
    let whole = whole.or_else(|_| text.parse::<u64>().map(Number::from));
    let number = whole.ok().or_else(|| text.parse().ok().and_then(Number::from_f64));
    number.ok_or_else(|| Failure::broken(format!("`{text}` is no number")))
}

/// A document in this JSON text as an item without its key.
///
/// # Errors
/// What is wrong with the text.
pub(super) fn parse(text: &[u8]) -> Done<Item> {
    let object: Map<String, Value> = serde_json::from_slice(text)
        .map_err(|e| Failure::invalid(format!("it is no JSON object: {e}")))?;
    check_names(object.keys())?;
    Ok(object.into_iter().map(|(name, value)| (name, into_attribute(value))).collect())
}

/// Refuses names that this module gives to attributes of its own.
pub(super) fn check_names<'a>(names: impl IntoIterator<Item = &'a String>) -> Done<()> {
    let ours = |name: &&String| *name == layout::KEY || *name == layout::VERSION;
    match names.into_iter().find(ours) {
        Some(name) => {
            Err(Failure::invalid(format!("the field {name} has a name that hoap uses for itself")))
        }
        None => Ok(()),
    }
}

/// A document, without what this module added.
pub(super) fn document(item: &Item) -> Done<Map<String, Value>> {
    let fields = item.iter().filter(|(name, _)| *name != layout::KEY && *name != layout::VERSION);
    fields.map(|(name, value)| Ok((name.clone(), json(value)?))).collect()
}

/// A text of an item that must be there.
pub(super) fn text<'a>(item: &'a Item, name: &str) -> Done<&'a str> {
    match item.get(name) {
        Some(AttributeValue::S(text)) => Ok(text),
        other => Err(Failure::broken(format!("an item's {name} is {other:?}, not a text"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_come_back_as_they_went_in() {
        let text = json!({
            "null": null, "yes": true, "zero": 0, "large": i64::MAX, "small": i64::MIN,
            "unsigned": u64::MAX, "real": 0.1, "sum": 0.1 + 0.2, "third": 1.0 / 3.0, "empty": "",
            "list": [1, [2.5, {"a": null}], "x"], "object": {"b": 1, "a": {"c": [true]}}, "none": {}
        });
        let item = parse(text.to_string().as_bytes()).unwrap();
        assert_eq!(Value::Object(document(&item).unwrap()), text);
        // A decimal has no zeros at its end.
        assert_eq!(super::json(&AttributeValue::N("300000".into())).unwrap(), json!(300_000));
    }

    #[test]
    fn what_is_no_document_is_refused() {
        for (text, word) in
            [("[1]", "no JSON object"), ("{\"a\"", "no JSON object"), ("{\"_v\": 1}", "_v")]
        {
            let e = parse(text.as_bytes()).unwrap_err();
            assert!(e.answer.contains(word), "{text}: {e:?}");
        }
    }
}
