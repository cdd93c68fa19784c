//! Whether what a database answers is what it must be.

use serde_json::Value;

/// Whether two values are equal in the form of any database: numbers by value, absent equals null.
pub fn same(made: &Value, found: &Value) -> bool {
    alike(made, found, false)
}

/// The same where how `found` was read `tells` null from absent.
pub fn alike(made: &Value, found: &Value, tells: bool) -> bool {
    match (made, found) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            (a - b).abs() <= 1e-9 * a.abs()
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b, tells))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.keys().chain(b.keys()).all(|name| match (a.get(name), b.get(name)) {
                (Some(a), Some(b)) => alike(a, b, tells),
                (one, other) => !tells && one.or(other).is_none_or(Value::is_null),
            })
        }
        _ => made == found,
    }
}

/// Describes a wrong field, shortened.
pub fn unlike(name: &str, found: &Value, wanted: &Value) -> String {
    format!("{name} is {}, it must be {}", short(found), short(wanted))
}

/// The text of a value, shortened.
pub(crate) fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_the_same_however_a_database_writes_them() {
        let same = |made: Value, found: Value| {
            let [told, untold] = [true, false].map(|tells| alike(&made, &found, tells));
            assert!(untold || !told);
            (told, untold)
        };
        assert_eq!(same(json!({"a": [1, 0.1]}), json!({"a": [1.0, 0.1]})), (true, true));
        assert_eq!(same(json!({"a": 1, "b": null}), json!({"a": 1})), (false, true));
        assert_eq!(same(json!([{"a": 1}]), json!([{"a": 1, "b": null}])), (false, true));
        for (made, found) in [
            (json!({"a": 1}), json!({"a": 1, "b": 2})),
            (json!([1]), json!([1, 1])),
            (json!("1"), json!(1)),
            (json!(0.1234), json!(0.1235)),
            (json!(0), json!(0.0001)),
        ] {
            assert_eq!(same(made, found), (false, false));
        }
    }
}
