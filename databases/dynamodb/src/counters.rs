//! Counters of requests, their outcomes and the capacity they consumed, which all clients share.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use aws_sdk_dynamodb::config::interceptors::BeforeTransmitInterceptorContextRef;
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_sdk_dynamodb::types::ConsumedCapacity;
use hoap_record::ErrorKind;

/// Capacity comes in halves of units; thousandths leave room.
const THOUSANDTHS: f64 = 1000.0;

/// Counts since the database was opened.
#[derive(Debug, Default)]
pub(super) struct Counters {
    /// Thousandths of read and write capacity units.
    read_units: AtomicU64,
    write_units: AtomicU64,
    requests: AtomicU64,
    /// Requests sent, including retries; 0 where retries are off.
    attempts: AtomicU64,
    conflicts: AtomicU64,
    throttled: AtomicU64,
    timeouts: AtomicU64,
    failed: AtomicU64,
    /// Items of batches that the service did not process.
    unprocessed: AtomicU64,
}

/// The capacity that a request consumes, where the answer does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Units {
    Read,
    Write,
}

impl Counters {
    pub fn request(&self) {
        self.requests.fetch_add(1, Relaxed);
    }

    pub fn failure(&self, kind: ErrorKind) {
        let counter = match kind {
            ErrorKind::Conflict => &self.conflicts,
            ErrorKind::Throttled => &self.throttled,
            ErrorKind::Timeout => &self.timeouts,
            _ => &self.failed,
        };
        counter.fetch_add(1, Relaxed);
    }

    pub fn unprocessed(&self, items: usize) {
        self.unprocessed.fetch_add(items as u64, Relaxed);
    }

    /// Adds what a request consumed.
    pub fn consumed<'a>(&self, units: Units, all: impl IntoIterator<Item = &'a ConsumedCapacity>) {
        for consumed in all {
            let (read, write) = match (consumed.read_capacity_units, consumed.write_capacity_units)
            {
                (None, None) => match (consumed.capacity_units, units) {
                    (None, _) => continue,
                    (total, Units::Read) => (total, None),
                    (total, Units::Write) => (None, total),
                },
                both => both,
            };
            let add = |counter: &AtomicU64, amount: Option<f64>| {
                let amount = (amount.unwrap_or(0.0) * THOUSANDTHS).round();
                if amount > 0.0 {
                    counter.fetch_add(amount as u64, Relaxed);
                }
            };
            add(&self.read_units, read);
            add(&self.write_units, write);
        }
    }

    /// The counts by their names in results.
    pub fn all(&self) -> BTreeMap<String, f64> {
        let count = |counter: &AtomicU64| counter.load(Relaxed) as f64;
        let (requests, attempts) = (count(&self.requests), count(&self.attempts));
        [
            ("read-capacity-units", count(&self.read_units) / THOUSANDTHS),
            ("write-capacity-units", count(&self.write_units) / THOUSANDTHS),
            ("requests", requests),
            ("requests-retried", (attempts - requests).max(0.0)),
            ("requests-conflicting", count(&self.conflicts)),
            ("requests-throttled", count(&self.throttled)),
            ("requests-timed-out", count(&self.timeouts)),
            ("requests-failed", count(&self.failed)),
            ("items-unprocessed", count(&self.unprocessed)),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}

/// Counts the attempts of the driver, where it retries.
#[derive(Debug)]
pub(super) struct Attempts(pub std::sync::Arc<Counters>);

impl Intercept for Attempts {
    fn name(&self) -> &'static str {
        "hoap counts attempts"
    }

    fn read_before_attempt(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.0.attempts.fetch_add(1, Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacity_is_summed_by_what_it_is() {
        let counters = Counters::default();
        let total = |units| ConsumedCapacity::builder().capacity_units(units).build();
        counters.consumed(Units::Read, &[total(0.5), total(0.5), total(1.0)]);
        counters.consumed(Units::Write, [&total(2.0)]);
        let both = ConsumedCapacity::builder()
            .capacity_units(5.0)
            .read_capacity_units(1.0)
            .write_capacity_units(4.0)
            .build();
        counters.consumed(Units::Write, [&both]);
        counters.consumed(Units::Read, [&ConsumedCapacity::builder().build()]);
        counters.request();
        counters.failure(ErrorKind::Throttled);
        let all = counters.all();
        assert_eq!((all["read-capacity-units"], all["write-capacity-units"]), (3.0, 6.0));
        assert_eq!((all["requests"], all["requests-throttled"]), (1.0, 1.0));
        assert_eq!(all["requests-retried"], 0.0);
    }
}
