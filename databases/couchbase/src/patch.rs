//! Changes of one document as one UPDATE.

use std::fmt::Write;

use hoap_database::patches::{There, Wanted, wants};
use hoap_database::{Change, Patch};
use serde_json::Value;

use super::sql;

/// `UPDATE … USE KEYS $1 SET … WHERE …`; the parameters after the key are appended to `args`. `cas`
/// is the document's when it was read.
///
/// A path that does not fit has no effect, and an addition to a value that is no number gives null:
/// the conditions turn both into "no document changed".
pub(super) fn update(
    collection: &str,
    patches: &[Patch<'_>],
    cas: Option<&Value>,
    args: &mut Vec<Value>,
    out: &mut String,
) {
    out.clear();
    let _ = write!(out, "UPDATE `{collection}` AS d USE KEYS $1 SET ");
    let mut conditions = String::new();
    for (i, patch) in patches.iter().enumerate() {
        let (mut place, n) = (String::new(), args.len() + 1);
        sql::at(patch.path, &mut place);
        if i > 0 {
            out.push_str(", ");
        }
        let _ = write!(out, "{place} = ");
        let _ = match &patch.change {
            Change::Set(value) => {
                args.push(value.clone());
                write!(out, "${n}")
            }
            Change::AddInteger(amount) => {
                let bound = if *amount >= 0 { i64::MAX - amount } else { i64::MIN - amount };
                args.extend([(*amount).into(), bound.into()]);
                write!(out, "{place} + ${n}")
            }
            // The rounded value is whole, and the quotient is the number nearest to the amount.
            Change::AddCents(cents) => {
                args.push((*cents).into());
                write!(out, "(ROUND({place} * 100) + ${n}) / 100")
            }
            Change::Append(value) => {
                args.push(value.clone());
                write!(out, "ARRAY_APPEND({place}, ${n})")
            }
        };
        condition(patch, n, &mut conditions);
    }
    if let Some(cas) = cas {
        args.push(cas.clone());
        let _ = write!(conditions, " AND META(d).cas = ${}", args.len());
    }
    if let Some(conditions) = conditions.strip_prefix(" AND ") {
        let _ = write!(out, " WHERE {conditions}");
    }
    out.push_str(" RETURNING RAW META(d).id");
}

/// The condition on the document before the patch.
fn condition(patch: &Patch<'_>, n: usize, out: &mut String) {
    let Some(Wanted { place, there }) = wants(patch) else { return };
    let mut at = String::new();
    sql::at(place, &mut at);
    let _ = match there {
        There::Integer(amount) => {
            let compare = if amount >= 0 { "<=" } else { ">=" };
            let bound = n + 1;
            write!(out, " AND ISNUMBER({at}) AND {at} = FLOOR({at}) AND {at} {compare} ${bound}")
        }
        There::Number => write!(out, " AND ISNUMBER({at})"),
        There::Array => write!(out, " AND ISARRAY({at})"),
        There::Object => write!(out, " AND ISOBJECT({at})"),
        There::Anything => write!(out, " AND {at} IS NOT MISSING"),
    };
}

/// The place that the condition of a patch looks at.
fn looked_at<'a>(patch: &Patch<'a>) -> &'a str {
    wants(patch).map_or(patch.path, |wanted| wanted.place)
}

/// `SELECT RAW [CAS, [type, value]…]` of the places that an [`update`] looked at, key `$1`.
pub(super) fn why(collection: &str, patches: &[Patch<'_>], out: &mut String) {
    out.clear();
    out.push_str("SELECT RAW [META(d).cas");
    for patch in patches {
        let mut place = String::new();
        sql::at(looked_at(patch), &mut place);
        let _ = write!(out, ", [TYPE({place}), {place}]");
    }
    let _ = write!(out, "] FROM `{collection}` AS d USE KEYS $1");
}

/// Why an [`update`] changed nothing, in words, from a row of [`why`].
pub(super) fn why_not(row: &[Value], patches: &[Patch<'_>]) -> String {
    for (patch, found) in patches.iter().zip(row.iter().skip(1)) {
        let Some(Wanted { place, there }) = wants(patch) else { continue };
        let found = kind(&found[0], &found[1]);
        if !there.fits(found) {
            return format!("`{place}` is {found}: cannot {}", there.wish());
        }
    }
    "a whole number would leave 64 bits".to_owned()
}

/// The kind of a value, from TYPE and the value.
fn kind(name: &Value, value: &Value) -> &'static str {
    match (name.as_str().unwrap_or(""), value) {
        ("null", _) => "null",
        ("boolean", Value::Bool(true)) => "true",
        ("boolean", _) => "false",
        ("number", Value::Number(n)) if n.is_i64() || n.is_u64() => "integer",
        ("number", _) => "real",
        ("string", _) => "text",
        ("array", _) => "array",
        ("object", _) => "object",
        _ => "absent",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_update_says_what_must_be_there() {
        let patches = [
            Patch { path: "a", change: Change::AddInteger(2) },
            Patch { path: "b.c", change: Change::Set(json!("x")) },
            Patch { path: "m", change: Change::AddCents(-5) },
            Patch { path: "l", change: Change::Append(json!(1)) },
        ];
        let (mut args, mut text) = (vec![json!("k")], String::new());
        update("orders", &patches, Some(&json!(7)), &mut args, &mut text);
        assert_eq!(
            text,
            "UPDATE `orders` AS d USE KEYS $1 SET d.`a` = d.`a` + $2, d.`b`.`c` = $4, \
             d.`m` = (ROUND(d.`m` * 100) + $5) / 100, d.`l` = ARRAY_APPEND(d.`l`, $6) \
             WHERE ISNUMBER(d.`a`) AND d.`a` = FLOOR(d.`a`) AND d.`a` <= $3 AND ISOBJECT(d.`b`) \
             AND ISNUMBER(d.`m`) AND ISARRAY(d.`l`) AND META(d).cas = $7 RETURNING RAW META(d).id"
        );
        assert_eq!(json!(args), json!(["k", 2, i64::MAX - 2, "x", -5, 1, 7]));
        why("orders", &patches[..2], &mut text);
        assert_eq!(
            text,
            "SELECT RAW [META(d).cas, [TYPE(d.`a`), d.`a`], [TYPE(d.`b`), d.`b`]] FROM `orders` AS d \
             USE KEYS $1"
        );
        let row = [json!(7), json!(["number", 1]), json!(["missing", null])];
        assert_eq!(why_not(&row, &patches[..2]), "`b` is absent: cannot set that field in it");
    }
}
