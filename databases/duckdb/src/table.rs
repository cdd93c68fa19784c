//! The tables of collections.
//!
//! With `layout=columns` a collection is a table with the key and a column for each field. With
//! `layout=json` it is a table with the key and the document, and a view over it with the same
//! columns: a query's text is the same for both.

use duckdb::{Connection, OptionalExt};
use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;

use super::kind::{Kind, literal, quoted};
use super::options::Layout;
use super::own;
use crate::error;
use crate::error::OrFail;

/// The column with the documents' keys.
pub(super) const KEY: &str = "hoap_key";

/// The name of the table with the documents of a collection.
pub(super) fn name(layout: Layout, collection: &str) -> String {
    match layout {
        Layout::Columns => collection.to_owned(),
        Layout::Json => format!("hoap_doc_{collection}"),
    }
}

/// Makes an empty collection.
pub(super) fn create(connection: &Connection, layout: Layout, collection: &str) -> Done<()> {
    let table = quoted(&name(layout, collection));
    let doc = if layout == Layout::Json { ", doc JSON NOT NULL" } else { "" };
    connection
        .execute_batch(&format!("CREATE TABLE {table} ({KEY} VARCHAR NOT NULL{doc})"))
        .or_fail()?;
    let kind = Kind::documents();
    if layout == Layout::Json {
        connection.execute_batch(&view(collection, &kind)).or_fail()?;
    }
    save(connection, layout, collection, &kind)
}

/// Makes room for documents of a wider kind, in a transaction of its own.
pub(super) fn change(
    connection: &Connection,
    layout: Layout,
    collection: &str,
    before: &Kind,
    after: &Kind,
) -> Done<()> {
    let own = |(name, _): &&(String, Kind)| name.eq_ignore_ascii_case(KEY);
    if let Some((name, _)) = after.fields().iter().find(own) {
        return Err(Failure::invalid(format!("the field {name} is of this program's own")));
    }
    let mut text = String::new();
    match layout {
        Layout::Json => text.push_str(&view(collection, after)),
        Layout::Columns => {
            for (field, kind) in after.fields() {
                let there = before.fields().iter().find(|(name, _)| name == field);
                let (field, sql) = (quoted(field), kind.sql());
                let what = match there {
                    None => format!("ADD COLUMN {field} {sql}"),
                    Some((_, old)) if old.sql() != sql => {
                        let using = kind.widen(&field);
                        format!("ALTER COLUMN {field} SET DATA TYPE {sql} USING {using}")
                    }
                    Some(_) => continue,
                };
                text.push_str(&format!("ALTER TABLE {} {what};", quoted(collection)));
            }
        }
    }
    let changed = connection
        .execute_batch("BEGIN TRANSACTION")
        .and_then(|()| connection.execute_batch(&text))
        .map_err(error::failure)
        .and_then(|()| save(connection, layout, collection, after))
        .and_then(|()| connection.execute_batch("COMMIT").or_fail());
    changed.inspect_err(|_| {
        let _ = connection.execute_batch("ROLLBACK");
    })
}

/// The statement that makes the view of a collection of JSON documents.
fn view(collection: &str, kind: &Kind) -> String {
    let mut columns = vec![KEY.to_owned()];
    let column = |(name, kind): &(String, Kind)| format!("{} AS {}", kind.read(name), quoted(name));
    columns.extend(kind.fields().iter().map(column));
    let (view, columns) = (quoted(collection), columns.join(", "));
    let table = quoted(&name(Layout::Json, collection));
    format!("CREATE OR REPLACE VIEW {view} AS SELECT {columns} FROM {table};")
}

fn save(connection: &Connection, layout: Layout, collection: &str, kind: &Kind) -> Done<()> {
    let kind = serde_json::to_string(kind).map_err(Failure::broken)?;
    connection.execute("DELETE FROM hoap_kind WHERE collection = ?", [collection]).or_fail()?;
    let row = [collection, layout.name(), &kind];
    connection.execute("INSERT INTO hoap_kind VALUES (?, ?, ?)", row).or_fail()?;
    Ok(())
}

/// Refuses what has the name of a collection and is none.
pub(super) fn unless_foreign(connection: &Connection, collection: &str) -> Done<()> {
    let there = own::type_of(connection, collection).or_fail()?.is_some();
    match there && kind(connection, collection)?.is_none() {
        true => Err(Failure::of(
            ErrorKind::Unavailable,
            format!("{collection} is there and is not ours"),
            "name another file",
        )),
        false => Ok(()),
    }
}

/// The kind of a collection's documents, if there is such a collection.
pub(super) fn kind(connection: &Connection, collection: &str) -> Done<Option<Kind>> {
    let text = "SELECT kind FROM hoap_kind WHERE collection = ?";
    let found = connection.query_row(text, [collection], |row| row.get::<_, String>(0));
    let found = found.optional().or_fail()?;
    found.map(|kind| serde_json::from_str(&kind)).transpose().map_err(Failure::broken)
}

/// The kind of the documents of a collection, which must be there.
pub(super) fn expect_kind(connection: &Connection, collection: &str) -> Done<Kind> {
    let kind = match own::are_there(connection).or_fail()? {
        true => kind(connection, collection)?,
        false => None,
    };
    kind.ok_or_else(|| Failure::missing(format!("there is no collection {collection}")))
}

/// Drops what has a name, table or view, and what is known of it.
pub(super) fn drop(connection: &Connection, collection: &str) -> Done<()> {
    for name in [collection.to_owned(), name(Layout::Json, collection)] {
        let what = match own::type_of(connection, &name).or_fail()?.as_deref() {
            Some("VIEW") => "VIEW",
            Some(_) => "TABLE",
            None => continue,
        };
        connection.execute_batch(&format!("DROP {what} IF EXISTS {}", quoted(&name))).or_fail()?;
    }
    let gone = format!("DELETE FROM hoap_kind WHERE collection = {}", literal(collection));
    connection.execute_batch(&gone).or_fail()
}
