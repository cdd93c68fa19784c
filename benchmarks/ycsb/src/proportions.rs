//! The proportions of the kinds of operations, and the draw of the next one.

use hoap_data::named;
use hoap_workload::{Error, ErrorKind, Result};

named! {
    /// A kind of operation, with YCSB's name in results, in the order of the shares of a
    /// [`Proportions`].
    #[derive(Hash)]
    #[allow(missing_docs)]
    Kind, "kind of operation":
    Read = "READ",
    Update = "UPDATE",
    Insert = "INSERT",
    Scan = "SCAN",
    ReadModifyWrite = "READ-MODIFY-WRITE",
    Delete = "DELETE",
}

impl Kind {
    /// The property that sets its share.
    pub const fn property(self) -> &'static str {
        match self {
            Kind::Read => "readproportion",
            Kind::Update => "updateproportion",
            Kind::Insert => "insertproportion",
            Kind::Scan => "scanproportion",
            Kind::ReadModifyWrite => "readmodifywriteproportion",
            Kind::Delete => "deleteproportion",
        }
    }
}

/// The number of kinds.
pub const KINDS: usize = Kind::ALL.len();

/// The share of each kind. Each draw is independent of the last (TPC-C's mix is dealt from a deck
/// instead, [`hoap_ch2::mix`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Proportions {
    shares: [f64; KINDS],
    /// The kinds with a share, and for each the sum of the shares up to it, scaled to 2^64. The
    /// last kind gets the rest.
    kinds: Vec<Kind>,
    ends: [u64; KINDS],
}

impl Proportions {
    /// Shares in the order of [`Kind::ALL`].
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where one is not in 0 to 1 or they do not sum to 1; YCSB
    /// would scale them silently.
    pub fn new(shares: [f64; KINDS]) -> Result<Self> {
        let tried = "mix the operations";
        for (kind, share) in Kind::ALL.into_iter().zip(shares) {
            if !(0.0..=1.0).contains(&share) {
                let answer = format!("{} is {share}", kind.property());
                return Err(Error::new(ErrorKind::Invalid, tried, answer).advise("use 0 to 1"));
            }
        }
        let sum: f64 = shares.iter().sum();
        if (sum - 1.0).abs() > 1e-6 {
            let listed: Vec<String> = (Kind::ALL.into_iter().zip(shares))
                .filter(|(_, share)| *share > 0.0)
                .map(|(kind, share)| format!("{} {share}", kind.property()))
                .collect();
            return Err(Error::new(
                ErrorKind::Invalid,
                tried,
                format!("the proportions sum to {sum}, not 1 ({})", listed.join(", ")),
            )
            .advise("set them so that they sum to 1; those not set keep their defaults"));
        }
        let kinds: Vec<Kind> =
            (Kind::ALL.into_iter().zip(shares)).filter(|(_, s)| *s > 0.0).map(|(k, _)| k).collect();
        let mut ends = [u64::MAX; KINDS];
        let mut before = 0.0;
        for (end, share) in ends.iter_mut().zip(shares.into_iter().filter(|s| *s > 0.0)) {
            before += share;
            *end = (before * 2f64.powi(64)) as u64;
        }
        Ok(Proportions { shares, kinds, ends })
    }

    /// The share of a kind, 0 to 1.
    pub fn share(&self, kind: Kind) -> f64 {
        self.shares[kind as usize]
    }

    /// The kinds that have a share.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// The index into [`Proportions::kinds`] for a random word.
    #[inline]
    pub fn draw(&self, word: u64) -> usize {
        let last = self.kinds.len() - 1;
        self.ends[..last].iter().position(|&end| word < end).unwrap_or(last)
    }
}

#[cfg(test)]
mod tests {
    use hoap_data::random::Stream;

    use super::*;

    /// Spec §1: operations have their shares.
    #[test]
    fn shares() {
        let mix = Proportions::new([0.5, 0.0, 0.05, 0.25, 0.15, 0.05]).unwrap();
        let kinds = [Kind::Read, Kind::Insert, Kind::Scan, Kind::ReadModifyWrite, Kind::Delete];
        assert_eq!(mix.kinds(), kinds);
        let mut counts = [0u32; 5];
        let mut stream = Stream::new(1, &[]);
        for _ in 0..100_000 {
            counts[mix.draw(stream.next_u64())] += 1;
        }
        let expected = [50_000.0, 5_000.0, 25_000.0, 15_000.0, 5_000.0f64];
        for (count, wanted) in counts.into_iter().zip(expected) {
            assert!((f64::from(count) - wanted).abs() < 5.0 * wanted.sqrt(), "{counts:?}");
        }
        let one = Proportions::new([0.0, 1.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        assert_eq!((one.draw(0), one.draw(u64::MAX), one.kinds()), (0, 0, &[Kind::Update][..]));
        assert!(Proportions::new([1.0 / 6.0; KINDS]).is_ok());
    }

    #[test]
    fn proportions_that_do_not_sum_to_one_are_refused() {
        let error = Proportions::new([0.95, 0.05, 0.05, 0.0, 0.0, 0.0]).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Invalid);
        assert!(error.to_string().contains("sum to 1.05, not 1 (readproportion 0.95, updateprop"));
        assert!(
            Proportions::new([0.0; KINDS]).unwrap_err().to_string().contains("sum to 0, not 1")
        );
        for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            let error = Proportions::new([wrong, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap_err();
            assert!(error.to_string().contains("readproportion is"), "{error}");
        }
    }
}
