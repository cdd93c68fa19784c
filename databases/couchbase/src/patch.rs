//! Changes of one document as one UPDATE.

use std::fmt::Write;

use hoap_database::patches::{There, Wanted, wants};
use hoap_database::{Change, Condition, Is, Patch};
use serde_json::Value;

use super::sql;

/// `UPDATE … USE KEYS $1 SET … UNSET … WHERE …`; the parameters after the key are appended to
/// `args`. `cas` is the document's when it was read.
///
/// A path that does not fit has no effect, and an addition to a value that is no number gives null:
/// the conditions turn both into "no document changed".
pub(super) fn update(
    collection: &str,
    patches: &[Patch<'_>],
    asked: &[Condition<'_>],
    (cas, args): (Option<&Value>, &mut Vec<Value>),
    out: &mut String,
) {
    let (mut sets, mut unsets, mut conditions) = (Vec::new(), Vec::new(), String::new());
    for patch in patches {
        let (mut place, n) = (String::new(), args.len() + 1);
        sql::at(patch.path, &mut place);
        let value = match &patch.change {
            Change::Set(value) => {
                args.push(value.clone());
                Some(format!("${n}"))
            }
            Change::AddInteger(amount) => {
                let bound = if *amount >= 0 { i64::MAX - amount } else { i64::MIN - amount };
                args.extend([(*amount).into(), bound.into()]);
                Some(format!("{place} + ${n}"))
            }
            // The rounded value is whole, and the quotient is the number nearest to the amount.
            Change::AddDecimal { units, digits } => {
                args.push((*units).into());
                let scale = 10_u64.pow((*digits).into());
                Some(format!("(ROUND({place} * {scale}) + ${n}) / {scale}"))
            }
            Change::Append(value) => {
                args.push(value.clone());
                Some(format!("ARRAY_APPEND({place}, ${n})"))
            }
            Change::Remove => None,
        };
        match value {
            Some(value) => sets.push(format!("{place} = {value}")),
            None => unsets.push(place),
        }
        condition(patch, n, &mut conditions);
    }
    asked.iter().for_each(|condition| holds(condition, args, &mut conditions));
    if let Some(cas) = cas {
        args.push(cas.clone());
        let _ = write!(conditions, " AND META(d).cas = ${}", args.len());
    }
    out.clear();
    let _ = write!(out, "UPDATE `{collection}` AS d USE KEYS $1");
    for (word, list) in [("SET", sets), ("UNSET", unsets)] {
        if !list.is_empty() {
            let _ = write!(out, " {word} {}", list.join(", "));
        }
    }
    if let Some(conditions) = conditions.strip_prefix(" AND ") {
        let _ = write!(out, " WHERE {conditions}");
    }
    out.push_str(" RETURNING RAW META(d).id");
}

/// Appends a condition of the caller.
fn holds(condition: &Condition<'_>, args: &mut Vec<Value>, out: &mut String) {
    let mut at = String::new();
    sql::at(condition.path, &mut at);
    match condition.is {
        Is::Equal(Value::Null) => {
            let _ = write!(out, " AND {at} IS NOT VALUED");
        }
        Is::Equal(value) => {
            args.push(value.clone());
            let _ = write!(out, " AND {at} = ${}", args.len());
        }
        Is::Within(bounds) => {
            out.push_str(" AND ");
            sql::within(&at, bounds, args, out);
        }
    }
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

/// `SELECT RAW [CAS, document]` of key `$1`: why an [`update`] changed nothing.
pub(super) fn why(collection: &str, out: &mut String) {
    out.clear();
    let _ = write!(out, "SELECT RAW [META(d).cas, d] FROM `{collection}` AS d USE KEYS $1");
}

#[cfg(test)]
mod tests {
    use hoap_database::Bounds;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_update_says_what_must_be_there() {
        let patches = [
            Patch { path: "a", change: Change::AddInteger(2) },
            Patch { path: "b.c", change: Change::Set(json!("x")) },
            Patch { path: "m", change: Change::cents(-5) },
            Patch { path: "l", change: Change::Append(json!(1)) },
            Patch { path: "'x.y'", change: Change::Remove },
        ];
        let (mut args, mut text) = (vec![json!("k")], String::new());
        let (min, paid) = (json!(1), json!("paid"));
        let conditions = [
            Condition { path: "s", is: Is::Equal(&paid) },
            Condition { path: "a", is: Is::Within(Bounds { min: Some(&min), max: None }) },
        ];
        update("orders", &patches, &conditions, (Some(&json!(7)), &mut args), &mut text);
        assert_eq!(
            text,
            "UPDATE `orders` AS d USE KEYS $1 SET d.`a` = d.`a` + $2, d.`b`.`c` = $4, \
             d.`m` = (ROUND(d.`m` * 100) + $5) / 100, d.`l` = ARRAY_APPEND(d.`l`, $6) UNSET d.`x.y` \
             WHERE ISNUMBER(d.`a`) AND d.`a` = FLOOR(d.`a`) AND d.`a` <= $3 AND ISOBJECT(d.`b`) \
             AND ISNUMBER(d.`m`) AND ISARRAY(d.`l`) AND d.`s` = $7 AND ISNUMBER(d.`a`) \
             AND d.`a` >= $8 AND META(d).cas = $9 RETURNING RAW META(d).id"
        );
        assert_eq!(json!(args), json!(["k", 2, i64::MAX - 2, "x", -5, 1, "paid", 1, 7]));
        why("orders", &mut text);
        assert_eq!(text, "SELECT RAW [META(d).cas, d] FROM `orders` AS d USE KEYS $1");
    }
}
