//! The documents that a run's ledger expects in the database.

use super::finding::Finding;
use super::ledger::{Delivery, HistoryKey, Ledger, Order, Payment};
use super::unchanged::Sample;
use crate::words::counted;

/// Commits of a ledger, which stay where they are: five bytes more each.
pub(super) struct Commits<'a, T> {
    all: &'a [T],
    /// Their positions, by key.
    sorted: Vec<u32>,
    /// By position, whether the pass met it.
    met: Vec<bool>,
}

impl<T: Ord> Default for Commits<'_, T> {
    fn default() -> Self {
        Commits::of(&[])
    }
}

impl<'a, T: Ord> Commits<'a, T> {
    /// None of these is met yet. The first 2^32 have positions: all others count as missing.
    fn of(all: &'a [T]) -> Self {
        let mut sorted: Vec<u32> = (0..=u32::MAX).take(all.len()).collect();
        sorted.sort_unstable_by_key(|&at| &all[at as usize]);
        Commits { all, sorted, met: vec![false; all.len()] }
    }

    /// Marks the commit with this key as met.
    fn meet<K: Ord>(&mut self, key: &K, of: impl Fn(&T) -> K) -> Option<&'a T> {
        let all = self.all;
        let found = self.sorted.binary_search_by_key(key, |&at| of(&all[at as usize]));
        let at = self.sorted[found.ok()?] as usize;
        self.met[at] = true;
        Some(&all[at])
    }

    /// All commits, by key as far as they have positions, and whether each was met.
    pub fn by_key(&self) -> impl Iterator<Item = (&'a T, bool)> {
        let sorted = self.sorted.iter().map(|&at| at as usize);
        sorted.chain(self.sorted.len()..self.all.len()).map(|at| (&self.all[at], self.met[at]))
    }
}

/// The documents that a run's ledger expects in the database. A snapshot's pass marks those it
/// finds.
#[derive(Default)]
pub struct Expected<'a> {
    pub(super) orders: Commits<'a, Order>,
    pub(super) payments: Commits<'a, Payment>,
    pub(super) deliveries: Commits<'a, Delivery>,
    pub(super) wrong_orders: Finding,
    pub(super) wrong_payments: Finding,
    pub(super) wrong_deliveries: Finding,
    /// The documents that are compared field by field after the pass.
    pub sample: Sample,
}

impl<'a> Expected<'a> {
    /// No expectations, for a snapshot without a run before it.
    pub fn nothing() -> Self {
        Expected::default()
    }

    /// Expects all acknowledged commits of the ledger.
    pub fn of(ledger: &'a Ledger) -> Self {
        Expected {
            orders: Commits::of(&ledger.orders),
            payments: Commits::of(&ledger.payments),
            deliveries: Commits::of(&ledger.deliveries),
            ..Expected::default()
        }
    }

    /// The same with a sample of documents.
    pub fn sampling(self, sample: Sample) -> Self {
        Expected { sample, ..self }
    }

    /// Marks an order as found and compares it.
    pub fn see_order(&mut self, key: (u32, u32, u32), seen: impl FnOnce() -> Order) {
        let Some(wanted) = self.orders.meet(&key, |o| (o.w, o.d, o.o_id)) else { return };
        let seen = seen();
        let lines = |o: &Order| counted(o.lines, "line", "lines");
        if (Order { digest: seen.digest, ..*wanted }) != seen {
            self.wrong_orders.fail(|| format!(
                "orders {}.{}.{}: customer {}, {} of {} cents acknowledged; customer {}, {} of {} \
                 cents found",
                seen.w,
                seen.d,
                seen.o_id,
                wanted.c,
                lines(wanted),
                wanted.amount,
                seen.c,
                lines(&seen),
                seen.amount,
            ));
        } else if wanted.digest != seen.digest {
            self.wrong_orders.fail(|| {
                let (w, d, o_id) = key;
                format!(
                    "orders {w}.{d}.{o_id}: o_all_local, o_entry_d or a line is not as it was \
                     acknowledged"
                )
            });
        }
    }

    /// Marks the delivery of an order that has a carrier as found, and compares it.
    pub fn see_delivery(&mut self, key: (u32, u32, u32), digest: impl FnOnce() -> u64) {
        let Some(wanted) = self.deliveries.meet(&key, |d| (d.w, d.d, d.o_id)) else { return };
        if wanted.digest != digest() {
            self.wrong_deliveries.fail(|| {
                let (w, d, o_id) = key;
                format!(
                    "orders {w}.{d}.{o_id}: o_carrier_id or an ol_delivery_d is not as it was \
                     acknowledged"
                )
            });
        }
    }

    /// Marks a history document, of this district and amount, as found, and compares it.
    pub fn see_history(
        &mut self,
        key: &str,
        (w, d, amount): (u32, u32, i64),
        digest: impl FnOnce() -> u64,
    ) {
        let Some(history) = HistoryKey::parse(key) else { return };
        let Some(wanted) = self.payments.meet(&history, |p| p.history) else { return };
        if (wanted.w, wanted.d, wanted.amount) != (w, d, amount) {
            let Payment { w: ww, d: wd, amount: wa, .. } = wanted;
            self.wrong_payments.fail(|| {
                format!(
                    "history {key}: {wa} cents in {ww}.{wd} acknowledged, {amount} in {w}.{d} found"
                )
            });
        } else if wanted.digest != digest() {
            self.wrong_payments.fail(|| {
                format!(
                    "history {key}: the customer, h_date or h_data is not as it was acknowledged"
                )
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ledger that names a commit twice is wrong: one of the two stays missing.
    #[test]
    fn each_commit_is_met_once_and_the_ledger_stays_as_it_is() {
        let all = [(3, 'c'), (1, 'a'), (2, 'b'), (2, 'b')];
        let mut commits = Commits::of(&all);
        assert_eq!(commits.meet(&2, |c| c.0), Some(&(2, 'b')));
        assert_eq!(commits.meet(&4, |c| c.0), None);
        assert_eq!(commits.meet(&3, |c| c.0), Some(&(3, 'c')));
        let by_key: Vec<_> = commits.by_key().map(|(c, met)| (c.0, met)).collect();
        let met = by_key.iter().filter(|(_, met)| *met).map(|(key, _)| *key);
        assert_eq!(met.collect::<Vec<_>>(), [2, 3]);
        assert_eq!(by_key.iter().map(|(key, _)| *key).collect::<Vec<_>>(), [1, 2, 2, 3]);
    }
}
