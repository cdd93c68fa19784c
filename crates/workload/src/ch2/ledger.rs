//! What the driver knows was acknowledged, to be held against the database afterwards.

use std::collections::BTreeMap;

use hoap_data::random::Stream;

/// A district: warehouse and number.
pub type District = (u32, u32);

/// An acknowledged NewOrder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
}

/// An acknowledged Payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Payment {
    /// With the run's mark the key of its history document.
    pub history: HistoryKey,
    /// h_w_id and h_d_id.
    pub w: u32,
    #[allow(missing_docs)]
    pub d: u32,
    /// h_amount, cents.
    pub amount: i64,
}

/// Terminal and count: unique within a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HistoryKey {
    /// Number of the terminal in the run, steps included.
    pub terminal: u32,
    /// Its payments, counted from 0.
    pub count: u32,
}

impl HistoryKey {
    /// The document's key. It begins with a letter, so that no loaded key is like it.
    pub fn text(self, run: RunMark) -> String {
        format!("r{:016x}.{}.{}", run.0, self.terminal, self.count)
    }

    /// The inverse of [`HistoryKey::text`]; `None` for keys of the load and of other runs.
    pub fn parse(key: &str, run: RunMark) -> Option<HistoryKey> {
        let rest = key.strip_prefix('r')?;
        let (mark, rest) = rest.split_once('.')?;
        let (terminal, count) = rest.split_once('.')?;
        let own = u64::from_str_radix(mark, 16).ok()? == run.0;
        let key = HistoryKey { terminal: terminal.parse().ok()?, count: count.parse().ok()? };
        own.then_some(key)
    }
}

/// A mark that no other run has, on this machine or another: history keys never collide (spec §4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunMark(u64);

impl RunMark {
    /// A new mark, from the clock, the process and the hasher's keys that the system draws at random.
    pub fn draw() -> Self {
        use std::hash::{BuildHasher, Hasher};
        let mut hasher = std::hash::RandomState::new().build_hasher();
        hasher.write_u32(std::process::id());
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        hasher.write_u128(now.map(|d| d.as_nanos()).unwrap_or_default());
        RunMark(Stream::new(hasher.finish(), &[]).next_u64())
    }

    /// A key of this run's.
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

/// What one client, or all together, saw acknowledged. Ambiguous commits are kept apart: they may
/// or may not be in the database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Acknowledged orders.
    pub orders: Vec<Order>,
    /// Acknowledged payments.
    pub payments: Vec<Payment>,
    /// Acknowledged deliveries of each district.
    pub deliveries: BTreeMap<District, u64>,
    /// Orders that may or may not be there, by district.
    pub ambiguous_orders: BTreeMap<District, u64>,
    /// Payments that may or may not be there.
    pub ambiguous_payments: Vec<Payment>,
    /// Deliveries that may or may not have happened, by district.
    pub ambiguous_deliveries: BTreeMap<District, u64>,
}

impl Ledger {
    /// Adds another client's.
    pub fn merge(&mut self, other: Ledger) {
        self.orders.extend(other.orders);
        self.payments.extend(other.payments);
        self.ambiguous_payments.extend(other.ambiguous_payments);
        for (mine, theirs) in [
            (&mut self.deliveries, other.deliveries),
            (&mut self.ambiguous_orders, other.ambiguous_orders),
            (&mut self.ambiguous_deliveries, other.ambiguous_deliveries),
        ] {
            for (district, n) in theirs {
                *mine.entry(district).or_default() += n;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_keys_lead_back_to_their_payment_and_only_in_their_run() {
        let (run, other) = (RunMark::draw(), RunMark::draw());
        assert_ne!(run, other);
        let key = HistoryKey { terminal: 7, count: 123_456 };
        let text = key.text(run);
        assert_eq!(HistoryKey::parse(&text, run), Some(key));
        assert_eq!(HistoryKey::parse(&text, other), None);
        for loaded in ["1.2.3", "", "r", "r1", "r1.2", "rx.1.2"] {
            assert_eq!(HistoryKey::parse(loaded, run), None);
        }
    }
}
