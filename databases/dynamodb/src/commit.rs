//! The items of a commit: each document that changes and each entry of an index comes once.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use aws_sdk_dynamodb::types::{
    AttributeValue, ConditionCheck, Delete, Put, TransactWriteItem, Update,
};
use hoap_database::failure::Done;

use super::index;
use super::layout::{self, KEY, VERSION};
use super::reading;
use super::value::{self, Item};
use crate::error::OrFail;
use crate::overlay::entries::IndexDefinition;
use crate::overlay::{Held, Overlay, Version, Write};

/// Names that an update may set before its expression becomes too long.
const NAMES: usize = 50;

/// A mark that no other commit has.
pub(super) fn version() -> String {
    static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish());
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{:016x}{:x}", *PROCESS, NEXT.fetch_add(1, Ordering::Relaxed))
}

/// What a commit sends.
#[derive(Default)]
pub(super) struct Commit {
    /// None where no document changes.
    pub items: Vec<TransactWriteItem>,
    /// Collections and keys of what is taken not to be there, by the positions of their items.
    assumed: BTreeMap<usize, (String, String)>,
}

impl Commit {
    /// Collection and key of what was there already, if only that is why the service cancelled the
    /// transaction: the message lists a reason for each item, in their order.
    pub fn taken(&self, message: &str) -> Option<&(String, String)> {
        let (_, reasons) = message.strip_suffix(']')?.rsplit_once('[')?;
        let mut taken = None;
        for (at, reason) in reasons.split(", ").enumerate() {
            match (reason, self.assumed.get(&at)) {
                ("None", _) => {}
                ("ConditionalCheckFailed", Some(place)) => taken = taken.or(Some(place)),
                _ => return None,
            }
        }
        taken
    }
}

/// The items that the commit sends. `checked` has the documents that must be as they were read
/// although they do not change.
pub(super) fn items(
    prefix: &str,
    overlay: &Overlay,
    checked: &BTreeSet<(String, String)>,
    indexes: &[IndexDefinition],
) -> Done<Commit> {
    let mut commit = Commit::default();
    // An insert that was deleted again is a condition too: nobody has looked for its key.
    if !overlay.documents().any(|(_, _, held)| held.is_written() || held.assumed) {
        return Ok(commit);
    }
    let all = &mut commit.items;
    let version = version();
    for (collection, key, held) in overlay.documents() {
        let table = layout::table(prefix, collection);
        if held.is_written() || checked.contains(&(collection.to_owned(), key.to_owned())) {
            if held.assumed {
                commit.assumed.insert(all.len(), (collection.to_owned(), key.to_owned()));
            }
            all.push(write(table, key, held, &version)?);
        }
        if !held.is_written() {
            continue;
        }
        for definition in indexes.iter().filter(|index| index.collection == collection) {
            let table = layout::index(prefix, &definition.name);
            let entry = |document| definition.entry_key(key, document);
            let (before, after) = (held.read.as_ref().map(entry), held.now().map(entry));
            if after == before {
                continue;
            }
            if let Some(entry) = before {
                let delete = Delete::builder().table_name(&table).set_key(Some(index::key(&entry)));
                all.push(TransactWriteItem::builder().delete(delete.build().or_fail()?).build());
            }
            if let Some(entry) = after {
                let item = index::item(&entry, key);
                let put = Put::builder().table_name(&table).set_item(Some(item));
                all.push(TransactWriteItem::builder().put(put.build().or_fail()?).build());
            }
        }
    }
    Ok(commit)
}

/// A condition with its names and values.
struct Condition {
    text: &'static str,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

/// The condition that a document has this version.
fn condition(version: Option<&Version>) -> Condition {
    let names = |names: &[(&str, &str)]| {
        names.iter().map(|(short, name)| ((*short).to_owned(), (*name).to_owned())).collect()
    };
    match version {
        None => Condition {
            text: "attribute_not_exists(#k)",
            names: names(&[("#k", KEY)]),
            values: HashMap::new(),
        },
        Some(None) => Condition {
            text: "attribute_exists(#k) AND attribute_not_exists(#v)",
            names: names(&[("#k", KEY), ("#v", VERSION)]),
            values: HashMap::new(),
        },
        Some(Some(version)) => Condition {
            text: "#v = :s",
            names: names(&[("#v", VERSION)]),
            values: HashMap::from([(":s".to_owned(), AttributeValue::S(version.clone()))]),
        },
    }
}

fn some(values: HashMap<String, AttributeValue>) -> Option<HashMap<String, AttributeValue>> {
    Some(values).filter(|values| !values.is_empty())
}

/// The write of a document, on the condition that it is as it was read; the condition alone where
/// the document does not change.
fn write(table: String, key: &str, held: &Held, version: &str) -> Done<TransactWriteItem> {
    let Condition { text, mut names, mut values } = condition(held.version.as_ref());
    let item = TransactWriteItem::builder();
    let (document, changed) = match &held.write {
        Write::None => {
            let check = ConditionCheck::builder()
                .table_name(table)
                .set_key(Some(reading::key(key)))
                .condition_expression(text)
                .set_expression_attribute_names(Some(names))
                .set_expression_attribute_values(some(values));
            return Ok(item.condition_check(check.build().or_fail()?).build());
        }
        Write::Delete => {
            let delete = Delete::builder()
                .table_name(table)
                .set_key(Some(reading::key(key)))
                .condition_expression(text)
                .set_expression_attribute_names(Some(names))
                .set_expression_attribute_values(some(values));
            return Ok(item.delete(delete.build().or_fail()?).build());
        }
        Write::Put(document) => (document, None),
        Write::Patch(members, document) => {
            (document, Some(members).filter(|members| members.len() <= NAMES))
        }
    };
    let mark = AttributeValue::S(version.to_owned());
    let Some(changed) = changed else {
        let mut whole: Item =
            document.iter().map(|(name, field)| (name.clone(), value::attribute(field))).collect();
        whole.insert(KEY.to_owned(), AttributeValue::S(key.to_owned()));
        whole.insert(VERSION.to_owned(), mark);
        let put = Put::builder()
            .table_name(table)
            .set_item(Some(whole))
            .condition_expression(text)
            .set_expression_attribute_names(Some(names))
            .set_expression_attribute_values(some(values));
        return Ok(item.put(put.build().or_fail()?).build());
    };
    let mut expression = "SET #v = :v".to_owned();
    names.insert("#v".to_owned(), VERSION.to_owned());
    values.insert(":v".to_owned(), mark);
    let (set, removed): (Vec<_>, Vec<_>) =
        changed.iter().enumerate().partition(|(_, name)| document.contains_key(*name));
    for (n, name) in &set {
        expression.push_str(&format!(", #{n} = :{n}"));
        values.insert(format!(":{n}"), value::attribute(&document[*name]));
    }
    for (place, (n, _)) in removed.iter().enumerate() {
        expression.push_str(&format!("{} #{n}", if place == 0 { " REMOVE" } else { "," }));
    }
    for (n, name) in set.iter().chain(&removed) {
        names.insert(format!("#{n}"), (*name).clone());
    }
    let update = Update::builder()
        .table_name(table)
        .set_key(Some(reading::key(key)))
        .update_expression(expression)
        .condition_expression(text)
        .set_expression_attribute_names(Some(names))
        .set_expression_attribute_values(some(values));
    Ok(item.update(update.build().or_fail()?).build())
}
