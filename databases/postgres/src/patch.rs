//! Changes of one document as one UPDATE.

use std::fmt::Write;

use bytes::BytesMut;
use hoap_database::patches::{There, Wanted, wants};
use hoap_database::{Change, Patch};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use super::sql;
use super::types::Json;

/// `UPDATE collection SET doc = … WHERE key = $1 AND …`, the value of patch i being parameter i +
/// 2.
///
/// Fields at the top are set by one concatenation of objects, the others by `jsonb_set` around it.
/// These do nothing or fail where a path does not fit: the conditions after the key turn both into
/// "no row changed", and the transaction goes on. `numeric` adds exactly.
pub(super) fn update(collection: &str, patches: &[Patch<'_>], out: &mut String) {
    out.clear();
    let _ = write!(out, "UPDATE \"{collection}\" SET doc = ");
    let deep = |patch: &&Patch<'_>| patch.path.contains(['.', '[']);
    for _ in patches.iter().filter(deep) {
        out.push_str("jsonb_set(");
    }
    out.push_str("doc");
    let mut separator = " || jsonb_build_object(";
    for (i, patch) in patches.iter().enumerate().filter(|(_, p)| !deep(p)) {
        let _ = write!(out, "{separator}'{}', {}", patch.path, value_of(patch, i + 2));
        separator = ", ";
    }
    if separator == ", " {
        out.push(')');
    }
    for (i, patch) in patches.iter().enumerate().filter(|(_, p)| deep(p)) {
        let _ = write!(out, ", {}, {})", sql::place(patch.path), value_of(patch, i + 2));
    }
    out.push_str(" WHERE key = $1");
    for (i, patch) in patches.iter().enumerate() {
        if let Some(condition) = condition(patch, i + 2) {
            let _ = write!(out, " AND {condition}");
        }
    }
}

/// The new value of a field, as jsonb.
fn value_of(patch: &Patch<'_>, n: usize) -> String {
    let at = sql::at(patch.path);
    match patch.change {
        Change::Set(_) => format!("${n}::jsonb"),
        Change::AddInteger(_) => format!("to_jsonb(({at})::numeric + ${n}::int8)"),
        Change::AddCents(_) => {
            format!("to_jsonb(round(({at})::numeric + ${n}::int8 * 0.01, 2))")
        }
        Change::Append(_) => format!("({at}) || jsonb_build_array(${n}::jsonb)"),
    }
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

/// The value of a change as a parameter.
#[derive(Debug)]
pub(super) enum Parameter {
    Number(i64),
    Json(Vec<u8>),
}

impl Parameter {
    pub fn new(change: &Change) -> Self {
        match change {
            Change::Set(value) | Change::Append(value) => {
                Parameter::Json(value.to_string().into_bytes())
            }
            Change::AddInteger(n) | Change::AddCents(n) => Parameter::Number(*n),
        }
    }
}

impl ToSql for Parameter {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Parameter::Number(n) => n.to_sql(kind, out),
            Parameter::Json(text) => Json(text).to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        <i64 as ToSql>::accepts(kind) || <Json<'_> as ToSql>::accepts(kind)
    }

    to_sql_checked!();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_changes_of_a_document_are_one_statement() {
        let set = |path| Patch { path, change: Change::Set(json!(1)) };
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
        let (before, after) = text.split_once(" WHERE key = $1 AND ").unwrap();
        assert_eq!(
            before,
            "UPDATE \"t\" SET doc = jsonb_set(jsonb_set(doc || jsonb_build_object(\
             'n', to_jsonb((doc -> 'n')::numeric + $2::int8), \
             'm', to_jsonb(round((doc -> 'm')::numeric + $3::int8 * 0.01, 2)), \
             'l', (doc -> 'l') || jsonb_build_array($4::jsonb), 'd', $7::jsonb), \
             '{a,b}', $5::jsonb), '{c,2}', $6::jsonb)"
        );
        assert!(after.ends_with(
            " AND jsonb_typeof(doc -> 'm') = 'number' AND jsonb_typeof(doc -> 'l') = 'array' \
             AND jsonb_typeof(doc -> 'a') = 'object' AND (doc -> 'c' -> 2) IS NOT NULL"
        ));
        update("t", &[set("a.b")], &mut text);
        assert!(
            text.starts_with("UPDATE \"t\" SET doc = jsonb_set(doc, '{a,b}', $2::jsonb) WHERE")
        );
        update("t", &[set("a")], &mut text);
        assert_eq!(
            text,
            "UPDATE \"t\" SET doc = doc || jsonb_build_object('a', $2::jsonb) WHERE key = $1"
        );
    }
}
