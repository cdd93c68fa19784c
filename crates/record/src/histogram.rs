//! Histograms of response times.

use hdrhistogram::Histogram;

/// The longest time that a histogram resolves: an hour. Longer times are counted as an hour; the
/// maximum keeps their true length.
pub const LONGEST_US: u64 = 3_600_000_000;

/// A histogram of microseconds with three significant digits that resizes up to [`LONGEST_US`]. It
/// starts with a range of a second, so that it rarely resizes.
pub fn histogram() -> Histogram<u64> {
    let mut h = Histogram::new_with_bounds(1, 1_000_000, 3).expect("the bounds are valid");
    h.auto(true);
    h
}
