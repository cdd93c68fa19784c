//! The highest rate at which bounds on the response times hold.
//!
//! Doubles or halves the rate until one holds and a higher one does not, then goes to the geometric mean
//! of the two until they are close. Every probe is a step of its own, and all of them are the evidence.

use hoap_workload::Result;
use serde::{Deserialize, Serialize};

use crate::pace::FASTEST;
use crate::record::{Latency, Step};
use crate::sla::{Percentile, Sla};

/// The highest rate that held and the lowest that did not are this close at the end, as a ratio.
pub const PRECISION: f64 = 1.02;
/// A rate of which less than this share began is not reached.
const REACHED: f64 = 0.99;
/// A search that would go on below this rate, per second, ends without one.
const SLOWEST: f64 = 0.1;
/// Probes after which a search gives up.
const MOST_PROBES: usize = 60;

/// What a rate must hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// All of these, for every kind of operation. None: the rate need only be reached.
    pub slas: Vec<Sla>,
    /// No larger share of the operations may fail.
    pub failures: f64,
}

/// What a probe at a rate measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProbeResult {
    /// Operations per second that began.
    pub achieved: f64,
    /// Whether the rate was reached: see [`Step::rate_shortfall`].
    pub reached: bool,
    /// Operations that succeeded, and that failed.
    pub succeeded: u64,
    /// See above.
    pub failed: u64,
    /// Response times by kind of operation, of kinds that have any.
    pub latencies: Vec<(String, Latency)>,
}

impl ProbeResult {
    /// What a step at this rate measured.
    pub fn of(step: &Step) -> Self {
        let lines = || step.transactions.iter();
        ProbeResult {
            achieved: step.rate_achieved.unwrap_or(0.0),
            reached: step.rate_achieved.is_some() && step.rate_shortfall.is_none(),
            succeeded: lines().map(|line| line.count).sum(),
            failed: lines().flat_map(|line| line.failures.values()).sum(),
            latencies: lines()
                .filter(|line| line.count > 0)
                .map(|line| (line.kind.clone(), line.latency.clone()))
                .collect(),
        }
    }
}

/// A search and its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// What had to hold.
    pub bounds: Bounds,
    /// The highest rate that held, operations per second.
    pub rate: Option<f64>,
    /// Why there is none, or why a higher one may hold too.
    pub unfinished: Option<String>,
    /// Every probe, in the order they ran.
    pub probes: Vec<Probe>,
}

/// One probe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// Operations per second that were intended.
    pub rate: f64,
    /// Operations per second that began.
    pub achieved: f64,
    /// Share of the operations that failed.
    pub failures: f64,
    /// For each bound the slowest kind of operation.
    pub times: Vec<Time>,
    /// Why the rate does not hold; `None` where it does.
    pub broken: Option<String>,
}

/// A percentile of the kind of operation for which it is longest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// The percentile that has a bound.
    pub percentile: Percentile,
    /// Kind of operation.
    pub kind: String,
    /// Microseconds.
    pub us: u64,
}

impl Probe {
    /// Whether all bounds hold.
    pub fn holds(&self) -> bool {
        self.broken.is_none()
    }

    fn judge(rate: f64, bounds: &Bounds, result: ProbeResult) -> Self {
        let operations = result.succeeded + result.failed;
        let failures = result.failed as f64 / operations.max(1) as f64;
        let slowest = |percentile: Percentile| {
            let of = |(kind, latency): &(String, Latency)| (percentile.of(latency), kind.clone());
            let (us, kind) = result.latencies.iter().map(of).max_by_key(|(us, _)| *us)?;
            Some(Time { percentile, kind, us })
        };
        let times: Vec<Time> = bounds.slas.iter().filter_map(|s| slowest(s.percentile)).collect();
        let mut broken = Vec::new();
        if !result.reached || result.achieved < REACHED * rate {
            broken.push(format!("the rate is not reached: {:.1}/s", result.achieved));
        }
        if result.succeeded == 0 {
            broken.push("no operation succeeded".into());
        } else if failures > bounds.failures {
            let share = failures * 100.0;
            broken.push(format!("{} of {operations} failed ({share:.2} %)", result.failed));
        }
        for sla in &bounds.slas {
            let over = result.latencies.iter().filter(|(_, latency)| !sla.holds(latency));
            broken.extend(over.map(|(kind, latency)| {
                format!("{kind}: {} is {} µs", sla.percentile.name(), sla.percentile.of(latency))
            }));
        }
        let broken = (!broken.is_empty()).then(|| broken.join("; "));
        Probe { rate, achieved: result.achieved, failures, times, broken }
    }
}

/// Searches for the highest rate that holds the bounds, from `start` on, operations per second.
///
/// `probe` measures a rate; it says `None` where somebody asked for the end. The rate found held in
/// its probe, and one at most 2 % above it did not. A database whose times scatter from probe to
/// probe scatters the result.
///
/// Errors: those of `probe`.
pub fn max_rate(
    bounds: Bounds,
    start: f64,
    mut probe: impl FnMut(f64) -> Result<Option<ProbeResult>>,
) -> Result<Search> {
    let mut search = Search { bounds, rate: None, unfinished: None, probes: Vec::new() };
    // A start that is no number begins at one.
    let mut next = if start.is_finite() { start.clamp(SLOWEST, FASTEST) } else { 1.0 };
    let (mut low, mut high) = (None::<f64>, None::<f64>);
    loop {
        if search.probes.len() == MOST_PROBES {
            search.unfinished = Some(format!("given up after {MOST_PROBES} probes"));
            break;
        }
        let Some(result) = probe(next)? else {
            search.unfinished = Some(format!("interrupted after {} probes", search.probes.len()));
            break;
        };
        let seen = Probe::judge(next, &search.bounds, result);
        let (holds, achieved) = (seen.holds(), seen.achieved);
        search.probes.push(seen);
        *(if holds { &mut low } else { &mut high }) = Some(next);
        next = match (low, high) {
            (Some(low), Some(high)) if high / low <= PRECISION => break,
            (Some(low), Some(high)) => (low * high).sqrt(),
            (Some(low), None) if low >= FASTEST => {
                search.unfinished = Some(format!("no rate is higher than {FASTEST:e}"));
                break;
            }
            (Some(low), None) => (low * 2.0).min(FASTEST),
            (None, Some(high)) if high <= SLOWEST => {
                search.unfinished = Some(format!("not even {SLOWEST} operations a second hold"));
                break;
            }
            // What began in spite of the overload is a good guess of what can be reached.
            (None, Some(high)) => achieved.clamp(SLOWEST, (high / 2.0).max(SLOWEST)),
            (None, None) => unreachable!("a probe holds or it does not"),
        };
    }
    search.rate = low;
    Ok(search)
}

#[cfg(test)]
mod tests {
    use hoap_workload::{Error, ErrorKind};

    use super::*;

    fn bounds(slas: &[&str]) -> Bounds {
        Bounds { slas: slas.iter().map(|s| s.parse().unwrap()).collect(), failures: 0.0 }
    }

    /// One server with exponential service times, Poisson arrivals: the response time is exponential
    /// with rate μ − λ, and its quantile q is −ln(1 − q) / (μ − λ). Beyond μ no rate is reached.
    fn queue(mu: f64, lambda: f64) -> ProbeResult {
        let quantile = |q: f64| (-(1.0 - q).ln() / (mu - lambda).max(1e-9) * 1e6).min(1e15) as u64;
        ProbeResult {
            achieved: lambda.min(mu),
            reached: lambda <= mu,
            succeeded: 1_000_000,
            failed: 0,
            latencies: vec![(
                "READ".into(),
                Latency {
                    p50_us: quantile(0.5),
                    p90_us: quantile(0.9),
                    p95_us: quantile(0.95),
                    p99_us: quantile(0.99),
                    p999_us: quantile(0.999),
                    max_us: quantile(1.0 - 1e-9),
                    mean_us: 1e6 / (mu - lambda).max(1e-9),
                },
            )],
        }
    }

    fn found(search: &Search) -> f64 {
        assert_eq!(search.unfinished, None);
        let rate = search.rate.unwrap();
        let highest = search.probes.iter().filter(|p| p.holds()).map(|p| p.rate);
        assert_eq!(highest.fold(0.0, f64::max), rate, "the highest that held");
        let broken = search.probes.iter().filter(|p| !p.holds()).map(|p| p.rate);
        assert!(broken.fold(f64::MAX, f64::min) <= rate * PRECISION, "and not much above none");
        rate
    }

    #[test]
    fn the_knee_of_a_queue_by_formula() {
        for mu in [50.0, 10_000.0, 200_000.0] {
            // The p99 is 20 mean service times at this rate.
            let lambda = mu * (1.0 - 100f64.ln() / 20.0);
            let limit = format!("p99={:.0}us", 20.0 / mu * 1e6);
            for start in [1.0, 1_000.0, 1e9] {
                let search =
                    max_rate(bounds(&[&limit]), start, |rate| Ok(Some(queue(mu, rate)))).unwrap();
                let rate = found(&search);
                // Times are in whole microseconds, of 100.
                let range = lambda / PRECISION * 0.999..=lambda * 1.004;
                assert!(range.contains(&rate), "{rate} of {lambda}");
                assert!(search.probes.len() <= 40, "{} probes", search.probes.len());
            }
        }
    }

    #[test]
    fn the_strictest_bound_decides_and_without_any_the_capacity() {
        let measure = |slas: &[&str]| {
            found(&max_rate(bounds(slas), 100.0, |r| Ok(Some(queue(1_000.0, r)))).unwrap())
        };
        let (p50, p99) = (1_000.0 - 2f64.ln() / 0.01, 1_000.0 - 100f64.ln() / 0.02);
        let near = |rate: f64, exact: f64| rate <= exact * 1.001 && rate >= exact / 1.021;
        assert!(near(measure(&["p50=10ms"]), p50));
        assert!(near(measure(&["p99=20ms"]), p99));
        assert!(near(measure(&["p50=10ms", "p99=20ms"]), p50.min(p99)));
        assert!(near(measure(&[]), 1_000.0));
    }

    #[test]
    fn every_kind_of_operation_must_hold_and_the_evidence_names_the_slowest() {
        let search = max_rate(bounds(&["p99=20ms"]), 100.0, |rate| {
            let mut result = queue(1_000.0, rate);
            let mut slow = queue(500.0, rate).latencies;
            slow[0].0 = "SCAN".into();
            result.latencies.extend(slow);
            Ok(Some(result))
        })
        .unwrap();
        let exact = 500.0 - 100f64.ln() / 0.02;
        assert!((exact / 1.021..=exact * 1.001).contains(&found(&search)));
        for probe in &search.probes {
            assert_eq!((probe.times.len(), probe.times[0].kind.as_str()), (1, "SCAN"));
            let broken = probe.broken.as_deref().unwrap_or_default();
            assert_eq!(broken.contains("SCAN: p99 is"), !probe.holds());
        }
    }

    #[test]
    fn failures_break_a_rate() {
        // From 300 a second on a hundredth fails.
        let failing = |rate: f64| ProbeResult {
            failed: if rate > 300.0 { 10_100 } else { 0 },
            ..queue(1e6, rate)
        };
        let strict = max_rate(bounds(&[]), 10.0, |r| Ok(Some(failing(r)))).unwrap();
        assert!((300.0 / PRECISION..=300.0).contains(&found(&strict)));
        let lax = Bounds { failures: 0.02, ..bounds(&[]) };
        assert!(found(&max_rate(lax, 10.0, |r| Ok(Some(failing(r)))).unwrap()) > 900_000.0);
        let none = max_rate(bounds(&[]), 10.0, |rate| {
            Ok(Some(ProbeResult { achieved: rate, reached: true, failed: 9, ..Default::default() }))
        });
        assert_eq!(none.unwrap().rate, None, "what only fails has no rate");
    }

    #[test]
    fn a_search_without_an_end_says_so() {
        let never = max_rate(bounds(&["p99=1us"]), 1e4, |r| Ok(Some(queue(1_000.0, r)))).unwrap();
        assert_eq!(never.rate, None);
        assert!(never.unfinished.unwrap().contains("not even"));
        let always = max_rate(bounds(&["max=1s"]), 1.0, |r| Ok(Some(queue(1e12, r)))).unwrap();
        assert_eq!(always.rate, Some(FASTEST));
        assert!(always.unfinished.unwrap().contains("no rate is higher"));
        let mut left = 3;
        let stopped = max_rate(bounds(&[]), 1.0, |rate| {
            left -= 1;
            Ok((left > 0).then(|| queue(1e6, rate)))
        })
        .unwrap();
        assert_eq!((stopped.rate, stopped.probes.len()), (Some(2.0), 2));
        assert!(stopped.unfinished.unwrap().contains("interrupted after 2"));
        for start in [f64::NAN, f64::INFINITY, -5.0, 0.0] {
            found(&max_rate(bounds(&[]), start, |r| Ok(Some(queue(500.0, r)))).unwrap());
        }
        let broken =
            max_rate(bounds(&[]), 1.0, |_| Err(Error::new(ErrorKind::Unavailable, "run", "gone")));
        assert_eq!(broken.unwrap_err().kind, ErrorKind::Unavailable);
    }

    /// A database whose times scatter must not send the search round in circles.
    #[test]
    fn a_noisy_database_ends_the_search() {
        let mut noise = 1u64;
        let search = max_rate(bounds(&["p99=20ms"]), 100.0, |rate| {
            noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let mu = 900.0 + (noise >> 40) as f64 / (1u64 << 24) as f64 * 200.0;
            Ok(Some(queue(mu, rate)))
        })
        .unwrap();
        let exact = |mu: f64| mu - 100f64.ln() / 0.02;
        let range = exact(900.0) / 1.021..=exact(1_100.0);
        assert!(range.contains(&search.rate.unwrap()), "{:?}", search.rate);
    }
}
