//! SQL++ texts. Names are checked and quoted; values are always parameters.

use std::fmt::Write;

use hoap_database::search::{self, Term};
use hoap_database::{Bounds, Find, Index, Order};
use serde_json::Value;

/// The collection of the note and the progress of loads.
pub(super) const NOTES: &str = "hoap_notes";
/// The primary index of each collection: scans by key, and counting.
pub(super) const PRIMARY: &str = "hoap_primary";
/// The key of the document `d`.
const KEY: &str = "META(d).id";

/// Appends a path as an expression on the document `d`: `` d.`a`.`b`[3] ``.
pub(super) fn at(path: &str, out: &mut String) {
    hoap_sqlpp::path("d", path, out);
}

/// Appends `SELECT RAW [key, CAS, field…] FROM`; a field that is absent comes back null.
fn select(collection: &str, fields: &[&str], out: &mut String) {
    out.clear();
    out.push_str("SELECT RAW [META(d).id, META(d).cas");
    for field in fields {
        out.push_str(", ");
        at(field, out);
    }
    let _ = write!(out, "] FROM `{collection}` AS d");
}

/// Documents by a list of keys, `$1`.
pub(super) fn by_keys(collection: &str, fields: &[&str], out: &mut String) {
    select(collection, fields, out);
    out.push_str(" USE KEYS $1");
}

/// Documents by an index, which was `made` perhaps with its fields in another order, or by their
/// keys; returns the values of the parameters. The first value is no null: an index has no documents
/// without its first field, and the service would pass over the hint and scan all documents.
pub(super) fn by_index(find: &Find<'_>, made: &Index, out: &mut String) -> Vec<Value> {
    let Find { index, prefix, order, limit, fields, .. } = find;
    select(&index.collection, fields, out);
    let name = if index.is_keys() { PRIMARY } else { &made.name };
    let _ = write!(out, " USE INDEX (`{name}` USING GSI)");
    let (mut args, mut conditions) = (Vec::new(), Vec::new());
    for (field, value) in index.fields.iter().zip(*prefix) {
        conditions.push(equal(field, value, &mut args));
    }
    if let Some(range) = find.range {
        match find.rest().first() {
            Some(path) => {
                let (mut field, mut text) = (String::new(), String::new());
                at(path, &mut field);
                within(&field, range, &mut args, &mut text);
                conditions.push(text);
            }
            None => conditions.extend(ends(KEY, range, &mut args)),
        }
    }
    if let Some(first) = made.fields.first().filter(|f| !index.fields[..prefix.len()].contains(f)) {
        // An index has the documents that have its first field; without a word of it the service
        // would pass over the hint.
        let mut field = String::new();
        at(first, &mut field);
        conditions.push(format!("{field} IS NOT MISSING"));
    }
    let ways: Vec<String> = search::behind(find)
        .into_iter()
        .map(|terms| {
            let terms = terms.into_iter().map(|term| behind(term, *order, &mut args));
            terms.collect::<Vec<_>>().join(" AND ")
        })
        .collect();
    if !ways.is_empty() {
        conditions.push(format!("({})", ways.join(" OR ")));
    }
    for (i, condition) in conditions.iter().enumerate() {
        let _ = write!(out, " {} {condition}", if i == 0 { "WHERE" } else { "AND" });
    }
    let mut sort: Vec<String> = Vec::new();
    for field in find.rest() {
        let mut text = String::new();
        at(field, &mut text);
        sort.push(text);
    }
    sort.extend(find.pages.map(|_| KEY.to_owned()));
    for (i, field) in sort.iter().enumerate() {
        let _ = write!(out, "{}{field}", if i == 0 { " ORDER BY " } else { ", " });
        if *order == Order::Descending {
            out.push_str(" DESC");
        }
    }
    match limit {
        // Scans have many, and the text is prepared once.
        Some(limit) if index.is_keys() => {
            args.push((*limit).into());
            let _ = write!(out, " LIMIT ${}", args.len());
        }
        Some(limit) => {
            let _ = write!(out, " LIMIT {limit}");
        }
        None => {}
    }
    args
}

/// That a field equals a value.
fn equal(field: &str, value: &Value, args: &mut Vec<Value>) -> String {
    let mut text = String::new();
    at(field, &mut text);
    if value.is_null() {
        return format!("{text} IS NOT VALUED");
    }
    args.push(value.clone());
    format!("{text} = ${}", args.len())
}

/// A part of the condition of being behind the last document.
fn behind(term: Term<'_>, order: Order, args: &mut Vec<Value>) -> String {
    let than = if order == Order::Ascending { ">" } else { "<" };
    let (field, value) = match term {
        Term::Equal(field, value) => return equal(field, value, args),
        Term::After(field, value) => {
            let mut text = String::new();
            at(field, &mut text);
            (text, value.clone())
        }
        Term::KeyAfter(key) => (KEY.to_owned(), key.into()),
    };
    if value.is_null() {
        return format!("{field} IS VALUED");
    }
    let of_key = matches!(term, Term::KeyAfter(_));
    args.push(value);
    match order == Order::Descending && !of_key {
        true => format!("({field} {than} ${} OR {field} IS NOT VALUED)", args.len()),
        false => format!("{field} {than} ${}", args.len()),
    }
}

/// Appends that a value lies in bounds, and so is of their type.
pub(super) fn within(at: &str, bounds: Bounds<'_>, args: &mut Vec<Value>, out: &mut String) {
    let _ = write!(out, "{}({at})", if bounds.is_text() { "ISSTRING" } else { "ISNUMBER" });
    for end in ends(at, bounds, args) {
        let _ = write!(out, " AND {end}");
    }
}

/// That a value is not below or above these bounds.
fn ends(at: &str, bounds: Bounds<'_>, args: &mut Vec<Value>) -> Vec<String> {
    let both = [(">=", bounds.min), ("<=", bounds.max)].into_iter();
    let ends = both.filter_map(|(operator, bound)| {
        args.push(bound?.clone());
        Some(format!("{at} {operator} ${}", args.len()))
    });
    ends.collect()
}

/// A page of a collection in the order of its keys, after key `$1`.
pub(super) fn page(collection: &str, fields: &[&str], size: usize, first: bool, out: &mut String) {
    out.clear();
    out.push_str("SELECT RAW [META(d).id");
    for field in fields {
        out.push_str(", ");
        at(field, out);
    }
    let compare = if first { ">=" } else { ">" };
    let _ = write!(
        out,
        "] FROM `{collection}` AS d WHERE META(d).id {compare} $1 ORDER BY META(d).id LIMIT {size}"
    );
}

/// Adds a document: key `$1`, document `$2`. Returns the key, or nothing where it is there already:
/// an INSERT of values would only fail at the COMMIT.
pub(super) fn insert(collection: &str, out: &mut String) {
    out.clear();
    let _ = write!(
        out,
        "INSERT INTO `{collection}` AS d (KEY k, VALUE v) SELECT $1 AS k, $2 AS v WHERE NOT EXISTS \
         (SELECT RAW 1 FROM `{collection}` AS e USE KEYS $1) RETURNING RAW META(d).id"
    );
}

/// Puts a document, whether or not it is there: key `$1`, document `$2`.
pub(super) fn put(collection: &str, out: &mut String) {
    out.clear();
    let _ = write!(out, "UPSERT INTO `{collection}` AS d (KEY, VALUE) VALUES ($1, $2)");
}

/// Removes a document: key `$1`, its CAS `$2` where it was read before.
pub(super) fn delete(collection: &str, guarded: bool, out: &mut String) {
    out.clear();
    let _ = write!(out, "DELETE FROM `{collection}` AS d USE KEYS $1");
    if guarded {
        out.push_str(" WHERE META(d).cas = $2");
    }
    out.push_str(" RETURNING RAW META(d).id");
}

/// Makes an index that is built later. Without `fields` it is the primary one.
pub(super) fn create_index(
    collection: &str,
    index: &str,
    fields: &[impl AsRef<str>],
    replicas: u32,
) -> String {
    let mut text = match fields {
        [] => format!("CREATE PRIMARY INDEX `{index}` ON `{collection}`"),
        [..] => format!("CREATE INDEX `{index}` ON `{collection}`"),
    };
    for (i, field) in fields.iter().enumerate() {
        text.push_str(if i == 0 { "(" } else { ", " });
        let mut path = String::new();
        hoap_sqlpp::path("", field.as_ref(), &mut path);
        text.push_str(&path[1..]);
    }
    if !fields.is_empty() {
        text.push(')');
    }
    let _ = match replicas {
        0 => write!(text, " USING GSI WITH {{\"defer_build\": true}}"),
        n => write!(text, " USING GSI WITH {{\"defer_build\": true, \"num_replica\": {n}}}"),
    };
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_quote_names_and_leave_values_out() {
        let mut text = String::new();
        by_keys("orders", &["o_id", "o_name.last", "o_words[1]"], &mut text);
        assert_eq!(
            text,
            "SELECT RAW [META(d).id, META(d).cas, d.`o_id`, d.`o_name`.`last`, d.`o_words`[1]] \
             FROM `orders` AS d USE KEYS $1"
        );
        let index =
            Index::new("customer_by_name", "customer", &["c_w_id", "c_d_id", "c_name.c_last"]);
        let prefix = [json!(1), json!(null)];
        let (order, limit) = (Order::Descending, Some(1));
        let find = Find { order, limit, ..Find::by(&index, &prefix) };
        assert_eq!(by_index(&find, &index, &mut text), [json!(1)]);
        assert_eq!(
            text,
            "SELECT RAW [META(d).id, META(d).cas] FROM `customer` AS d \
             USE INDEX (`customer_by_name` USING GSI) WHERE d.`c_w_id` = $1 AND d.`c_d_id` IS NOT \
             VALUED ORDER BY d.`c_name`.`c_last` DESC LIMIT 1"
        );
        let (keys, min) = (Index::keys("customer"), json!("1."));
        let range = Some(Bounds { min: Some(&min), max: None });
        let (limit, pages) = (Some(9), Some(None));
        let find = Find { limit, range, pages, ..Find::by(&keys, &[]) };
        assert_eq!(by_index(&find, &keys, &mut text), [json!("1."), json!(9)]);
        assert_eq!(
            text,
            "SELECT RAW [META(d).id, META(d).cas] FROM `customer` AS d USE INDEX (`hoap_primary` \
             USING GSI) WHERE META(d).id >= $1 ORDER BY META(d).id LIMIT $2"
        );
        let text = create_index("customer", "customer_by_name", &index.fields, 1);
        assert_eq!(
            text,
            "CREATE INDEX `customer_by_name` ON `customer`(`c_w_id`, `c_d_id`, `c_name`.`c_last`) \
             USING GSI WITH {\"defer_build\": true, \"num_replica\": 1}"
        );
    }
}
