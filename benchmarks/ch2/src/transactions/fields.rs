//! Reads fields of rows. A missing or malformed field is an error of kind Broken, never a default.

use hoap_database::Row;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

/// A row, with the name of its document for error messages.
pub struct Fields {
    collection: &'static str,
    key: String,
    row: Row,
}

impl Fields {
    /// The fields of a document that must exist.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`] where it does not.
    pub fn of(collection: &'static str, key: &str, row: Option<Row>) -> Result<Self> {
        match row {
            Some(row) => Ok(Fields { collection, key: key.to_owned(), row }),
            None => Err(Error::new(
                ErrorKind::Broken,
                format!("read {collection} {key}"),
                "there is no such document",
            )
            .advise("run `hoap verify` to see what is missing")),
        }
    }

    /// A whole number.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`] where it is none.
    pub fn integer(&self, i: usize) -> Result<i64> {
        self.value(i).as_i64().ok_or_else(|| self.broken(i, "a whole number"))
    }

    /// Any number.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`] where it is none.
    pub fn number(&self, i: usize) -> Result<f64> {
        self.value(i).as_f64().ok_or_else(|| self.broken(i, "a number"))
    }

    /// Money, in cents.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`] where it is no number.
    pub fn cents(&self, i: usize) -> Result<i64> {
        cents(self.value(i)).ok_or_else(|| self.broken(i, "an amount of money"))
    }

    /// A string.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`] where it is none.
    pub fn text(&self, i: usize) -> Result<&str> {
        self.value(i).as_str().ok_or_else(|| self.broken(i, "a string"))
    }

    /// An array.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`] where it is none.
    pub fn array(&mut self, i: usize) -> Result<Vec<Value>> {
        match self.row.get_mut(i).map(Value::take) {
            Some(Value::Array(elements)) => Ok(elements),
            other => Err(self.unlike(i, "an array", &other.unwrap_or(Value::Null))),
        }
    }

    /// Whether the field is not null.
    pub fn present(&self, i: usize) -> bool {
        !self.value(i).is_null()
    }

    /// The error for a field without the wanted type or range.
    pub fn broken(&self, i: usize, wanted: &str) -> Error {
        self.unlike(i, wanted, self.value(i))
    }

    fn value(&self, i: usize) -> &Value {
        self.row.get(i).unwrap_or(&Value::Null)
    }

    fn unlike(&self, i: usize, wanted: &str, found: &Value) -> Error {
        Error::new(
            ErrorKind::Broken,
            format!("read field {} of {} {}", i + 1, self.collection, self.key),
            format!("{found} where {wanted} must be"),
        )
    }
}

/// Cents of a JSON number with at most two decimals.
pub fn cents(value: &Value) -> Option<i64> {
    value.as_f64().map(|money| (money * 100.0).round() as i64)
}

/// The JSON number of an amount in cents.
pub fn money(cents: i64) -> Value {
    Value::from(cents as f64 / 100.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn money_survives_the_way_through_json() {
        for c in [0, 1, 99, 100, 1001, -1000, 30_000_000, 123_456_789_012_345] {
            let text = money(c).to_string();
            assert_eq!(cents(&serde_json::from_str(&text).unwrap()), Some(c), "{text}");
        }
    }

    #[test]
    fn a_field_of_the_wrong_shape_is_a_broken_promise() {
        let mut f = Fields::of("stock", "1.2", Some(vec![json!("x"), Value::Null])).unwrap();
        assert_eq!(f.integer(0).unwrap_err().kind, ErrorKind::Broken);
        assert_eq!(f.cents(1).unwrap_err().kind, ErrorKind::Broken);
        assert_eq!(f.text(7).unwrap_err().kind, ErrorKind::Broken);
        assert_eq!(f.array(0).unwrap_err().kind, ErrorKind::Broken);
        assert_eq!(Fields::of("stock", "1.2", None).err().unwrap().kind, ErrorKind::Broken);
    }
}
