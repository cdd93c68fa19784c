//! The audit of the mix (TPC-C 9.2), at the end of a run.

use hoap_record::check::{AuditLine, Verdict};
use serde::{Deserialize, Serialize};

use super::draws::{Drawn, Shape, add, sum};
use crate::input::{NewOrder, OrderStatus, Payment, Who};
use crate::mix::Kind;

/// The fewest transactions that the audit judges (spec §6).
const ENOUGH: u64 = 10_000;

/// The counts of the audit: executed transactions, the warm-up included.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    executed: [u64; 5],
    rollbacks: u64,
    lines: u64,
    remote_lines: u64,
    remote_payments: u64,
    payments_by_name: u64,
    status_by_name: u64,
    skipped_districts: u64,
    /// The draws of all transactions, executed or not.
    pub drawn: Drawn,
}

impl Tally {
    /// Adds the counts of another client.
    pub fn merge(&mut self, other: &Tally) {
        add(&mut self.executed, &other.executed);
        for (mine, theirs) in [
            (&mut self.rollbacks, other.rollbacks),
            (&mut self.lines, other.lines),
            (&mut self.remote_lines, other.remote_lines),
            (&mut self.remote_payments, other.remote_payments),
            (&mut self.payments_by_name, other.payments_by_name),
            (&mut self.status_by_name, other.status_by_name),
            (&mut self.skipped_districts, other.skipped_districts),
        ] {
            *mine = mine.saturating_add(theirs);
        }
        self.drawn.merge(&other.drawn);
    }

    /// Counts an executed NewOrder.
    pub fn new_order(&mut self, input: &NewOrder, rolled_back: bool) {
        self.executed[Kind::NewOrder as usize] += 1;
        self.rollbacks += u64::from(rolled_back);
        self.lines += input.lines.len() as u64;
        let remote = input.lines.iter().filter(|l| l.supply_w != input.w).count();
        self.remote_lines += remote as u64;
    }

    /// Counts an executed Payment.
    pub fn payment(&mut self, input: &Payment) {
        self.executed[Kind::Payment as usize] += 1;
        self.remote_payments += u64::from(input.c_w != input.w);
        self.payments_by_name += u64::from(matches!(input.who, Who::Name(_)));
    }

    /// Counts an executed OrderStatus.
    pub fn order_status(&mut self, input: &OrderStatus) {
        self.executed[Kind::OrderStatus as usize] += 1;
        self.status_by_name += u64::from(matches!(input.who, Who::Name(_)));
    }

    /// Counts an executed Delivery; `skipped` of its districts had nothing to deliver.
    pub fn delivery(&mut self, skipped: u64) {
        self.executed[Kind::Delivery as usize] += 1;
        self.skipped_districts += skipped;
    }

    /// Counts an executed StockLevel.
    pub fn stock_level(&mut self) {
        self.executed[Kind::StockLevel as usize] += 1;
    }

    /// The lines of the audit for a run on `warehouses` warehouses: the shares and, where `shape`
    /// gives the distributions that the draws must have, their tests.
    pub fn audit(&self, warehouses: u32, shape: Option<&Shape>) -> Vec<AuditLine> {
        let all = sum(&self.executed);
        let of = |kind: Kind| self.executed[kind as usize];
        let shares = Kind::ALL.iter().map(|&kind| {
            let wanted = kind.percent() as f64;
            let slack = if wanted > 10.0 { 1.0 } else { 0.5 };
            Share {
                name: format!("{} share", kind.name()),
                clause: "5.2.3",
                part: of(kind),
                whole: all,
                wanted: (wanted - slack, wanted + slack),
                needs_warehouses: 1,
            }
        });
        let share = |name: &str, clause, part, whole, wanted, needs_warehouses| Share {
            name: name.into(),
            clause,
            part,
            whole,
            wanted,
            needs_warehouses,
        };
        let (orders, payments) = (of(Kind::NewOrder), of(Kind::Payment));
        let status = of(Kind::OrderStatus);
        let districts = of(Kind::Delivery).saturating_mul(10);
        let others = [
            share("rollbacks", "2.4.1.4", self.rollbacks, orders, (0.9, 1.1), 1),
            share("remote order lines", "2.4.1.5", self.remote_lines, self.lines, (0.95, 1.05), 2),
            share("remote payments", "2.5.1.2", self.remote_payments, payments, (14.0, 16.0), 2),
            share("payments by name", "2.5.1.2", self.payments_by_name, payments, (57.0, 63.0), 1),
            share("order status by name", "2.6.1.2", self.status_by_name, status, (57.0, 63.0), 1),
            share(
                "skipped deliveries",
                "2.7.4.2",
                self.skipped_districts,
                districts,
                (0.0, 1.0),
                1,
            ),
        ];
        let enough = all >= ENOUGH;
        let mut lines: Vec<AuditLine> =
            shares.chain(others).map(|s| s.line(enough, warehouses)).collect();
        let average = self.lines as f64 / orders.max(1) as f64;
        lines.push(AuditLine {
            name: "lines per order".into(),
            clause: "TPC-C 2.4.1.3".into(),
            seen: format!("{average:.2}"),
            wanted: "9.5–10.5".into(),
            verdict: verdict(enough, (9.5..=10.5).contains(&average)),
        });
        lines.extend(shape.into_iter().flat_map(|shape| self.drawn.audit(shape, enough)));
        lines
    }
}

struct Share {
    name: String,
    clause: &'static str,
    part: u64,
    whole: u64,
    wanted: (f64, f64),
    needs_warehouses: u32,
}

impl Share {
    fn line(self, enough: bool, warehouses: u32) -> AuditLine {
        let percent = 100.0 * self.part as f64 / self.whole.max(1) as f64;
        let (from, to) = self.wanted;
        let possible = warehouses >= self.needs_warehouses;
        AuditLine {
            name: self.name,
            clause: format!("TPC-C {}", self.clause),
            seen: match possible {
                true => format!("{percent:.2} %"),
                false => "one warehouse has no other".into(),
            },
            wanted: format!("{from}–{to} %"),
            verdict: verdict(enough && possible, (from..=to).contains(&percent)),
        }
    }
}

fn verdict(decided: bool, holds: bool) -> Verdict {
    match (decided, holds) {
        (false, _) => Verdict::Skip,
        (true, true) => Verdict::Pass,
        (true, false) => Verdict::Fail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> Tally {
        Tally {
            executed: [45_000, 43_000, 4000, 4000, 4000],
            rollbacks: 450,
            lines: 450_000,
            remote_lines: 4500,
            remote_payments: 6450,
            payments_by_name: 25_800,
            status_by_name: 2400,
            skipped_districts: 0,
            drawn: Drawn::default(),
        }
    }

    fn verdict_of(tally: &Tally, name: &str) -> Verdict {
        tally.audit(10, None).into_iter().find(|l| l.name == name).unwrap().verdict
    }

    /// TPC-C 9.2, spec §6.
    #[test]
    fn a_good_run_passes_and_each_deviation_fails_its_line() {
        assert!(good().audit(10, None).iter().all(|l| l.verdict == Verdict::Pass));
        type Break = fn(&mut Tally);
        let broken: [(&str, Break); 9] = [
            ("NewOrder share", |t| t.executed[0] = 60_000),
            ("StockLevel share", |t| t.executed[4] = 3000),
            ("rollbacks", |t| t.rollbacks = 0),
            ("remote order lines", |t| t.remote_lines = 6000),
            ("remote payments", |t| t.remote_payments = 5000),
            ("payments by name", |t| t.payments_by_name = 20_000),
            ("order status by name", |t| t.status_by_name = 1000),
            ("skipped deliveries", |t| t.skipped_districts = 401),
            ("lines per order", |t| t.lines = 400_000),
        ];
        for (name, break_it) in broken {
            let mut tally = good();
            break_it(&mut tally);
            assert_eq!(verdict_of(&tally, name), Verdict::Fail, "{name}");
        }
    }

    #[test]
    fn a_short_run_and_a_single_warehouse_are_skipped_not_passed() {
        let short = Tally { executed: [4, 4, 0, 0, 0], ..Tally::default() };
        assert!(short.audit(10, None).iter().all(|l| l.verdict == Verdict::Skip));
        let lines = good().audit(1, None);
        let skipped: Vec<_> =
            lines.iter().filter(|l| l.verdict == Verdict::Skip).map(|l| &l.name).collect();
        assert_eq!(skipped, ["remote order lines", "remote payments"]);
    }
}
