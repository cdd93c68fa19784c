//! SQL++ texts. Names are checked and quoted; values are always parameters.

use std::fmt::Write;

use hoap_database::{Index, Order};
use serde_json::Value;

/// The collection of the note and the progress of loads.
pub(super) const NOTES: &str = "hoap_notes";
/// The primary index of each collection: scans by key, and counting.
pub(super) const PRIMARY: &str = "hoap_primary";

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

/// Documents by an index, which was `made` perhaps with its fields in another order: `$1`… are the
/// values of the prefix that are not null. The first is none: an index has no documents without its
/// first field, and the service would pass over the hint and scan all documents.
pub(super) fn by_index(
    index: &Index,
    made: &Index,
    prefix: &[Value],
    order: Order,
    limit: Option<usize>,
    fields: &[&str],
    out: &mut String,
) {
    select(&index.collection, fields, out);
    let _ = write!(out, " USE INDEX (`{}` USING GSI) WHERE ", made.name);
    let mut parameter = 0;
    for (i, value) in prefix.iter().enumerate() {
        if i > 0 {
            out.push_str(" AND ");
        }
        at(&index.fields[i], out);
        if value.is_null() {
            out.push_str(" IS NOT VALUED");
        } else {
            parameter += 1;
            let _ = write!(out, " = ${parameter}");
        }
    }
    if !index.fields[..prefix.len()].contains(&made.fields[0]) {
        // An index has the documents that have its first field; without a word of it the service
        // would pass over the hint.
        out.push_str(if prefix.is_empty() { "" } else { " AND " });
        at(&made.fields[0], out);
        out.push_str(" IS NOT MISSING");
    }
    for (i, field) in index.fields[prefix.len()..].iter().enumerate() {
        out.push_str(if i == 0 { " ORDER BY " } else { ", " });
        at(field, out);
        if order == Order::Descending {
            out.push_str(" DESC");
        }
    }
    if let Some(limit) = limit {
        let _ = write!(out, " LIMIT {limit}");
    }
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
        by_index(&index, &index, &prefix, Order::Descending, Some(1), &[], &mut text);
        assert_eq!(
            text,
            "SELECT RAW [META(d).id, META(d).cas] FROM `customer` AS d \
             USE INDEX (`customer_by_name` USING GSI) WHERE d.`c_w_id` = $1 AND d.`c_d_id` IS NOT \
             VALUED ORDER BY d.`c_name`.`c_last` DESC LIMIT 1"
        );
        let text = create_index("customer", "customer_by_name", &index.fields, 1);
        assert_eq!(
            text,
            "CREATE INDEX `customer_by_name` ON `customer`(`c_w_id`, `c_d_id`, `c_name`.`c_last`) \
             USING GSI WITH {\"defer_build\": true, \"num_replica\": 1}"
        );
    }
}
