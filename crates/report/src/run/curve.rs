//! Percentile curves from `step-NN.hlog`.

use hdrhistogram::Histogram;

/// Response times of one kind of operation in one step, by quantile.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Number of the step.
    pub step: usize,
    /// Kind of operation.
    pub kind: String,
    /// Operations behind it.
    pub count: u64,
    /// (quantile from 0 to 1, seconds), rising; the last one is (1, maximum).
    pub points: Vec<(f64, f64)>,
}

/// Quantiles of a curve, as far as the number of values carries them: each curve has the first of
/// them, and then its maximum.
pub const QUANTILES: [f64; 24] = [
    0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.97, 0.98, 0.99,
    0.995, 0.998, 0.999, 0.9995, 0.9999, 0.999_99, 0.999_999,
];

impl Curve {
    /// The curve of these response times in microseconds, or `None` where there are none.
    ///
    /// A histogram knows values to three digits and answers with the upper edge of a bucket; where
    /// `longest`, the longest time there was, is known, no point lies above it.
    pub fn new(
        step: usize,
        kind: &str,
        histogram: &Histogram<u64>,
        longest: Option<u64>,
    ) -> Option<Curve> {
        if histogram.is_empty() {
            return None;
        }
        let count = histogram.len();
        let longest = longest.unwrap_or(u64::MAX).min(histogram.max());
        let mut points: Vec<(f64, f64)> = QUANTILES
            .iter()
            .filter(|q| (1.0 - **q) * count as f64 >= 1.0 - 1e-9)
            .map(|&q| (q, histogram.value_at_quantile(q).min(longest) as f64 / 1e6))
            .collect();
        points.push((1.0, longest as f64 / 1e6));
        Some(Curve { step, kind: kind.to_string(), count, points })
    }
}
