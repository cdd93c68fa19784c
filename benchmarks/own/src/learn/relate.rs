//! What collections have to do with each other: keys, references to them, and children.

use std::collections::BTreeMap;

use super::make::fields::{Maker, elements, in_sets, join};
use super::make::number::lengths;
use super::make::rules::Rules;
use super::make::text::is_uuid;
use super::sampled::Sampled;
use super::sketch::distinct::Distinct;
use super::sketch::field::{Field, Object};
use super::sketch::texts::Texts;
use super::toml::{Toml, leaf, table, text};
use crate::file::name;

/// Documents of a collection before a field of it can be a key.
const FEW: u64 = 10;
/// The share of references that must be there.
const THERE: f64 = 0.98;

/// What is written because of relations, for each collection.
#[derive(Default)]
pub struct Related {
    /// The field that is the key, with the pattern of keys.
    pub key: Option<(String, String)>,
    /// The parents' collection, and `count` with its distribution.
    pub parent: Option<(usize, Toml)>,
    /// Fields by their paths, with what is written in their place.
    pub instead: BTreeMap<String, Vec<(String, Toml)>>,
    /// Fields that refer, at the top, with the collection.
    pub refs: Vec<(String, usize)>,
}

/// A field that may refer.
struct Place<'s> {
    path: String,
    name: String,
    field: &'s Field,
    is_top: bool,
    /// Whether it is an element of an array, which has no field beside it.
    is_element: bool,
}

/// Finds what relates.
pub fn relate(all: &[Sampled], rules: &Rules) -> Vec<Related> {
    let mut related: Vec<Related> = all.iter().map(|_| Related::default()).collect();
    let mut links = Vec::new();
    for (from, of) in all.iter().enumerate() {
        let mut places = Vec::new();
        walk(&of.root, ("", true), &mut places);
        for place in places {
            if let Some((to, key)) = referred(all, from, &place) {
                links.push((from, place, to, key));
            }
        }
    }
    for (at, of) in all.iter().enumerate() {
        let mut wanted: BTreeMap<&str, usize> = BTreeMap::new();
        links.iter().filter(|link| link.2 == at).for_each(|link| {
            *wanted.entry(link.3.as_str()).or_default() += 1;
        });
        keys(of, &wanted, rules, &mut related[at]);
    }
    for (from, place, to, key) in &links {
        link(all, (*from, *to), place, key, &mut related);
    }
    related
}

/// All fields of one simple type, with their paths.
fn walk<'s>(of: &'s Object, (path, is_top): (&str, bool), places: &mut Vec<Place<'s>>) {
    for (name, field) in &of.fields {
        within(
            field,
            Place { path: join(path, name), name: name.clone(), field, is_top, is_element: false },
            places,
        );
    }
}

fn within<'s>(field: &'s Field, place: Place<'s>, places: &mut Vec<Place<'s>>) {
    let path = place.path.clone();
    if let Some(object) = &field.object {
        walk(object, (&path, false), places);
    }
    if let Some(array) = &field.array {
        let path = elements(&path);
        let (name, field) = (place.name.clone(), &array.element);
        within(field, Place { path, name, field, is_top: false, is_element: true }, places);
    }
    if distinct(field).is_some() {
        places.push(place);
    }
}

/// The distinct values of a field that is text alone or integers alone, and whether it is text.
fn distinct(of: &Field) -> Option<(&Distinct, bool)> {
    let there = of.seen - of.null;
    match (&of.texts, &of.numbers) {
        (Some(of), _) if of.lengths.count == there => Some((&of.distinct, true)),
        (_, Some(of)) if of.integers == there => Some((&of.distinct, false)),
        _ => None,
    }
}

/// The fields of a collection that may be its key: always there, and never twice the same.
fn candidates(of: &Sampled) -> impl Iterator<Item = (&str, &Distinct, bool)> {
    let count = of.count();
    of.root.fields.iter().filter_map(move |(name, field)| {
        let (distinct, is_text) = distinct(field)?;
        let always = field.seen == count && field.null == 0 && count >= FEW;
        let unique = distinct.is_unique() && distinct.estimate() as f64 > 0.8 * count as f64;
        let named = !name.contains('\'') && !name.is_empty();
        (always && unique && named).then_some((name.as_str(), distinct, is_text))
    })
}

/// One of what a name means several of.
fn singular(name: &str) -> String {
    let name = name.to_lowercase();
    match name.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => name.strip_suffix('s').unwrap_or(&name).to_owned(),
    }
}

/// The collection and the key that a field refers to.
fn referred(all: &[Sampled], from: usize, place: &Place<'_>) -> Option<(usize, String)> {
    let (mine, is_text) = distinct(place.field)?;
    let mut best: Option<(bool, f64, usize, String)> = None;
    for (to, of) in all.iter().enumerate().filter(|(to, _)| *to != from) {
        for (key, theirs, _) in candidates(of).filter(|(.., text)| *text == is_text) {
            let (inside, known) = mine.inside(theirs);
            let name = place.name.to_lowercase();
            let hint =
                name.contains(&singular(&of.name)) || key.len() > 2 && name == key.to_lowercase();
            let enough = match (hint, is_text) {
                (true, _) => known >= 3,
                (false, true) => known >= 10,
                (false, false) => false,
            };
            if !enough || inside < THERE {
                continue;
            }
            let found = (hint, mine.estimate() as f64 / of.count() as f64, to, key.to_owned());
            if best.as_ref().is_none_or(|best| (found.0, found.1) > (best.0, best.1)) {
                best = Some(found);
            }
        }
    }
    best.map(|(.., to, key)| (to, key))
}

/// Chooses the key of a collection, and writes what is unique so that it stays so.
fn keys(of: &Sampled, wanted: &BTreeMap<&str, usize>, rules: &Rules, related: &mut Related) {
    let usual = |name: &str| match name {
        "_id" => 3,
        "id" | "key" | "uuid" => 1,
        name => usize::from(name.to_lowercase() == format!("{}_id", singular(&of.name))),
    };
    let count = |name: &str| 2 * wanted.get(name).copied().unwrap_or(0);
    let text_keys = candidates(of).filter(|(name, _, is_text)| *is_text || *name == "_id");
    let score = |name: &str| count(name) + usual(name);
    let chosen = text_keys.map(|(name, ..)| name).filter(|name| score(name) > 0);
    let chosen = chosen.max_by_key(|name| score(name));
    let is_there = |name: &str| of.field(name).is_some();
    for (name, _, is_text) in candidates(of) {
        let Some(field) = of.field(name) else { continue };
        let texts = field.texts.as_ref().filter(|_| is_text);
        if Some(name) == chosen {
            let pattern = texts.map_or_else(|| "{n}".to_owned(), |of| key_pattern(of, rules));
            let made = match is_there("key") {
                true => table([("pattern", text(&pattern))]),
                false => table([("copy", text("key"))]),
            };
            // The key itself is written under this name.
            let made = if name == "_id" { Vec::new() } else { vec![(name.to_owned(), made)] };
            related.instead.insert(name.to_owned(), made);
            related.key = Some((name.to_owned(), pattern));
        } else if let Some(numbers) = &field.numbers {
            let (low, high) = numbers.integer_ends;
            // The file's numbers are as far from 0 on both sides.
            let low = low.max(-i64::MAX);
            let span = high.abs_diff(low);
            if !rules.values {
                continue;
            }
            let most = low.unsigned_abs().saturating_add(2 * of.count());
            let few = span < 2 * of.count() && most <= i64::MAX.unsigned_abs();
            let made = match few && !is_there("n") {
                true => table([("after", text("n")), ("by", leaf(low))]),
                false if span > of.count() => {
                    table([("integer", text(&format!("{low}..{high}"))), ("unique", leaf(true))])
                }
                false => continue,
            };
            related.instead.insert(name.to_owned(), vec![(name.to_owned(), made)]);
        }
    }
}

/// A pattern of keys that are like these texts.
fn key_pattern(of: &Texts, rules: &Rules) -> String {
    let sample = of.sample.values();
    let hex = |text: &str| text.len() == 24 && text.bytes().all(|b| b.is_ascii_hexdigit());
    if sample.iter().all(|of| is_uuid(&of.text)) {
        return "{uuid}".into();
    }
    if sample.iter().all(|of| hex(&of.text)) {
        return "{objectid}".into();
    }
    let number = |text: &str| {
        let digits = |c: char| c.is_ascii_digit();
        let begin = text.find(digits)?;
        let len = text[begin..].find(|c| !digits(c)).unwrap_or(text.len() - begin);
        Some((text[..begin].to_owned(), len, text[begin + len..].to_owned()))
    };
    let all: Option<Vec<_>> = sample.iter().map(|of| number(&of.text)).collect();
    let mean = of.lengths.mean().round() as usize;
    if let Some(all) = all.filter(|all| rules.values && all.len() >= rules.least as usize)
        && all.iter().all(|(before, _, behind)| (before, behind) == (&all[0].0, &all[0].2))
    {
        let [before, behind] = [&all[0].0, &all[0].2].map(|text| text.replace('{', "{{"));
        let same = all.iter().all(|(_, len, _)| *len == all[0].1);
        return match same && all[0].1 <= 20 {
            true => format!("{before}{{n:{}}}{behind}", all[0].1),
            false => format!("{before}{{n}}{behind}"),
        };
    }
    if mean >= 14 { "{hash}".into() } else { format!("{{n:{}}}", mean.max(1)) }
}

/// Writes a reference, as that of a child if each parent's children can be counted.
fn link(
    all: &[Sampled],
    (from, to): (usize, usize),
    place: &Place<'_>,
    key: &str,
    related: &mut [Related],
) {
    let Some((mine, _)) = distinct(place.field) else { return };
    let is_key = |of: &Related, name: &str| of.key.as_ref().is_some_and(|(key, _)| key == name);
    if related[from].instead.contains_key(&place.path) && place.is_top {
        return;
    }
    let always = place.field.seen == all[from].count() && place.field.null == 0;
    let times = times(mine, all[to].count());
    let descends = descends(related, to, from);
    let is_child =
        place.is_top && always && times.len() >= 20 && related[from].parent.is_none() && !descends;
    let mut made = match is_child {
        true => {
            related[from].parent = Some((to, lengths("count", &times, 1e9)));
            table([("ref", text("parent"))])
        }
        false if mine.is_skewed() => {
            table([("ref", text(&all[to].name)), ("dist", text("zipfian"))])
        }
        false => table([("ref", text(&all[to].name))]),
    };
    let maker = Maker { rules: Rules { values: true, least: 1 }, instead: BTreeMap::new() };
    let in_set = !place.is_top || in_sets(&all[from].root).contains(place.name.as_str());
    let parents = if in_set { place.field.seen } else { all[from].count() };
    let mut entries = Vec::new();
    if !is_key(&related[to], key) {
        if place.is_element {
            return;
        }
        let hidden = format!("of_{}", all[to].name);
        let path = if name::is_plain(key) { key.to_owned() } else { format!("'{key}'") };
        entries.push((hidden.clone(), made.with("hidden", leaf(true))));
        made = table([("copy", text(&format!("{hidden}.{path}")))]);
    }
    entries.push((place.name.clone(), maker.missing(made, place.field, parents)));
    if place.is_top {
        related[from].refs.push((place.name.clone(), to));
    }
    related[from].instead.insert(place.path.clone(), entries);
}

/// The numbers of children of so many parents, in order: of those that have some by a sample.
fn times(of: &Distinct, parents: u64) -> Vec<f64> {
    let mut times: Vec<f64> = of.counts().map(|n| n as f64).collect();
    let with = of.estimate().clamp(1, parents.max(1));
    let without = times.len() as f64 * (parents - with.min(parents)) as f64 / with as f64;
    times.extend(std::iter::repeat_n(0.0, without.round() as usize));
    times.sort_unstable_by(f64::total_cmp);
    times
}

/// Whether a collection's parents, or theirs, are another one.
fn descends(related: &[Related], mut of: usize, from: usize) -> bool {
    loop {
        match &related[of].parent {
            _ if of == from => return true,
            Some((parent, _)) => of = *parent,
            None => return false,
        }
    }
}
