//! Fields, and what is in them, as generators.

use std::collections::{BTreeMap, BTreeSet};

use super::rules::Rules;
use super::{number, text};
use crate::learn::sketch::field::{Array, Field, Map, Object};
use crate::learn::toml::{Toml, leaf, table};
use crate::plan::model::DEPTH;

/// Optional fields of which sets are looked for, the most sets, and the share that they must have.
const SETS: usize = 6;
const ENOUGH: f64 = 0.97;
/// How many bits sets must tell more than the shares of their fields.
const TELLING: f64 = 0.4;

/// One of several generators, each so many times.
pub fn variants(mut made: Vec<(u64, Toml)>) -> Toml {
    match made.len() {
        0 => Toml::Table(Vec::new()),
        1 => made.remove(0).1,
        _ => {
            let variant = |(count, made): (u64, Toml)| {
                let Toml::Table(mut entries) = made else { return made };
                entries.insert(0, ("share".into(), leaf(count)));
                Toml::Table(entries)
            };
            table([("variants", Toml::List(made.into_iter().map(variant).collect()))])
        }
    }
}

/// Writes fields.
pub struct Maker {
    /// What may be written.
    pub rules: Rules,
    /// Fields that relate to others, by their paths, with what is written in their place.
    pub instead: BTreeMap<String, Vec<(String, Toml)>>,
}

/// The path of a field in an object, or of the elements of an array: it is for looking up alone.
pub fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}\u{1f}{name}") }
}

/// The path of an array's elements.
pub fn elements(path: &str) -> String {
    join(path, "[]")
}

/// A share with as many digits as tell something.
pub fn share(of: f64) -> f64 {
    (of * 1e4).round() / 1e4
}

impl Maker {
    /// The generator of a field that could have been there so many times, without its missing shares.
    fn made(&self, of: &Field, path: &str, depth: usize) -> Toml {
        let mut made: Vec<(u64, Toml)> = Vec::new();
        let truths = of.truth[0] + of.truth[1];
        if truths > 0 {
            let share = share(of.truth[1] as f64 / truths as f64);
            made.push((truths, table([("boolean", leaf(share))])));
        }
        if let Some(numbers) = &of.numbers {
            made.push((numbers.count, number::number(numbers, &self.rules)));
        }
        if let Some(texts) = &of.texts {
            made.extend(text::texts(texts, &self.rules));
        }
        if let Some(bytes) = &of.binary {
            made.push((bytes.count, number::lengths_of("binary", bytes, 1e6)));
        }
        if let Some(array) = &of.array {
            made.push((array.lengths.count, self.array(array, path, depth)));
        }
        if let Some(object) = &of.object {
            made.push((object.lengths.count, self.of_object(object, path, depth)));
        }
        variants(made)
    }

    /// A field of so many objects.
    pub fn field(&self, of: &Field, parents: u64, path: &str, depth: usize) -> Toml {
        let always =
            of.seen == parents && of.array.as_ref().is_some_and(|of| of.lengths.count == parents);
        if let Some(array) = of.array.as_ref().filter(|of| always && of.places.len() > 1) {
            let place = |of: &Field| self.field(of, parents, path, depth);
            return Toml::List(array.places.iter().map(place).collect());
        }
        self.missing(self.made(of, path, depth), of, parents)
    }

    /// Adds how often a field is absent and null.
    pub fn missing(&self, made: Toml, of: &Field, parents: u64) -> Toml {
        let absent = share(1.0 - of.seen.min(parents) as f64 / parents.max(1) as f64);
        if of.null == of.seen {
            return match absent {
                0.0 => table([("null", leaf(1))]),
                1.0 => table([("absent", leaf(1))]),
                _ => table([("absent", leaf(absent)), ("null", leaf(1.0 - absent))]),
            };
        }
        let null = share(of.null as f64 / parents.max(1) as f64).min(1.0 - absent);
        let made = if absent > 0.0 { made.with("absent", leaf(absent)) } else { made };
        if null > 0.0 { made.with("null", leaf(null)) } else { made }
    }

    fn array(&self, of: &Array, path: &str, depth: usize) -> Toml {
        if depth >= DEPTH {
            return table([("fields", Toml::Table(Vec::new()))]);
        }
        let made = number::lengths_of("array", &of.lengths, 1e5);
        let path = elements(path);
        let element = match (of.element.seen, self.instead.get(&path).map(Vec::as_slice)) {
            (0, _) => table([("null", leaf(1))]),
            (_, Some([(_, instead)])) => instead.clone(),
            (seen, _) => self.field(&of.element, seen, &path, depth + 1),
        };
        made.with("of", element)
    }

    fn map(&self, of: &Map, lengths: &[f64], path: &str, depth: usize) -> Toml {
        if depth >= DEPTH {
            return table([("fields", Toml::Table(Vec::new()))]);
        }
        let names = variants(text::texts(&of.names, &self.rules));
        let drawn = drawn(of, lengths);
        let made = number::lengths("map", &drawn, 1e5);
        made.with("keys", names)
            .with("of", self.field(&of.of, of.of.seen, &elements(path), depth + 1))
    }

    fn of_object(&self, of: &Object, path: &str, depth: usize) -> Toml {
        match &of.map {
            Some(map) => self.map(map, &of.lengths.sorted(), path, depth),
            None => Toml::Table(self.object(of, path, depth)),
        }
    }

    /// `fields`, and `variants` if its fields are there in sets.
    pub fn object(&self, of: &Object, path: &str, depth: usize) -> Vec<(String, Toml)> {
        let count = of.lengths.count;
        let sets = sets(of).unwrap_or_default();
        let optional = |at: u32| sets.iter().any(|(set, _)| set.contains(&at));
        let member = |at: usize, parents: u64| {
            let (name, field) = &of.fields[at];
            let path = join(path, name);
            match self.instead.get(&path) {
                Some(instead) => instead.clone(),
                None => vec![(name.clone(), self.field(field, parents, &path, depth))],
            }
        };
        let all = (0..of.fields.len()).filter(|at| !optional(*at as u32));
        let fields = Toml::Table(all.flat_map(|at| member(at, count)).collect());
        let mut entries = vec![("fields".to_owned(), fields)];
        if !sets.is_empty() {
            let set = |(set, count): &(Vec<u32>, u64)| {
                // Whoever has the set has the field.
                let fields = set.iter().flat_map(|at| {
                    let at = *at as usize;
                    member(at, of.fields[at].1.seen)
                });
                table([("share", leaf(count)), ("fields", Toml::Table(fields.collect()))])
            };
            entries.push(("variants".into(), Toml::List(sets.iter().map(set).collect())));
        }
        entries
    }
}

/// The fields that are written in sets.
pub fn in_sets(of: &Object) -> BTreeSet<&str> {
    let sets = sets(of).unwrap_or_default();
    let names = sets.iter().flat_map(|(set, _)| set.iter());
    names.map(|at| of.fields[*at as usize].0.as_str()).collect()
}

/// The few sets of optional fields that nearly all objects have one of, if they tell more than each
/// field alone.
fn sets(of: &Object) -> Option<Vec<(Vec<u32>, u64)>> {
    let count = of.lengths.count as f64;
    let share = |at: u32| of.fields[at as usize].1.seen as f64 / count;
    let is_optional = |at: &u32| (0.02..=0.98).contains(&share(*at));
    let optional: Vec<u32> = (0..of.fields.len() as u32).filter(is_optional).collect();
    let mut found: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for (set, times) in of.sets.as_ref().filter(|_| optional.len() > 1)? {
        let set: Vec<u32> = set.iter().copied().filter(|at| is_optional(at)).collect();
        *found.entry(set).or_default() += times;
    }
    let mut found: Vec<(Vec<u32>, u64)> = found.into_iter().collect();
    found.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    found.truncate(SETS);
    let covered: u64 = found.iter().map(|(_, times)| times).sum();
    if (covered as f64) < ENOUGH * count {
        return None;
    }
    let telling = |(set, times): &(Vec<u32>, u64)| {
        let alone = |at: &u32| if set.contains(at) { share(*at) } else { 1.0 - share(*at) };
        let alone: f64 = optional.iter().map(alone).product();
        let together = *times as f64 / count;
        together * (together / alone).log2()
    };
    (found.iter().map(telling).sum::<f64>() >= TELLING).then_some(found)
}

/// How many names are drawn so that so many different ones are there: of names drawn twice the
/// second is left out.
fn drawn(of: &Map, lengths: &[f64]) -> Vec<f64> {
    let counts: Vec<f64> = of.names.distinct.counts().map(|n| n as f64).collect();
    if counts.len() as u64 != of.names.distinct.estimate() {
        return lengths.to_vec();
    }
    let all: f64 = counts.iter().sum();
    let different = |n: f64| counts.iter().map(|of| 1.0 - (1.0 - of / all).powf(n)).sum::<f64>();
    let mut known: BTreeMap<u64, f64> = BTreeMap::new();
    let mut more = |length: f64| {
        *known.entry(length as u64).or_insert_with(|| {
            let wanted = length.min(counts.len() as f64 * 0.97);
            let mut n = length;
            while different(n) < wanted && n < length * 20.0 {
                n += (n * 0.05).max(0.25);
            }
            n.round()
        })
    };
    lengths.iter().map(|length| more(*length)).collect()
}
