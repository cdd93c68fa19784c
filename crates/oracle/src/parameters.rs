//! Values of a query's parameters, each read as its kind.

use serde_json::Value;

use super::instant::Instant;

/// The parameters of one execution.
pub struct Parameters<'a> {
    query: u8,
    given: &'a [(String, Value)],
}

impl<'a> Parameters<'a> {
    /// Of this query.
    pub fn new(query: u8, given: &'a [(String, Value)]) -> Self {
        Parameters { query, given }
    }

    /// A string: a name, a prefix, a suffix, digits.
    pub fn text(&self, name: &str) -> Result<&'a str, String> {
        self.read(name, "a string", Value::as_str)
    }

    /// A point in time.
    pub fn instant(&self, name: &str) -> Result<Instant, String> {
        Instant::parse(self.text(name)?)
            .map_err(|e| format!("query {}: parameter {name}: {e}", self.query))
    }

    /// A whole number.
    pub fn integer(&self, name: &str) -> Result<i64, String> {
        self.read(name, "a whole number", Value::as_i64)
    }

    /// An amount of money, in cents.
    pub fn cents(&self, name: &str) -> Result<i64, String> {
        let cents = |value: &Value| value.as_f64().map(|amount| (amount * 100.0).round() as i64);
        self.read(name, "an amount", cents)
    }

    fn read<T>(
        &self,
        name: &str,
        kind: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T, String> {
        let query = self.query;
        let (_, value) = (self.given.iter().find(|(given, _)| given == name))
            .ok_or_else(|| format!("query {query}: parameter {name} is not given"))?;
        read(value).ok_or_else(|| format!("query {query}: parameter {name} is {value}, not {kind}"))
    }
}
