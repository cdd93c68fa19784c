//! Which files are Hoap's: those that carry its mark. A new file is marked; a file of another
//! program is refused before it is changed, unless its tables are those that are adopted.

use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use rusqlite::Connection;

use super::sql;
use crate::error::OrFail;

/// "Hoap" in ASCII: the `application_id` of the file.
pub(super) const MARK: i32 = 0x486f_6170;

/// Marks a file without tables, or with no others than these collections as Hoap makes them.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] with what a file holds that is another program's.
pub(super) fn claim(connection: &Connection, adopted: &[&str]) -> Done<()> {
    let number = |pragma: &str| -> Done<i32> {
        connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0)).or_fail()
    };
    let mark = number("application_id")?;
    if mark == MARK {
        return Ok(());
    }
    let text = "SELECT name, tbl_name, ifnull(sql, '') FROM sqlite_schema
                WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
    let mut schema = connection.prepare(text).or_fail()?;
    let all = schema.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).or_fail()?;
    let all: Vec<(String, String, String)> = all.collect::<rusqlite::Result<_>>().or_fail()?;
    // The files of a hoap that made no mark have its notes.
    if all.iter().any(|(name, ..)| name == "hoap_note") {
        return Ok(());
    }
    let is_adopted = |(name, table, text): &&(String, String, String)| {
        adopted.contains(&table.as_str()) && (name != table || *text == sql::create_table(name))
    };
    let others: Vec<&str> =
        all.iter().filter(|one| !is_adopted(one)).map(|(name, ..)| name.as_str()).collect();
    let holds = match (others.is_empty(), mark) {
        (true, 0) => {
            return connection.execute_batch(&format!("PRAGMA application_id = {MARK}")).or_fail();
        }
        (true, mark) => format!("its application_id is {mark}"),
        (false, _) => format!("it holds {}", others.join(", ")),
    };
    let answer = format!("no load of hoap made this file: {holds}");
    Err(Failure::of(ErrorKind::Unavailable, answer, "name another file"))
}
