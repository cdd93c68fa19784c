//! Fields of a document that depend on another one: dates that come after, and values that are given.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::fit::quantiles;
use super::make::fields::{Maker, in_sets, variants};
use super::make::rules::{FREQUENT, Rules};
use super::make::{dates, text};
use super::relate::Related;
use super::sampled::Sampled;
use super::sketch::field::Field;
use super::toml::{Toml, table, text as quoted};
use crate::file::name::is_plain;

/// Documents in which a pair of fields was seen at least.
const FEW: usize = 50;
/// The most values by which others are given.
const CHOICES: usize = 12;
/// The share of what is uncertain of a field that another one must tell.
const TELLING: f64 = 0.3;

/// A document's simple fields.
type Row = Map<String, Value>;

/// Finds the pairs, and writes them in the place of the later field.
pub fn pairs(of: &Sampled, rules: &Rules, related: &mut Related) {
    let rows = of.rows.values();
    let sets = in_sets(&of.root);
    let fixed =
        |name: &str| related.instead.contains_key(name) || !is_plain(name) || sets.contains(name);
    let free: Vec<&str> = of.root.fields.iter().map(|(name, _)| name.as_str()).collect();
    let free: Vec<&str> = free.into_iter().filter(|name| !fixed(name)).collect();
    let mut written: BTreeMap<&str, Toml> = afters(of, (rows, rules), &free);
    if rules.values {
        givens(of, (rows, rules), &free, &mut written);
    }
    let maker = Maker { rules: *rules, instead: BTreeMap::new() };
    for (name, made) in written {
        let Some(field) = of.field(name) else { continue };
        let whole = match made {
            // What is given has its missing shares by each value.
            Toml::Table(entries) if entries.first().is_some_and(|(key, _)| key == "given") => {
                Toml::Table(entries)
            }
            made => maker.missing(made, field, of.count()),
        };
        related.instead.insert(name.to_owned(), vec![(name.to_owned(), whole)]);
    }
}

/// Dates that come after another one, each after the nearest before it.
fn afters<'s>(
    of: &Sampled,
    (rows, rules): (&[Row], &Rules),
    free: &[&'s str],
) -> BTreeMap<&'s str, Toml> {
    let format = |name: &str| {
        let texts = of.field(name)?.texts.as_ref()?;
        let sample: Vec<_> = texts.sample.values().iter().collect();
        let (_, spelling) = dates::instants(&sample)?;
        let alone = of.field(name).is_some_and(|of| of.seen - of.null == texts.lengths.count);
        // Those that are all frequent are listed, as text.
        let listed: u64 = text::frequent(texts, rules).iter().map(|(_, count)| count).sum();
        (alone && listed < texts.lengths.count).then_some(spelling.format)
    };
    let all: Vec<(&str, &str)> =
        free.iter().filter_map(|name| format(name).map(|format| (*name, format))).collect();
    let instant = |row: &Row, name: &str| Some(dates::parse(row.get(name)?.as_str()?)?.0);
    let mut written = BTreeMap::new();
    for (at, (name, format)) in all.iter().enumerate() {
        let mut best: Option<(f64, &str, Vec<f64>)> = None;
        for (other, (before, _)) in all.iter().enumerate().filter(|(_, of)| of.1 == *format) {
            let always =
                of.field(before).is_some_and(|of_it| of_it.seen - of_it.null == of.count());
            if other == at || !always {
                continue;
            }
            let gaps =
                rows.iter().filter_map(|row| Some(instant(row, name)? - instant(row, before)?));
            let mut gaps: Vec<f64> = gaps.map(|micros| micros as f64 / 1e6).collect();
            gaps.sort_unstable_by(f64::total_cmp);
            let (Some(first), Some(last)) = (gaps.first(), gaps.last()) else { continue };
            // Equal dates follow each other in one direction.
            let follows = *first >= 0.0 && (*last > 0.0 || other < at);
            let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
            if gaps.len() >= FEW && follows && best.as_ref().is_none_or(|best| mean < best.0) {
                best = Some((mean, *before, gaps));
            }
        }
        if let Some((_, before, gaps)) = best {
            written.insert(*name, after(before, &gaps, *format == "date"));
        }
    }
    written
}

/// The generator of what comes so many seconds after a field, in parts with their shares.
fn after(before: &str, gaps: &[f64], days: bool) -> Toml {
    let (unit, seconds) = if days { ("d", 86_400.0) } else { ("s", 1.0) };
    let made = |low: f64, high: f64| {
        let by = format!("{:.0}{unit}..{:.0}{unit}", low / seconds, high / seconds);
        table([("after", quoted(before)), ("by", quoted(&by))])
    };
    let pairs = quantiles(gaps);
    let parts: Vec<_> = pairs.windows(2).filter(|pair| pair[1].0 - pair[0].0 > 1e-3).collect();
    let share = |pair: &[(f64, f64)]| ((pair[1].0 - pair[0].0) * 1e4).round() as u64;
    match parts.len() {
        0 => made(pairs[0].1, pairs[pairs.len() - 1].1),
        1 => made(parts[0][0].1, parts[0][1].1),
        _ => {
            let part = |pair: &&[(f64, f64)]| (share(pair).max(1), made(pair[0].1, pair[1].1));
            variants(parts.iter().map(part).collect())
        }
    }
}

/// The values of a field that has few and is always there.
fn choices(of: &Sampled, name: &str, rules: &Rules) -> Option<Vec<String>> {
    let field = of.field(name)?;
    if field.seen != of.count() {
        return None;
    }
    if field.truth[0] + field.truth[1] == field.seen {
        return Some(vec!["false".into(), "true".into()]);
    }
    let texts = field.texts.as_ref().filter(|texts| texts.lengths.count == field.seen)?;
    let found = text::frequent(texts, rules);
    let all = found.iter().map(|(_, count)| count).sum::<u64>() == field.seen;
    (all && (2..=CHOICES).contains(&found.len()))
        .then(|| found.into_iter().map(|of| of.0).collect())
}

/// What a field is in a row, as one of few: its type, and the value if it is one of few.
fn class(row: &Row, name: &str) -> String {
    match row.get(name) {
        None => "absent".into(),
        Some(Value::Number(_)) => "number".into(),
        Some(value) => value.to_string(),
    }
}

/// Fields whose values, numbers or absence another field tells, each by the one that tells most.
fn givens<'s>(
    of: &Sampled,
    (rows, rules): (&[Row], &Rules),
    free: &[&'s str],
    written: &mut BTreeMap<&'s str, Toml>,
) {
    let sources: Vec<(&str, Vec<String>)> = free
        .iter()
        .filter(|name| !written.contains_key(*name))
        .filter_map(|name| Some((*name, choices(of, name, rules)?)))
        .collect();
    let mut used: Vec<&str> = Vec::new();
    for (at, name) in free.iter().enumerate() {
        let Some(field) = of.field(name).filter(|of| is_simple(of, rules)) else { continue };
        if written.contains_key(name) || used.contains(name) {
            continue;
        }
        // What is given stands behind what it is given by.
        let before = |source: &str| free[..at].contains(&source) && !written.contains_key(source);
        let sources = sources.iter().filter(|(source, _)| before(source));
        let telling = sources.map(|source| (tells(rows, source.0, name), source));
        let best = telling.max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, (source, values))) = best.filter(|best| best.0 >= TELLING) {
            used.push(*source);
            let made = given(of, (rows, rules), (*source, values.as_slice()), (*name, field));
            written.insert(*name, made);
        }
    }
}

/// Whether a field is simple, and all its texts are frequent.
fn is_simple(of: &Field, rules: &Rules) -> bool {
    let texts = of.texts.as_ref().is_none_or(|of| {
        let covered: u64 = text::frequent(of, rules).iter().map(|(_, count)| count).sum();
        covered == of.lengths.count
    });
    texts && of.array.is_none() && of.object.is_none() && of.binary.is_none() && of.seen > of.null
}

/// The share of what is uncertain of a field that another one tells: of its values by their entropy,
/// and of its numbers by their variance.
fn tells(rows: &[Row], source: &str, name: &str) -> f64 {
    let all: Vec<&Row> = rows.iter().collect();
    let mut groups: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
    rows.iter().for_each(|row| groups.entry(class(row, source)).or_default().push(row));
    let told = |measure: fn(&[&Row], &str) -> f64, least: f64| {
        let rest: f64 = groups.values().map(|rows| measure(rows, name)).sum();
        match measure(&all, name) {
            all if all > least => 1.0 - rest / all,
            _ => 0.0,
        }
    };
    told(entropy, 0.1 * all.len() as f64).max(told(spread, 0.0))
}

/// How uncertain what a field is is in some rows, in bits.
fn entropy(rows: &[&Row], name: &str) -> f64 {
    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
    rows.iter().for_each(|row| *counts.entry(class(row, name)).or_default() += 1.0);
    let all = rows.len() as f64;
    counts.values().map(|n| -n * (n / all).log2()).sum()
}

/// How far the numbers of a field are from their mean in some rows.
fn spread(rows: &[&Row], name: &str) -> f64 {
    let numbers: Vec<f64> = rows.iter().filter_map(|row| row.get(name)?.as_f64()).collect();
    let mean = numbers.iter().sum::<f64>() / numbers.len().max(1) as f64;
    numbers.iter().map(|n| (n - mean).powi(2)).sum()
}

/// The generator of a field by the value of another one.
fn given(
    of: &Sampled,
    (rows, rules): (&[Row], &Rules),
    (source, values): (&str, &[String]),
    (name, field): (&str, &Field),
) -> Toml {
    // All values of the field are frequent, so those of a part may be written.
    let maker = Maker { rules: Rules { least: 1, ..*rules }, instead: BTreeMap::new() };
    let mut when = Vec::new();
    for value in values {
        let is_it = |row: &&Row| match row.get(source) {
            Some(Value::String(text)) => text == value,
            Some(Value::Bool(whether)) => whether.to_string() == *value,
            _ => false,
        };
        let part: Vec<&Row> = rows.iter().filter(is_it).collect();
        if part.len() < FREQUENT as usize {
            continue;
        }
        let mut of_part = Field::default();
        part.iter().filter_map(|row| row.get(name)).for_each(|value| of_part.add(value));
        when.push((value.clone(), maker.field(&of_part, part.len() as u64, name, 0)));
    }
    let all = Maker { rules: *rules, instead: BTreeMap::new() };
    table([
        ("given", quoted(source)),
        ("when", Toml::Table(when)),
        ("else", all.field(field, of.count(), name, 0)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_and_values_are_given() {
        let mut of = Sampled::new("orders");
        for n in 0..400u64 {
            let kind = ["new", "paid"][(n % 2) as usize];
            let price = if n % 2 == 0 { n % 7 } else { 1000 + n % 5 };
            let day = |n: u64| format!("2024-01-{:02}", n + 1);
            let mut row = serde_json::json!({
                "kind": kind, "price": price, "at": day(n % 25),
                "code": if kind == "new" { "N" } else { "P" },
            });
            row["due"] = day(n % 25 + n % 3).into();
            if n % 2 == 1 {
                row["paid"] = true.into();
            }
            of.add(&row).unwrap();
        }
        of.root.settle();
        let rules = Rules { values: true, least: 20 };
        let mut related = Related::default();
        pairs(&of, &rules, &mut related);
        let made = |name: &str| related.instead.get(name).map(|of| of[0].1.inline());
        let due = made("due").unwrap();
        assert!(due.contains("after = \"at\"") && due.contains("d..2d"), "{due}");
        assert_eq!(
            made("code").unwrap(),
            "{ given = \"kind\", when = { new = { values = [\"N\"] }, paid = { values = [\"P\"] } }, \
             else = { values = [\"N\", \"P\"] } }"
        );
        let price = made("price").unwrap();
        assert!(price.starts_with("{ given = \"kind\", when = { new = { values = [0, "), "{price}");
        assert!(made("paid").unwrap().contains("new = { absent = 1 }"), "{:?}", made("paid"));
        assert_eq!(made("kind"), None);
    }
}
