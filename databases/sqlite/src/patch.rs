//! Changes of one document as one UPDATE.

use std::fmt::Write;

use hoap_database::patches::{There, Wanted, wants};
use hoap_database::{Change, Patch};
use rusqlite::Connection;
use rusqlite::types::ToSqlOutput;

/// `UPDATE collection SET doc = jsonb_set(doc, path, value, …) WHERE key = ?1 AND …`, the value of
/// patch i being parameter i + 2.
///
/// SQLite's JSON functions do nothing where a path does not fit, and treat a text as a number. The
/// conditions after the key turn both into "no row changed".
pub(super) fn update(collection: &str, patches: &[Patch<'_>], out: &mut String) {
    out.clear();
    let _ = write!(out, "UPDATE \"{collection}\" SET doc = jsonb_set(doc");
    for (i, patch) in patches.iter().enumerate() {
        let (path, n) = (patch.path, i + 2);
        let _ = match patch.change {
            Change::Set(_) => write!(out, ", '$.{path}', jsonb(?{n})"),
            Change::AddInteger(_) => write!(out, ", '$.{path}', (doc ->> '$.{path}') + ?{n}"),
            Change::AddCents(_) => {
                write!(out, ", '$.{path}', round((doc ->> '$.{path}') + ?{n} / 100.0, 2)")
            }
            Change::Append(_) => write!(out, ", '$.{path}[#]', jsonb(?{n})"),
        };
    }
    out.push_str(") WHERE key = ?1");
    for (i, patch) in patches.iter().enumerate() {
        if let Some(Wanted { place, there }) = wants(patch) {
            let _ = write!(out, " AND json_type(doc, '$.{place}') {}", condition(there));
        }
        if matches!(patch.change, Change::AddInteger(_)) {
            // A sum outside 64 bits would silently become a floating-point number.
            let (path, n) = (patch.path, i + 2);
            let _ = write!(out, " AND typeof((doc ->> '$.{path}') + ?{n}) = 'integer'");
        }
    }
}

/// The condition on what [`wants`] looks at.
fn condition(there: There) -> &'static str {
    match there {
        There::Integer(_) => "= 'integer'",
        There::Number => "IN ('integer', 'real')",
        There::Array => "= 'array'",
        There::Object => "= 'object'",
        There::Anything => "IS NOT NULL",
    }
}

/// The value of a change as a parameter.
pub(super) fn value(change: &Change) -> ToSqlOutput<'static> {
    match change {
        Change::Set(value) | Change::Append(value) => value.to_string().into(),
        Change::AddInteger(n) | Change::AddCents(n) => (*n).into(),
    }
}

/// Why an [`update`] changed nothing, in words.
pub(super) fn why_not(
    connection: &Connection,
    collection: &str,
    key: &str,
    patches: &[Patch<'_>],
) -> rusqlite::Result<String> {
    let there = format!("SELECT 1 FROM \"{collection}\" WHERE key = ?1");
    if !connection.prepare(&there)?.exists([key])? {
        return Ok("no such key".to_owned());
    }
    for patch in patches {
        let Some(Wanted { place, there }) = wants(patch) else { continue };
        let text = format!(
            "SELECT ifnull(json_type(doc, '$.{place}'), 'absent')
             FROM \"{collection}\" WHERE key = ?1"
        );
        let found: String = connection.query_row(&text, [key], |row| row.get(0))?;
        if !there.fits(&found) {
            return Ok(format!("`{place}` is {found}: cannot {}", there.wish()));
        }
    }
    Ok("a sum does not fit in 64 bits".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(path: &'static str) -> Patch<'static> {
        Patch { path, change: Change::Set(json!(1)) }
    }

    #[test]
    fn all_changes_of_a_document_are_one_statement() {
        let patches = [
            Patch { path: "n", change: Change::AddInteger(1) },
            Patch { path: "m", change: Change::AddCents(1) },
            Patch { path: "l", change: Change::Append(json!(1)) },
            set("a.b"),
            set("c[2]"),
            set("d"),
        ];
        let mut text = String::new();
        update("t", &patches, &mut text);
        assert_eq!(
            text,
            "UPDATE \"t\" SET doc = jsonb_set(doc, '$.n', (doc ->> '$.n') + ?2, \
             '$.m', round((doc ->> '$.m') + ?3 / 100.0, 2), '$.l[#]', jsonb(?4), \
             '$.a.b', jsonb(?5), '$.c[2]', jsonb(?6), '$.d', jsonb(?7)) WHERE key = ?1 \
             AND json_type(doc, '$.n') = 'integer' AND typeof((doc ->> '$.n') + ?2) = 'integer' \
             AND json_type(doc, '$.m') IN ('integer', 'real') AND json_type(doc, '$.l') = 'array' \
             AND json_type(doc, '$.a') = 'object' AND json_type(doc, '$.c[2]') IS NOT NULL"
        );
    }
}
