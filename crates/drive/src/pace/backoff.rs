//! Backoff after failures.

use std::time::Duration;

/// How long a client waits after failures in a row, so that it does not send a million requests a
/// second to a server that is down: 10 ms, twice as long after each failure, 100 ms at most.
pub(crate) struct Backoff(Duration);

impl Backoff {
    const FIRST: Duration = Duration::from_millis(10);
    const LONGEST: Duration = Duration::from_millis(100);

    pub fn new() -> Self {
        Backoff(Self::FIRST)
    }

    /// The wait after another failure.
    pub fn next(&mut self) -> Duration {
        let wait = self.0;
        self.0 = (wait * 2).min(Self::LONGEST);
        wait
    }

    /// Starts over after a success.
    #[inline]
    pub fn reset(&mut self) {
        self.0 = Self::FIRST;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_up_to_100_ms_and_starts_over_after_a_success() {
        let mut backoff = Backoff::new();
        let times: Vec<u128> = (0..6).map(|_| backoff.next().as_millis()).collect();
        assert_eq!(times, [10, 20, 40, 80, 100, 100]);
        backoff.reset();
        assert_eq!(backoff.next().as_millis(), 10);
    }
}
