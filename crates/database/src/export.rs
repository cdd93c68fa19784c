//! Tables of others as documents: what a row is, and which fields their indexes are on.

use std::iter::Peekable;
use std::str::Chars;

use hoap_record::ErrorKind;
use hoap_record::input::MOST_VALUES;
use serde_json::{Map, Value};

use crate::failure::{Done, Failure};
use crate::path;

/// The names of collections that an error lists.
const LISTED: usize = 20;

/// The most bytes of a document of others, which is held as a whole.
pub const MOST_BYTES: usize = 64 << 20;

/// What JSON text of others means.
///
/// # Errors
/// [`ErrorKind::Invalid`] if it is none, or has more than [`MOST_BYTES`] or [`MOST_VALUES`].
pub fn parsed(text: &[u8]) -> Done<Value> {
    let more = |than: usize, of: &str| {
        Err(Failure::invalid(format!("a document has more than {than} {of}")))
    };
    let values = memchr::memchr3_iter(b',', b'[', b'{', text).take(MOST_VALUES + 1).count();
    match (text.len() > MOST_BYTES, values > MOST_VALUES) {
        (true, _) => more(MOST_BYTES, "bytes"),
        (_, true) => more(MOST_VALUES, "values"),
        _ => serde_json::from_slice(text).map_err(Failure::invalid),
    }
}

/// The columns of a table that are more than fields.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The column that is the whole primary key: the field `_id`.
    pub key: Option<String>,
    /// The only column of JSON: what is in its objects is beside the other columns.
    pub document: Option<String>,
}

impl Table {
    /// That of these columns, each with whether it is in the primary key and whether it is JSON.
    pub fn of(columns: &[(&str, bool, bool)]) -> Table {
        let only = |is: fn(&(&str, bool, bool)) -> bool| {
            let mut of = columns.iter().filter(|column| is(column));
            let only = of.next().filter(|_| of.next().is_none());
            only.map(|(name, ..)| (*name).to_owned())
        };
        let taken = columns.iter().any(|(name, ..)| *name == "_id");
        Table {
            key: only(|(_, key, _)| *key).filter(|_| !taken),
            document: only(|(.., json)| *json),
        }
    }

    /// The document of a row. A column that is null is absent. A field of the JSON stands in the
    /// place of a column of that name: such columns repeat what is in it.
    pub fn row(&self, cells: impl IntoIterator<Item = (String, Value)>) -> Map<String, Value> {
        let (mut row, mut inside) = (Map::new(), Map::new());
        for (name, value) in cells {
            match value {
                Value::Null => {}
                Value::Object(members) if self.document.as_ref() == Some(&name) => inside = members,
                value => drop(row.insert(name, value)),
            }
        }
        let key = self.key.as_ref().filter(|_| !inside.contains_key("_id"));
        let key = key.and_then(|name| row.shift_remove(name));
        let id = key.into_iter().map(|key| ("_id".to_owned(), key));
        let mut document: Map<String, Value> = id.chain(row).collect();
        inside.into_iter().for_each(|(name, value)| drop(document.insert(name, value)));
        document
    }

    /// The path of the field that an index is on, which is a column or an expression as SQLite and
    /// PostgreSQL print it: `doc ->> 'a'`, `(doc -> 'a'::text) ->> 'b'::text`,
    /// `json_extract(doc, '$.a.b')`, `doc #>> '{a,b}'::text[]`. `None` if it is on anything else.
    pub fn indexed(&self, expression: &str) -> Option<String> {
        let mut names = Vec::new();
        let mut left = Words(expression.chars().peekable());
        while let Some(word) = left.next() {
            match word? {
                Word::Name(name) if names.is_empty() => match left.0.peek() {
                    Some('(') if ["json_extract", "jsonb_extract"].contains(&name.as_str()) => {}
                    Some('(') => return None,
                    _ => names.push(name),
                },
                Word::Text(text) if !names.is_empty() => steps(&text, &mut names)?,
                _ => return None,
            }
        }
        let column = names.first()?;
        match (&self.document, &self.key) {
            (Some(document), _) if document == column => drop(names.remove(0)),
            (_, Some(key)) if key == column => names[0] = "_id".into(),
            _ => {}
        }
        path::of(&names)
    }
}

/// The names that an operator's text has: a path of SQLite, an array of PostgreSQL, or one name.
fn steps(text: &str, names: &mut Vec<String>) -> Option<()> {
    let mut add = |name: &str| names.push(name.trim_matches('"').to_owned());
    let array = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    match (text.strip_prefix("$."), array) {
        (Some(path), _) if path.contains('[') => return None,
        (Some(path), _) => path.split('.').for_each(&mut add),
        (_, Some(array)) => array.split(',').for_each(&mut add),
        _ => add(text),
    }
    Some(())
}

/// What an expression is made of, without operators, parentheses and casts.
struct Words<'e>(Peekable<Chars<'e>>);

enum Word {
    /// Of a column or a function.
    Name(String),
    /// In quotes.
    Text(String),
}

impl Words<'_> {
    fn quoted(&mut self, quote: char) -> Option<String> {
        let mut text = String::new();
        loop {
            match self.0.next()? {
                c if c == quote && self.0.peek() != Some(&quote) => return Some(text),
                c if c == quote => drop(self.0.next()),
                c => {
                    text.push(c);
                    continue;
                }
            }
            text.push(quote);
        }
    }
}

impl Iterator for Words<'_> {
    /// `None` of what is not understood.
    type Item = Option<Word>;

    fn next(&mut self) -> Option<Option<Word>> {
        loop {
            return Some(match self.0.next()? {
                ' ' | '(' | ')' | ',' | '-' | '>' | '#' => continue,
                ':' => {
                    // A cast; the type ends before what is no part of one.
                    while self.0.next_if(|c| !")-#".contains(*c)).is_some() {}
                    continue;
                }
                '\'' => self.quoted('\'').map(Word::Text),
                quote @ ('"' | '`') => self.quoted(quote).map(Word::Name),
                c if c.is_alphabetic() || c == '_' => {
                    let mut name = String::from(c);
                    while let Some(c) = self.0.next_if(|c| c.is_alphanumeric() || *c == '_') {
                        name.push(c);
                    }
                    match name.to_ascii_uppercase().as_str() {
                        "ASC" | "DESC" => continue,
                        _ => Some(Word::Name(name)),
                    }
                }
                _ => None,
            });
        }
    }
}

/// The failure of a collection that is not there; `kind` says what it is, `place` in what.
pub fn none(kind: &str, place: &str, there: &[String]) -> Failure {
    let answer = format!("no such {kind} in {place}");
    let more = if there.len() > LISTED { ", …" } else { "" };
    let listed: Vec<&str> = there.iter().take(LISTED).map(String::as_str).collect();
    let advice = match listed.is_empty() {
        true => "it has none: name another database".into(),
        false => format!("it has {}{more}", listed.join(", ")),
    };
    Failure { advice: Some(advice.into()), ..Failure::new(ErrorKind::Missing, answer) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_is_its_json_beside_its_columns() {
        let cells = |of: Value| match of {
            Value::Object(cells) => cells,
            _ => Map::new(),
        };
        let one = Table::of(&[("id", true, false), ("doc", false, true), ("at", false, false)]);
        let two = Table::of(&[("a", true, true), ("b", true, true)]);
        let taken = Table::of(&[("_id", false, false), ("k", true, false)]);
        for (table, row, document) in [
            (&one, json!({"id":1,"doc":{"x":2},"at":"t"}), json!({"_id":1,"at":"t","x":2})),
            (&one, json!({"id":1,"doc":{"at":3},"at":"t"}), json!({"_id":1,"at":3})),
            (&one, json!({"id":1,"doc":{"_id":3}}), json!({"id":1,"_id":3})),
            (&one, json!({"id":1,"doc":[1],"at":null}), json!({"_id":1,"doc":[1]})),
            (&one, json!({"id":1,"doc":null}), json!({"_id":1})),
            (&two, json!({"a":{"x":1},"b":{"x":2}}), json!({"a":{"x":1},"b":{"x":2}})),
            (&taken, json!({"_id":1,"k":2}), json!({"_id":1,"k":2})),
        ] {
            let made = table.row(cells(row.clone()));
            assert_eq!(Value::Object(made).to_string(), document.to_string(), "{row}");
        }
    }

    #[test]
    fn an_index_is_on_fields_or_on_something_else() {
        let table = Table::of(&[("id", true, false), ("doc", false, true), ("at", false, false)]);
        for (expression, path) in [
            ("at", Some("at")),
            ("\"Odd \"\"Name\"", Some("'Odd \"Name'")),
            ("id", Some("_id")),
            ("doc ->> '$.a'", Some("a")),
            ("doc ->> '$.a.b' DESC", Some("a.b")),
            ("json_extract(doc, '$.\"x y\".b')", Some("'x y'.b")),
            ("(doc ->> 'a'::text)", Some("a")),
            ("((doc -> 'a'::text) -> 'it''s'::text)", Some("a.\"it's\"")),
            ("(((doc -> 'a'::text) ->> 'b'::text)::timestamp without time zone)", Some("a.b")),
            ("((doc #>> '{a,b}'::text[])::numeric(10,2))", Some("a.b")),
            ("(at -> 'a'::text)", Some("at.a")),
            ("doc", None),
            ("lower(at)", None),
            ("lower((doc ->> 'a'::text))", None),
            ("at || doc", None),
            ("(doc -> 0)", None),
            ("doc ->> '$.a[0]'", None),
            ("'unended", None),
            ("", None),
        ] {
            assert_eq!(table.indexed(expression).as_deref(), path, "{expression}");
        }
    }
}
