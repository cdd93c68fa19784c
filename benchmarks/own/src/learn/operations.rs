//! Operations to begin with: read by key, find by each index, insert, change a field.

use hoap_database::path::{Step, steps};

use super::relate::Related;
use super::sampled::Sampled;
use super::sketch::field::Field;
use super::toml::{Toml, leaf, table, text};
use crate::file::name::is_plain;

/// An index: its name, and its fields.
pub type Index = (String, Vec<String>);

/// Fields of which an index is suggested beside those that refer; indexes of a database that are
/// taken; and letters of an index's name.
const MOST: usize = 1;
const KNOWN: usize = 8;
const LETTERS: usize = 40;

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

/// The indexes that are suggested: those of the database; if the documents come of none, of fields
/// that refer, and of one by which few documents are found.
pub fn indexes(of: &Sampled, related: &Related) -> Vec<Index> {
    if let Some(known) = &of.indexes {
        return of_database(of, related, known);
    }
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

/// The first indexes of a database, each as far as its fields can be looked for.
fn of_database(of: &Sampled, related: &Related, known: &[Vec<String>]) -> Vec<Index> {
    let is_key = |name: &str| related.key.as_ref().is_some_and(|(key, _)| key == name);
    let fits = |path: &&String| {
        let names: Vec<&str> = steps(path).filter_map(member).collect();
        let field = names.split_first().and_then(|(first, names)| {
            let first = of.field(first).filter(|_| !is_key(first))?;
            names.iter().try_fold(first, |of, name| of.object.as_ref()?.field(name))
        });
        names.len() == steps(path).count()
            && field.is_some_and(|of_it| is_simple(of_it, of.count()))
    };
    let mut indexes: Vec<Index> = Vec::new();
    for known in known {
        let fields: Option<Vec<String>> =
            known.iter().take_while(fits).map(|path| written(path)).collect();
        let Some(fields) = fields.filter(|fields| !fields.is_empty()) else { continue };
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut name: String = format!("by_{}", fields.join("_")).chars().map(plain).collect();
        name.truncate(LETTERS);
        let same = |(other, of): &Index| *other == name || *of == fields;
        if indexes.len() < KNOWN && !indexes.iter().any(same) {
            indexes.push((name, fields));
        }
    }
    indexes
}

fn member(step: Step<'_>) -> Option<&str> {
    match step {
        Step::Field(name) => Some(name),
        Step::Position(_) => None,
    }
}

/// A path as a workload file has it; `None` if it has none.
fn written(path: &str) -> Option<String> {
    let name = |step| match member(step)? {
        plain if is_plain(plain) => Some(plain.to_owned()),
        name => (!name.is_empty() && !name.contains('\'')).then(|| format!("'{name}'")),
    };
    let names: Option<Vec<String>> = steps(path).map(name).collect();
    Some(names?.join("."))
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
        for (name, fields) in indexes {
            // The last of several fields is most often what those that are found are sorted by.
            let (order, equal) = match &fields[..] {
                [equal @ .., _] if !equal.is_empty() => (Some("desc"), equal),
                equal => (None, equal),
            };
            let name = format!("{}-{}", of.name, name.replacen('_', "-", 1));
            let names = Toml::List(equal.iter().map(|name| text(name)).collect());
            let find = operation(name, 20).with("find", collection()).with("where", names);
            let find = order.into_iter().fold(find, |find, way| find.with("order", text(way)));
            operations.push(find.with("limit", leaf(10)));
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
