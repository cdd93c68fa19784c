//! The verdict on a rate from its probes, and its certainty.
//!
//! The logarithm of a percentile over its bound is compared with its standard deviation. For
//! independent operations the standard deviation follows from the slope of the neighbouring
//! percentiles. Operations that wait in one queue, and databases that pause, scatter more. The
//! overdispersion is that factor; it is estimated from the rates that were probed several times,
//! pooled over the search.

use std::time::Duration;

use hoap_record::search::{Probe, Time, operations_for, operations_needed, too_few};
use hoap_record::{Bounds, Latency, Percentile};

use super::result::{ProbeResult, Timed};

/// The number of standard deviations at which a verdict is certain.
const CERTAIN: f64 = 2.5;
/// A percentile within this factor of its bound is close to it. Where operations wait in one queue,
/// a single probe close to the bound would too often hold by chance.
const CLOSE: f64 = 1.5;
/// The number of probes that a rate close to a bound needs before it holds or breaks.
const CLOSE_PROBES: usize = 3;
/// The number of probes after which a rate is undecided, if one of them is an outlier.
const MOST_PROBES: usize = 4;
/// The overdispersion that is assumed before any rate was probed again, and the weight of this
/// assumption as a number of repeated probes.
const ASSUMED: (f64, f64) = (9.0, 2.0);
/// A probe that differs from all others of its rate by more than this factor is an outlier, which
/// does not count if two others agree.
const OUTLIER: f64 = 2.0;
/// Rates whose percentiles are within this factor of a bound contribute to the estimate of the
/// noise.
const NEAR: f64 = 4.0;
/// The smallest standard deviation: histograms have three digits, and short times few microseconds.
const RESOLUTION: f64 = 0.002;
/// The number of operations from which a median above the bound shows that a higher percentile is
/// above it too.
const MEDIAN_OPERATIONS: u64 = 4;

/// The verdict on a rate.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Held,
    Broken(String),
    Undecided(String),
}

/// A percentile of a kind of operation relative to its bound.
#[derive(Clone, Debug)]
struct Margin {
    bound: usize,
    kind: String,
    us: u64,
    /// Logarithm of the percentile divided by the bound.
    over: f64,
    /// Standard deviation of `over` for independent operations.
    sd: f64,
}

/// A probe that has been compared with the bounds.
#[derive(Clone, Debug)]
pub struct JudgedProbe {
    margins: Vec<Margin>,
    /// Why it breaks regardless of its percentiles, or in spite of too few operations.
    clear: Option<String>,
    /// Why it breaks, for any reason.
    broken: Option<String>,
    /// Why it has too few operations.
    few: Option<String>,
}

impl JudgedProbe {
    /// The margin of the worst percentile.
    fn worst(&self) -> f64 {
        match self.clear {
            Some(_) => f64::INFINITY,
            None => self.margins.iter().map(|m| m.over).fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// Compares a probe with the bounds. Returns its record and what the verdict on its rate needs.
pub fn probe(
    bounds: &Bounds,
    rate: f64,
    time: Duration,
    result: &ProbeResult,
) -> (Probe, JudgedProbe) {
    let operations = result.succeeded + result.failed;
    let failures = result.failed as f64 / operations.max(1) as f64;
    let times = bounds.slas.iter().filter_map(|s| slowest(s.percentile, result)).collect();
    let mut clear = Vec::new();
    clear.extend(result.shortfall.as_ref().map(|why| format!("the rate does not hold: {why}")));
    if result.succeeded == 0 {
        clear.push("no operation succeeded".into());
    } else if failures > bounds.failures {
        let share = failures * 100.0;
        clear.push(format!("{} of {operations} failed ({share:.2} %)", result.failed));
    }
    let (mut over, mut margins, mut few) = (Vec::new(), Vec::new(), Vec::new());
    if bounds.slas.is_empty() && operations < operations_needed(bounds) {
        few.push(format!("{operations} of the {} operations", operations_needed(bounds)));
    }
    let all: u64 = result.kinds.iter().map(|t| t.operations).sum();
    for (n, sla) in bounds.slas.iter().enumerate() {
        let limit = sla.limit_us;
        for Timed { kind, operations, latency } in &result.kinds {
            let us = sla.percentile.of(latency);
            if *operations < operations_for(sla.percentile) {
                let median = sla.percentile != Percentile::P50 && latency.p50_us > limit;
                if median && *operations >= MEDIAN_OPERATIONS {
                    clear.push(format!("{kind}: half of {operations} took over {limit} µs"));
                } else {
                    few.extend(too_few(sla.percentile, kind, *operations, all));
                }
                continue;
            }
            over.extend(sla.broken(kind, latency));
            let (us_, limit) = (us.max(1) as f64, limit.max(1) as f64);
            let sd = sampling(sla.percentile, latency, *operations);
            let over = (us_ / limit).ln();
            margins.push(Margin { bound: n, kind: kind.clone(), us, over, sd });
        }
    }
    let joined = |words: &[String]| (!words.is_empty()).then(|| words.join("; "));
    let broken = joined(&[clear.clone(), over].concat());
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
    (record, JudgedProbe { margins, clear: joined(&clear), broken, few })
}

/// The kind of operation for which a percentile is longest.
fn slowest(percentile: Percentile, result: &ProbeResult) -> Option<Time> {
    let slowest = result.kinds.iter().max_by_key(|timed| percentile.of(&timed.latency))?;
    let (kind, operations) = (slowest.kind.clone(), slowest.operations);
    Some(Time { percentile, kind, us: percentile.of(&slowest.latency), operations })
}

/// Standard deviation of the logarithm of a percentile of independent operations.
///
/// The depth of a rank p is −ln(1 − p). The depth of a sample percentile scatters by √(p ÷ beyond),
/// where `beyond` is the number of operations beyond it. The logarithm of the percentile scatters
/// by that times its slope over the depth, between the neighbouring percentiles that the operations
/// resolve.
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
pub struct RateProbes {
    pub probes: Vec<JudgedProbe>,
}

impl RateProbes {
    /// The probes that count: all but an outlier, if two others agree.
    fn counted(&self) -> Vec<&JudgedProbe> {
        let mut probes: Vec<&JudgedProbe> = self.probes.iter().collect();
        probes.sort_by(|a, b| a.worst().total_cmp(&b.worst()));
        let n = probes.len();
        if n < 3 {
            return probes;
        }
        let distance = |a: usize, b: usize| {
            let (a, b) = (probes[a].worst(), probes[b].worst());
            if a == b { 0.0 } else { b - a }
        };
        let (below, above) = (distance(0, 1), distance(n - 2, n - 1));
        if above > OUTLIER.ln() && above >= below {
            probes.pop();
        } else if below > OUTLIER.ln() {
            probes.remove(0);
        }
        probes
    }

    /// The margins of the probes that count and do not break for a clear reason, grouped by bound
    /// and kind of operation.
    fn margins(&self) -> Vec<Vec<Margin>> {
        let mut groups: Vec<Vec<Margin>> = Vec::new();
        let counted = self.counted();
        for margin in counted.iter().filter(|s| s.clear.is_none()).flat_map(|s| &s.margins) {
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

    /// The worst group of margins and its mean, if it is near its bound and has several probes.
    fn repeated(&self) -> Option<(f64, Vec<Margin>)> {
        let worst = self.margins().into_iter().max_by(|a, b| mean(a).total_cmp(&mean(b)))?;
        let mean = mean(&worst);
        (worst.len() > 1 && mean.abs() < NEAR.ln()).then_some((mean, worst))
    }

    /// The verdict of the probes so far; `None` if another one is needed.
    pub fn verdict(&self, bounds: &Bounds, overdispersion: f64) -> Option<Verdict> {
        let counted = self.counted();
        let clear = counted.iter().filter(|s| s.clear.is_some()).count();
        let over = counted.iter().filter(|s| s.broken.is_some()).count();
        let why = || counted.iter().rev().find_map(|s| s.broken.clone()).unwrap_or_default();
        if clear >= 2 && clear * 2 > counted.len() || clear == 1 && over == 2 && counted.len() == 2
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
        if clear == 0 {
            let enough = !near || counted.len() >= CLOSE_PROBES;
            let far = |g: &Vec<Margin>| mean(g) - CERTAIN * sd(g) > 0.0;
            if enough && over >= 2 && groups.iter().any(far) {
                return Some(Verdict::Broken(why()));
            }
            if let Some(few) = counted.iter().find_map(|s| s.few.clone().filter(|_| over == 0)) {
                return Some(Verdict::Undecided(few));
            }
            if enough && groups.iter().all(|g| mean(g) + CERTAIN * sd(g) < 0.0) {
                return Some(Verdict::Held);
            }
        }
        let last = self.probes.len() >= MOST_PROBES || clear == 0 && counted.len() >= CLOSE_PROBES;
        last.then(|| Verdict::Undecided(self.scattered(bounds, over)))
    }

    /// The reason why the probes give no verdict.
    fn scattered(&self, bounds: &Bounds, over: usize) -> String {
        let probes = self.probes.len();
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

/// The mean of the margins.
fn mean(margins: &[Margin]) -> f64 {
    margins.iter().map(|m| m.over).sum::<f64>() / margins.len().max(1) as f64
}

/// The ratio of the variance of a percentile to that of independent operations, at least 1.
pub fn overdispersion(rates: &[RateProbes]) -> f64 {
    let (assumed, weight) = ASSUMED;
    let (mut sum, mut degrees) = (assumed * weight, weight);
    for (mean, margins) in rates.iter().filter_map(RateProbes::repeated) {
        sum += margins.iter().map(|m| ((m.over - mean) / m.sd).powi(2)).sum::<f64>();
        degrees += (margins.len() - 1) as f64;
    }
    (sum / degrees).max(1.0)
}

/// Standard deviation of a percentile from probe to probe of a rate, as a share of the percentile;
/// `None` if no rate was probed several times.
pub fn scatter(rates: &[RateProbes]) -> Option<f64> {
    let (mut sum, mut degrees) = (0.0, 0.0);
    for (mean, margins) in rates.iter().filter_map(RateProbes::repeated) {
        sum += margins.iter().map(|m| (m.over - mean).powi(2)).sum::<f64>();
        degrees += (margins.len() - 1) as f64;
    }
    (degrees > 0.0).then(|| (sum / degrees).sqrt())
}
