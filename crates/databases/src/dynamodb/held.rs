//! What a transaction holds: the documents that it read or is going to write.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use aws_sdk_dynamodb::types::{
    AttributeValue, ConditionCheck, Delete, Put, TransactWriteItem, Update,
};
use serde_json::{Map, Value};

use super::error::{Done, Failure};
use super::index;
use super::layout::{self, KEY, VERSION};
use super::reading;
use super::value::{self, Item};
use crate::entries::{Made, Place};

/// Names that an update may set before its expression becomes too long.
const NAMES: usize = 50;

/// What a document was when the transaction read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Absent,
    /// As it was loaded: no transaction has written it.
    Loaded,
    /// Written by the transaction with this mark.
    Version(String),
}

impl Seen {
    pub fn of(item: Option<&Item>) -> Done<Seen> {
        match item.map(|item| item.get(VERSION)) {
            None => Ok(Seen::Absent),
            Some(None) => Ok(Seen::Loaded),
            Some(Some(AttributeValue::S(version))) => Ok(Seen::Version(version.clone())),
            Some(Some(other)) => Err(Failure::broken(format!("a version is {other:?}"))),
        }
    }
}

/// What becomes of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Same,
    Patched,
    Put,
    Gone,
}

/// A document of the transaction.
#[derive(Debug)]
pub(super) struct Held {
    pub seen: Seen,
    /// Whether the commit is on the condition that it still is as it was seen.
    pub checked: bool,
    /// As the transaction sees it, where it was read whole or written.
    pub whole: Option<Map<String, Value>>,
    pub fate: Fate,
    /// Names at the top that patches changed.
    pub dirty: BTreeSet<String>,
    /// Where it was among the entries of its indexes before it was written.
    pub before: Vec<Place>,
}

impl Held {
    pub fn new(seen: Seen) -> Held {
        let (checked, fate) = (false, Fate::Same);
        Held { seen, checked, whole: None, fate, dirty: BTreeSet::new(), before: Vec::new() }
    }

    /// Whether it is there for this transaction.
    pub fn is_there(&self) -> bool {
        match self.fate {
            Fate::Same => self.seen != Seen::Absent,
            Fate::Patched | Fate::Put => true,
            Fate::Gone => false,
        }
    }

    /// Whether nothing more need be read of it.
    pub fn is_known(&self) -> bool {
        self.whole.is_some() || !self.is_there()
    }

    /// Keeps where its entries are, before the first change.
    pub fn remember(&mut self, key: &str, indexes: &[&Made]) {
        if let (Fate::Same, Some(whole)) = (self.fate, &self.whole) {
            self.before = indexes.iter().map(|index| index.place(key, whole)).collect();
        }
    }
}

/// By collection and key.
pub(super) type Documents = BTreeMap<(String, String), Held>;

/// A mark that no other commit has.
fn version() -> String {
    static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish());
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{:016x}{:x}", *PROCESS, NEXT.fetch_add(1, Ordering::Relaxed))
}

/// What the commit sends. Each document and each entry comes once.
pub(super) fn writes(
    prefix: &str,
    documents: &Documents,
    indexes: &[Made],
) -> Done<Vec<TransactWriteItem>> {
    let mut all = Vec::new();
    if documents.values().all(|held| held.fate == Fate::Same) {
        return Ok(all);
    }
    let version = version();
    for ((collection, key), held) in documents {
        let table = layout::table(prefix, collection);
        if let Some(write) = write(table, key, held, &version)? {
            all.push(write);
        }
        if held.fate == Fate::Same {
            continue;
        }
        let indexes: Vec<&Made> = indexes.iter().filter(|i| i.collection == *collection).collect();
        for (n, made) in indexes.iter().enumerate() {
            let table = layout::index(prefix, &made.name);
            let after = held.whole.as_ref().map(|document| made.place(key, document));
            let before = held.before.get(n);
            if after.as_ref() == before {
                continue;
            }
            if let Some(place) = before {
                let delete = Delete::builder().table_name(&table).set_key(Some(index::key(place)));
                let delete = delete.build().map_err(|e| Failure::invalid(e.to_string()))?;
                all.push(TransactWriteItem::builder().delete(delete).build());
            }
            if let Some(place) = after {
                let put =
                    Put::builder().table_name(&table).set_item(Some(index::entry(&place, key)));
                let put = put.build().map_err(|e| Failure::invalid(e.to_string()))?;
                all.push(TransactWriteItem::builder().put(put).build());
            }
        }
    }
    Ok(all)
}

/// A condition with its names and values.
struct Condition {
    text: &'static str,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

/// That a document is as it was seen.
fn condition(seen: &Seen) -> Condition {
    let names = |names: &[(&str, &str)]| {
        names.iter().map(|(short, name)| ((*short).to_owned(), (*name).to_owned())).collect()
    };
    match seen {
        Seen::Absent => Condition {
            text: "attribute_not_exists(#k)",
            names: names(&[("#k", KEY)]),
            values: HashMap::new(),
        },
        Seen::Loaded => Condition {
            text: "attribute_exists(#k) AND attribute_not_exists(#v)",
            names: names(&[("#k", KEY), ("#v", VERSION)]),
            values: HashMap::new(),
        },
        Seen::Version(version) => Condition {
            text: "#v = :s",
            names: names(&[("#v", VERSION)]),
            values: HashMap::from([(":s".to_owned(), AttributeValue::S(version.clone()))]),
        },
    }
}

fn write(table: String, key: &str, held: &Held, version: &str) -> Done<Option<TransactWriteItem>> {
    let Condition { text, mut names, mut values } = condition(&held.seen);
    let invalid = |e: aws_sdk_dynamodb::error::BuildError| Failure::invalid(e.to_string());
    let some = |values: HashMap<String, AttributeValue>| Some(values).filter(|v| !v.is_empty());
    let item = TransactWriteItem::builder();
    let document = match (held.fate, &held.whole) {
        (Fate::Same, _) if !held.checked => return Ok(None),
        (Fate::Same, _) => {
            let check = ConditionCheck::builder()
                .table_name(table)
                .set_key(Some(reading::key(key)))
                .condition_expression(text)
                .set_expression_attribute_names(Some(names))
                .set_expression_attribute_values(some(values));
            return Ok(Some(item.condition_check(check.build().map_err(invalid)?).build()));
        }
        (Fate::Gone, _) => {
            let delete = Delete::builder()
                .table_name(table)
                .set_key(Some(reading::key(key)))
                .condition_expression(text)
                .set_expression_attribute_names(Some(names))
                .set_expression_attribute_values(some(values));
            return Ok(Some(item.delete(delete.build().map_err(invalid)?).build()));
        }
        (Fate::Patched | Fate::Put, Some(document)) => document,
        (Fate::Patched | Fate::Put, None) => {
            return Err(Failure::broken(format!("nothing is known of {key}")));
        }
    };
    let mark = AttributeValue::S(version.to_owned());
    if held.fate == Fate::Put || held.dirty.len() > NAMES {
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
        return Ok(Some(item.put(put.build().map_err(invalid)?).build()));
    }
    let mut expression = "SET #v = :v".to_owned();
    names.insert("#v".to_owned(), VERSION.to_owned());
    values.insert(":v".to_owned(), mark);
    for (n, name) in held.dirty.iter().enumerate() {
        expression.push_str(&format!(", #{n} = :{n}"));
        names.insert(format!("#{n}"), name.clone());
        values.insert(format!(":{n}"), value::attribute(&document[name]));
    }
    let update = Update::builder()
        .table_name(table)
        .set_key(Some(reading::key(key)))
        .update_expression(expression)
        .condition_expression(text)
        .set_expression_attribute_names(Some(names))
        .set_expression_attribute_values(some(values));
    Ok(Some(item.update(update.build().map_err(invalid)?).build()))
}
