//! Operations over time, from `samples.csv`, in at most [`MOST`] points a kind.

use hoap_record::Sample;

/// A longer series is merged to at most this many ticks (and one more for each step and phase).
pub const MOST: usize = 400;

/// One kind of operation in one tick, or in several merged.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Kind of operation.
    pub kind: String,
    /// Number of the step.
    pub step: usize,
    /// "warmup" or "measured".
    pub phase: String,
    /// End, seconds since the run's start.
    pub at_seconds: f64,
    /// Length.
    pub seconds: f64,
    /// Successes.
    pub count: u64,
    /// Failures.
    pub failed: u64,
    /// Times one was begun again.
    pub retries: u64,
    /// 99th percentile of the response times; of merged ticks the highest one.
    pub p99_seconds: Option<f64>,
}

impl Tick {
    /// Successes in each `period` of so many seconds.
    pub fn rate(&self, period: f64) -> f64 {
        if self.seconds > 0.0 { self.count as f64 * period / self.seconds } else { 0.0 }
    }

    /// Whether the next tick may be merged into this one.
    fn goes_on_in(&self, next: &Tick) -> bool {
        self.kind == next.kind && self.step == next.step && self.phase == next.phase
    }

    fn merge(&mut self, next: &Tick) {
        self.at_seconds = next.at_seconds;
        self.seconds += next.seconds;
        self.count += next.count;
        self.failed += next.failed;
        self.retries += next.retries;
        self.p99_seconds = match (self.p99_seconds, next.p99_seconds) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
    }
}

/// How many ticks of the samples went into each point of [`ticks`] of at most [`MOST`].
pub fn merged(samples: &[Sample], kinds: &[&str]) -> usize {
    factor(&each(samples, kinds), MOST)
}

/// The ticks of each kind in the order of time, at most `most` of a kind (and one more for each
/// step and phase).
pub fn ticks(samples: &[Sample], kinds: &[&str], most: usize) -> Vec<Tick> {
    let each = each(samples, kinds);
    // One factor for all, so that the ticks of all kinds end at the same times.
    let factor = factor(&each, most);
    let mut out: Vec<Tick> = Vec::new();
    let mut taken = 0;
    for tick in each.into_iter().flatten() {
        match out.last_mut() {
            Some(last) if taken < factor && last.goes_on_in(&tick) => {
                last.merge(&tick);
                taken += 1;
            }
            _ => {
                out.push(tick);
                taken = 1;
            }
        }
    }
    out
}

fn each(samples: &[Sample], kinds: &[&str]) -> Vec<Vec<Tick>> {
    let mut rows: Vec<&Sample> =
        samples.iter().filter(|s| s.at_seconds.is_finite() && s.seconds >= 0.0).collect();
    rows.sort_by(|a, b| a.step.cmp(&b.step).then(a.at_seconds.total_cmp(&b.at_seconds)));
    kinds.iter().map(|kind| all(&rows, kind)).collect()
}

fn factor(each: &[Vec<Tick>], most: usize) -> usize {
    each.iter().map(Vec::len).max().unwrap_or(0).div_ceil(most.max(1)).max(1)
}

/// Every tick of a kind: its rows that end at the same time, of the phase that the tick lies in.
fn all(rows: &[&Sample], kind: &str) -> Vec<Tick> {
    let ours: Vec<&&Sample> = rows.iter().filter(|s| s.kind == kind).collect();
    let tick = |rows: &[&&Sample]| {
        // What began before the window and ends in it has a row of its phase among those of the
        // window.
        let within = rows.iter().map(|s| &s.phase).find(|phase| *phase != "warmup");
        let phase = within.unwrap_or(&rows[0].phase);
        let mut tick = Tick { seconds: rows[0].seconds, ..empty(rows[0], kind) };
        tick.phase.clone_from(phase);
        for row in rows.iter().filter(|s| s.phase == *phase) {
            tick.count += row.count;
            tick.failed += row.failed;
            tick.retries += row.retries;
            // Successes of a backlog have no response times.
            if row.count > 0 && (row.mean_us > 0.0 || row.p99_us > 0) {
                let p99 = row.p99_us as f64 / 1e6;
                tick.p99_seconds = Some(tick.p99_seconds.unwrap_or(0.0).max(p99));
            }
        }
        tick
    };
    ours.chunk_by(|a, b| (a.step, a.at_seconds) == (b.step, b.at_seconds)).map(tick).collect()
}

fn empty(row: &Sample, kind: &str) -> Tick {
    Tick {
        kind: kind.to_string(),
        step: row.step,
        phase: row.phase.clone(),
        at_seconds: row.at_seconds,
        seconds: 0.0,
        count: 0,
        failed: 0,
        retries: 0,
        p99_seconds: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(step: usize, at_seconds: f64, kind: &str, count: u64, p99_us: u64) -> Sample {
        Sample {
            step,
            phase: "measured".into(),
            at_seconds,
            seconds: 1.0,
            kind: kind.into(),
            count,
            failed: 0,
            retries: 0,
            mean_us: 0.0,
            p50_us: 0,
            p99_us,
            max_us: 0,
        }
    }

    /// Rows of zero are points of zero, up to the end; a row of the warm-up in a tick of the window
    /// is none of its own.
    #[test]
    fn a_stall_is_zero_and_not_a_gap() {
        let done = |at: f64| if (4.0..=6.0).contains(&at) || at == 8.0 { 0 } else { 10 };
        let mut samples: Vec<Sample> = (1..=8)
            .map(|at| sample(1, f64::from(at), "NewOrder", done(f64::from(at)), 500))
            .collect();
        samples.push(Sample { phase: "warmup".into(), ..sample(1, 2.0, "NewOrder", 99, 1) });
        let ticks = ticks(&samples, &["NewOrder"], MOST);
        assert_eq!(
            ticks.iter().map(|t| (t.at_seconds, t.rate(60.0))).collect::<Vec<_>>(),
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0].map(|at| (at, done(at) as f64 * 60.0))
        );
        assert!(ticks.iter().all(|t| t.phase == "measured"));
    }

    /// Windows are no whole numbers of ticks: 3 operations in the last 0.3 s are 10 a second, not
    /// 3.
    #[test]
    fn a_short_last_tick_has_its_rate_over_its_own_length_also_when_it_is_merged() {
        let full = |n: u32| sample(1, f64::from(n), "READ", 10, 500);
        let last =
            |n: u32| Sample { seconds: 0.3, ..sample(1, f64::from(n) + 0.3, "READ", 3, 500) };
        let rates = |n: u32, most: usize| -> Vec<(f64, f64)> {
            let samples: Vec<Sample> = (1..=n).map(full).chain([last(n)]).collect();
            let round = |x: f64| (x * 1e9).round() / 1e9;
            let ticks = ticks(&samples, &["READ"], most);
            ticks.iter().map(|t| (round(t.at_seconds), round(t.rate(1.0)))).collect()
        };
        assert_eq!(rates(2, MOST), [(1.0, 10.0), (2.0, 10.0), (2.3, 10.0)]);
        // Two ticks a point: the last one has one of a second and one of 0.3 s.
        assert_eq!(rates(3, 2), [(2.0, 10.0), (3.3, 10.0)]);
        // And alone.
        assert_eq!(rates(4, 3), [(2.0, 10.0), (4.0, 10.0), (4.3, 10.0)]);
    }

    #[test]
    fn merging_keeps_the_sums_and_the_worst_percentile() {
        let samples: Vec<Sample> = (1..=5_000)
            .flat_map(|n| {
                let p99 = if n == 2_500 { 99_000 } else { 1_000 };
                let at = f64::from(n);
                [sample(1, at, "NewOrder", 3, p99), sample(1, at, "Payment", 9, 9)]
            })
            .collect();
        let ticks = ticks(&samples, &["NewOrder"], MOST);
        assert!(ticks.len() <= MOST, "{}", ticks.len());
        assert_eq!(merged(&samples, &["NewOrder"]), 13);
        assert_eq!(ticks.iter().map(|t| t.count).sum::<u64>(), 15_000);
        assert!(ticks.iter().all(|t| (t.rate(60.0) - 180.0).abs() < 1e-9));
        assert_eq!(ticks.iter().filter_map(|t| t.p99_seconds).fold(0.0, f64::max), 0.099);
    }

    #[test]
    fn ticks_of_different_kinds_end_at_the_same_times() {
        // READ runs in both steps, UPDATE only in the second: the longer series sets the merging.
        let samples: Vec<Sample> = (1..=900)
            .flat_map(|n| {
                let (step, at) = (if n <= 450 { 1 } else { 2 }, f64::from(n));
                let update = (step == 2).then(|| sample(step, at, "UPDATE", 2, 9));
                [Some(sample(step, at, "READ", 1, 7)), update].into_iter().flatten()
            })
            .collect();
        let ticks = ticks(&samples, &["READ", "UPDATE"], MOST);
        let ends = |kind: &str| -> Vec<f64> {
            let of_kind = ticks.iter().filter(|t| t.kind == kind && t.step == 2);
            of_kind.map(|t| t.at_seconds).collect()
        };
        assert_eq!(ends("READ"), ends("UPDATE"));
        assert_eq!(ends("READ").len(), 150);
        let done =
            |kind: &str| ticks.iter().filter(|t| t.kind == kind).map(|t| t.count).sum::<u64>();
        assert_eq!((done("READ"), done("UPDATE")), (900, 900));
    }

    #[test]
    fn a_step_of_queries_alone_has_no_ticks() {
        assert_eq!(ticks(&[sample(1, 1.0, "Q01", 1, 1)], &["NewOrder"], MOST), []);
        assert_eq!(ticks(&[], &["NewOrder"], MOST), []);
    }
}
