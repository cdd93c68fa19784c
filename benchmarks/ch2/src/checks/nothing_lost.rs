//! Whether every acknowledged commit is in the database and no rolled-back one is: the ledger
//! compared with two snapshots.

use std::collections::BTreeMap;

use hoap_record::check::Check;
use hoap_workload::checks::Finding;

use super::district::District;
use super::snapshot::{Reach, Snapshot};
use crate::ledger::{self, Ledger};

pub use super::expected::Expected;

impl Expected<'_> {
    /// The checks: each acknowledged NewOrder, Payment and Delivery is there as it was
    /// acknowledged, and the counts of each district grew by exactly the acknowledged commits, so
    /// no rolled-back one is there. `before` are the districts of the snapshot before the run.
    pub fn checks(
        self,
        ledger: &Ledger,
        before: &[District],
        after: &Snapshot,
        when: &str,
    ) -> Vec<Check> {
        let mut orders = self.wrong_orders;
        for (o, met) in self.orders.by_key() {
            orders.expect(met, || {
                format!("orders {}.{}.{} was acknowledged and is not there", o.w, o.d, o.o_id)
            });
        }
        let mut payments = self.wrong_payments;
        for (p, met) in self.payments.by_key() {
            payments.expect(met, || {
                format!("history {} was acknowledged and is not there", p.history.text())
            });
        }
        let mut deliveries = self.wrong_deliveries;
        for (d, met) in self.deliveries.by_key() {
            deliveries.expect(met, || {
                format!("orders {}.{}.{} was delivered and is not", d.w, d.d, d.o_id)
            });
        }
        vec![
            orders.check(
                when,
                "nothing lost: NewOrder",
                "every acknowledged order is there, each field of it and of its lines but extra \
                 ones",
            ),
            payments.check(
                when,
                "nothing lost: Payment",
                "every acknowledged payment's history document is there, each field of it",
            ),
            deliveries.check(
                when,
                "nothing lost: Delivery",
                "every order whose delivery was acknowledged has its carrier and dates",
            ),
            nothing_added(ledger, before, after, when),
        ]
    }
}

/// The growth that the ledger expects of a district.
#[derive(Clone, Copy, Default)]
struct Growth {
    orders: i64,
    ambiguous_orders: i64,
    payments: i64,
    paid: i64,
    ambiguous_payments: i64,
    ambiguous_paid: i64,
    deliveries: i64,
    ambiguous_deliveries: i64,
}

/// The growth of each district that a ledger has something of.
fn wanted(ledger: &Ledger) -> BTreeMap<ledger::District, Growth> {
    let mut wanted: BTreeMap<ledger::District, Growth> = BTreeMap::new();
    for o in &ledger.orders {
        wanted.entry((o.w, o.d)).or_default().orders += 1;
    }
    for (&district, &n) in &ledger.ambiguous_orders {
        wanted.entry(district).or_default().ambiguous_orders += n as i64;
    }
    for p in &ledger.payments {
        let g = wanted.entry((p.w, p.d)).or_default();
        g.payments += 1;
        g.paid += p.amount;
    }
    for p in &ledger.ambiguous_payments {
        let g = wanted.entry((p.w, p.d)).or_default();
        g.ambiguous_payments += 1;
        g.ambiguous_paid += p.amount;
    }
    for d in &ledger.deliveries {
        wanted.entry((d.w, d.d)).or_default().deliveries += 1;
    }
    for (&district, &n) in &ledger.ambiguous_deliveries {
        wanted.entry(district).or_default().ambiguous_deliveries += n as i64;
    }
    wanted
}

/// Counts a place where a number of the district of this index must grow by what is sure, or by up
/// to so much more.
fn within(f: &mut Finding, i: usize, what: &str, grown: i64, (sure, ambiguous): (i64, i64)) {
    f.expect((sure..=sure + ambiguous).contains(&grown), || {
        let key = District::key(i);
        let more = if ambiguous > 0 { format!(" to {}", sure + ambiguous) } else { String::new() };
        format!("district {key}: {what} grew by {grown}, acknowledged {sure}{more}")
    });
}

/// The check that the counts of each district grew by what was acknowledged and no more.
pub(super) fn nothing_added(
    ledger: &Ledger,
    before: &[District],
    after: &Snapshot,
    when: &str,
) -> Check {
    let compares = match after.reach {
        Reach::Whole => "d_next_o_id, orders, history and its sum grew by what was acknowledged",
        Reach::Touched { .. } => {
            "d_next_o_id and orders grew by what was acknowledged, as did the payments that were \
             read; history of nobody's is not looked for"
        }
    };
    growth(ledger, before, after).check(when, "nothing added", compares)
}

fn growth(ledger: &Ledger, before: &[District], after: &Snapshot) -> Finding {
    let wanted = wanted(ledger);
    let mut f = Finding::default();
    for (i, (old, new)) in before.iter().zip(&after.districts).enumerate() {
        let g = wanted.get(&District::place(i)).copied().unwrap_or_default();
        let mut within = |what: &str, grown: i64, sure: i64, ambiguous: i64| {
            within(&mut f, i, what, grown, (sure, ambiguous));
        };
        let numbers = new.next_o_id - old.next_o_id;
        within("d_next_o_id", numbers, g.orders, g.ambiguous_orders);
        let orders = new.orders as i64 - old.orders as i64;
        within("count(orders)", orders, g.orders, g.ambiguous_orders);
        let payments = new.payments as i64 - old.payments as i64;
        within("count(history)", payments, g.payments, g.ambiguous_payments);
        within("sum(h_amount) in cents", new.paid - old.paid, g.paid, g.ambiguous_paid);
    }
    f
}

/// The check of the counters after a run: what [`counters::read`](super::counters::read) found
/// before and after it, with what was acknowledged. Single documents are not part of it.
pub fn counters(ledger: &Ledger, before: &[District], after: &Snapshot, when: &str) -> Check {
    let wanted = wanted(ledger);
    let mut f = after.findings.strays.clone();
    for (i, (old, new)) in before.iter().zip(&after.districts).enumerate() {
        let g = wanted.get(&District::place(i)).copied().unwrap_or_default();
        let grown = new.next_o_id - old.next_o_id;
        within(&mut f, i, "d_next_o_id", grown, (g.orders, g.ambiguous_orders));
        let ytd = |d: &District| d.ytd.unwrap_or_default();
        let grown = ytd(new) - ytd(old);
        within(&mut f, i, "d_ytd in cents", grown, (g.paid, g.ambiguous_paid));
        let oldest = |d: &District| d.oldest_undelivered();
        let grown = oldest(new) - oldest(old);
        let deliveries = (g.deliveries, g.ambiguous_deliveries);
        within(&mut f, i, "the number of the oldest undelivered order", grown, deliveries);
    }
    super::counters::sums(&mut f, after);
    let compares = "d_next_o_id, d_ytd and the oldest undelivered order of a district grew by what \
                    was acknowledged, w_ytd = sum(d_ytd)";
    f.check(when, "counters", compares)
}
