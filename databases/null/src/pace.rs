//! The time that an operation of the null database takes.

use std::ops::Range;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A timer may fire this much late: Tokio's counts whole milliseconds.
const COARSE: Duration = Duration::from_millis(2);

/// A latency, and one stall.
#[derive(Debug, Default)]
pub(super) struct Pace {
    pub latency: Duration,
    pub stall: Duration,
    /// The time from the begin of the first operation of any client to the stall.
    pub stall_after: Duration,
    first: OnceLock<Instant>,
}

impl Pace {
    /// A latency, and a stall that begins so long after the first operation.
    pub fn new(latency: Duration, stall: Duration, stall_after: Duration) -> Pace {
        Pace { latency, stall, stall_after, first: OnceLock::new() }
    }

    /// Whether operations take any time.
    pub fn slows(&self) -> bool {
        !(self.latency.is_zero() && self.stall.is_zero())
    }

    /// When the stall begins and ends, known from the first operation on.
    pub fn stall(&self) -> Option<Range<Instant>> {
        let begin = *self.first.get()? + self.stall_after;
        (!self.stall.is_zero()).then(|| begin..begin + self.stall)
    }

    /// When an operation that begins now ends.
    fn due(&self, now: Instant) -> Instant {
        self.first.get_or_init(|| now);
        let begin = match self.stall() {
            Some(stall) if stall.contains(&now) => stall.end,
            _ => now,
        };
        begin + self.latency
    }

    /// Begins an operation and ends when it is due.
    pub async fn operation(&self) {
        let now = Instant::now();
        let due = self.due(now);
        if due.saturating_duration_since(now) > COARSE {
            tokio::time::sleep_until((due - COARSE).into()).await;
        }
        while Instant::now() < due {
            tokio::task::yield_now().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_that_begins_in_the_stall_waits_for_its_end_and_then_takes_its_time() {
        let ms = Duration::from_millis;
        let pace =
            Pace { latency: ms(3), stall: ms(100), stall_after: ms(50), first: OnceLock::new() };
        assert_eq!(pace.stall(), None);
        let first = Instant::now();
        let due = |after: u64| pace.due(first + ms(after)) - first;
        assert_eq!(due(0), ms(3));
        assert_eq!(pace.stall(), Some(first + ms(50)..first + ms(150)));
        assert_eq!(due(49), ms(52), "it began before");
        for after in [50, 51, 149] {
            assert_eq!(due(after), ms(153));
        }
        assert_eq!(due(150), ms(153));
        assert_eq!(due(200), ms(203), "there is one stall only");
    }

    #[test]
    fn nothing_asked_takes_no_time() {
        let pace = Pace { stall_after: Duration::from_secs(1), ..Pace::default() };
        assert!(!pace.slows());
        let now = Instant::now();
        assert_eq!((pace.due(now), pace.stall()), (now, None));
    }
}
