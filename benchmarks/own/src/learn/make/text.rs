//! Texts as generators: what is frequent as it is, the rest by pattern or by length.

use std::collections::{BTreeMap, BTreeSet};

use super::rules::Rules;
use super::{dates, number};
use crate::learn::sketch::texts::{Kept, Texts};
use crate::learn::toml::{Toml, leaf, table, text};

/// Values that are listed at most.
const LISTED: usize = 100;
/// The most patterns of a field, pieces of one, and the share of texts that they must have.
const PATTERNS: usize = 4;
const PIECES: usize = 14;
const ENOUGH: f64 = 0.9;
/// The most bytes of a text.
const MOST_BYTES: f64 = (16 << 20) as f64;

/// The frequent values of texts that are listed.
pub fn frequent(of: &Texts, rules: &Rules) -> Vec<(String, u64)> {
    if !rules.values {
        return Vec::new();
    }
    let mut found = of.frequent.least(rules.least.max(of.lengths.count / 1000));
    found.truncate(LISTED);
    found
}

/// Generators with the numbers of texts that they are for.
pub fn texts(of: &Texts, rules: &Rules) -> Vec<(u64, Toml)> {
    let listed = frequent(of, rules);
    let counts: Vec<u64> = listed.iter().map(|(_, count)| *count).collect();
    let covered: u64 = counts.iter().sum();
    let count = of.lengths.count;
    let known: BTreeSet<&str> = listed.iter().map(|(value, _)| value.as_str()).collect();
    let sample = of.sample.values().iter();
    let rest: Vec<&Kept> = sample.filter(|of| !known.contains(&*of.text)).collect();
    let distinct = of.distinct.estimate().saturating_sub(listed.len() as u64);
    let all_dates = dates::instants(&of.sample.values().iter().collect::<Vec<_>>()).is_some();
    let mut made = Vec::new();
    let keep = covered == count || !all_dates;
    if keep && !listed.is_empty() {
        let values = listed.iter().map(|(value, _)| text(value)).collect();
        made.push((covered, number::listed(values, &counts)));
    }
    let (rest, left) = match keep {
        true => (rest, count - covered),
        false => (of.sample.values().iter().collect(), count),
    };
    if left == 0 || rest.is_empty() && !made.is_empty() {
        return made;
    }
    made.extend(rest_of(of, &rest, (left, distinct), rules));
    made
}

/// Generators of texts that are not listed: so many, and so many distinct ones.
fn rest_of(
    of: &Texts,
    rest: &[&Kept],
    (left, distinct): (u64, u64),
    rules: &Rules,
) -> Vec<(u64, Toml)> {
    if let Some((mut micros, spelling)) = dates::instants(rest) {
        let ends = of.ends.iter().filter(|_| rest.len() == of.sample.values().len());
        let ends = ends.flat_map(|(first, last)| [dates::parse(first), dates::parse(last)]);
        micros.extend(ends.flatten().map(|(micros, _)| micros));
        return vec![(left, dates::generator(micros, spelling.format, rules.values))];
    }
    let skewed = rest.len() == of.sample.values().len() && of.distinct.is_skewed();
    let few = |made: Toml, distinct: u64| match (distinct * 5 < left * 4, skewed) {
        (false, _) => made,
        (true, false) => made.with("distinct", leaf(distinct.max(1))),
        (true, true) => {
            let dist = [("count", leaf(distinct.max(1))), ("dist", text("zipfian"))];
            made.with("distinct", table(dist))
        }
    };
    if rest.iter().all(|of| is_uuid(&of.text)) {
        let pattern = "{hex:8}-{hex:4}-4{hex:3}-a{hex:3}-{hex:12}";
        return vec![(left, few(table([("pattern", text(pattern))]), distinct))];
    }
    if let Some(patterns) = patterns(rest, rules) {
        let all: usize = patterns.iter().map(|(_, count)| count).sum();
        let part = |(pattern, count): &(String, usize)| {
            let share = *count as f64 / all as f64;
            let part = |of: u64| ((of as f64 * share).round() as u64).max(1);
            (part(left), few(table([("pattern", text(pattern))]), part(distinct)))
        };
        return patterns.iter().map(part).collect();
    }
    let sorted = match rest.len() == of.sample.values().len() {
        true => of.lengths.sorted(),
        false => {
            let mut lengths: Vec<f64> = rest.iter().map(|of| of.bytes as f64).collect();
            lengths.sort_unstable_by(f64::total_cmp);
            lengths
        }
    };
    let made = number::lengths("text", &sorted, MOST_BYTES);
    let made = match alphabet(rest) {
        "alnum" => made,
        alphabet => made.with("of", text(alphabet)),
    };
    vec![(left, few(made, distinct))]
}

/// Whether a text is a UUID.
pub fn is_uuid(text: &str) -> bool {
    let dash = |at: usize| [8, 13, 18, 23].contains(&at);
    let fits = |(at, b): (usize, u8)| if dash(at) { b == b'-' } else { b.is_ascii_hexdigit() };
    text.len() == 36 && text.bytes().enumerate().all(fits)
}

/// The smallest alphabet that has the characters of all texts.
fn alphabet(of: &[&Kept]) -> &'static str {
    let bytes = || of.iter().flat_map(|of| of.text.bytes());
    let all = |belongs: fn(u8) -> bool| bytes().all(belongs);
    let words = of.iter().filter(|of| of.text.contains(' ')).count();
    match () {
        () if words * 2 > of.len() => "words",
        () if all(|b| b.is_ascii_digit()) => "digits",
        () if all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)) => "hex",
        () if all(|b| b.is_ascii_lowercase()) => "lower",
        () if all(|b| b.is_ascii_alphabetic()) => "letters",
        () => "alnum",
    }
}

/// A run of characters of a class, or one that is itself.
struct Run {
    class: char,
    low: usize,
    high: usize,
    /// The characters, if they are the same in all texts.
    same: Option<String>,
}

/// The runs of a text: digits, lower-case and upper-case letters, and all others as they are.
fn runs(text: &str) -> Vec<(char, &str)> {
    let class = |c: char| match c {
        '0'..='9' => '0',
        'a'..='z' => 'a',
        'A'..='Z' => 'A',
        other => other,
    };
    let mut runs: Vec<(char, &str)> = Vec::new();
    let mut from = 0;
    while let Some(first) = text[from..].chars().next() {
        let rest = &text[from..];
        let len = match first.is_ascii_alphanumeric() {
            true => rest.find(|c| class(c) != class(first)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        runs.push((class(first), &rest[..len]));
        from += len;
    }
    runs
}

/// The few patterns that most texts have, each with the number of its texts.
fn patterns(of: &[&Kept], rules: &Rules) -> Option<Vec<(String, usize)>> {
    let mut groups: BTreeMap<String, (usize, Vec<Run>, usize)> = BTreeMap::new();
    for kept in of.iter().filter(|of| of.text.len() == of.bytes && of.text.is_ascii()) {
        let runs = runs(&kept.text);
        if runs.is_empty() || runs.len() > PIECES {
            continue;
        }
        let skeleton: String = runs.iter().map(|(class, _)| *class).collect();
        let new = || {
            let run = |(class, text): &(char, &str)| Run {
                class: *class,
                low: text.len(),
                high: text.len(),
                same: Some((*text).to_owned()),
            };
            (0, runs.iter().map(run).collect(), 0)
        };
        let (count, group, bytes) = groups.entry(skeleton).or_insert_with(new);
        (*count, *bytes) = (*count + 1, *bytes + kept.bytes);
        for (run, (_, text)) in group.iter_mut().zip(&runs) {
            (run.low, run.high) = (run.low.min(text.len()), run.high.max(text.len()));
            if run.same.as_deref() != Some(*text) {
                run.same = None;
            }
        }
    }
    let least = rules.least as usize;
    let mut groups: Vec<_> = groups.into_values().filter(|(count, ..)| *count >= least).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.0));
    groups.truncate(PATTERNS);
    let covered: usize = groups.iter().map(|(count, ..)| count).sum();
    if (covered as f64) < ENOUGH * of.len() as f64 || groups.is_empty() {
        return None;
    }
    groups.iter().map(|group| Some((pattern(group, rules)?, group.0))).collect()
}

/// The pattern of a group of texts; `None` if their lengths are spread so that none is like them, or
/// if it had literal pieces, where these are not to be written.
fn pattern((count, runs, bytes): &(usize, Vec<Run>, usize), rules: &Rules) -> Option<String> {
    let middle: f64 = runs.iter().map(|run| (run.low + run.high) as f64 / 2.0).sum();
    let mean = *bytes as f64 / *count as f64;
    if (middle - mean).abs() > 0.1 * mean {
        return None;
    }
    let mut pattern = String::new();
    for Run { class, low, high, same } in runs {
        let name = match class {
            '0' => "digits",
            'a' => "lower",
            'A' => "upper",
            _ => "",
        };
        match same {
            Some(same) if rules.values => pattern.push_str(&same.replace('{', "{{")),
            Some(_) if name.is_empty() => return None,
            _ if low == high => pattern.push_str(&format!("{{{name}:{low}}}")),
            _ => pattern.push_str(&format!("{{{name}:{low}..{high}}}")),
        }
    }
    Some(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[String]) -> Texts {
        let mut of = Texts::default();
        texts.iter().for_each(|text| of.add(text, 1));
        of
    }

    #[test]
    fn texts_become_values_patterns_dates_or_lengths() {
        let of_n = |f: &dyn Fn(usize) -> String| (0..200).map(f).collect::<Vec<_>>();
        for (texts_of, expected) in [
            (of_n(&|n| ["new", "paid"][n % 2].into()), r#"{ values = ["new", "paid"] }"#),
            (of_n(&|n| format!("sku-{n:04}x{{")), r#"{ pattern = "sku-{digits:4}x{{" }"#),
            (
                of_n(&|n| format!("2024-01-{:02}", n % 31 + 1)),
                r#"{ date = "2024-01-01..2024-01-31", format = "date" }"#,
            ),
            (of_n(&|n| "ab".repeat(n * n / 40)), "{ text = \"0..1980\""),
            (
                of_n(&|n| format!("user{}", n % 50)),
                r#"{ pattern = "user{digits:1..2}", distinct = 50 }"#,
            ),
        ] {
            let made = texts(&of(&texts_of), &Rules { values: true, least: 20 });
            assert!(made.len() == 1 && made[0].0 == 200);
            assert!(made[0].1.inline().starts_with(expected), "{} {expected}", made[0].1.inline());
        }
    }
}
