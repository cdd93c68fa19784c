//! Operations to begin with: read by key, find by each index, insert, change a field.

use super::relate::Related;
use super::sampled::Sampled;
use super::sketch::field::Field;
use super::toml::{Toml, leaf, table, text};
use crate::file::name::is_plain;

/// An index: its name, and its fields.
pub type Index = (String, Vec<String>);

/// Fields of which an index is suggested beside those that refer.
const MOST: usize = 1;

/// Whether a field is always there and of one type that can be looked for.
fn is_simple(of: &Field, count: u64) -> bool {
    let text =
        of.texts.as_ref().is_some_and(|of| of.lengths.count == count && of.lengths.ends.1 < 200);
    let integer = of.numbers.as_ref().is_some_and(|of| of.integers == count);
    of.seen == count && (text || integer)
}

fn distinct(of: &Field) -> u64 {
    let texts = of.texts.as_ref().map_or(0, |of| of.distinct.estimate());
    texts + of.numbers.as_ref().map_or(0, |of| of.distinct.estimate())
}

/// The indexes that are suggested: of fields that refer, and of one by which few documents are found.
pub fn indexes(of: &Sampled, related: &Related) -> Vec<Index> {
    let count = of.count();
    let is_key = |name: &str| related.key.as_ref().is_some_and(|(key, _)| key == name);
    let fits =
        |name: &str, field: &Field| is_plain(name) && !is_key(name) && is_simple(field, count);
    let refers = |name: &str| related.refs.iter().any(|(field, _)| field == name);
    let index = |name: &str| (format!("by_{name}"), vec![name.to_owned()]);
    let fields = of.root.fields.iter().filter(|(name, field)| fits(name, field));
    let fields: Vec<&(String, Field)> = fields.collect();
    let referring = fields.iter().filter(|(name, _)| refers(name));
    let mut indexes: Vec<Index> = referring.map(|(name, _)| index(name)).collect();
    let few = |field: &Field| {
        let found = count as f64 / distinct(field).max(1) as f64;
        // One document is found by its key, and a tenth of all by no index.
        (1.5..=(count as f64 / 10.0).max(2.0)).contains(&found)
    };
    let free = |name: &str| !refers(name) && !related.instead.contains_key(name);
    let more = fields.iter().filter(|(name, field)| free(name) && few(field));
    indexes.extend(more.take(MOST).map(|(name, _)| index(name)));
    indexes
}

/// The operations.
pub fn suggested(all: &[Sampled], related: &[Related], indexes: &[Vec<Index>]) -> Vec<Toml> {
    let mut operations = Vec::new();
    for ((of, related), indexes) in all.iter().zip(related).zip(indexes) {
        let operation =
            |name: String, weight: u64| table([("name", text(&name)), ("weight", leaf(weight))]);
        let collection = || text(&of.name);
        operations.push(
            operation(format!("read-{}", of.name), 60)
                .with("read", collection())
                .with("dist", text("zipfian")),
        );
        for (_, fields) in indexes {
            let names = Toml::List(fields.iter().map(|name| text(name)).collect());
            operations.push(
                operation(format!("{}-by-{}", of.name, fields.join("-")), 20)
                    .with("find", collection())
                    .with("where", names)
                    .with("limit", leaf(10)),
            );
        }
        if let Some(name) = changed(of, related, indexes) {
            let set = table([(name, text("$new"))]);
            operations.push(
                operation(format!("change-{}", of.name), 10)
                    .with("patch", collection())
                    .with("set", set),
            );
        }
        operations.push(operation(format!("new-{}", of.name), 10).with("insert", collection()));
    }
    operations
}

/// A field that a patch changes: one of few values, that no index and no relation has.
fn changed<'s>(of: &'s Sampled, related: &Related, indexes: &[Index]) -> Option<&'s str> {
    let count = of.count();
    let indexed = |name: &str| indexes.iter().any(|(_, fields)| fields.iter().any(|of| of == name));
    let fits = |name: &str| is_plain(name) && !indexed(name) && !related.instead.contains_key(name);
    let fields = of
        .root
        .fields
        .iter()
        .filter(|(name, field)| fits(name) && is_simple(field, count) && distinct(field) > 1);
    fields.min_by_key(|(_, field)| distinct(field)).map(|(name, _)| name.as_str())
}
