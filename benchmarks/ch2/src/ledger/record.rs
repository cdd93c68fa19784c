//! The records of commits, of 24, 33 and 17 bytes: the key, then the rest. In a file each is the list
//! of the same numbers.
//!
//! A number that its bytes do not hold is not one of a commit, and a file alone may say it. The
//! largest that they hold stands for it, which no document has either.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::log::Entry;
use crate::ledger::{Delivery, HistoryKey, Order, Payment, RunMark};

/// Bytes that are filled from the first on.
pub(crate) struct Put<const N: usize>([u8; N], usize);

impl<const N: usize> Put<N> {
    pub fn new() -> Self {
        Put([0; N], 0)
    }

    /// Adds the bytes of a number, the highest first.
    pub fn put<const M: usize>(mut self, bytes: [u8; M]) -> Self {
        self.0[self.1..self.1 + M].copy_from_slice(&bytes);
        self.1 += M;
        self
    }

    pub fn all(self) -> [u8; N] {
        debug_assert_eq!(self.1, N);
        self.0
    }
}

/// The inverse of [`Put`].
pub(crate) struct Take<'a>(pub &'a [u8]);

impl Take<'_> {
    pub fn take<const M: usize>(&mut self) -> [u8; M] {
        let Some((bytes, rest)) = self.0.split_first_chunk() else { return [0; M] };
        self.0 = rest;
        *bytes
    }
}

/// The record of a commit: its numbers in order, each in the bytes of a type.
macro_rules! record {
    ($commit:ident, $size:literal: $($number:ident as $bytes:ty),* => $from:pat, $made:expr) => {
        // What needs no fewer bytes is converted to what it is.
        #[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions)]
        impl Entry for $commit {
            type Record = [u8; $size];

            fn pack(self) -> [u8; $size] {
                let $from = self;
                let to = Put::new();
                $(let to = to.put(<$bytes>::try_from($number).unwrap_or(<$bytes>::MAX).to_be_bytes());)*
                to.all()
            }

            fn unpack(record: [u8; $size]) -> $commit {
                let mut from = Take(&record);
                $(let $number = <$bytes>::from_be_bytes(from.take()).into();)*
                $made
            }
        }

        impl Serialize for $commit {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let $from = *self;
                ($($number,)*).serialize(to)
            }
        }

        impl<'de> Deserialize<'de> for $commit {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<$commit, D::Error> {
                let ($($number,)*) = Deserialize::deserialize(from)?;
                Ok($made)
            }
        }
    };
}

record!(
    Order, 24: w as u32, d as u8, o_id as u32, c as u16, lines as u8, amount as i32, digest as u64
        => Order { w, d, o_id, c, lines, amount, digest },
    Order { w, d, o_id, c, lines, amount, digest }
);
record!(
    Payment, 33:
    run as u64, terminal as u32, count as u32, w as u32, d as u8, amount as i32, digest as u64
        => Payment { history: HistoryKey { run: RunMark(run), terminal, count }, w, d, amount, digest },
    Payment { history: HistoryKey { run: RunMark(run), terminal, count }, w, d, amount, digest }
);
record!(
    Delivery, 17: w as u32, d as u8, o_id as u32, digest as u64
        => Delivery { w, d, o_id, digest },
    Delivery { w, d, o_id, digest }
);

#[cfg(test)]
mod tests {
    use super::*;

    /// And in the order of their keys.
    #[test]
    fn commits_come_back() {
        let order = Order { w: 1, d: 10, o_id: 300, c: 3_000, lines: 15, amount: -1, digest: 7 };
        let history = HistoryKey { run: RunMark(u64::MAX), terminal: 1, count: 256 };
        let payment = Payment { history, w: 1, d: 10, amount: 500_000, digest: u64::MAX };
        let delivery = Delivery { w: u32::MAX, d: 255, o_id: u32::MAX, digest: 1 };
        assert_eq!(Order::unpack(order.pack()), order);
        assert_eq!(Payment::unpack(payment.pack()), payment);
        assert_eq!(Delivery::unpack(delivery.pack()), delivery);
        let next = Order { o_id: 301, c: 1, lines: 5, amount: 0, digest: 0, ..order };
        assert!(order.pack() < next.pack());
        assert!(next.pack() < Order { w: 256, d: 1, ..order }.pack());
        let earlier = HistoryKey { count: 255, ..history };
        assert!(payment.pack() > Payment { history: earlier, ..payment }.pack());
    }

    #[test]
    fn what_is_no_commit_becomes_another_that_is_none() {
        let absurd =
            Order { w: 1, d: 256, o_id: 1, c: 70_000, lines: 300, amount: i64::MIN, digest: 0 };
        let Order { d, c, lines, amount, .. } = Order::unpack(absurd.pack());
        assert_eq!((d, c, lines, amount), (255, 65_535, 255, i32::MAX.into()));
    }
}
