//! Tables and views that others made, read as documents.
//!
//! The file is opened read only, and the log of others is not moved into it. A table is read in
//! pieces by its row numbers, each a statement of its own: where the file has no write-ahead log, a
//! writer waits for the readers' statements.

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hoap_database::Index;
use hoap_database::engine::{EachDocument, Export};
use hoap_database::export::{Table, none, parsed};
use hoap_database::failure::{Done, Failure};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};
use serde_json::{Number, Value, json};

use super::database::SqliteEngine;
use crate::error::OrFail;

/// The rows of a piece, and those that say which columns are JSON.
const PIECE: i64 = 1000;

/// Whether a column has JSON as text or as JSONB.
const IS_JSON: &str = "(typeof(COLUMN) IN ('text', 'blob') AND json_valid(COLUMN, 9))";

#[async_trait]
impl Export for SqliteEngine {
    async fn export(&self, collection: &str, each: &mut EachDocument<'_>) -> Done<Vec<Index>> {
        let connection = self.database().foreign()?;
        let source = Source::of(&connection, collection)?;
        source.read(&connection, each)?;
        source.indexes(&connection).or_fail()
    }
}

/// A table or view.
struct Source {
    name: String,
    columns: Vec<Column>,
    /// The name of its row numbers, if it has them.
    rowid: Option<&'static str>,
    table: Table,
}

struct Column {
    name: String,
    is_key: bool,
    /// Whether it is JSON: declared so, or all objects and arrays.
    json: bool,
}

/// A name as SQL has it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Source {
    fn of(connection: &Connection, collection: &str) -> Done<Source> {
        let text = "SELECT name, type = 'table' AND NOT wr FROM pragma_table_list
                    WHERE schema = 'main' AND type <> 'shadow'
                    AND name = ?1 COLLATE NOCASE";
        let found = connection.query_row(text, [collection], |row| Ok((row.get(0)?, row.get(1)?)));
        let Some((name, numbered)) = found.optional().or_fail()? else {
            return Err(missing(connection)?);
        };
        let name: String = name;
        let mut columns = columns(connection, &name).or_fail()?;
        for column in &mut columns {
            column.json = column.json || column.is_all_json(connection, &name).or_fail()?;
        }
        let is_free =
            |alias: &&str| columns.iter().all(|column| !column.name.eq_ignore_ascii_case(alias));
        let rowid = ["rowid", "_rowid_", "oid"].into_iter().find(|_| numbered).filter(is_free);
        let all: Vec<_> = columns.iter().map(|of| (&*of.name, of.is_key, of.json)).collect();
        let table = Table::of(&all);
        Ok(Source { name, columns, rowid, table })
    }

    /// Calls `each` for every row.
    fn read(&self, connection: &Connection, each: &mut EachDocument<'_>) -> Done<()> {
        let columns: Vec<String> = self.columns.iter().map(Column::selected).collect();
        let (columns, name) = (columns.join(", "), quoted(&self.name));
        let Some(rowid) = self.rowid else {
            let text = format!("SELECT 0, {columns} FROM {name}");
            let mut statement = connection.prepare(&text).or_fail()?;
            let mut rows = statement.query([]).or_fail()?;
            while let Some(row) = rows.next().or_fail()? {
                each(self.table.row(self.cells(row)?))?;
            }
            return Ok(());
        };
        let from = |is: &str| {
            format!(
                "SELECT {rowid}, {columns} FROM {name} WHERE {rowid} {is} ?1
                 ORDER BY {rowid} LIMIT {PIECE}"
            )
        };
        let mut next = connection.prepare(&from(">=")).or_fail()?;
        let mut last = i64::MIN;
        loop {
            let mut rows = next.query([last]).or_fail()?;
            let mut any = false;
            while let Some(row) = rows.next().or_fail()? {
                any = true;
                last = row.get(0).or_fail()?;
                each(self.table.row(self.cells(row)?))?;
            }
            if !any || last == i64::MAX {
                return Ok(());
            }
            last += 1;
        }
    }

    fn cells(&self, row: &Row<'_>) -> Done<Vec<(String, Value)>> {
        let mut cells = Vec::with_capacity(self.columns.len());
        for (at, column) in self.columns.iter().enumerate() {
            // Of a column of JSON there are two: what is JSON, and else what it is.
            let value = match row.get_ref(1 + 2 * at).or_fail()? {
                ValueRef::Text(text) => parsed(text)?,
                _ => value(row.get_ref(2 + 2 * at).or_fail()?),
            };
            cells.push((column.name.clone(), value));
        }
        Ok(cells)
    }

    /// The indexes that are on fields from their first column on, as far as they are.
    fn indexes(&self, connection: &Connection) -> rusqlite::Result<Vec<Index>> {
        let text = "SELECT l.name, ifnull(s.sql, '') FROM pragma_index_list(?1) l
                    LEFT JOIN sqlite_schema s ON s.name = l.name AND s.type = 'index'
                    WHERE NOT l.partial ORDER BY l.seq DESC";
        let mut statement = connection.prepare(text)?;
        let names = statement.query_map([&self.name], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let names: Vec<(String, String)> = names.collect::<rusqlite::Result<_>>()?;
        let text = "SELECT cid, name FROM pragma_index_xinfo(?1) WHERE key ORDER BY seqno";
        let mut statement = connection.prepare(text)?;
        let mut indexes = Vec::new();
        for (name, made_by) in names {
            let terms = terms(&made_by);
            let columns = statement.query_map([&name], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let columns: Vec<(i64, Option<String>)> = columns.collect::<rusqlite::Result<_>>()?;
            let path = |(at, (_, column)): (usize, &(i64, Option<String>))| match column {
                Some(column) => self.table.indexed(&quoted(column)),
                None => self.table.indexed(terms.get(at)?),
            };
            let fields: Vec<String> = columns.iter().enumerate().map_while(path).collect();
            if !fields.is_empty() {
                indexes.push(Index::new(name, &self.name, &fields));
            }
        }
        Ok(indexes)
    }
}

impl Column {
    /// Its value as JSON, if it is JSON, and else as it is.
    fn selected(&self) -> String {
        let name = quoted(&self.name);
        match self.json {
            false => format!("NULL, {name}"),
            true => {
                let is = IS_JSON.replace("COLUMN", &name);
                format!("iif({is}, json({name}), NULL), iif({is}, NULL, {name})")
            }
        }
    }

    /// Whether the first values are objects and arrays of JSON, without other ones.
    fn is_all_json(&self, connection: &Connection, table: &str) -> rusqlite::Result<bool> {
        let (name, table) = (quoted(&self.name), quoted(table));
        let is = IS_JSON.replace("COLUMN", "value");
        let text = format!(
            "SELECT count(*) > 0 AND min(ifnull(iif({is}, json_type(value), '')
                                                IN ('object', 'array'), 0))
             FROM (SELECT {name} AS value FROM {table} WHERE {name} IS NOT NULL LIMIT {PIECE})"
        );
        Ok(connection.query_row(&text, [], |row| row.get::<_, Option<bool>>(0))?.unwrap_or(false))
    }
}

/// The columns that `SELECT *` has.
fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<Column>> {
    let text = "SELECT name, pk > 0, type LIKE '%json%' FROM pragma_table_xinfo(?1)
                WHERE hidden <> 1 ORDER BY cid";
    let mut statement = connection.prepare(text)?;
    let columns = statement.query_map([table], |row| {
        Ok(Column { name: row.get(0)?, is_key: row.get(1)?, json: row.get(2)? })
    })?;
    columns.collect()
}

/// The error of a table that is not there.
fn missing(connection: &Connection) -> Done<Failure> {
    let text = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow'
                AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
    let mut statement = connection.prepare(text).or_fail()?;
    let names = statement.query_map([], |row| row.get(0)).or_fail()?;
    let names: Vec<String> = names.collect::<rusqlite::Result<_>>().or_fail()?;
    Ok(none("table or view", "it", &names))
}

/// A value without JSON in it. Numbers that JSON lacks are null, bytes are in base64.
fn value(of: ValueRef<'_>) -> Value {
    match of {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(n) => n.into(),
        ValueRef::Real(n) => Number::from_f64(n).map_or(Value::Null, Value::Number),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        ValueRef::Blob(bytes) => json!({ "$binary": STANDARD.encode(bytes) }),
    }
}

/// What is between the commas of the first parentheses of a statement that made an index.
fn terms(text: &str) -> Vec<&str> {
    let Some(begin) = text.find('(') else { return Vec::new() };
    let (mut terms, mut from, mut depth, mut quote) = (Vec::new(), begin + 1, 0, None);
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at <= begin) {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')' | ',') if depth == 0 => {
                terms.push(&text[from..at]);
                from = at + 1;
                if c == ')' {
                    break;
                }
            }
            (None, ')') => depth -= 1,
            _ => {}
        }
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terms_of_an_index_are_as_written() {
        for (text, expected) in [
            ("CREATE INDEX i ON t (a, b DESC)", vec!["a", " b DESC"]),
            ("CREATE INDEX i ON t (f(a, ','), b) WHERE (c)", vec!["f(a, ',')", " b"]),
            ("CREATE INDEX i ON t (\"a,b)\", 'it''s,')", vec!["\"a,b)\"", " 'it''s,'"]),
            ("", vec![]),
        ] {
            assert_eq!(terms(text), expected, "{text}");
        }
    }
}
