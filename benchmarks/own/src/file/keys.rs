//! A table of the file, whose keys are asked for one after the other; what nobody asked for is
//! wrong.

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml::value::Datetime;

use super::wrong::{Wrong, instead, is_slip};

/// The result of reading a part of the file.
pub type Read<T> = Result<T, Wrong>;

/// A value, and where it stands.
#[derive(Clone, Copy)]
pub struct Value<'t> {
    /// The byte at which it begins.
    pub at: usize,
    value: &'t DeValue<'t>,
}

/// A key with its value.
#[derive(Clone, Copy)]
pub struct Entry<'t> {
    /// The key.
    pub key: &'t str,
    /// Where it stands.
    pub key_at: usize,
    /// What it is given.
    pub value: Value<'t>,
}

/// The entries of a table in the order of the file.
fn entries<'t>(table: &'t DeTable<'t>) -> Vec<Entry<'t>> {
    let mut entries: Vec<Entry<'t>> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref(),
            key_at: key.span().start,
            value: Value::new(value),
        })
        .collect();
    entries.sort_by_key(|entry| entry.key_at);
    entries
}

impl<'t> Value<'t> {
    fn new(value: &'t Spanned<DeValue<'t>>) -> Value<'t> {
        Value { at: value.span().start, value: value.get_ref() }
    }

    /// That it is something else than was expected.
    fn unlike(self, expected: &str) -> Wrong {
        let found = match self.value.type_str() {
            "datetime" => "a date",
            "integer" => "an integer",
            "array" => "a list",
            "float" => "a number",
            "boolean" => "true or false",
            "table" => "a table",
            _ => "a text",
        };
        Wrong::new(self.at, format!("this is {found}, and {expected} is expected"))
    }

    /// An error at this value.
    pub fn wrong(self, message: impl Into<String>) -> Wrong {
        Wrong::new(self.at, message)
    }

    /// A text.
    pub fn text(self) -> Read<&'t str> {
        self.value.as_str().ok_or_else(|| self.unlike("a text"))
    }

    /// A text, if it is one.
    pub fn as_text(self) -> Option<&'t str> {
        self.value.as_str()
    }

    /// A date, if it is one.
    pub fn as_date(self) -> Option<&'t Datetime> {
        self.value.as_datetime()
    }

    /// True or false, if it is that.
    pub fn as_boolean(self) -> Option<bool> {
        self.value.as_bool()
    }

    /// True or false.
    pub fn boolean(self) -> Read<bool> {
        self.as_boolean().ok_or_else(|| self.unlike("true or false"))
    }

    /// An integer, if it is one of 64 bits.
    pub fn as_integer(self) -> Option<i64> {
        let integer = self.value.as_integer()?;
        i64::from_str_radix(integer.as_str(), integer.radix()).ok()
    }

    /// An integer.
    pub fn integer(self) -> Read<i64> {
        match self.as_integer() {
            Some(n) => Ok(n),
            None if self.value.is_integer() => {
                Err(self.wrong("this integer has more than 64 bits"))
            }
            None => Err(self.unlike("an integer")),
        }
    }

    /// A number that is finite.
    pub fn number(self) -> Read<f64> {
        let text = self.value.as_float().and_then(|float| float.as_str().parse::<f64>().ok());
        match text.or_else(|| self.as_integer().map(|n| n as f64)) {
            Some(n) if n.is_finite() => Ok(n),
            Some(n) => Err(self.wrong(format!("{n} is no number of JSON"))),
            _ => Err(self.unlike("a number")),
        }
    }

    /// The digits of a number with a point, as they are written.
    pub fn as_number(self) -> Option<&'t str> {
        self.value.as_float().map(|float| float.as_str())
    }

    /// A number from 0 to 1.
    pub fn share(self) -> Read<f64> {
        let share = self.number()?;
        match (0.0..=1.0).contains(&share) {
            true => Ok(share),
            false => Err(self.wrong("a share is from 0 to 1")),
        }
    }

    /// The elements of a list, if it is one.
    pub fn as_list(self) -> Option<Vec<Value<'t>>> {
        Some(self.value.as_array()?.iter().map(Value::new).collect())
    }

    /// The elements of a list.
    pub fn list(self) -> Read<Vec<Value<'t>>> {
        self.as_list().ok_or_else(|| self.unlike("a list"))
    }

    /// Whether it is a table.
    pub fn is_table(self) -> bool {
        self.value.is_table()
    }

    /// The entries of a table whose keys are names of the user's, in the order of the file.
    pub fn entries(self) -> Read<Vec<Entry<'t>>> {
        self.value.as_table().map(entries).ok_or_else(|| self.unlike("a table"))
    }

    /// A table, which is "a collection" or the like.
    pub fn keys(self, what: &'static str) -> Read<Keys<'t>> {
        Ok(Keys { what, at: self.at, entries: self.entries()?, known: Vec::new() })
    }

    /// What decides the data, in a form that white space, comments and the spelling of tables do
    /// not change.
    pub fn canonical(self, out: &mut String) {
        match self.value {
            DeValue::Table(table) => {
                out.push('{');
                for entry in entries(table) {
                    out.push_str(&format!("{:?}=", entry.key));
                    entry.value.canonical(out);
                    out.push(',');
                }
                out.push('}');
            }
            DeValue::Array(array) => {
                out.push('[');
                array.iter().for_each(|value| {
                    Value::new(value).canonical(out);
                    out.push(',');
                });
                out.push(']');
            }
            DeValue::String(text) => out.push_str(&format!("{text:?}")),
            DeValue::Integer(integer) => {
                out.push_str(&format!("{}r{}", integer.as_str(), integer.radix()))
            }
            DeValue::Float(float) => out.push_str(float.as_str()),
            DeValue::Boolean(whether) => out.push_str(&whether.to_string()),
            DeValue::Datetime(date) => out.push_str(&date.to_string()),
        }
    }
}

/// The keys of a table that have not been asked for.
pub struct Keys<'t> {
    what: &'static str,
    /// Where the table stands.
    pub at: usize,
    entries: Vec<Entry<'t>>,
    known: Vec<&'static str>,
}

impl<'t> Keys<'t> {
    /// The keys of the whole file.
    pub fn of_file(table: &'t DeTable<'t>) -> Keys<'t> {
        Keys { what: "a workload file", at: 0, entries: entries(table), known: Vec::new() }
    }

    /// Whether a key is there that has not been asked for.
    pub fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    /// A key with its value.
    pub fn entry(&mut self, key: &'static str) -> Option<Entry<'t>> {
        self.known.push(key);
        let at = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.remove(at))
    }

    /// The value of a key.
    pub fn take(&mut self, key: &'static str) -> Option<Value<'t>> {
        self.entry(key).map(|entry| entry.value)
    }

    /// The value of a key that must be there.
    pub fn need(&mut self, key: &'static str) -> Read<Value<'t>> {
        if let Some(value) = self.take(key) {
            return Ok(value);
        }
        Err(match self.entries.iter().find(|entry| is_slip(entry.key, key)) {
            Some(slip) => self.unknown(slip),
            None => {
                let missing = format!("{} has `{key}`, which is missing here", self.what);
                Wrong::new(self.at, missing)
            }
        })
    }

    /// Keys that are known, too, and belong to something else.
    pub fn also(&mut self, keys: &[&'static str]) {
        self.known.extend(keys);
    }

    /// What is left.
    pub fn rest(&self) -> impl Iterator<Item = &Entry<'t>> {
        self.entries.iter()
    }

    /// Refuses what nobody asked for.
    pub fn end(self) -> Read<()> {
        match self.entries.first() {
            Some(entry) => Err(self.unknown(entry)),
            None => Ok(()),
        }
    }

    fn unknown(&self, Entry { key, key_at, .. }: &Entry<'t>) -> Wrong {
        let names = instead(key, self.known.iter().copied());
        Wrong::new(*key_at, format!("`{key}` is no key of {}{names}", self.what))
    }
}
