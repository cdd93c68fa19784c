//! Changes of one document as one UPDATE.

use std::fmt::Write;

use hoap_database::patches::{There, Wanted, wants};
use hoap_database::{Change, Condition, Is, Patch};
use rusqlite::types::ToSqlOutput;
use serde_json::Value;

use super::sql;

/// `UPDATE collection SET doc = jsonb_set(doc, path, value, …) WHERE key = ?1 AND …`; returns the
/// values of the parameters after the key.
///
/// SQLite's JSON functions do nothing where a path does not fit, and treat a text as a number. The
/// conditions after the key turn both into "no row changed".
pub(super) fn update<'a>(
    collection: &str,
    patches: &'a [Patch<'_>],
    conditions: &[Condition<'a>],
    out: &mut String,
) -> Vec<ToSqlOutput<'a>> {
    out.clear();
    let (mut values, mut wanted) = (Vec::with_capacity(patches.len()), String::new());
    let (mut sets, mut removes) = (String::new(), String::new());
    for patch in patches {
        let (path, n) = (sql::place(patch.path), values.len() + 2);
        let _ = match &patch.change {
            Change::Set(value) => {
                values.push(value.to_string().into());
                write!(sets, ", {path}, jsonb(?{n})")
            }
            Change::AddInteger(amount) => {
                values.push((*amount).into());
                // A sum outside 64 bits would silently become a floating-point number.
                let _ = write!(wanted, " AND typeof((doc ->> {path}) + ?{n}) = 'integer'");
                write!(sets, ", {path}, (doc ->> {path}) + ?{n}")
            }
            Change::AddDecimal { units, digits } => {
                values.push((*units).into());
                let scale = 10_f64.powi((*digits).into());
                write!(sets, ", {path}, round((doc ->> {path}) + ?{n} / {scale:?}, {digits})")
            }
            Change::Append(value) => {
                values.push(value.to_string().into());
                let end = path.trim_end_matches('\'');
                write!(sets, ", {end}[#]', jsonb(?{n})")
            }
            Change::Remove => write!(removes, ", {path}"),
        };
        if let Some(Wanted { place, there }) = wants(patch) {
            let place = sql::place(place);
            let _ = write!(wanted, " AND json_type(doc, {place}) {}", kind(there));
        }
    }
    for condition in conditions {
        holds(condition, &mut values, &mut wanted);
    }
    let _ = write!(out, "UPDATE \"{collection}\" SET doc = ");
    let _ = match (sets.is_empty(), removes.is_empty()) {
        (true, _) => write!(out, "jsonb_remove(doc{removes})"),
        (false, true) => write!(out, "jsonb_set(doc{sets})"),
        (false, false) => write!(out, "jsonb_remove(jsonb_set(doc{sets}){removes})"),
    };
    let _ = write!(out, " WHERE key = ?1{wanted}");
    values
}

/// The condition on what [`wants`] looks at.
fn kind(there: There) -> &'static str {
    match there {
        There::Integer(_) => "= 'integer'",
        There::Number => "IN ('integer', 'real')",
        There::Array => "= 'array'",
        There::Object => "= 'object'",
        There::Anything => "IS NOT NULL",
    }
}

/// Appends a condition of the caller.
fn holds<'a>(condition: &Condition<'a>, values: &mut Vec<ToSqlOutput<'a>>, out: &mut String) {
    let place = sql::place(condition.path);
    let kind = |kind: &str| format!(" AND json_type(doc, {place}) IN ({kind})");
    let kind_of = |text: bool| kind(if text { "'text'" } else { "'integer', 'real'" });
    let mut compare = |operator: &str, value: &'a Value, out: &mut String| {
        // Of arrays and objects there are none.
        values.extend(sql::scalar(value));
        let _ = write!(out, " AND doc ->> {place} {operator} ?{}", values.len() + 1);
    };
    match condition.is {
        Is::Equal(Value::Null) => {
            let _ = write!(out, " AND ifnull(json_type(doc, {place}), 'null') = 'null'");
        }
        Is::Equal(Value::Bool(value)) => out.push_str(&kind(&format!("'{value}'"))),
        Is::Equal(value) => {
            out.push_str(&kind_of(value.is_string()));
            compare("=", value, out);
        }
        Is::Within(bounds) => {
            out.push_str(&kind_of(bounds.is_text()));
            for (operator, bound) in [(">=", bounds.min), ("<=", bounds.max)] {
                if let Some(value) = bound {
                    compare(operator, value, out);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hoap_database::Bounds;
    use serde_json::json;

    use super::*;

    fn set(path: &'static str) -> Patch<'static> {
        Patch { path, change: Change::Set(json!(1)) }
    }

    #[test]
    fn all_changes_of_a_document_are_one_statement() {
        let patches = [
            Patch { path: "n", change: Change::AddInteger(1) },
            Patch { path: "m", change: Change::cents(1) },
            Patch { path: "l", change: Change::Append(json!(1)) },
            set("a.b"),
            set("c[2]"),
            set("'d.e'"),
            Patch { path: "f", change: Change::Remove },
        ];
        let mut text = String::new();
        let (min, paid) = (json!(1), json!("paid"));
        let conditions = [
            Condition { path: "s", is: Is::Equal(&paid) },
            Condition { path: "n", is: Is::Within(Bounds { min: Some(&min), max: None }) },
        ];
        assert_eq!(update("t", &patches, &conditions, &mut text).len(), 8);
        assert_eq!(
            text,
            "UPDATE \"t\" SET doc = jsonb_remove(jsonb_set(doc, '$.n', (doc ->> '$.n') + ?2, \
             '$.m', round((doc ->> '$.m') + ?3 / 100.0, 2), '$.l[#]', jsonb(?4), \
             '$.a.b', jsonb(?5), '$.c[2]', jsonb(?6), '$.\"d.e\"', jsonb(?7)), '$.f') \
             WHERE key = ?1 \
             AND typeof((doc ->> '$.n') + ?2) = 'integer' AND json_type(doc, '$.n') = 'integer' \
             AND json_type(doc, '$.m') IN ('integer', 'real') AND json_type(doc, '$.l') = 'array' \
             AND json_type(doc, '$.a') = 'object' AND json_type(doc, '$.c[2]') IS NOT NULL \
             AND json_type(doc, '$.s') IN ('text') AND doc ->> '$.s' = ?8 \
             AND json_type(doc, '$.n') IN ('integer', 'real') AND doc ->> '$.n' >= ?9"
        );
    }
}
