//! Whether every acknowledged commit is in the database and no rolled-back one is: the documents
//! that the ledger names, and the growth of the counts since the run began.

use std::collections::BTreeMap;

use hoap_database::Row;
use hoap_record::check::Check;
use hoap_workload::checks::Finding;
use hoap_workload::words::counted;

use super::district::District;
use super::documents::{FoundOrder, FoundPayment};
use super::snapshot::{Reach, Snapshot};
use crate::ledger::{self, Delivery, Ledger, Order, Payment, digest};

/// What was found of acknowledged commits.
#[derive(Debug, Default)]
pub struct Lost {
    orders: Finding,
    payments: Finding,
    deliveries: Finding,
}

impl Lost {
    /// Compares an acknowledged order with what is there.
    pub(super) fn order(&mut self, wanted: &Order, found: Option<&FoundOrder<'_>>) {
        let Order { w, d, o_id, .. } = *wanted;
        let Some(seen) = found.map(FoundOrder::entered) else {
            let what = || format!("orders {w}.{d}.{o_id} was acknowledged and is not there");
            return self.orders.fail(what);
        };
        let lines = |o: &Order| counted(o.lines, "line", "lines");
        let alike = Order { digest: seen.digest, ..*wanted } == seen;
        self.orders.expect(seen == *wanted, || match alike {
            true => format!(
                "orders {w}.{d}.{o_id}: o_all_local, o_entry_d or a line is not as it was \
                 acknowledged"
            ),
            false => format!(
                "orders {w}.{d}.{o_id}: customer {}, {} of {} cents acknowledged; order \
                 {}.{}.{}, customer {}, {} of {} cents found",
                wanted.c,
                lines(wanted),
                wanted.amount,
                seen.w,
                seen.d,
                seen.o_id,
                seen.c,
                lines(&seen),
                seen.amount,
            ),
        });
    }

    /// Compares an acknowledged delivery with the order that is there.
    pub(super) fn delivery(&mut self, wanted: &Delivery, found: Option<&FoundOrder<'_>>) {
        let Delivery { w, d, o_id, digest } = *wanted;
        let seen = found.and_then(FoundOrder::delivery);
        self.deliveries.expect(seen == Some(digest), || match seen {
            None => format!("orders {w}.{d}.{o_id} was delivered and is not"),
            Some(_) => format!(
                "orders {w}.{d}.{o_id}: o_carrier_id or an ol_delivery_d is not as it was \
                 acknowledged"
            ),
        });
    }

    /// Notes that two clients were told the same: an order of this number, or its delivery.
    pub(super) fn twice(&mut self, (w, d, o_id): (u32, u32, u32), [order, delivery]: [bool; 2]) {
        for (twice, finding) in [(order, &mut self.orders), (delivery, &mut self.deliveries)] {
            if twice {
                finding.fail(|| format!("orders {w}.{d}.{o_id} was acknowledged twice"));
            }
        }
    }

    /// Compares an acknowledged payment with what is there.
    pub(super) fn payment(&mut self, wanted: &Payment, found: Option<(&FoundPayment, &Row)>) {
        let key = || wanted.history.text();
        let Some((found, row)) = found else {
            let what = || format!("history {} was acknowledged and is not there", key());
            return self.payments.fail(what);
        };
        let ((w, d), amount) = (found.place, found.amount);
        let same = (u64::from(wanted.w), u64::from(wanted.d), wanted.amount) == (w, d, amount);
        self.payments.expect(same && wanted.digest == digest::values(row), || match same {
            true => format!(
                "history {}: the customer, h_date or h_data is not as it was acknowledged",
                key()
            ),
            false => format!(
                "history {}: {} cents in {}.{} acknowledged, {amount} in {w}.{d} found",
                key(),
                wanted.amount,
                wanted.w,
                wanted.d,
            ),
        });
    }

    /// The checks: each acknowledged NewOrder, Payment and Delivery is there as it was acknowledged.
    pub fn checks(self, when: &str) -> Vec<Check> {
        vec![
            self.orders.check(
                when,
                "nothing lost: NewOrder",
                "every acknowledged order is there, each field of it and of its lines but extra \
                 ones",
            ),
            self.payments.check(
                when,
                "nothing lost: Payment",
                "every acknowledged payment's history document is there, each field of it",
            ),
            self.deliveries.check(
                when,
                "nothing lost: Delivery",
                "every order whose delivery was acknowledged has its carrier and dates",
            ),
        ]
    }
}

/// The growth that the ledger expects of a district. Amounts are in cents.
#[derive(Clone, Copy, Default)]
pub(super) struct Growth {
    pub orders: i64,
    pub ambiguous_orders: i64,
    payments: i64,
    paid: i64,
    ambiguous_payments: i64,
    ambiguous_paid: i64,
    pub deliveries: i64,
    pub ambiguous_deliveries: i64,
}

/// The growth of each district that a ledger has something of.
pub(super) fn wanted(ledger: &Ledger) -> BTreeMap<ledger::District, Growth> {
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

/// The check that the counts of each district grew by exactly the acknowledged commits, so no
/// rolled-back one is there. `before` are the districts of the snapshot before the run.
pub fn nothing_added(ledger: &Ledger, before: &[District], after: &Snapshot, when: &str) -> Check {
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
