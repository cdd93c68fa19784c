//! The wait between two attempts at a transaction.

use std::time::Duration;

use hoap_data::random::Stream;

/// The wait before a retry: 1 ms, doubled each time up to 100 ms, shortened at random by up to a
/// half.
pub(super) fn backoff(retry: u32, random: &mut Stream) -> Duration {
    let longest = 0.001 * f64::from(1u32 << (retry - 1).min(7));
    Duration::from_secs_f64(longest.min(0.1) * (0.5 + 0.5 * random.unit()))
}
