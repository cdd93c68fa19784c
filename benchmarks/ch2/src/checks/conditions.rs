//! The consistency conditions of TPC-C 3.3.2.1–3.3.2.12 on the nested documents, and the
//! cardinalities of spec §1. Amounts of money are compared in cents.

use std::collections::BTreeMap;

use hoap_record::check::{Check, Verdict};
use hoap_workload::checks::Finding;
use hoap_workload::words::counted;

use super::district::{District, Undelivered};
use super::documents::money;
use super::nothing_lost::{up_to, wanted};
use super::snapshot::{Reach, Snapshot};
use crate::data::{Collection, DataSet};
use crate::ledger::Ledger;

/// The source of the number of orders delivered since the load, for condition 11.
#[derive(Clone, Copy)]
pub enum Deliveries<'a> {
    /// The customers' c_delivery_cnt, where there is no ledger.
    OfCustomers,
    /// The state before a run and the run's ledger.
    OfLedger {
        /// The districts of the snapshot before the run.
        before: &'a [District],
        /// All clients' ledgers.
        ledger: &'a Ledger,
    },
}

/// Evaluates the twelve conditions, the cardinalities, and the counts of stocks and customers.
pub fn conditions(
    snapshot: &Snapshot,
    data: &DataSet,
    deliveries: Deliveries<'_>,
    when: &str,
) -> Vec<Check> {
    let whole = snapshot.reach == Reach::Whole;
    let findings = &snapshot.findings;
    let mut checks: Vec<Check> = numbered(snapshot, data, deliveries)
        .into_iter()
        .map(|(n, finding, compares)| {
            let scope = if whole || n == 1 { "" } else { TOUCHED };
            let clause = format!("{compares} (TPC-C 3.3.2.{n}){scope}");
            finding.check(when, &format!("condition {n}"), &clause)
        })
        .collect();
    let counted = match whole {
        true => "documents of each collection (spec 1); orders and history may have grown",
        false => {
            "warehouses and districts (spec 1) are all there, and every other document that was read"
        }
    };
    checks.push(cardinalities(snapshot, data).check(when, "cardinalities", counted));
    let scope = if whole { "of a warehouse" } else { "of each stock that was read" };
    let counts = format!(
        "s_ytd, s_order_cnt, s_remote_cnt {scope} grew since the load by what order lines took"
    );
    checks.push(findings.stock_counts.clone().check(when, "stock counts", &counts));
    let scope = if whole { "" } else { TOUCHED };
    let quantities =
        "s_quantity = what the load made, less s_ytd, filled up by 91s (TPC-C 2.4.2.2)";
    checks.push(findings.stock_quantities.clone().check(
        when,
        "stock quantities",
        &format!("{quantities}{scope}"),
    ));
    checks.push(findings.customer_counts.clone().check(
        when,
        "customer counts",
        &format!(
            "c_payment_cnt = count(history), c_delivery_cnt = orders delivered since the load{scope}"
        ),
    ));
    if snapshot.reach == (Reach::Touched { fresh: false }) {
        for check in checks.iter_mut().filter(|check| SINCE_THE_LOAD.contains(&&*check.name)) {
            undecided(check);
        }
    }
    checks
}

/// The twelve conditions, and what each compares.
fn numbered(
    snapshot: &Snapshot,
    data: &DataSet,
    deliveries: Deliveries<'_>,
) -> [(u32, Finding, &'static str); 12] {
    let [five, six, seven] = snapshot.findings.orders.clone();
    let [ten, twelve] = snapshot.findings.balances.clone();
    let mut one = Finding::default();
    super::counters::sums(&mut one, snapshot);
    let two = districts(snapshot, |f, place, d| {
        let last = ("d_next_o_id - 1", d.next_o_id - 1);
        f.equal(place, last, ("max(o_id)", d.max_o_id));
        if let Some((_, max)) = d.neworders.ends {
            f.equal(place, last, ("max(no_o_id)", i64::from(max)));
        }
    });
    let three = districts(snapshot, |f, place, d| {
        if let ends @ Some(_) = d.neworders.ends {
            let span = Undelivered::between(ends).count;
            f.equal(place, ("max - min + 1", span), ("count(neworder)", d.neworders.count));
        }
    });
    let four = districts(snapshot, |f, place, d| {
        f.equal(place, ("sum(o_ol_cnt)", d.ol_cnt), ("lines", d.lines));
    });
    let mut eight = Finding::default();
    for (w, districts) in snapshot.districts.chunks(10).enumerate() {
        let paid = money(Some(districts.iter().map(|d| d.paid).sum()));
        let place = || format!("warehouse {}", w + 1);
        eight.equal(place, ("w_ytd", money(snapshot.w_ytd[w])), ("sum(h_amount)", paid));
    }
    let nine = districts(snapshot, |f, place, d| {
        f.equal(place, ("d_ytd", money(d.ytd)), ("sum(h_amount)", money(Some(d.paid))));
    });
    let eleven = eleven(snapshot, data, deliveries);
    [
        (1, one, "w_ytd = sum(d_ytd)"),
        (2, two, "d_next_o_id - 1 = max(o_id) = max(no_o_id)"),
        (3, three, "max(no_o_id) - min(no_o_id) + 1 = count(neworder)"),
        (4, four, "sum(o_ol_cnt) = nested order lines"),
        (5, five, "o_carrier_id is null exactly where a neworder exists"),
        (6, six, "o_ol_cnt = lines of the order"),
        (7, seven, "ol_delivery_d is null exactly where o_carrier_id is"),
        (8, eight, "w_ytd = sum(h_amount)"),
        (9, nine, "d_ytd = sum(h_amount)"),
        (10, ten, "c_balance = sum(delivered ol_amount) - sum(h_amount)"),
        (11, eleven, "count(orders) - count(neworder) = delivered"),
        (12, twelve, "c_balance + c_ytd_payment = sum(delivered ol_amount)"),
    ]
}

/// What a check covers of a snapshot that is [`Reach::Touched`].
const TOUCHED: &str = ", of what the run touched and a sample";

/// The checks that add up everything since the load, which a run's ledger alone does not name.
const SINCE_THE_LOAD: [&str; 4] =
    ["condition 10", "condition 12", "stock counts", "customer counts"];

/// A check of sums since the load after more than one run: where nothing contradicts a run's own
/// ledger, it is skipped.
fn undecided(check: &mut Check) {
    if check.verdict == Verdict::Pass {
        check.verdict = Verdict::Skip;
        check.detail = Some(
            "not decided: earlier runs wrote to this data, and this run's ledger does not name \
             what; --check full compares it"
                .into(),
        );
    }
}

/// Judges each district, with its name in messages.
fn districts(
    s: &Snapshot,
    judge: impl Fn(&mut Finding, &dyn Fn() -> String, &District),
) -> Finding {
    let mut f = Finding::default();
    for (i, d) in s.districts.iter().enumerate() {
        judge(&mut f, &|| format!("district {}", District::key(i)), d);
    }
    f
}

fn eleven(s: &Snapshot, data: &DataSet, deliveries: Deliveries<'_>) -> Finding {
    let mut f = Finding::default();
    let delivered_of = |d: &District| d.orders as i64 - d.neworders.count as i64;
    let growth = match deliveries {
        Deliveries::OfLedger { ledger, .. } => wanted(ledger),
        Deliveries::OfCustomers => BTreeMap::new(),
    };
    for (i, d) in s.districts.iter().enumerate() {
        let (from, perhaps) = match deliveries {
            Deliveries::OfCustomers => (i64::from(data.delivered_per_district()) + d.deliveries, 0),
            Deliveries::OfLedger { before, .. } => {
                let g = growth.get(&District::place(i)).copied().unwrap_or_default();
                (delivered_of(&before[i]) + g.deliveries.0, g.deliveries.1)
            }
        };
        let (delivered, to) = (delivered_of(d), from + perhaps);
        f.expect((from..=to).contains(&delivered), || {
            let (place, most) = (District::key(i), up_to(from, to));
            format!(
                "district {place}: count(orders) - count(neworder) {delivered}, delivered {most}"
            )
        });
    }
    f
}

/// Spec §1: the exact number for collections that transactions do not add to, at least the loaded
/// number for orders and history. Undelivered orders are not compared.
fn cardinalities(s: &Snapshot, data: &DataSet) -> Finding {
    let mut f = s.findings.strays.clone();
    for (c, count) in Collection::ALL.into_iter().zip(s.counts) {
        let Some(count) = count else { continue };
        let wanted = data.count(c);
        let (holds, relation) = match c {
            Collection::Orders | Collection::History => (count >= wanted, "at least "),
            Collection::Neworder => (true, ""),
            _ => (count == wanted, ""),
        };
        f.expect(holds, || {
            let count = counted(count, "document", "documents");
            format!("{}: {count}, not {relation}{wanted}", c.name())
        });
    }
    f
}
