//! The tables of this program's own in a file, beside those of collections.

use duckdb::{Connection, OptionalExt};
use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;

use crate::error::OrFail;

/// The note, the progress of each part of a load, and the types of each collection's fields. Of a
/// file that follows: what it follows with the number of the last change that was applied, and the
/// followed collections with their generations.
const TABLES: &str = "CREATE TABLE IF NOT EXISTS hoap_note (note VARCHAR NOT NULL);
    CREATE TABLE IF NOT EXISTS hoap_load (
        part VARCHAR NOT NULL, collection VARCHAR NOT NULL, position BIGINT NOT NULL);
    CREATE TABLE IF NOT EXISTS hoap_kind (
        collection VARCHAR NOT NULL, layout VARCHAR NOT NULL, kind VARCHAR NOT NULL);
    CREATE TABLE IF NOT EXISTS hoap_link (source VARCHAR NOT NULL, position BIGINT NOT NULL);
    CREATE TABLE IF NOT EXISTS hoap_follow (
        collection VARCHAR NOT NULL, generation VARCHAR NOT NULL);";

/// Makes those that are missing.
pub(super) fn create(connection: &Connection) -> duckdb::Result<()> {
    connection.execute_batch(TABLES)
}

/// Whether the file has them.
pub(super) fn are_there(connection: &Connection) -> duckdb::Result<bool> {
    Ok(type_of(connection, "hoap_kind")?.is_some())
}

/// Whether a name is a table or a view, `BASE TABLE` or `VIEW`, if it is either.
pub(super) fn type_of(connection: &Connection, name: &str) -> duckdb::Result<Option<String>> {
    let text = "SELECT table_type FROM information_schema.tables
                WHERE lower(table_name) = lower(?) AND table_schema = 'main'";
    let mut statement = connection.prepare(text)?;
    let mut rows = statement.query([name])?;
    rows.next()?.map(|row| row.get(0)).transpose()
}

/// Whether the file has collections.
pub(super) fn holds_any(connection: &Connection) -> Done<bool> {
    let text = "SELECT count(*) > 0 FROM hoap_kind";
    connection.query_row(text, [], |row| row.get(0)).or_fail()
}

/// The note as text.
pub(super) fn note_text(connection: &Connection) -> Done<Option<String>> {
    if !are_there(connection).or_fail()? {
        return Ok(None);
    }
    let text = "SELECT note FROM hoap_note";
    connection.query_row(text, [], |row| row.get(0)).optional().or_fail()
}

/// The source that a file follows and how far, if it follows one.
pub(super) fn followed(connection: &Connection) -> Done<Option<(String, i64)>> {
    let text = "SELECT source, position FROM hoap_link";
    connection.query_row(text, [], |row| Ok((row.get(0)?, row.get(1)?))).optional().or_fail()
}

/// Refuses to load into a file that follows.
pub(super) fn refuse_to_write(connection: &Connection) -> Done<()> {
    match followed(connection)? {
        None => Ok(()),
        Some((source, _)) => Err(Failure::of(
            ErrorKind::Unavailable,
            format!("it follows {source}"),
            "load that database: its documents come by themselves; or name another file",
        )),
    }
}
