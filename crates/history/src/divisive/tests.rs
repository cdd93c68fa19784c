//! Series whose changes are plain to see.

use super::*;

/// A saw of 0.98 and 1.02 around levels, each so many numbers long.
fn series(levels: &[(usize, f64)]) -> Vec<f64> {
    let long = levels.iter().flat_map(|(n, level)| std::iter::repeat_n(*level, *n));
    long.enumerate().map(|(n, level)| level + if n % 2 == 0 { 0.02 } else { -0.02 }).collect()
}

fn places(levels: &[(usize, f64)]) -> Vec<usize> {
    changes(&series(levels), 0.0025).iter().map(|change| change.at).collect()
}

#[test]
fn changes_are_found_where_they_are() {
    for (levels, wanted) in [
        (&[][..], &[][..]),
        (&[(1, 1.0)], &[]),
        (&[(5, 1.0)], &[]),
        (&[(200, 1.0)], &[]),
        (&[(20, 1.0), (20, 1.1)], &[20]),
        (&[(20, 1.0), (20, 0.9)], &[20]),
        // As soon as there are enough after it.
        (&[(60, 1.0), (1, 1.5)], &[]),
        (&[(60, 1.0), (5, 1.5)], &[60]),
        // It was mended again.
        (&[(60, 1.0), (10, 1.1), (60, 1.0)], &[60, 70]),
        (&[(30, 1.0), (30, 1.1), (30, 1.2), (30, 1.0)], &[30, 60, 90]),
        // One number alone, however far away, or two.
        (&[(50, 1.0), (1, 9.0), (50, 1.0)], &[]),
        (&[(50, 1.0), (1, 9.0)], &[]),
        (&[(1, 9.0), (50, 1.0)], &[]),
    ] {
        assert_eq!(places(levels), wanted, "{levels:?}");
    }
}

/// 10 numbers of 1 ± 0.02 and 10 of 1.1 ± 0.02: a variance of 20 · 0.02² / 18, and t of 18 degrees
/// is 2.101.
#[test]
fn a_change_by_hand() {
    let found = changes(&series(&[(10, 1.0), (10, 1.1)]), 0.05);
    let [change] = found.as_slice() else { panic!("{found:?}") };
    assert!((change.difference - 0.1).abs() < 1e-12, "{change:?}");
    let error = (20.0 * 0.02f64.powi(2) / 18.0 * 0.2).sqrt();
    assert!((change.half - 2.100_922 * error).abs() < 1e-6, "{change:?}");
    assert!(change.p > 0.0 && change.p < 1e-7, "{change:?}");
}

/// The energy distance of all pairs, as the paper writes it.
#[test]
fn the_sums_of_the_candidate_are_those_of_the_paper() {
    let series = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.5, 8.0, 9.7];
    let mean = |x: &[f64], y: &[f64]| -> f64 {
        let sum: f64 = x.iter().flat_map(|a| y.iter().map(move |b| (a - b).abs())).sum();
        sum / (x.len() * y.len()) as f64
    };
    let within = |x: &[f64]| mean(x, x) * x.len() as f64 / (x.len() as f64 - 1.0);
    let mut best = (f64::NEG_INFINITY, 0, 0);
    for end in 1..=series.len() {
        for at in FEWEST..end.saturating_sub(FEWEST - 1) {
            let (x, y) = series[..end].split_at(at);
            let (n, m) = (x.len() as f64, y.len() as f64);
            let q = n * m / (n + m) * (2.0 * mean(x, y) - within(x) - within(y));
            if q > best.0 {
                best = (q, at, end);
            }
        }
    }
    let found = candidate(&series).unwrap();
    assert_eq!((found.at, found.end), (best.1, best.2));
}

#[test]
fn numbers_that_are_all_alike_have_no_change_and_two_levels_of_them_have_one() {
    assert_eq!(changes(&[7.0; 100], 0.05), []);
    let two = [[7.0; 20], [7.5; 20]].concat();
    assert_eq!(changes(&two, 0.05).iter().map(|change| change.at).collect::<Vec<_>>(), [20]);
}

/// The shares of all pairs of stretches that begin at one place: their sum is the false alarms of a
/// history without an end.
#[test]
fn the_shares_sum_up_to_less_than_one() {
    let pairs = |end: usize| (end - (2 * FEWEST - 1)) as f64 * share(end);
    let sum: f64 = (2 * FEWEST..2_000_000).map(pairs).sum();
    // What follows is less than the integral of 1/(0.6 k ln² k).
    let rest = 1.0 / (0.6 * (2_000_000f64 - 1.0).ln());
    assert!(sum > 0.8 && sum + rest < 1.0, "{sum} {rest}");
}
