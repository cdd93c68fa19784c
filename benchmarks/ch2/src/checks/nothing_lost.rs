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

/// The growth that a ledger expects of a district: what is sure, and how much more may be. Amounts
/// are in cents.
#[derive(Clone, Copy, Default)]
pub(super) struct Growth {
    pub orders: (i64, i64),
    payments: (i64, i64),
    paid: (i64, i64),
    pub deliveries: (i64, i64),
}

/// The growth of each district that a ledger has something of.
pub(super) fn wanted(ledger: &Ledger) -> BTreeMap<ledger::District, Growth> {
    let mut wanted: BTreeMap<ledger::District, Growth> = BTreeMap::new();
    for o in &ledger.orders {
        wanted.entry((o.w, o.d)).or_default().orders.0 += 1;
    }
    for (&district, &n) in &ledger.ambiguous_orders {
        wanted.entry(district).or_default().orders.1 += n as i64;
    }
    for p in &ledger.payments {
        let g = wanted.entry((p.w, p.d)).or_default();
        g.payments.0 += 1;
        g.paid.0 += p.amount;
    }
    for p in &ledger.ambiguous_payments {
        let g = wanted.entry((p.w, p.d)).or_default();
        g.payments.1 += 1;
        g.paid.1 += p.amount;
    }
    for d in &ledger.deliveries {
        wanted.entry((d.w, d.d)).or_default().deliveries.0 += 1;
    }
    for (&district, &n) in &ledger.ambiguous_deliveries {
        wanted.entry(district).or_default().deliveries.1 += n as i64;
    }
    wanted
}

/// "5", or "5 to 7".
pub(super) fn up_to(from: i64, to: i64) -> String {
    if from == to { format!("{from}") } else { format!("{from} to {to}") }
}

/// What numbers of a district must have grown by since: each with its name.
type Grown<'a> = &'a dyn Fn(&District) -> i64;

/// Counts the places where a number of a district did not grow by what is sure, or by up to so much
/// more.
fn grown<const N: usize>(
    f: &mut Finding,
    (ledger, before, after): (&Ledger, &[District], &[District]),
    numbers: impl Fn(&Growth) -> [(&'static str, Grown<'static>, (i64, i64)); N],
) {
    let wanted = wanted(ledger);
    for (i, (old, new)) in before.iter().zip(after).enumerate() {
        let growth = wanted.get(&District::place(i)).copied().unwrap_or_default();
        for (what, of, (sure, perhaps)) in numbers(&growth) {
            let grown = of(new) - of(old);
            f.expect((sure..=sure + perhaps).contains(&grown), || {
                let (key, most) = (District::key(i), up_to(sure, sure + perhaps));
                format!("district {key}: {what} grew by {grown}, acknowledged {most}")
            });
        }
    }
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
    let mut f = Finding::default();
    grown(&mut f, (ledger, before, &after.districts), |g| {
        [
            ("d_next_o_id", &|d| d.next_o_id, g.orders),
            ("count(orders)", &|d| d.orders as i64, g.orders),
            ("count(history)", &|d| d.payments as i64, g.payments),
            ("sum(h_amount) in cents", &|d| d.paid, g.paid),
        ]
    });
    f.check(when, "nothing added", compares)
}

/// The check of the counters after a run: what [`counters::read`](super::counters::read) found
/// before and after it, with what was acknowledged. Single documents are not part of it.
pub fn counters(ledger: &Ledger, before: &[District], after: &Snapshot, when: &str) -> Check {
    let mut f = after.findings.strays.clone();
    grown(&mut f, (ledger, before, &after.districts), |g| {
        [
            ("d_next_o_id", &|d| d.next_o_id, g.orders),
            ("d_ytd in cents", &|d| d.ytd.unwrap_or_default(), g.paid),
            (
                "the number of the oldest undelivered order",
                &District::oldest_undelivered,
                g.deliveries,
            ),
        ]
    });
    super::counters::sums(&mut f, after);
    let compares = "d_next_o_id, d_ytd and the oldest undelivered order of a district grew by what \
                    was acknowledged, w_ytd = sum(d_ytd)";
    f.check(when, "counters", compares)
}
