//! How fast a load may go.

use std::time::Duration;

use super::maker::Limit;

/// The most that a load writes a second, by all clients of a process together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// Documents.
    Documents(f64),
    /// Bytes of JSON text.
    Bytes(f64),
}

/// Batches a second at least, where a limit makes them smaller.
const BATCHES: f64 = 10.0;

impl Rate {
    /// When so much may have been written, from the beginning of the load.
    pub(super) fn due(self, documents: u64, bytes: u64) -> Duration {
        let seconds = match self {
            Rate::Documents(rate) => documents as f64 / rate,
            Rate::Bytes(rate) => bytes as f64 / rate,
        };
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }

    /// The limit of a batch, so that a batch is a part of a second.
    pub(super) fn within(self, limit: Limit) -> Limit {
        let Limit { bytes, documents } = limit;
        match self {
            Rate::Documents(_) => Limit { bytes, documents: documents.min(self.at_once()) },
            Rate::Bytes(_) => Limit { bytes: bytes.min(self.at_once()), documents },
        }
    }

    /// The most of a batch in its unit.
    fn at_once(self) -> usize {
        let (Rate::Documents(rate) | Rate::Bytes(rate)) = self;
        ((rate / BATCHES) as usize).max(1)
    }

    /// The most documents at once of a writer that takes any number.
    pub(super) fn documents_at_once(self) -> u64 {
        match self {
            Rate::Documents(_) => self.at_once() as u64,
            // A document has a hundred bytes at least.
            Rate::Bytes(_) => (self.at_once() as u64 / 100).max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_decides_when_and_how_much() {
        let second = Duration::from_secs(1);
        assert_eq!(Rate::Documents(500.0).due(1000, u64::MAX), 2 * second);
        assert_eq!(Rate::Bytes(1e6).due(u64::MAX, 3_000_000), 3 * second);
        assert_eq!(Rate::Documents(1e-300).due(1, 1), Duration::MAX);
        let limit = Limit { bytes: 1000, documents: 1000 };
        let of = |rate: Rate| {
            let Limit { bytes, documents } = rate.within(limit);
            (bytes, documents)
        };
        assert_eq!(of(Rate::Documents(500.0)), (1000, 50));
        assert_eq!(of(Rate::Bytes(500.0)), (50, 1000));
        assert_eq!(of(Rate::Documents(0.1)), (1000, 1));
        assert_eq!(of(Rate::Documents(1e9)), (1000, 1000));
    }
}
