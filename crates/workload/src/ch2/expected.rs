//! The documents that a run's ledger expects in the database.

use super::finding::Finding;
use super::ledger::{Delivery, HistoryKey, Ledger, Order, Payment};
use super::unchanged::Sample;
use crate::words::counted;

/// The documents that a run's ledger expects in the database. A snapshot's pass marks those it
/// finds.
#[derive(Default)]
pub struct Expected {
    /// Sorted; true where it was found.
    pub(super) orders: Vec<(Order, bool)>,
    pub(super) payments: Vec<(Payment, bool)>,
    pub(super) deliveries: Vec<(Delivery, bool)>,
    pub(super) wrong_orders: Finding,
    pub(super) wrong_payments: Finding,
    pub(super) wrong_deliveries: Finding,
    /// The documents that are compared field by field after the pass.
    pub sample: Sample,
}

impl Expected {
    /// No expectations, for a snapshot without a run before it.
    pub fn nothing() -> Self {
        Expected::default()
    }

    /// Expects all acknowledged commits of the ledger.
    pub fn of(ledger: &Ledger) -> Self {
        let mut orders: Vec<_> = ledger.orders.iter().map(|&o| (o, false)).collect();
        orders.sort_unstable();
        let mut payments: Vec<_> = ledger.payments.iter().map(|&p| (p, false)).collect();
        payments.sort_unstable();
        let mut deliveries: Vec<_> = ledger.deliveries.iter().map(|&d| (d, false)).collect();
        deliveries.sort_unstable();
        Expected { orders, payments, deliveries, ..Expected::default() }
    }

    /// The same with a sample of documents.
    pub fn sampling(self, sample: Sample) -> Self {
        Expected { sample, ..self }
    }

    /// Marks an order as found and compares it.
    pub fn see_order(&mut self, key: (u32, u32, u32), seen: impl FnOnce() -> Order) {
        let found = self.orders.binary_search_by_key(&key, |(o, _)| (o.w, o.d, o.o_id));
        let Ok(i) = found else { return };
        let (wanted, met) = &mut self.orders[i];
        *met = true;
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
        let found = self.deliveries.binary_search_by_key(&key, |(d, _)| (d.w, d.d, d.o_id));
        let Ok(i) = found else { return };
        let (wanted, met) = &mut self.deliveries[i];
        *met = true;
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
        let found = self.payments.binary_search_by_key(&history, |(p, _)| p.history);
        let Ok(i) = found else { return };
        let (wanted, met) = &mut self.payments[i];
        *met = true;
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
