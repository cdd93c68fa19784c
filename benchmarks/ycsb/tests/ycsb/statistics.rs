//! Whether two samples come from the same distribution.

use std::collections::BTreeMap;

/// How often each value was drawn.
pub type Counts = BTreeMap<u64, u64>;

/// Least count of a bin; rarer values share bins with their neighbours.
const BIN: u64 = 25;

/// Pearson's chi-squared for two samples, as the number of standard deviations by which it exceeds
/// its mean (Wilson and Hilferty's normal approximation). Above 5.5 once in 50 million.
pub fn deviations(a: &Counts, b: &Counts) -> f64 {
    let (na, nb) = (a.values().sum::<u64>() as f64, b.values().sum::<u64>() as f64);
    let (mut bins, mut chi, mut bin) = (0.0, 0.0, (0u64, 0u64));
    let mut values: Vec<u64> = a.keys().chain(b.keys()).copied().collect();
    values.sort_unstable();
    values.dedup();
    for (at, value) in values.iter().enumerate() {
        bin.0 += a.get(value).copied().unwrap_or(0);
        bin.1 += b.get(value).copied().unwrap_or(0);
        if bin.0 + bin.1 >= BIN || at + 1 == values.len() {
            let (x, y) = (bin.0 as f64, bin.1 as f64);
            chi += ((nb / na).sqrt() * x - (na / nb).sqrt() * y).powi(2) / (x + y);
            bins += 1.0;
            bin = (0, 0);
        }
    }
    assert!(bins > 2.0, "too few bins to compare");
    let df = bins - 1.0;
    ((chi / df).cbrt() - (1.0 - 2.0 / (9.0 * df))) / (2.0 / (9.0 * df)).sqrt()
}

#[test]
fn it_tells_like_from_unlike() {
    use hoap_data::random::Stream;
    let draw = |seed, bias: f64| {
        let mut stream = Stream::new(seed, &[]);
        let mut counts = Counts::new();
        for _ in 0..200_000 {
            *counts.entry((stream.unit().powf(bias) * 100.0) as u64).or_default() += 1;
        }
        counts
    };
    for seed in 0..20 {
        assert!(deviations(&draw(seed, 1.0), &draw(seed + 100, 1.0)).abs() < 5.0);
    }
    assert!(deviations(&draw(1, 1.0), &draw(2, 1.05)) > 5.5);
}
