//! What probes say of a rate, and how sure they are.
//!
//! The logarithm of a percentile over its bound is compared with its standard deviation. That of
//! independent operations follows from how steeply the neighbouring percentiles rise. Operations that wait
//! in one queue, and databases that pause, scatter more: the probes of a rate that was probed again say by
//! how much (the overdispersion), pooled over the search.

use std::time::Duration;

use hoap_record::Bounds;
use hoap_record::Latency;
use hoap_record::Percentile;
use hoap_record::search::{Probe, RARE, Time, operations_for, operations_needed};

use super::{ProbeResult, Timed};

/// So many standard deviations leave no doubt.
const SURE: f64 = 2.5;
/// A percentile within this factor of its bound is near it: the rate is probed so often before it holds or
/// breaks. Where operations wait in one queue a single probe would too often be a lucky one.
const CLOSE: f64 = 1.5;
/// See above.
const CLOSE_PROBES: usize = 3;
/// Probes of a rate after which it is undecided, where one of them is apart from the others.
const MOST: usize = 4;
/// The overdispersion that is assumed before any rate was probed again, and how many repeated probes this
/// assumption weighs as much as.
const ASSUMED: (f64, f64) = (9.0, 2.0);
/// A probe that differs from all others of its rate by more than this factor does not count, where two
/// others agree.
const APART: f64 = 2.0;
/// Rates whose percentiles are within this factor of a bound say how noisy the database is there.
const NEAR: f64 = 4.0;
/// Histograms have three digits, and short times few microseconds.
const RESOLUTION: f64 = 0.002;
/// Operations from which on a median says that a higher percentile is plainly over its bound.
const PLAIN: u64 = 4;

/// What the probes of a rate say together.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Held,
    Broken(String),
    Undecided(String),
}

/// A percentile of a kind of operation against its bound.
#[derive(Clone, Debug)]
struct Margin {
    bound: usize,
    kind: String,
    us: u64,
    /// Logarithm of the percentile over the bound.
    over: f64,
    /// Its standard deviation if operations were independent.
    sd: f64,
}

/// One probe.
#[derive(Clone, Debug)]
pub struct Seen {
    margins: Vec<Margin>,
    /// Why it breaks whatever its percentiles are, or in spite of too few operations.
    plain: Option<String>,
    broken: Option<String>,
    few: Option<String>,
}

impl Seen {
    /// How far the worst percentile is over its bound.
    fn worst(&self) -> f64 {
        match self.plain {
            Some(_) => f64::INFINITY,
            None => self.margins.iter().map(|m| m.over).fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// Judges a probe: its record, and what the verdict on its rate needs of it.
pub fn probe(bounds: &Bounds, rate: f64, time: Duration, result: &ProbeResult) -> (Probe, Seen) {
    let operations = result.succeeded + result.failed;
    let failures = result.failed as f64 / operations.max(1) as f64;
    let times = bounds.slas.iter().filter_map(|s| slowest(s.percentile, result)).collect();
    let mut plain = Vec::new();
    plain.extend(result.shortfall.as_ref().map(|why| format!("the rate does not hold: {why}")));
    if result.succeeded == 0 {
        plain.push("no operation succeeded".into());
    } else if failures > bounds.failures {
        let share = failures * 100.0;
        plain.push(format!("{} of {operations} failed ({share:.2} %)", result.failed));
    }
    let (mut over, mut margins, mut few) = (Vec::new(), Vec::new(), Vec::new());
    if bounds.slas.is_empty() && operations < operations_needed(bounds) {
        few.push(format!("{operations} of the {} operations", operations_needed(bounds)));
    }
    let all: u64 = result.kinds.iter().map(|t| t.operations).sum();
    for (n, sla) in bounds.slas.iter().enumerate() {
        let (name, limit) = (sla.percentile.name(), sla.limit_us);
        for Timed { kind, operations, latency } in &result.kinds {
            let us = sla.percentile.of(latency);
            let needed = operations_for(sla.percentile);
            let says = format!("{kind}: {name} is {us} µs, the bound {limit} µs");
            if *operations < needed {
                let median = sla.percentile != Percentile::P50 && latency.p50_us > limit;
                if median && *operations >= PLAIN {
                    plain.push(format!("{kind}: half of {operations} took over {limit} µs"));
                } else if *operations as f64 >= RARE * all as f64 {
                    few.push(format!("{kind}: {operations} of the {needed} operations for {name}"));
                }
                continue;
            }
            if us > limit {
                over.push(says);
            }
            let (us_, limit) = (us.max(1) as f64, limit.max(1) as f64);
            let sd = sampling(sla.percentile, latency, *operations);
            let over = (us_ / limit).ln();
            margins.push(Margin { bound: n, kind: kind.clone(), us, over, sd });
        }
    }
    let joined = |words: &[String]| (!words.is_empty()).then(|| words.join("; "));
    let broken = joined(&[plain.clone(), over].concat());
    let few = joined(&few).map(|few| format!("too few operations in {time:?}: {few}"));
    let undecided = few.clone().filter(|_| broken.is_none());
    let record = Probe {
        rate,
        seconds: time.as_secs_f64(),
        achieved: result.achieved,
        failures,
        times,
        broken: broken.clone(),
        undecided,
    };
    (record, Seen { margins, plain: joined(&plain), broken, few })
}

fn slowest(percentile: Percentile, result: &ProbeResult) -> Option<Time> {
    let slowest = result.kinds.iter().max_by_key(|timed| percentile.of(&timed.latency))?;
    let (kind, operations) = (slowest.kind.clone(), slowest.operations);
    Some(Time { percentile, kind, us: percentile.of(&slowest.latency), operations })
}

/// Standard deviation of the logarithm of a percentile of so many independent operations.
///
/// The depth of a rank p is −ln(1 − p). That of a sample percentile scatters by √(p ÷ beyond), where `beyond` is
/// the number of operations beyond it; the logarithm of the percentile scatters by that times its slope
/// over the depth, between the neighbouring percentiles that the operations resolve.
fn sampling(percentile: Percentile, latency: &Latency, operations: u64) -> f64 {
    let whole = (operations.max(2) as f64).ln();
    let depth = |p: Percentile| p.rank().map_or(whole, |rank| -(1.0 - rank).ln());
    let points: Vec<Percentile> = Percentile::ALL
        .into_iter()
        .filter(|p| *p == percentile || *p == Percentile::Max || depth(*p) < whole)
        .collect();
    let at = points.iter().position(|p| *p == percentile).unwrap_or(0);
    let (before, after) = (points[at.saturating_sub(1)], points[(at + 1).min(points.len() - 1)]);
    let rise = (after.of(latency).max(1) as f64 / before.of(latency).max(1) as f64).ln();
    let run = depth(after) - depth(before);
    let slope = if run > 0.0 { rise / run } else { 0.0 };
    let rank = percentile.rank().unwrap_or(1.0);
    let beyond = (operations as f64 * (1.0 - rank)).max(1.0);
    (slope * (rank / beyond).sqrt()).max(RESOLUTION)
}

/// The probes of one rate.
#[derive(Clone, Debug, Default)]
pub struct Rate {
    pub seen: Vec<Seen>,
}

impl Rate {
    /// The probes that count: without the one that is apart from all others, where two of these agree.
    fn counted(&self) -> Vec<&Seen> {
        let mut seen: Vec<&Seen> = self.seen.iter().collect();
        seen.sort_by(|a, b| a.worst().total_cmp(&b.worst()));
        let n = seen.len();
        if n < 3 {
            return seen;
        }
        let apart = |a: usize, b: usize| {
            let (a, b) = (seen[a].worst(), seen[b].worst());
            if a == b { 0.0 } else { b - a }
        };
        let (below, above) = (apart(0, 1), apart(n - 2, n - 1));
        if above > APART.ln() && above >= below {
            seen.pop();
        } else if below > APART.ln() {
            seen.remove(0);
        }
        seen
    }

    /// For each bound and kind of operation of the probes that count, whatever has no plain reason.
    fn margins(&self) -> Vec<Vec<Margin>> {
        let mut groups: Vec<Vec<Margin>> = Vec::new();
        let counted = self.counted();
        for margin in counted.iter().filter(|s| s.plain.is_none()).flat_map(|s| &s.margins) {
            let same = |g: &&mut Vec<Margin>| {
                g.first().is_some_and(|m| m.bound == margin.bound && m.kind == margin.kind)
            };
            match groups.iter_mut().find(same) {
                Some(group) => group.push(margin.clone()),
                None => groups.push(vec![margin.clone()]),
            }
        }
        groups
    }

    /// Deviations of the margin that is worst from its mean, where it was probed again near its bound.
    fn repeated(&self) -> Option<(f64, Vec<Margin>)> {
        let worst = self.margins().into_iter().max_by(|a, b| mean(a).total_cmp(&mean(b)))?;
        let mean = mean(&worst);
        (worst.len() > 1 && mean.abs() < NEAR.ln()).then_some((mean, worst))
    }

    /// What the probes so far say; `None` where another one is needed.
    pub fn verdict(&self, bounds: &Bounds, overdispersion: f64) -> Option<Verdict> {
        let counted = self.counted();
        let plain = counted.iter().filter(|s| s.plain.is_some()).count();
        let over = counted.iter().filter(|s| s.broken.is_some()).count();
        let why = || counted.iter().rev().find_map(|s| s.broken.clone()).unwrap_or_default();
        if plain >= 2 && plain * 2 > counted.len() || plain == 1 && over == 2 && counted.len() == 2
        {
            return Some(Verdict::Broken(why()));
        }
        let groups = self.margins();
        let sd = |g: &[Margin]| {
            let sum: f64 = g.iter().map(|m| m.sd * m.sd).sum();
            (sum * overdispersion).sqrt() / g.len() as f64
        };
        let worst = groups.iter().map(|g| mean(g)).fold(f64::NEG_INFINITY, f64::max);
        let near = worst.abs() < CLOSE.ln();
        if plain == 0 {
            let enough = !near || counted.len() >= CLOSE_PROBES;
            let far = |g: &Vec<Margin>| mean(g) - SURE * sd(g) > 0.0;
            if enough && over >= 2 && groups.iter().any(far) {
                return Some(Verdict::Broken(why()));
            }
            if let Some(few) = counted.iter().find_map(|s| s.few.clone().filter(|_| over == 0)) {
                return Some(Verdict::Undecided(few));
            }
            if enough && groups.iter().all(|g| mean(g) + SURE * sd(g) < 0.0) {
                return Some(Verdict::Held);
            }
        }
        let last = self.seen.len() >= MOST || plain == 0 && counted.len() >= CLOSE_PROBES;
        last.then(|| Verdict::Undecided(self.scattered(bounds, over)))
    }

    /// Why the probes do not decide.
    fn scattered(&self, bounds: &Bounds, over: usize) -> String {
        let probes = self.seen.len();
        let near = self.margins().into_iter().max_by(|a, b| mean(a).total_cmp(&mean(b)));
        let Some(near) = near else { return format!("{over} of {probes} probes broke") };
        let us = || near.iter().map(|m| m.us);
        let sla = bounds.slas[near[0].bound];
        format!(
            "{}: {} is {} to {} µs in {probes} probes, which scatter around the bound of {} µs",
            near[0].kind,
            sla.percentile.name(),
            us().min().unwrap_or(0),
            us().max().unwrap_or(0),
            sla.limit_us
        )
    }
}

fn mean(margins: &[Margin]) -> f64 {
    margins.iter().map(|m| m.over).sum::<f64>() / margins.len().max(1) as f64
}

/// How many times larger the variance of a percentile is than that of independent operations, at least 1.
pub fn overdispersion(rates: &[Rate]) -> f64 {
    let (assumed, weight) = ASSUMED;
    let (mut sum, mut degrees) = (assumed * weight, weight);
    for (mean, margins) in rates.iter().filter_map(Rate::repeated) {
        sum += margins.iter().map(|m| ((m.over - mean) / m.sd).powi(2)).sum::<f64>();
        degrees += (margins.len() - 1) as f64;
    }
    (sum / degrees).max(1.0)
}

/// Standard deviation of a percentile from probe to probe of a rate, as a share of it; `None` where no rate
/// was probed again.
pub fn scatter(rates: &[Rate]) -> Option<f64> {
    let (mut sum, mut degrees) = (0.0, 0.0);
    for (mean, margins) in rates.iter().filter_map(Rate::repeated) {
        sum += margins.iter().map(|m| (m.over - mean).powi(2)).sum::<f64>();
        degrees += (margins.len() - 1) as f64;
    }
    (degrees > 0.0).then(|| (sum / degrees).sqrt())
}
