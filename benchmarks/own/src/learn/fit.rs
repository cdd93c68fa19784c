//! Quantiles of a sample with unequal steps: a step more where a straight line is most wrong.

/// Quantiles that are written at most.
const MOST: usize = 16;
/// Shares that are always among them.
const ALWAYS: [f64; 4] = [0.25, 0.5, 0.75, 0.95];

/// Quantiles of sorted values: shares from 0 to 1 and values, linear between.
pub fn quantiles(sorted: &[f64]) -> Vec<(f64, f64)> {
    let n = sorted.len();
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    let steps = steps(sorted);
    if steps.len() <= 2 * MOST {
        return steps;
    }
    let mut places: Vec<usize> = ALWAYS.iter().map(|share| (share * n as f64) as usize).collect();
    places.extend([0, n - 1]);
    places.sort_unstable();
    places.dedup();
    while places.len() < MOST {
        let worst = places.windows(2).map(|pair| worst(sorted, pair[0], pair[1]));
        let Some((wrong, at)) = worst.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        if wrong <= 0.0 {
            break;
        }
        places.push(at);
        places.sort_unstable();
    }
    let share = |place: usize| (place as f64 + 0.5) / n as f64;
    let inner = places.iter().filter(|place| **place > 0 && **place < n - 1);
    let inner = inner.map(|place| (round(share(*place)), sorted[*place]));
    let mut pairs = vec![(0.0, *first)];
    pairs.extend(inner);
    pairs.push((1.0, *last));
    pairs.dedup_by(|after, before| after.0 <= before.0);
    if let Some(end) = pairs.last_mut() {
        *end = (1.0, *last);
    }
    pairs
}

/// A share with five digits: the last ones hold the tail.
fn round(share: f64) -> f64 {
    (share * 1e5).round() / 1e5
}

/// The values of a sample that has few, each with its exact share.
fn steps(sorted: &[f64]) -> Vec<(f64, f64)> {
    let n = sorted.len() as f64;
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    let mut from = 0;
    while from < sorted.len() && pairs.len() <= 2 * MOST {
        let same = sorted[from..].partition_point(|value| *value <= sorted[from]);
        let (begin, end) = (round(from as f64 / n), round((from + same) as f64 / n));
        // The next value begins a hair behind this one.
        let begin = if from == 0 { 0.0 } else { ((begin + 1e-6) * 1e6).round() / 1e6 };
        if end > begin {
            pairs.push((begin, sorted[from]));
            pairs.push((end, sorted[from]));
        }
        from += same;
    }
    if let Some(end) = pairs.last_mut() {
        end.0 = 1.0;
    }
    pairs
}

/// How wrong a straight line between two places is altogether, and where it is most.
fn worst(sorted: &[f64], from: usize, to: usize) -> (f64, usize) {
    let (mut all, mut most, mut at) = (0.0, 0.0, from + 1);
    let slope = (sorted[to] - sorted[from]) / (to - from).max(1) as f64;
    for place in from + 1..to {
        let wrong = (sorted[from] + slope * (place - from) as f64 - sorted[place]).abs();
        all += wrong;
        if wrong > most {
            (most, at) = (wrong, place);
        }
    }
    (all, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(pairs: &[(f64, f64)]) -> f64 {
        pairs.windows(2).map(|w| (w[1].0 - w[0].0) * (w[0].1 + w[1].1) / 2.0).sum()
    }

    #[test]
    fn quantiles_keep_mean_and_ends() {
        let tail = |n: usize| (1.0 - n as f64 / 5000.0).powf(-0.7).floor();
        let samples: [Vec<f64>; 4] = [
            (0..5000).map(tail).collect(),
            (0..1000).map(f64::from).collect(),
            [vec![0.0; 900], vec![1.0; 90], vec![40.0; 10]].concat(),
            vec![7.0],
        ];
        for sorted in samples {
            let pairs = quantiles(&sorted);
            let of = sorted.iter().sum::<f64>() / sorted.len() as f64;
            assert!((mean(&pairs) - of).abs() <= 0.02 * of + 0.001, "{of}: {pairs:?}");
            assert_eq!((pairs[0].0, pairs[pairs.len() - 1].0), (0.0, 1.0));
            assert_eq!(
                (pairs[0].1, pairs[pairs.len() - 1].1),
                (sorted[0], sorted[sorted.len() - 1])
            );
            assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 <= w[1].1), "{pairs:?}");
        }
        assert!(quantiles(&[]).is_empty());
    }
}
