//! Operations over time, from `samples.csv`, in few points a kind. The percentiles of points that are
//! several cells come from the logs.

use hoap_record::Sample;

use crate::format::number::Unit;

/// A longer series is merged to at most this many points (and one more for each step and phase).
pub const MOST: usize = 200;

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
    /// 99th percentile of the response times. Of merged ticks without a log, as those of the
    /// warm-up, the highest one.
    pub p99_seconds: Option<f64>,
    /// The longest response time, microseconds.
    pub(super) longest_us: u64,
}

/// The time series of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ticks {
    /// The ticks of each kind in the order of time.
    pub all: Vec<Tick>,
    /// How many ticks of the run one of them is the sum of, at most.
    pub each: usize,
    /// How many cells.
    pub(super) factor: usize,
}

impl Ticks {
    /// Of a run whose cells are so many ticks each, at most.
    pub fn of(samples: &[Sample], kinds: &[&str], cell_ticks: u64) -> Ticks {
        merged(&each(samples, kinds), cell_ticks as usize, MOST)
    }

    /// "13 ticks (13.0 s)"; `None` where each is one tick.
    pub fn resolution(&self) -> Option<String> {
        let longest = self.all.iter().map(|tick| tick.seconds).fold(0.0, f64::max);
        (self.each > 1).then(|| format!("{} ticks ({})", self.each, Unit::Seconds.show(longest)))
    }
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
        self.longest_us = self.longest_us.max(next.longest_us);
        self.p99_seconds = match (self.p99_seconds, next.p99_seconds) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
    }
}

/// At most `most` points of a kind (and one more for each step and phase), from the cells of each
/// kind in the order of time, which are `cell_ticks` ticks each.
fn merged(each: &[Vec<Tick>], cell_ticks: usize, most: usize) -> Ticks {
    // One factor for all, so that the points of all kinds end at the same times.
    let factor = each.iter().map(Vec::len).max().unwrap_or(0).div_ceil(most).max(1);
    let mut all: Vec<Tick> = Vec::new();
    let mut taken = 0;
    for tick in each.iter().flatten() {
        match all.last_mut() {
            Some(last) if taken < factor && last.goes_on_in(tick) => {
                last.merge(tick);
                taken += 1;
            }
            _ => {
                all.push(tick.clone());
                taken = 1;
            }
        }
    }
    Ticks { all, each: factor * cell_ticks, factor }
}

fn each(samples: &[Sample], kinds: &[&str]) -> Vec<Vec<Tick>> {
    let mut rows: Vec<&Sample> =
        samples.iter().filter(|s| s.at_seconds.is_finite() && s.seconds >= 0.0).collect();
    rows.sort_by(|a, b| a.step.cmp(&b.step).then(a.at_seconds.total_cmp(&b.at_seconds)));
    kinds.iter().map(|kind| all(&rows, kind)).collect()
}

/// Every tick of a kind: its rows that end at the same time, of the phase that the tick lies in.
fn all(rows: &[&Sample], kind: &str) -> Vec<Tick> {
    let ours: Vec<&&Sample> = rows.iter().filter(|s| s.kind == kind).collect();
    let tick = |rows: &[&&Sample]| {
        // What began before the window and ends in it has a row of its phase among those of the
        // window.
        let within = rows.iter().map(|s| &s.phase).find(|phase| *phase != "warmup");
        let phase = within.unwrap_or(&rows[0].phase);
        let mut tick = empty(rows[0], kind);
        tick.phase.clone_from(phase);
        for row in rows.iter().filter(|s| s.phase == *phase) {
            tick.count += row.count;
            tick.failed += row.failed;
            tick.retries += row.retries;
            tick.longest_us = tick.longest_us.max(row.max_us);
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
        seconds: row.seconds,
        count: 0,
        failed: 0,
        retries: 0,
        p99_seconds: None,
        longest_us: 0,
    }
}

#[cfg(test)]
mod tests {
    use hoap_record::Step;
    use hoap_record::hlog::Interval;

    use super::super::point_times::PointTimes;
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

    /// The ticks of samples without logs.
    fn of(samples: &[Sample], kinds: &[&str], most: usize) -> Ticks {
        merged(&each(samples, kinds), 1, most)
    }

    fn ticks(samples: &[Sample], kinds: &[&str], most: usize) -> Vec<Tick> {
        of(samples, kinds, most).all
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
        let all = of(&samples, &["NewOrder"], MOST);
        assert_eq!((all.each, all.resolution().as_deref()), (25, Some("25 ticks (25.0 s)")));
        assert_eq!(of(&samples, &["NewOrder"], 5_000).resolution(), None);
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
        assert_eq!(ends("READ").len(), 90);
        let done =
            |kind: &str| ticks.iter().filter(|t| t.kind == kind).map(|t| t.count).sum::<u64>();
        assert_eq!((done("READ"), done("UPDATE")), (900, 900));
    }

    #[test]
    fn a_step_of_queries_alone_has_no_ticks() {
        assert_eq!(ticks(&[sample(1, 1.0, "Q01", 1, 1)], &["NewOrder"], MOST), []);
        assert_eq!(ticks(&[], &["NewOrder"], MOST), []);
    }

    /// Of 9,000 cells of two kinds a hundred are missing, one is empty, and the last one is shorter.
    /// Each point must have the percentile of the sorted times of its cells.
    #[test]
    fn a_point_has_the_percentile_of_all_its_operations() {
        let kinds = ["READ", "UPDATE"];
        let step = Step { number: 1, start_seconds: 50.0, seconds: 8_949.25, ..Step::default() };
        let (mut samples, mut raw, mut log) = (Vec::new(), Vec::new(), Vec::new());
        let mut state = 7u64;
        for tick in (0..9_000u64).filter(|tick| !(4_000..4_100).contains(tick)) {
            let is_measured = tick >= 50;
            let seconds = if tick == 8_999 { 0.25 } else { 1.0 };
            for kind in kinds {
                let number = if tick == 5_000 { 0 } else { 2 + tick % 14 };
                let time = |_| {
                    // Knuth's generator of 64 bits; below 2,048 µs each time is a bucket.
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let most = if state >> 63 == 1 { 2_000 } else { 90 };
                    1 + (state >> 33) % most
                };
                let times: Vec<u64> = (0..number).map(time).collect();
                let mut sorted = times.clone();
                sorted.sort_unstable();
                let longest = sorted.last().copied().unwrap_or(0);
                samples.push(Sample {
                    phase: if is_measured { "measured" } else { "warmup" }.into(),
                    at_seconds: tick as f64 + seconds,
                    seconds,
                    count: times.len() as u64,
                    mean_us: longest as f64,
                    max_us: longest,
                    ..sample(1, 0.0, kind, 0, longest)
                });
                if is_measured {
                    let times: Vec<(u64, u64)> = sorted.iter().map(|time| (*time, 1)).collect();
                    log.push((kind, tick as f64, seconds, times));
                }
                raw.push((tick as f64, kind, sorted));
            }
        }
        for most in [MOST, 60] {
            let mut found = merged(&super::each(&samples, &kinds), 2, most);
            assert!(found.all.len() <= 2 * (most + 2) && found.each == 2 * found.factor);
            let unlogged = found.all.iter().filter_map(|tick| tick.p99_seconds);
            assert_eq!(unlogged.fold(0.0, f64::max), 0.002, "without logs the highest is kept");
            let mut times_of = PointTimes::new(&mut found, &step);
            for (tag, start_seconds, seconds, times) in &log {
                let (start_seconds, seconds) = (*start_seconds, *seconds);
                times_of.add(&Interval { tag, start_seconds, seconds, times }).unwrap();
            }
            // It ended after the window.
            let end = step.start_seconds + step.seconds;
            let late = Interval { tag: "READ", start_seconds: end, seconds: 1.0, times: &[(9, 9)] };
            times_of.add(&late).unwrap();
            times_of.finish();
            assert_eq!(found.all.iter().map(|tick| tick.count).sum::<u64>(), samples_in(&raw));
            let (mut differ, mut before) = (0, None::<&Tick>);
            for tick in &found.all {
                let from = before.replace(tick).filter(|before| before.kind == tick.kind);
                let within = from.map_or(0.0, |before| before.at_seconds)..tick.at_seconds;
                let ours =
                    raw.iter().filter(|(at, kind, _)| *kind == tick.kind && within.contains(at));
                let mut times: Vec<u64> = ours.flat_map(|(_, _, times)| times).copied().collect();
                times.sort_unstable();
                assert_eq!(tick.count, times.len() as u64, "{tick:?}");
                let highest = times.last().map(|time| *time as f64 / 1e6);
                let place = (times.len() as f64 * 0.99).ceil() as usize;
                let p99 = place.checked_sub(1).map(|place| times[place] as f64 / 1e6);
                let expected = if tick.phase == "warmup" { highest } else { p99 };
                assert_eq!(tick.p99_seconds, expected, "{tick:?}");
                differ += usize::from(expected != highest);
            }
            assert!(differ > 20, "the highest of the ticks is another in {differ} only");
        }
    }

    fn samples_in(raw: &[(f64, &str, Vec<u64>)]) -> u64 {
        raw.iter().map(|(_, _, times)| times.len() as u64).sum()
    }
}
