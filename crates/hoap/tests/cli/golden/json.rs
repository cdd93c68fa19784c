//! Replaces what a JSON text has of one run only, and finds the differences of two.

use serde_json::{Map, Value};

use super::rules::{Action, Rule};
use super::terminal::{mask, scrub};

/// Remarks that a run has or has not depending on how fast the machine is.
const SPEED: [&str; 10] = [
    "clients-unaccounted",
    "orders-grew",
    "not-steady",
    "stood-still",
    "held-back",
    "cpu-stolen",
    "begun-late",
    "driver-busy",
    "cores-taken",
    "windows-apart",
];

/// The value with the first rule that matches applied to each field.
pub fn normalise(value: &Value, rules: &[&[Rule]]) -> Value {
    let rules: Vec<&Rule> = rules.iter().copied().flatten().collect();
    Normaliser { rules }.value(value, &mut Vec::new(), None).unwrap_or(Value::Null)
}

struct Normaliser<'a> {
    rules: Vec<&'a Rule>,
}

impl Normaliser<'_> {
    /// `object` is what the field is of. `None` where the field is left out.
    fn value(
        &self,
        value: &Value,
        path: &mut Vec<String>,
        object: Option<&Map<String, Value>>,
    ) -> Option<Value> {
        let rule = self.rules.iter().find(|rule| rule.holds(path, object));
        let inner = |path: &mut Vec<String>| self.inner(value, path);
        Some(match rule.map_or(Action::Exact, |rule| rule.action) {
            Action::Exact => inner(path),
            Action::LeftOut => return None,
            Action::Number => number(value).unwrap_or_else(|| inner(path)),
            Action::Any => any(value).unwrap_or_else(|| match inner(path) {
                Value::Array(all) => all.into_iter().take(1).collect(),
                other => other,
            }),
            Action::Is(word) if !value.is_null() => word.into(),
            Action::Is(_) => Value::Null,
            Action::Either(words) => words.into(),
            Action::Words => match value {
                Value::String(text) => mask(&scrub(text)).into(),
                other => other.clone(),
            },
            Action::Bound => match value {
                Value::String(text) if text.starts_with("below ") => mask(text).into(),
                other => other.clone(),
            },
            Action::Scrubbed => match value {
                Value::String(text) => scrub(text).into(),
                other => other.clone(),
            },
            Action::Quiet => match value {
                remark if SPEED.iter().any(|id| remark["id"] == *id) => return None,
                remark => remark.clone(),
            },
            Action::Set => match inner(path) {
                Value::Array(mut all) => {
                    all.sort_by_key(Value::to_string);
                    all.dedup();
                    Value::Array(all)
                }
                other => other,
            },
        })
    }

    fn inner(&self, value: &Value, path: &mut Vec<String>) -> Value {
        let mut at = |key: &str, value: &Value, object: Option<&Map<String, Value>>| {
            path.push(key.to_owned());
            let made = self.value(value, path, object);
            path.pop();
            made
        };
        match value {
            Value::Array(all) => all.iter().filter_map(|v| at("[]", v, None)).collect(),
            Value::Object(map) => {
                let fields = map.iter();
                let fields = fields.filter_map(|(k, v)| Some((k.clone(), at(k, v, Some(map))?)));
                Value::Object(fields.collect())
            }
            other => other.clone(),
        }
    }
}

/// The placeholder of a number, which tells whole ones from those with a fraction.
fn number(value: &Value) -> Option<Value> {
    let Value::Number(number) = value else { return None };
    Some(if number.is_f64() { "<number>".into() } else { "<integer>".into() })
}

/// The placeholder of a number, a text or a truth value.
fn any(value: &Value) -> Option<Value> {
    match value {
        Value::String(_) => Some("<text>".into()),
        Value::Bool(_) => Some("<bool>".into()),
        other => number(other),
    }
}

/// Hands every difference over: the path of the field, what was expected and what was found. The
/// order of an object's keys counts.
pub fn differences(expected: &Value, found: &Value, tell: &mut dyn FnMut(&str, &str, &str)) {
    differ("", expected, found, tell);
}

fn differ(path: &str, expected: &Value, found: &Value, tell: &mut dyn FnMut(&str, &str, &str)) {
    match (expected, found) {
        (Value::Object(old), Value::Object(new)) => {
            let below = |key: &str| match path {
                "" => key.to_owned(),
                _ => format!("{path}.{key}"),
            };
            for (key, value) in old {
                match new.get(key) {
                    Some(found) => differ(&below(key), value, found, tell),
                    None => tell(&below(key), &value.to_string(), "no such key"),
                }
            }
            for (key, value) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
                tell(&below(key), "no such key", &value.to_string());
            }
            let order = |a: &Map<String, Value>, b: &Map<String, Value>| {
                let keys: Vec<&str> =
                    a.keys().filter(|key| b.contains_key(*key)).map(String::as_str).collect();
                keys.join(", ")
            };
            let (old, new) = (order(old, new), order(new, old));
            if old != new {
                tell(&below("(order of keys)"), &old, &new);
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            for (i, (old, new)) in old.iter().zip(new).enumerate() {
                differ(&format!("{path}[{i}]"), old, new, tell);
            }
            let none = || "no element".to_owned();
            for i in old.len().min(new.len())..old.len().max(new.len()) {
                let told = |all: &[Value]| all.get(i).map_or_else(none, Value::to_string);
                tell(&format!("{path}[{i}]"), &told(old), &told(new));
            }
        }
        (old, new) => {
            // As text: 1.0 and 1 are equal values.
            let (old, new) = (old.to_string(), new.to_string());
            if old != new {
                tell(path, &old, &new);
            }
        }
    }
}

#[test]
fn every_difference_is_found_and_named() {
    let of = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let told = |old: &str, new: &str| {
        let mut all = Vec::new();
        differences(&of(old), &of(new), &mut |path, old, new| {
            all.push(format!("{path}: {old} | {new}"));
        });
        all
    };
    let old = r#"{"a": 1, "b": [{"c": null}], "d": 1.0}"#;
    assert_eq!(told(old, old), [""; 0]);
    let new = r#"{"a": 1, "b": [{"c": 2}, 3], "e": 1.0}"#;
    let all = [
        "b[0].c: null | 2",
        "b[1]: no element | 3",
        "d: 1.0 | no such key",
        "e: no such key | 1.0",
    ];
    assert_eq!(told(old, new), all);
    let new = r#"{"b": [{"c": null}], "a": 1, "d": 1}"#;
    assert_eq!(told(old, new), ["d: 1.0 | 1", "(order of keys): a, b, d | b, a, d"]);
}
