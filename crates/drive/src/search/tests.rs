use hoap_record::search::operations_for;
use hoap_record::{Error, ErrorKind};
use hoap_record::{Latency, Step};

use super::judge::{JudgedProbe, probe};
use super::*;

fn bounds(slas: &[&str]) -> Bounds {
    Bounds { slas: slas.iter().map(|s| s.parse().unwrap()).collect(), failures: 0.0 }
}

/// Probes that always have enough operations.
fn effort() -> Effort {
    Effort::new(Duration::from_secs(1), Duration::from_secs(1_000_000), &[])
}

fn of_kind(kind: &str, operations: u64, latency: Latency) -> Timed {
    Timed { kind: kind.into(), operations, latency }
}

/// One server with exponential service times, Poisson arrivals: the response time is exponential
/// with rate μ − λ, and its quantile q is −ln(1 − q) / (μ − λ). Beyond μ no rate is reached.
fn queue(mu: f64, lambda: f64) -> ProbeResult {
    let quantile = |q: f64| (-(1.0 - q).ln() / (mu - lambda).max(1e-9) * 1e6).min(1e15) as u64;
    let latency = Latency {
        p50_us: quantile(0.5),
        p90_us: quantile(0.9),
        p95_us: quantile(0.95),
        p99_us: quantile(0.99),
        p999_us: quantile(0.999),
        max_us: quantile(1.0 - 1e-9),
        mean_us: 1e6 / (mu - lambda).max(1e-9),
    };
    ProbeResult {
        achieved: lambda.min(mu),
        shortfall: (lambda > mu).then(|| format!("{mu:.0} of {lambda:.0} began")),
        succeeded: 100_000_000,
        failed: 0,
        kinds: vec![of_kind("READ", 100_000_000, latency)],
    }
}

fn search(slas: &[&str], start: f64, mut of: impl FnMut(f64) -> ProbeResult) -> Search {
    max_rate(bounds(slas), effort(), start, |rate, _, _| Ok(Some(of(rate)))).unwrap()
}

/// The rate found; the record is consistent.
fn found(search: &Search) -> f64 {
    assert_eq!(search.unfinished, None);
    let (rate, below) = (search.rate.unwrap(), search.below.unwrap());
    assert!(rate < below && search.broken.is_some());
    let held = search.probes.iter().filter(|p| p.holds()).map(|p| p.rate);
    assert!(held.fold(0.0, f64::max) >= rate, "a rate that held");
    assert!(search.held().count() > 0);
    for undecided in &search.undecided {
        assert!(rate < undecided.rate && undecided.rate < below, "{undecided:?}");
    }
    if search.undecided.is_empty() {
        assert!(below <= rate * PRECISION, "{rate} to {below}");
    }
    rate
}

#[test]
fn the_search_finds_the_rate_that_queueing_theory_gives() {
    for mu in [50.0, 10_000.0, 200_000.0] {
        // The p99 is 20 mean service times at this rate.
        let lambda = mu * (1.0 - 100f64.ln() / 20.0);
        let limit = format!("p99={:.0}us", 20.0 / mu * 1e6);
        for start in [1.0, 1_000.0, 1e9] {
            let search = search(&[&limit], start, |rate| queue(mu, rate));
            let rate = found(&search);
            // Times are in whole microseconds, of 100.
            let range = lambda / PRECISION * 0.99..=lambda * 1.004;
            assert!(range.contains(&rate), "{rate} of {lambda}");
            assert!(search.probes.len() <= 50, "{} probes", search.probes.len());
        }
    }
}

#[test]
fn the_strictest_bound_decides_and_without_bounds_the_capacity_does() {
    let measure = |slas: &[&str]| found(&search(slas, 100.0, |r| queue(1_000.0, r)));
    let (p50, p99) = (1_000.0 - 2f64.ln() / 0.01, 1_000.0 - 100f64.ln() / 0.02);
    let near = |rate: f64, exact: f64| rate <= exact * 1.001 && rate >= exact / 1.03;
    assert!(near(measure(&["p50=10ms"]), p50));
    assert!(near(measure(&["p99=20ms"]), p99));
    assert!(near(measure(&["p50=10ms", "p99=20ms"]), p50.min(p99)));
    assert!(near(measure(&[]), 1_000.0));
}

#[test]
fn every_kind_of_operation_must_hold_and_each_probe_names_the_slowest() {
    let search = search(&["p99=20ms"], 100.0, |rate| {
        let mut result = queue(1_000.0, rate);
        let mut slow = queue(500.0, rate).kinds;
        slow[0].kind = "SCAN".into();
        result.kinds.extend(slow);
        result
    });
    let exact = 500.0 - 100f64.ln() / 0.02;
    assert!((exact / 1.03..=exact * 1.001).contains(&found(&search)));
    for probe in &search.probes {
        assert_eq!((probe.times.len(), probe.times[0].kind.as_str()), (1, "SCAN"));
        let broken = probe.broken.as_deref().unwrap_or_default();
        assert_eq!(broken.contains("SCAN: p99 is"), !probe.holds());
    }
}

#[test]
fn a_rate_with_too_many_failures_does_not_hold() {
    // Above 300 operations per second, one in a hundred fails.
    let failing = |rate: f64| ProbeResult {
        failed: if rate > 300.0 { 1_010_000 } else { 0 },
        ..queue(1e6, rate)
    };
    let strict = search(&[], 10.0, failing);
    assert!((300.0 / PRECISION..=300.0).contains(&found(&strict)));
    let lax = Bounds { failures: 0.02, ..bounds(&[]) };
    let lax = max_rate(lax, effort(), 10.0, |r, _, _| Ok(Some(failing(r)))).unwrap();
    assert!(found(&lax) > 900_000.0);
    let none = search(&[], 10.0, |rate| ProbeResult {
        achieved: rate,
        failed: 900_000,
        ..ProbeResult::default()
    });
    assert_eq!(none.rate, None, "operations that only fail have no rate");
    assert!(none.broken.unwrap().contains("no operation succeeded"));
}

#[test]
fn a_search_without_a_result_gives_the_reason() {
    let never = search(&["p99=1us"], 1e4, |r| queue(1_000.0, r));
    assert_eq!((never.rate, never.below), (None, Some(SLOWEST)));
    assert!(never.unfinished.unwrap().contains("not even 0.1 operations a second hold"));
    assert!(never.broken.unwrap().contains("READ: p99 is"));
    let always = search(&["max=1s"], 1.0, |r| queue(1e12, r));
    assert_eq!((always.rate, always.below), (Some(FASTEST), None));
    assert!(always.unfinished.unwrap().contains("no rate is higher"));
    let mut left = 3;
    let stopped = max_rate(bounds(&[]), effort(), 1.0, |rate, _, _| {
        left -= 1;
        Ok((left > 0).then(|| queue(1e6, rate)))
    })
    .unwrap();
    assert_eq!((stopped.rate, stopped.probes.len()), (Some(2.0), 2));
    assert!(stopped.unfinished.unwrap().contains("interrupted after 2"));
    for start in [f64::NAN, f64::INFINITY, -5.0, 0.0] {
        found(&search(&[], start, |r| queue(500.0, r)));
    }
    let broken = max_rate(bounds(&[]), effort(), 1.0, |_, _, _| {
        Err(Error::new(ErrorKind::Unavailable, "run", "gone"))
    });
    assert_eq!(broken.unwrap_err().kind, ErrorKind::Unavailable);
}

/// Operations that began late or worked off a backlog are not at the intended rate, whatever their
/// times.
#[test]
fn a_rate_with_a_shortfall_does_not_hold() {
    let mut step = Step {
        rate_intended: Some(100.0),
        rate_achieved: Some(140.0),
        transactions: vec![hoap_record::Operation {
            kind: "READ".into(),
            count: 5_000,
            ..Default::default()
        }],
        ..Step::default()
    };
    let judged = |step: &Step| {
        let second = Duration::from_secs(1);
        probe(&bounds(&["p99=1s"]), 100.0, second, &ProbeResult::of(step)).0
    };
    assert!(judged(&step).holds());
    step.rate_shortfall = Some("it worked off a backlog".into());
    assert!(judged(&step).broken.unwrap().contains("worked off a backlog"));
    (step.rate_shortfall, step.rate_achieved) = (None, None);
    assert!(!judged(&step).holds(), "a step without a measured window");
}

#[test]
fn a_probe_lasts_until_its_percentiles_have_ten_operations_beyond_them() {
    use hoap_record::Percentile::*;
    let needed = [P50, P90, P95, P99, P999, Max].map(operations_for);
    assert_eq!(needed, [20, 100, 200, 1_000, 10_000, 100]);
    let seconds = |s| Duration::from_secs(s);
    let effort = Effort::new(seconds(10), seconds(600), &[("READ", 9_500), ("SCAN", 500)]);
    let strict = bounds(&["p50=1ms", "p99=10ms"]);
    let operations = |rate: f64| effort.time(&strict, rate).as_secs_f64() * rate;
    // Enough of each kind, the rarer one too, with a margin for chance.
    assert!((1_000.0..1_200.0).contains(&(operations(100.0) * 0.05)));
    assert_eq!(effort.time(&strict, 1e6), seconds(10), "at least the shortest time");
    assert_eq!(effort.time(&strict, 1.0), seconds(600), "the limit");
    let lowest = effort.lowest_rate(&strict);
    assert!(effort.time(&strict, lowest * 1.01) < seconds(600));
    // A kind that is one in a thousand does not make a probe a thousand times longer.
    let rare = Effort::new(seconds(10), seconds(600), &[("READ", 99_900), ("SCAN", 100)]);
    assert!(rare.time(&strict, 100.0) < seconds(13));
}

/// Too few operations do not decide, unless half of them are too slow.
#[test]
fn a_probe_with_too_few_operations_is_undecided_unless_its_median_breaks_the_bound() {
    let judged = |kinds: &[(&str, u64, u64, u64)]| -> (Probe, JudgedProbe) {
        let timed = |&(kind, n, p50_us, us): &(&str, u64, u64, u64)| {
            let (p90_us, p95_us, p99_us) = (us, us, us);
            of_kind(kind, n, Latency { p50_us, p90_us, p95_us, p99_us, ..Latency::default() })
        };
        let kinds: Vec<Timed> = kinds.iter().map(timed).collect();
        let succeeded = kinds.iter().map(|k| k.operations).sum();
        let result = ProbeResult { achieved: 1.0, succeeded, kinds, ..ProbeResult::default() };
        probe(&bounds(&["p99=10ms"]), 1.0, Duration::from_secs(4), &result)
    };
    let few = judged(&[("READ", 4, 1_000, 1_000)]).0;
    assert!(!few.holds() && few.broken.is_none());
    assert!(few.undecided.unwrap().contains("READ: 4 of the 1000 operations for p99"));
    let slow = judged(&[("READ", 999, 1_000, 50_000)]).0;
    assert!(slow.broken.is_none() && slow.undecided.is_some(), "ten of 1,000 may be so slow");
    let clear = judged(&[("READ", 4, 11_000, 50_000)]).0;
    assert!(clear.broken.unwrap().contains("READ: half of 4 took over 10000 µs"));
    let enough = judged(&[("READ", 1_000, 1_000, 1_000)]).0;
    assert!(enough.holds());
    // A rare kind does not make a probe undecided, but its median may break the bound.
    assert!(judged(&[("READ", 100_000, 1, 1), ("SCAN", 99, 1, 50_000)]).0.holds());
    assert!(!judged(&[("READ", 100_000, 1, 1), ("SCAN", 99, 20_000, 50_000)]).0.holds());
}

/// How the operations of a simulated server wait for each other.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Serves {
    /// Not at all: response times are independent.
    Each,
    /// In one queue, so that one slow operation delays the next ones.
    One,
    /// In one queue for eight that take 10 ms for each (M/D/8).
    Eight,
}

impl Serves {
    /// A bound, and the exact rate that holds it.
    fn bound(self) -> (&'static str, f64) {
        match self {
            Serves::Each | Serves::One => ("p99=20ms", 1_000.0 - 100f64.ln() / 0.02),
            // Of 40 million operations the p99 is 23.896 ms at 661 a second and 24.028 ms at 662.
            Serves::Eight => ("p99=24ms", 661.8),
        }
    }
}

/// A simulated server.
struct Server {
    random: u64,
    mu: f64,
    serves: Serves,
    /// The number of the probe, from 0, in which a tenth of the operations is in a stall.
    stall: Option<usize>,
    probes: usize,
}

impl Server {
    fn new(seed: u64, serves: Serves) -> Self {
        let mu = if serves == Serves::Eight { 800.0 } else { 1_000.0 };
        Server { random: seed, mu, serves, stall: None, probes: 0 }
    }

    /// Exponential with mean 1 (SplitMix64).
    fn exponential(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.random;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^= x >> 31;
        -(((x >> 11) + 1) as f64 / (1u64 << 53) as f64).ln()
    }

    /// The response times of a probe. Its warm-up is half a second at capacity, or five of Poisson
    /// arrivals.
    fn responses(&mut self, rate: f64, time: Duration) -> Vec<f64> {
        let n = (rate * time.as_secs_f64()) as usize;
        let (mut wait, mut now, mut free) = (0.0, 0.0, [0.0; 8]);
        match self.serves {
            Serves::Each => {
                (0..n).map(|_| self.exponential() / (self.mu - rate).max(1e-6)).collect()
            }
            Serves::One => {
                let all = (0..n + 500).map(|_| {
                    // Lindley's recursion.
                    let response = wait + self.exponential() / self.mu;
                    wait = f64::max(0.0, response - self.exponential() / rate);
                    response
                });
                all.skip(500).collect()
            }
            Serves::Eight => {
                let all = (0..).map(|i| {
                    now += self.exponential() / rate;
                    let end = f64::max(now, free[i % 8]) + 8.0 / self.mu;
                    free[i % 8] = end;
                    (now, end - now)
                });
                let end = 5.0 + time.as_secs_f64();
                let due = all.skip_while(|(due, _)| *due < 5.0).take_while(|(due, _)| *due < end);
                due.map(|(_, response)| response).collect()
            }
        }
    }

    fn probe(&mut self, rate: f64, time: Duration) -> ProbeResult {
        let mut seconds = self.responses(rate, time);
        let n = seconds.len();
        if self.stall == Some(self.probes) {
            seconds.iter_mut().take(n / 10).for_each(|s| *s += 5.0);
        }
        self.probes += 1;
        seconds.sort_by(f64::total_cmp);
        let us = |q: f64| (seconds[((q * n as f64).ceil() as usize).clamp(1, n) - 1] * 1e6) as u64;
        let latency = Latency {
            p50_us: us(0.5),
            p90_us: us(0.9),
            p95_us: us(0.95),
            p99_us: us(0.99),
            p999_us: us(0.999),
            max_us: us(1.0),
            mean_us: seconds.iter().sum::<f64>() / n as f64 * 1e6,
        };
        let reached = rate <= self.mu;
        ProbeResult {
            achieved: rate.min(self.mu),
            shortfall: (!reached).then(|| "overloaded".into()),
            succeeded: n as u64,
            failed: 0,
            kinds: vec![of_kind("READ", n as u64, latency)],
        }
    }
}

/// The share of the searches whose interval contains the exact rate, the mean width of the interval
/// and the mean number of probes. A probe lasts at least `shortest` milliseconds.
fn coverage(searches: u64, shortest: u64, server: impl Fn(u64) -> Server) -> (f64, f64, f64) {
    let (mut held, mut width, mut probes) = (0u64, 0.0, 0.0);
    for seed in 0..searches {
        let mut server = server(seed * 1_000_003 + 17);
        let (bound, knee) = server.serves.bound();
        let time = |ms| Duration::from_millis(ms);
        let effort = Effort::new(time(shortest), time(100_000), &[]);
        let start = 100.0 + (seed % 97) as f64 * 5.0;
        let search = max_rate(bounds(&[bound]), effort, start, |rate, time, _| {
            Ok(Some(server.probe(rate, time)))
        })
        .unwrap();
        let (low, high) = (search.rate.unwrap_or(0.0), search.below.unwrap_or(f64::INFINITY));
        held += u64::from(low <= knee && knee <= high);
        width += (high / low).ln();
        probes += search.probes.len() as f64;
    }
    let n = searches as f64;
    (held as f64 / n, width / n, probes / n)
}

/// In the first case the shortest probe has four operations at the exact rate.
#[test]
fn the_interval_contains_the_exact_rate_of_a_simulated_server() {
    let cases = [(Serves::Each, 5, 200), (Serves::One, 30_000, 60), (Serves::Eight, 2_000, 200)];
    for (serves, shortest, searches) in cases {
        let (share, width, probes) = coverage(searches, shortest, |seed| Server::new(seed, serves));
        let told = format!(
            "{serves:?}, {shortest} ms: {share} contain it, width {width:.3}, {probes:.1} probes"
        );
        println!("{told}");
        assert!(share >= 0.9 && width < 0.2 && probes < 35.0, "{told}");
    }
}

/// Of searches on simulated servers: before each probe, the number of all probes.
#[test]
fn the_probes_that_follow_are_told_about_right() {
    let all = [(Serves::Each, 5), (Serves::One, 30_000), (Serves::Eight, 2_000)];
    let (mut near, mut told, mut first) = (0, 0, Vec::new());
    for (serves, shortest) in all {
        for seed in 0..20 {
            let mut server = Server::new(seed * 1_000_003 + 17, serves);
            let effort =
                Effort::new(Duration::from_millis(shortest), Duration::from_secs(100), &[]);
            let mut left = Vec::new();
            let bound = bounds(&[serves.bound().0]);
            max_rate(bound, effort, 100.0 + seed as f64 * 25.0, |rate, time, follow| {
                left.push(follow);
                Ok(Some(server.probe(rate, time)))
            })
            .unwrap();
            let made = left.len() as f64;
            let sums = left.iter().enumerate().map(|(n, follow)| (n + 1 + follow) as f64);
            near += sums.clone().filter(|sum| (made / 1.5..=made * 1.5).contains(sum)).count();
            told += left.len();
            first.push((made, left[0]));
        }
    }
    println!("{near} of {told} within a factor of 1.5; first {first:?}");
    assert!(near * 10 >= told * 8, "{near} of {told} within a factor of 1.5; {first:?}");
}

#[test]
fn a_single_stall_does_not_mislead_a_search() {
    for stalled in 0..8 {
        let (share, width, _) = coverage(50, 5, |seed| Server {
            stall: Some(stalled),
            ..Server::new(seed, Serves::Each)
        });
        assert!(share >= 0.95 && width < 0.2, "stall in probe {stalled}: {share}, {width}");
    }
}

/// The longest probe has four operations.
#[test]
fn four_operations_per_probe_decide_nothing() {
    let mut server = Server::new(1, Serves::Each);
    let time = Duration::from_millis(5);
    let effort = Effort::new(time, time, &[("READ", 1)]);
    let search = max_rate(bounds(&["p99=20ms"]), effort, 700.0, |rate, time, _| {
        Ok(Some(server.probe(rate, time)))
    })
    .unwrap();
    assert_eq!(search.rate, None);
    assert!(search.unfinished.unwrap().contains("too few operations to judge"));
    assert!(search.probes.iter().all(|p| p.rate * p.seconds >= 1_000.0));
}
