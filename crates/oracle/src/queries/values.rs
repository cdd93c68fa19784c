//! The values of answers.

use hoap_database::Row;
use serde_json::Value;

/// All rows of an answer, ordered, before a `LIMIT`.
pub type Rows = Result<Vec<Row>, String>;

/// A number with two decimals.
pub fn money(cents: i64) -> Value {
    ratio(cents as f64 / 100.0)
}

/// The same, or null where no row came in (`None`).
pub fn money_or_null(cents: Option<i64>) -> Value {
    cents.map_or(Value::Null, money)
}

/// A number that is not money; null where the division had no answer.
pub fn ratio(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// `part / whole`, null where the whole is 0 (specification section 5, first note).
pub fn share(part: i64, whole: i64) -> Value {
    if whole == 0 { Value::Null } else { ratio(part as f64 / whole as f64) }
}

/// The sum of what came in, null over nothing.
pub fn sum(amounts: impl Iterator<Item = i64>) -> Option<i64> {
    amounts.fold(None, |sum, amount| Some(sum.unwrap_or(0) + amount))
}
