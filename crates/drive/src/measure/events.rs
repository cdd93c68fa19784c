//! Failures as events: bursts of one kind of error, each with its first message.

use std::time::Duration;

use hoap_record::ErrorKind;
use hoap_record::{Event, RunFolder};

use super::stats::Failure;

/// Failures of one kind that are closer than this are one event.
const GAP: Duration = Duration::from_secs(3);
/// Maximum number of events of a step. When there are more, the distance above doubles.
const LIMIT: usize = 200;

/// The failures of a step.
pub(crate) struct Events {
    gap: Duration,
    /// In the order in which they began.
    bursts: Vec<Burst>,
}

struct Burst {
    side: &'static str,
    failure: Failure,
}

impl Burst {
    fn is_of(&self, side: &str, kind: ErrorKind) -> bool {
        self.side == side && self.failure.kind == kind
    }
}

impl Events {
    pub fn new() -> Self {
        Events { gap: GAP, bursts: Vec::new() }
    }

    /// Adds failures of one kind on one side.
    pub fn add(&mut self, side: &'static str, failure: &Failure) {
        let last = self.bursts.iter_mut().rev().find(|b| b.is_of(side, failure.kind));
        match last {
            Some(last) if failure.from <= last.failure.to + self.gap => {
                last.failure.absorb(failure);
            }
            _ => self.bursts.push(Burst { side, failure: failure.clone() }),
        }
        while self.bursts.len() > LIMIT {
            self.gap *= 2;
            let all = std::mem::take(&mut self.bursts);
            all.iter().for_each(|b| self.add(b.side, &b.failure));
        }
    }

    /// The events of step `step`, in the order in which they began.
    pub fn list(&self, step: usize, folder: &RunFolder) -> Vec<Event> {
        let event = |Burst { side, failure }: &Burst| Event {
            step,
            from_seconds: folder.seconds_at(failure.from),
            to_seconds: folder.seconds_at(failure.to),
            side: (*side).to_owned(),
            what: failure.kind.name().to_owned(),
            count: failure.count,
            first: failure.first.clone(),
        };
        let mut events: Vec<Event> = self.bursts.iter().map(event).collect();
        events.sort_by(|a, b| a.from_seconds.total_cmp(&b.from_seconds));
        events
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn failure(start: Instant, kind: ErrorKind, from: f64, to: f64) -> Failure {
        let at = |seconds| start + Duration::from_secs_f64(seconds);
        Failure { kind, count: 10, first: format!("at {from}"), from: at(from), to: at(to) }
    }

    fn bursts(events: &Events) -> Vec<(&str, ErrorKind, u64, &str, f64)> {
        let of = |b: &'_ Burst| (b.failure.to - b.failure.from).as_secs_f64();
        let list = events.bursts.iter();
        list.map(|b| (b.side, b.failure.kind, b.failure.count, b.failure.first.as_str(), of(b)))
            .collect()
    }

    #[test]
    fn a_burst_of_one_kind_is_one_event_and_a_long_gap_ends_it() {
        use ErrorKind::{Timeout, Unavailable};
        let start = Instant::now();
        let mut events = Events::new();
        events.add("transactions", &failure(start, Unavailable, 1.0, 1.5));
        events.add("queries", &failure(start, Unavailable, 1.5, 1.5));
        events.add("transactions", &failure(start, Timeout, 2.0, 2.0));
        // Another worker had the same failure a little earlier.
        events.add("transactions", &failure(start, Unavailable, 0.5, 4.0));
        events.add("transactions", &failure(start, Unavailable, 6.9, 7.0));
        events.add("transactions", &failure(start, Unavailable, 10.1, 10.2));
        let wanted = [
            ("transactions", Unavailable, 30, "at 0.5", 6.5),
            ("queries", Unavailable, 10, "at 1.5", 0.0),
            ("transactions", Timeout, 10, "at 2", 0.0),
            ("transactions", Unavailable, 10, "at 10.1", 0.1),
        ];
        for (seen, wanted) in bursts(&events).iter().zip(wanted) {
            assert_eq!((seen.0, seen.1, seen.2, seen.3), (wanted.0, wanted.1, wanted.2, wanted.3));
            assert!((seen.4 - wanted.4).abs() < 1e-6);
        }
        assert_eq!(events.bursts.len(), wanted.len());
    }

    /// An error every ten seconds for ten hours must not fill the record.
    #[test]
    fn the_number_of_events_is_bounded_and_no_failure_is_dropped() {
        let start = Instant::now();
        let mut events = Events::new();
        for n in 0..3_600 {
            let at = f64::from(n) * 10.0;
            events.add("transactions", &failure(start, ErrorKind::Timeout, at, at));
        }
        assert!((1..=LIMIT).contains(&events.bursts.len()));
        assert_eq!(events.bursts.iter().map(|b| b.failure.count).sum::<u64>(), 36_000);
    }
}
