//! Histograms of response times.

use hdrhistogram::Histogram;

/// Longest time a histogram tells apart: an hour. A longer one is counted at it; its true length is
/// kept in the maximum.
pub const LONGEST_US: u64 = 3_600_000_000;

/// A histogram of microseconds with three significant digits that grows up to [`LONGEST_US`]. It
/// starts with room for a second, so that it hardly ever grows.
pub fn histogram() -> Histogram<u64> {
    let mut h = Histogram::new_with_bounds(1, 1_000_000, 3).expect("the bounds are valid");
    h.auto(true);
    h
}
