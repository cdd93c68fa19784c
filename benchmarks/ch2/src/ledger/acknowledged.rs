//! The acknowledged commits, to be compared with the database after the run.

use std::collections::BTreeMap;

use hoap_workload::checks::sample::unforeseen;
use hoap_workload::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

use super::log::Log;
use super::spill::Store;

/// A district: warehouse and number.
pub type District = (u32, u32);

/// An acknowledged NewOrder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Its key.
    pub w: u32,
    #[allow(missing_docs)]
    pub d: u32,
    #[allow(missing_docs)]
    pub o_id: u32,
    /// o_c_id.
    pub c: u32,
    /// Number of lines.
    pub lines: u32,
    /// Sum of ol_amount, cents.
    pub amount: i64,
    /// [`super::digest::order`] of its document.
    pub digest: u64,
}

/// An acknowledged Payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payment {
    /// The key of its history document.
    pub history: HistoryKey,
    /// h_w_id and h_d_id.
    pub w: u32,
    #[allow(missing_docs)]
    pub d: u32,
    /// h_amount, cents.
    pub amount: i64,
    /// [`super::digest::values`] of its history document; 0 where no answer returned it.
    pub digest: u64,
}

/// An acknowledged Delivery of one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The key of the order.
    pub w: u32,
    #[allow(missing_docs)]
    pub d: u32,
    #[allow(missing_docs)]
    pub o_id: u32,
    /// [`super::digest::delivery`] of what was written.
    pub digest: u64,
}

/// The key of a history document: run, terminal and count. Unique among all runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HistoryKey {
    /// The mark of the run.
    pub run: RunMark,
    /// Number of the terminal in the run, counted over all steps.
    pub terminal: u32,
    /// Number of the payment of this terminal, from 0.
    pub count: u32,
}

impl HistoryKey {
    /// The document's key. It begins with a letter, so that it differs from all loaded keys.
    pub fn text(self) -> String {
        format!("r{:016x}.{}.{}", self.run.0, self.terminal, self.count)
    }

    /// The inverse of [`HistoryKey::text`]; `None` for keys made by a load.
    pub fn parse(key: &str) -> Option<HistoryKey> {
        let (mark, rest) = key.strip_prefix('r')?.split_once('.')?;
        let (terminal, count) = rest.split_once('.')?;
        Some(HistoryKey {
            run: RunMark(u64::from_str_radix(mark, 16).ok()?),
            terminal: terminal.parse().ok()?,
            count: count.parse().ok()?,
        })
    }
}

/// A mark that is unique among runs on all machines, so that history keys never collide (spec §4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunMark(pub(crate) u64);

impl RunMark {
    /// A new mark.
    pub fn draw() -> Self {
        RunMark(unforeseen())
    }

    /// The key of this run with this number.
    pub fn key(self, number: u64) -> String {
        format!("r{:016x}.{number}", self.0)
    }

    /// The inverse of [`RunMark::key`]; `None` for keys of other runs.
    pub fn number(self, key: &str) -> Option<u64> {
        let (mark, number) = key.strip_prefix('r')?.split_once('.')?;
        let own = u64::from_str_radix(mark, 16).ok()? == self.0;
        number.parse().ok().filter(|_| own)
    }
}

/// The acknowledged commits of one client or of all. Ambiguous commits are kept apart: they may or
/// may not be in the database.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Acknowledged orders.
    pub orders: Log<Order>,
    /// Acknowledged payments.
    pub payments: Log<Payment>,
    /// Acknowledged deliveries, an order each.
    pub deliveries: Log<Delivery>,
    /// Orders that may or may not be there, by district.
    #[serde(with = "pairs")]
    pub ambiguous_orders: BTreeMap<District, u64>,
    /// Payments that may or may not be there.
    pub ambiguous_payments: Vec<Payment>,
    /// Deliveries that may or may not have happened, by district.
    #[serde(with = "pairs")]
    pub ambiguous_deliveries: BTreeMap<District, u64>,
}

impl Ledger {
    /// An empty one, of which each client of a run has a clone.
    pub fn on(store: &Store) -> Ledger {
        Ledger {
            orders: Log::on(store.spill()),
            payments: Log::on(store.spill()),
            deliveries: Log::on(store.spill()),
            ..Ledger::default()
        }
    }

    /// Adds the ledger of another client or driver. What is acknowledged moves, and is not copied.
    pub fn merge(&mut self, other: Ledger) {
        self.orders.append(other.orders);
        self.payments.append(other.payments);
        self.deliveries.append(other.deliveries);
        self.ambiguous_payments.extend(other.ambiguous_payments);
        for (mine, theirs) in [
            (&mut self.ambiguous_orders, other.ambiguous_orders),
            (&mut self.ambiguous_deliveries, other.ambiguous_deliveries),
        ] {
            for (district, n) in theirs {
                *mine.entry(district).or_default() += n;
            }
        }
    }

    /// Sorts what was acknowledged by key, where it is.
    pub fn sort(&mut self) {
        self.orders.sort();
        self.payments.sort();
        self.deliveries.sort();
    }

    /// Whether every commit was read that was noted.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`] if the file of those beyond the memory could not be read.
    pub fn whole(&self) -> Result<()> {
        let all = [self.orders.whole(), self.payments.whole(), self.deliveries.whole()];
        all.into_iter().collect::<std::io::Result<()>>().map_err(|e| {
            Error::new(ErrorKind::Broken, "look for the acknowledged commits", e)
                .advise("check the disk of the run folder and run again")
        })
    }

    /// The bytes of memory of what was acknowledged.
    pub fn bytes(&self) -> usize {
        self.orders.bytes() + self.payments.bytes() + self.deliveries.bytes()
    }
}

/// Counts by district in a file: a list of pairs, since a district is no name of a field.
mod pairs {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serializer};

    use crate::ledger::District;

    pub fn serialize<S: Serializer>(
        counts: &BTreeMap<District, u64>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(counts)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<District, u64>, D::Error> {
        let counts: Vec<(District, u64)> = Vec::deserialize(from)?;
        Ok(counts.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::ledger::*;

    #[test]
    fn history_keys_lead_back_to_their_payment() {
        let (run, other) = (RunMark::draw(), RunMark::draw());
        assert_ne!(run, other);
        let key = HistoryKey { run, terminal: 7, count: 123_456 };
        assert_eq!(HistoryKey::parse(&key.text()), Some(key));
        assert_ne!(HistoryKey { run: other, ..key }.text(), key.text());
        for loaded in ["1.2.3", "", "r", "r1", "r1.2", "rx.1.2"] {
            assert_eq!(HistoryKey::parse(loaded), None);
        }
    }

    /// The file's text is that of format 3.
    #[test]
    fn a_ledger_comes_back_from_its_file() {
        let history = HistoryKey { run: RunMark(u64::MAX), terminal: 1, count: 2 };
        let payment = Payment { history, w: 1, d: 10, amount: -5, digest: u64::MAX };
        let order = Order { w: 1, d: 2, o_id: 3001, c: 4, lines: 15, amount: 123_456, digest: 7 };
        let delivery = Delivery { w: 1, d: 2, o_id: 7, digest: u64::MAX - 1 };
        let ledger = Ledger {
            orders: [order, Order { o_id: 3002, ..order }].into_iter().collect(),
            payments: [payment].into_iter().collect(),
            deliveries: [delivery].into_iter().collect(),
            ambiguous_orders: BTreeMap::from([((1, 3), 1)]),
            ambiguous_payments: vec![Payment { amount: 1, ..payment }],
            ambiguous_deliveries: BTreeMap::from([((2, 9), 2)]),
        };
        let text = serde_json::to_string(&ledger).unwrap();
        assert_eq!(
            text,
            "{\"orders\":[[1,2,3001,4,15,123456,7],[1,2,3002,4,15,123456,7]],\
             \"payments\":[[18446744073709551615,1,2,1,10,-5,18446744073709551615]],\
             \"deliveries\":[[1,2,7,18446744073709551614]],\
             \"ambiguous_orders\":[[[1,3],1]],\
             \"ambiguous_payments\":[[18446744073709551615,1,2,1,10,1,18446744073709551615]],\
             \"ambiguous_deliveries\":[[[2,9],2]]}"
        );
        assert_eq!(serde_json::from_str::<Ledger>(&text).unwrap(), ledger);
    }
}
