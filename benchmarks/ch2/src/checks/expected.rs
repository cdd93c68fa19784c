//! The documents that a run's ledger expects in the database.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use hoap_workload::checks::Finding;
use hoap_workload::words::counted;

use super::unchanged::Sample;
use crate::ledger::log::{Entry, Log};
use crate::ledger::{Delivery, HistoryKey, Ledger, Order, Payment};

/// Commits of a ledger. They stay where they are, if they are sorted: a bit more each, and a
/// commit of each chunk.
pub(super) struct Commits<'a, T: Entry> {
    /// All of them, sorted.
    all: Cow<'a, Log<T>>,
    /// The first commit of each chunk, and how many are before it.
    chunks: Vec<(T, usize)>,
    /// A bit for each, set where the pass met it.
    met: Vec<u64>,
}

impl<T: Entry> Default for Commits<'_, T> {
    fn default() -> Self {
        Commits { all: Cow::Owned(Log::default()), chunks: Vec::new(), met: Vec::new() }
    }
}

impl<'a, T: Entry> Commits<'a, T> {
    /// None of these is met yet.
    fn of(all: &'a Log<T>) -> Self {
        let mut all = Cow::Borrowed(all);
        if !all.is_sorted() {
            all.to_mut().sort();
        }
        let (mut chunks, mut before) = (Vec::with_capacity(all.chunks()), 0);
        for at in 0..all.chunks() {
            let mut commits = all.part(at..=at);
            if let Some(first) = commits.next() {
                chunks.push((first, before));
                before += 1 + commits.count();
            }
        }
        Commits { met: vec![0; before.div_ceil(64)], all, chunks }
    }

    /// Marks the commit with this key as met.
    fn meet<K: Ord>(&mut self, key: &K, of: impl Fn(&T) -> K) -> Option<T> {
        let after = self.chunks.partition_point(|(first, _)| of(first) <= *key);
        let chunk = after.checked_sub(1)?;
        let mut commits = (self.chunks[chunk].1..).zip(self.all.part(chunk..=chunk));
        let (at, commit) = commits.find(|(_, commit)| of(commit) >= *key)?;
        (of(&commit) == *key).then(|| {
            self.met[at / 64] |= 1 << (at % 64);
            commit
        })
    }

    /// Those with keys in this range, by key.
    pub fn within<K: Ord>(
        &self,
        keys: RangeInclusive<K>,
        of: impl Fn(&T) -> K + Copy,
    ) -> impl Iterator<Item = T> {
        let (from, to) = keys.into_inner();
        let chunk = self.chunks.partition_point(|(first, _)| of(first) < from).saturating_sub(1);
        let commits = self.all.part(chunk..).skip_while(move |commit| of(commit) < from);
        commits.take_while(move |commit| of(commit) <= to)
    }

    /// All commits by key, and whether each was met.
    pub fn by_key(&self) -> impl Iterator<Item = (T, bool)> {
        let met = &self.met;
        let all = self.all.iter().enumerate();
        all.map(move |(at, commit)| (commit, (met[at / 64] >> (at % 64)) & 1 == 1))
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
        if (Order { digest: seen.digest, ..wanted }) != seen {
            self.wrong_orders.fail(|| format!(
                "orders {}.{}.{}: customer {}, {} of {} cents acknowledged; customer {}, {} of {} \
                 cents found",
                seen.w,
                seen.d,
                seen.o_id,
                wanted.c,
                lines(&wanted),
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

    fn delivery(o_id: u32, digest: u64) -> Delivery {
        Delivery { w: 1, d: 1, o_id, digest }
    }

    /// A ledger that names a commit twice is wrong: one of the two stays missing.
    #[test]
    fn each_commit_is_met_once_and_the_ledger_stays_as_it_is() {
        let all = [delivery(3, 7), delivery(1, 5), delivery(2, 6), delivery(2, 6)];
        let log: Log<Delivery> = all.into_iter().collect();
        let mut commits = Commits::of(&log);
        let number = |d: &Delivery| d.o_id;
        assert_eq!(commits.meet(&2, number), Some(delivery(2, 6)));
        assert_eq!(commits.meet(&2, number), Some(delivery(2, 6)));
        assert_eq!(commits.meet(&4, number), None);
        assert_eq!(commits.meet(&0, number), None);
        assert_eq!(commits.meet(&3, number), Some(delivery(3, 7)));
        let by_key: Vec<_> = commits.by_key().map(|(c, met)| (c.o_id, met)).collect();
        let met = by_key.iter().filter(|(_, met)| *met).map(|(key, _)| *key);
        assert_eq!(met.collect::<Vec<_>>(), [2, 3]);
        assert_eq!(by_key.iter().map(|(key, _)| *key).collect::<Vec<_>>(), [1, 2, 2, 3]);
        assert!(log.iter().eq(all));
    }

    /// In many chunks, each commit is found and no other.
    #[test]
    fn commits_are_found_by_key_and_by_range() {
        let mut log: Log<Delivery> = (0..5_000).rev().map(|n| delivery(2 * n, 1)).collect();
        log.sort();
        let mut commits = Commits::of(&log);
        let number = |d: &Delivery| d.o_id;
        assert!(commits.chunks.len() > 5);
        for n in (0..10_001).rev() {
            let there = n % 2 == 0 && n < 10_000 && n != 4_444;
            if n != 4_444 {
                assert_eq!(commits.meet(&n, number).is_some(), there, "{n}");
            }
        }
        let lost: Vec<u32> =
            commits.by_key().filter(|(_, met)| !met).map(|(c, _)| c.o_id).collect();
        assert_eq!(lost, [4_444]);
        for (from, to) in [(0, 0), (1, 1), (0, 9_999), (4_443, 4_447), (7_000, 20_000)] {
            let found = commits.within(from..=to, number).map(|c| c.o_id);
            assert!(found.eq((0..10_000).step_by(2).filter(|n| (from..=to).contains(n))));
        }
        assert_eq!(Commits::<Delivery>::default().within(0..=9, number).count(), 0);
    }
}
