//! Changes of one document as one UPDATE.

use std::fmt::Write;

use hoap_database::patches::{There, Wanted, wants};
use hoap_database::{Change, Condition, Is, Patch, path};
use serde_json::Value;

use super::sql;
use super::types::Parameter;

/// `UPDATE collection SET doc = … WHERE key = $1 AND …`; returns the values of the parameters after
/// the key.
///
/// Members of the document are set by one concatenation of objects, fields within others by
/// `jsonb_set` around it, what is removed by `#-` behind that. These do nothing or fail where a path
/// does not fit: the conditions after the key turn both into "no row changed", and the transaction
/// goes on. `numeric` adds exactly.
pub(super) fn update(
    collection: &str,
    patches: &[Patch<'_>],
    conditions: &[Condition<'_>],
    out: &mut String,
) -> Vec<Parameter> {
    let (mut values, mut wanted) = (Vec::with_capacity(patches.len()), String::new());
    let (mut members, mut nested, mut removed) = (String::new(), String::new(), String::new());
    let mut begins = String::new();
    for patch in patches {
        let n = values.len() + 2;
        values.extend(value(&patch.change));
        if let Some(condition) = condition(patch, n) {
            let _ = write!(wanted, " AND {condition}");
        }
        let _ = match value_of(patch, n) {
            None => write!(removed, " #- {}", sql::place(patch.path)),
            Some(value) if path::is_member(patch.path) => {
                let comma = if members.is_empty() { " || jsonb_build_object(" } else { ", " };
                write!(members, "{comma}{}, {value}", sql::text(path::member(patch.path)))
            }
            Some(value) => {
                begins.push_str("jsonb_set(");
                write!(nested, ", {}, {value})", sql::place(patch.path))
            }
        };
    }
    if !members.is_empty() {
        members.push(')');
    }
    conditions.iter().for_each(|condition| holds(condition, &mut values, &mut wanted));
    out.clear();
    let _ = write!(
        out,
        "UPDATE \"{collection}\" SET doc = {begins}doc{members}{nested}{removed} WHERE key = $1{wanted}"
    );
    values
}

/// The new value of a field, as jsonb; `None` where it is removed.
fn value_of(patch: &Patch<'_>, n: usize) -> Option<String> {
    let at = sql::at(patch.path);
    Some(match patch.change {
        Change::Set(_) => format!("${n}::jsonb"),
        Change::AddInteger(_) => format!("to_jsonb(({at})::numeric + ${n}::int8)"),
        Change::AddDecimal { digits, .. } => {
            let unit = format!("0.{:0>1$}", 1, usize::from(digits));
            let unit: &str = if digits == 0 { "1" } else { &unit };
            format!("to_jsonb(round(({at})::numeric + ${n}::int8 * {unit}, {digits}))")
        }
        Change::Append(_) => format!("({at}) || jsonb_build_array(${n}::jsonb)"),
        Change::Remove => return None,
    })
}

/// The condition on the document before the patch.
fn condition(patch: &Patch<'_>, n: usize) -> Option<String> {
    let Wanted { place, there } = wants(patch)?;
    let at = sql::at(place);
    let kind = |kind: &str| format!("jsonb_typeof({at}) = '{kind}'");
    Some(match there {
        // A cast of a value that is no number is an error, which only CASE prevents.
        There::Integer(_) => format!(
            "CASE {} WHEN true THEN scale(({at})::numeric) = 0 AND \
             ({at})::numeric + ${n}::int8 BETWEEN {} AND {} ELSE false END",
            kind("number"),
            i64::MIN,
            i64::MAX
        ),
        There::Number => kind("number"),
        There::Array => kind("array"),
        There::Object => kind("object"),
        There::Anything => format!("({at}) IS NOT NULL"),
    })
}

/// Appends a condition of the caller.
fn holds(condition: &Condition<'_>, values: &mut Vec<Parameter>, out: &mut String) {
    let at = sql::at(condition.path);
    let mut add = |value: &Value| {
        values.push(Parameter::json(value));
        values.len() + 1
    };
    let _ = match condition.is {
        Is::Equal(Value::Null) => write!(out, " AND coalesce({at}, 'null') = 'null'"),
        Is::Equal(value) => write!(out, " AND {at} = ${}", add(value)),
        Is::Within(bounds) => {
            let _ = write!(out, " AND {}", sql::is_of(&at, bounds));
            for (operator, bound) in [(">=", bounds.min), ("<=", bounds.max)] {
                if let Some(value) = bound {
                    let _ = write!(out, " AND {at} {operator} ${}", add(value));
                }
            }
            Ok(())
        }
    };
}

/// The value that a change takes.
fn value(change: &Change) -> Option<Parameter> {
    Some(match change {
        Change::Set(value) | Change::Append(value) => Parameter::json(value),
        Change::AddInteger(n) | Change::AddDecimal { units: n, .. } => Parameter::Number(*n),
        Change::Remove => return None,
    })
}

#[cfg(test)]
mod tests {
    use hoap_database::Bounds;
    use serde_json::json;

    use super::*;

    #[test]
    fn all_changes_of_a_document_are_one_statement() {
        let set = |path| Patch { path, change: Change::Set(json!(1)) };
        let patches = [
            Patch { path: "n", change: Change::AddInteger(1) },
            Patch { path: "m", change: Change::cents(1) },
            Patch { path: "l", change: Change::Append(json!(1)) },
            set("a.b"),
            set("c[2]"),
            set("\"d'e\""),
            Patch { path: "f", change: Change::Remove },
        ];
        let mut text = String::new();
        let (min, paid) = (json!(1), json!("paid"));
        let conditions = [
            Condition { path: "s", is: Is::Equal(&paid) },
            Condition { path: "n", is: Is::Within(Bounds { min: Some(&min), max: None }) },
        ];
        assert_eq!(update("t", &patches, &conditions, &mut text).len(), 8);
        let (before, after) = text.split_once(" WHERE key = $1 AND ").unwrap();
        assert_eq!(
            before,
            "UPDATE \"t\" SET doc = jsonb_set(jsonb_set(doc || jsonb_build_object(\
             'n', to_jsonb((doc -> 'n')::numeric + $2::int8), \
             'm', to_jsonb(round((doc -> 'm')::numeric + $3::int8 * 0.01, 2)), \
             'l', (doc -> 'l') || jsonb_build_array($4::jsonb), 'd''e', $7::jsonb), \
             '{\"a\",\"b\"}', $5::jsonb), '{\"c\",2}', $6::jsonb) #- '{\"f\"}'"
        );
        assert!(
            after.ends_with(
                " AND jsonb_typeof(doc -> 'm') = 'number' AND jsonb_typeof(doc -> 'l') = 'array' \
                 AND jsonb_typeof(doc -> 'a') = 'object' AND (doc -> 'c' -> 2) IS NOT NULL \
                 AND doc -> 's' = $8 AND jsonb_typeof(doc -> 'n') = 'number' AND doc -> 'n' >= $9"
            ),
            "{after}"
        );
        update("t", &[set("a.b")], &[], &mut text);
        assert!(text.starts_with(
            "UPDATE \"t\" SET doc = jsonb_set(doc, '{\"a\",\"b\"}', $2::jsonb) WHERE"
        ));
        update("t", &[set("a")], &[], &mut text);
        assert_eq!(
            text,
            "UPDATE \"t\" SET doc = doc || jsonb_build_object('a', $2::jsonb) WHERE key = $1"
        );
    }
}
