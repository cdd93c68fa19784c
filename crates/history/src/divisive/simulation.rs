//! Histories whose truth is known. `bench/history` has the numbers of the long forms:
//! `cargo test --release -p hoap-history --lib -- --ignored --nocapture simulation`.

use hoap_data::random::Stream;

use super::*;

const RUNS: usize = 200;
const METRICS: usize = 20;
/// What a series of a history may have.
const BOUND: f64 = 0.05 / METRICS as f64;

/// Noise with mean 0 and deviation 1.
#[derive(Clone, Copy, Debug)]
enum Noise {
    Normal,
    /// Student's t of five degrees: a number in a hundred is more than 2.6 deviations away.
    Heavy,
    /// Normal, but one run in 50 is 10 deviations slower, as one beside a neighbour's load.
    Outliers,
    /// Normal, with a correlation of 0.3 from run to run.
    Correlated,
}

struct Source(Stream);

impl Source {
    fn new(path: &[u64]) -> Source {
        Source(Stream::new(20_260_101, path))
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.0.unit()).ln()).sqrt();
        radius * (2.0 * std::f64::consts::PI * self.0.unit()).cos()
    }

    fn series(&mut self, noise: Noise) -> Vec<f64> {
        let mut before = self.normal();
        let mut next = || match noise {
            Noise::Normal => self.normal(),
            Noise::Heavy => {
                let squares: f64 = (0..5).map(|_| self.normal().powi(2)).sum();
                self.normal() / (squares / 5.0).sqrt() / (5.0f64 / 3.0).sqrt()
            }
            Noise::Outliers => self.normal() + if self.0.unit() < 0.02 { 10.0 } else { 0.0 },
            Noise::Correlated => {
                before = 0.3 * before + (1.0f64 - 0.09).sqrt() * self.normal();
                before
            }
        };
        (0..RUNS).map(|_| next()).collect()
    }
}

fn number(noise: Noise) -> u64 {
    noise as u64
}

/// The share of histories without a change, in per cent, that raise one: looked at once, or after
/// each run.
fn false_alarms(noise: Noise, histories: u64, each: bool) -> f64 {
    let raises = |history: u64| {
        (0..METRICS as u64).any(|metric| {
            let series = Source::new(&[1, number(noise), history, metric]).series(noise);
            let mut ends = if each { 2 * FEWEST..=RUNS } else { RUNS..=RUNS };
            ends.any(|end| !changes(&series[..end], BOUND).is_empty())
        })
    };
    (0..histories).filter(|history| raises(*history)).count() as f64 * 100.0 / histories as f64
}

/// Of series of `noise` per cent with a change of `size` per cent, those in which it was found
/// within two runs of its place, and those in which something else was found as well, in per cent.
fn found(noise: f64, size: f64, trials: u64) -> (f64, f64) {
    let (mut near, mut more) = (0, 0);
    for trial in 0..trials {
        let mut source = Source::new(&[2, (noise * 10.0) as u64, (size * 10.0) as u64, trial]);
        // Anywhere with ten runs on each side.
        let place = 10 + (source.0.unit() * (RUNS - 19) as f64) as usize;
        let level = |n: usize| if n < place { 0.0 } else { (1.0 + size / 100.0f64).ln() };
        let series = source.series(Noise::Normal).into_iter().enumerate();
        let series: Vec<f64> = series.map(|(n, x)| level(n) + noise / 100.0 * x).collect();
        let at: Vec<usize> = changes(&series, BOUND).iter().map(|change| change.at).collect();
        let is_near = |at: &usize| at.abs_diff(place) <= 2;
        near += u64::from(at.iter().any(is_near));
        more += u64::from(!at.iter().all(is_near));
    }
    let percent = |n: u64| n as f64 * 100.0 / trials as f64;
    (percent(near), percent(more))
}

/// How many runs after a change it is found, at the median and in 95 of 100 histories of 100 runs
/// before it; none where it is not found within 100.
fn delay(noise: f64, size: f64, trials: u64) -> [Option<usize>; 2] {
    let mut delays: Vec<usize> = (0..trials)
        .map(|trial| {
            let mut source = Source::new(&[3, (noise * 10.0) as u64, (size * 10.0) as u64, trial]);
            let change = (1.0 + size / 100.0f64).ln();
            let series = source.series(Noise::Normal).into_iter().enumerate();
            let series: Vec<f64> = series
                .map(|(n, x)| noise / 100.0 * x + if n < 100 { 0.0 } else { change })
                .collect();
            let seen = |after: &usize| {
                let found = changes(&series[..100 + after], BOUND);
                found.iter().any(|change| change.at.abs_diff(100) <= 2)
            };
            (1..=100).find(seen).unwrap_or(usize::MAX)
        })
        .collect();
    delays.sort_unstable();
    let at = |share: f64| delays[(share * (trials - 1) as f64).round() as usize];
    [at(0.5), at(0.95)].map(|delay| (delay != usize::MAX).then_some(delay))
}

#[test]
fn a_history_without_a_change_seldom_raises_one() {
    let once = false_alarms(Noise::Normal, 60, false);
    let each = false_alarms(Noise::Normal, 5, true);
    println!("once {once} %, after each run {each} %");
    assert!(once <= 5.0 && each == 0.0, "{once} {each}");
}

#[test]
fn a_change_of_five_per_cent_in_noise_of_two_is_found_within_two_runs() {
    let (near, more) = found(2.0, 5.0, 300);
    println!("{near} %, with others {more} %");
    assert!(near >= 95.0 && more <= 5.0, "{near} {more}");
}

#[test]
#[ignore = "minutes"]
fn simulation_of_false_alarms() {
    for noise in [Noise::Normal, Noise::Heavy, Noise::Outliers, Noise::Correlated] {
        let once = false_alarms(noise, 2_000, false);
        let each = false_alarms(noise, 200, true);
        println!("{noise:?}: once {once:.2} %, after each run {each:.2} %");
    }
}

#[test]
#[ignore = "minutes"]
fn simulation_of_changes() {
    for (noise, size) in [
        (1.0, 2.0),
        (1.0, 3.0),
        (1.0, 5.0),
        (2.0, 3.0),
        (2.0, 5.0),
        (2.0, 10.0),
        (5.0, 10.0),
        (5.0, 20.0),
    ] {
        let (near, more) = found(noise, size, 2_000);
        let [half, most] = delay(noise, size, 300);
        println!(
            "{noise} % {size} %: {near:.1} %, with others {more:.1} %, after {half:?}, {most:?}"
        );
    }
}
