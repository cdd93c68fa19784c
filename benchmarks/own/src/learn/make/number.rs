//! Numbers and lengths as generators.

use super::rules::Rules;
use crate::learn::fit::quantiles;
use crate::learn::sketch::numbers::{Lengths, MOST_DIGITS, Numbers};
use crate::learn::toml::{Toml, leaf, table, text};

/// Values that are listed at most.
const LISTED: usize = 50;
/// Digits of a number of which every text of a decimal is exact.
const EXACT: usize = 15;
/// How far quantiles may be from a straight line, by the range, and be none.
const STRAIGHT: f64 = 0.02;

/// The generator of numbers.
pub fn number(of: &Numbers, rules: &Rules) -> Toml {
    if let Some(values) = values(of, rules) {
        return values;
    }
    let pairs = rules.rounded(quantiles(&of.sorted()));
    if of.integers == of.count {
        let (low, high) = of.integer_ends;
        let (low, high) = match rules.values {
            true => (low, high),
            false => (pairs[0].1 as i64, pairs[pairs.len() - 1].1 as i64),
        };
        // The file's numbers are as far from 0 on both sides.
        let low = low.max(-i64::MAX);
        let inside = |value: f64| ((value + 0.5).floor() as i64).clamp(low, high).to_string();
        let made = table([("integer", text(&format!("{low}..{high}")))]);
        return distinct(of, (high as f64 - low as f64).abs(), dist(made, &pairs, true, &inside));
    }
    let (low, high) = (pairs[0].1, pairs[pairs.len() - 1].1);
    let digits = digits(of);
    let whole = format!("{:.0}", low.abs().max(high.abs())).len();
    if whole + digits > EXACT || of.digits[MOST_DIGITS + 1] * 2 > of.count {
        let made = table([("number", text(&format!("{low:?}..{high:?}")))]);
        return dist(made, &pairs, false, &|value| format!("{value:?}"));
    }
    let written = |value: f64| format!("{value:.digits$}");
    let made = table([("decimal", text(&format!("{}..{}", written(low), written(high))))]);
    let steps = (high - low) * 10f64.powi(digits as i32);
    distinct(of, steps, dist(made, &pairs, false, &written))
}

/// So many digits behind the point that the texts are as long as those of the sample.
fn digits(of: &Numbers) -> usize {
    let bytes = |(digits, count): (usize, &u64)| match digits {
        0 => 0.0,
        _ => (digits.min(EXACT) + 1) as f64 * *count as f64,
    };
    let bytes: f64 = of.digits.iter().enumerate().map(bytes).sum();
    (bytes / of.count.max(1) as f64 - 1.0).round().max(1.0) as usize
}

/// The values themselves, if all are frequent.
fn values(of: &Numbers, rules: &Rules) -> Option<Toml> {
    let all = of.frequent.all().filter(|all| *all <= LISTED && rules.values)?;
    let found = of.frequent.least(rules.least);
    let written = |bits: u64| {
        let value = f64::from_bits(bits);
        match value.fract() == 0.0 && of.integers > 0 {
            true if value.abs() < 2f64.powi(53) => Some(format!("{value:.0}")),
            true => None,
            false => Some(format!("{value:?}")),
        }
    };
    let texts: Option<Vec<String>> = found.iter().map(|(bits, _)| written(*bits)).collect();
    let texts = texts.filter(|texts| texts.len() == all)?;
    let counts: Vec<u64> = found.iter().map(|(_, count)| *count).collect();
    Some(listed(texts.into_iter().map(Toml::Leaf).collect(), &counts))
}

/// Values with their counts as weights.
pub fn listed(values: Vec<Toml>, counts: &[u64]) -> Toml {
    let alike = counts.windows(2).all(|pair| pair[0] == pair[1]);
    let made = table([("values", Toml::List(values))]);
    match alike {
        true => made,
        false => made.with("weights", Toml::List(counts.iter().map(leaf).collect())),
    }
}

/// That there are so many values, if there are far fewer than numbers and than the range has.
fn distinct(of: &Numbers, range: f64, made: Toml) -> Toml {
    let count = of.distinct.estimate();
    match count >= 30 && count * 3 < of.count && count as f64 * 3.0 < range {
        true => made.with("distinct", leaf(count)),
        false => made,
    }
}

/// The quantiles, unless they are a straight line: of whole numbers, each of which has half of the
/// distance to the next on both sides, or of others.
pub fn dist(
    made: Toml,
    pairs: &[(f64, f64)],
    is_whole: bool,
    written: &dyn Fn(f64) -> String,
) -> Toml {
    let (Some(first), Some(last)) = (pairs.first(), pairs.last()) else { return made };
    let half = if is_whole { 0.5 } else { 0.0 };
    let range = last.1 - first.1;
    let straight = |share: f64| first.1 - half + (range + 2.0 * half) * share;
    let off = pairs.iter().map(|pair| (pair.1 - straight(pair.0)).abs()).fold(0.0, f64::max);
    if range <= 0.0 || off <= (STRAIGHT * range).max(1.02 * half) {
        return made;
    }
    let pair = |pair: &(f64, f64)| Toml::List(vec![leaf(pair.0), Toml::Leaf(written(pair.1))]);
    made.with("dist", Toml::List(pairs.iter().map(pair).collect()))
}

/// A generator of this name whose lengths are these.
pub fn lengths(name: &str, sorted: &[f64], most: f64) -> Toml {
    let pairs: Vec<_> =
        quantiles(sorted).into_iter().map(|(share, of)| (share, of.min(most))).collect();
    let (low, high) = (pairs.first().map_or(0.0, |p| p.1), pairs.last().map_or(0.0, |p| p.1));
    let range = if low < high { format!("{low:.0}..{high:.0}") } else { format!("{low:.0}") };
    let inside = |value: f64| format!("{:.0}", value.clamp(low, high));
    dist(table([(name, text(&range))]), &pairs, true, &inside)
}

/// The same of lengths that are kept.
pub fn lengths_of(name: &str, of: &Lengths, most: f64) -> Toml {
    lengths(name, &of.sorted(), most)
}
