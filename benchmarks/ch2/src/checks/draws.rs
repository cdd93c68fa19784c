//! Chi-square tests of the clients' draws against the distributions of TPC-C (9.2.2.5).
//!
//! Draws are counted, not executed transactions: failures in a hot district would bias the shares
//! of the executed ones, and the transactions that the end of a run cuts off are the long ones.

use std::sync::Arc;

use hoap_record::check::{AuditLine, Verdict};
use serde::{Deserialize, Serialize};

use crate::data::DataSet;
use crate::input::{NewOrder, OrderStatus, Payment, Who};
use crate::nurand::{Constants, probabilities};

/// Groups of customers, items or warehouses.
const GROUPS: usize = 32;

/// The least expected count of a group, so that its count is close to normally distributed.
const EXPECTED: f64 = 25.0;

/// The quantile of the normal distribution with a tail of 1e-8. The bound of a line is 1e-8 by the
/// approximation, so that the true probability of a false failure stays below 1e-6, with counts
/// instead of normal variables and two statistics in a line.
const QUANTILE: f64 = 5.612;

/// The values of NURand in groups of nearly equal total probability; values of similar probability
/// share a group.
#[derive(Debug)]
struct Groups {
    /// The group of each value, from the smallest value on.
    of: Vec<u8>,
    probability: [f64; GROUPS],
}

impl Groups {
    fn new(probabilities: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..probabilities.len()).collect();
        order.sort_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]));
        let (mut of, mut probability) = (vec![0; probabilities.len()], [0.0; GROUPS]);
        let mut sum = 0.0;
        for value in order {
            let group = ((sum + probabilities[value] / 2.0) * GROUPS as f64) as usize;
            let group = group.min(GROUPS - 1);
            of[value] = group as u8;
            probability[group] += probabilities[value];
            sum += probabilities[value];
        }
        Groups { of, probability }
    }
}

/// The distributions of a run's customers and items (TPC-C 2.1.6), shared by all clients.
#[derive(Clone, Debug)]
pub struct Shape {
    customers: Arc<Groups>,
    items: Arc<Groups>,
    warehouses: u32,
}

impl Shape {
    /// The distributions of the customers of a district and of the items with these constants.
    pub fn of(data: &DataSet, constants: &Constants) -> Self {
        let warehouses = data.spec().warehouses;
        let (customers, items) = (data.customers_per_district(), data.items());
        let of = |a, c, n| Arc::new(Groups::new(&probabilities(a, c, n)));
        Shape {
            customers: of(1023, constants.c_id, customers),
            items: of(8191, constants.ol_i_id, items),
            warehouses,
        }
    }

    /// The group of a warehouse, which counts from 1.
    fn warehouse(&self, w: u32) -> usize {
        fold(w - 1, self.warehouses)
    }

    /// The group of the cyclic distance from one warehouse to another.
    fn distance(&self, from: u32, to: u32) -> usize {
        fold((to + self.warehouses - from) % self.warehouses - 1, self.warehouses - 1)
    }
}

/// The group of a value below `n`; neighbours share a group.
fn fold(value: u32, n: u32) -> usize {
    (u64::from(value) * groups(n) as u64 / u64::from(n)) as usize
}

fn groups(n: u32) -> usize {
    (n as usize).min(GROUPS)
}

/// The number of values below `n` in each group.
fn sizes(n: u32) -> Vec<f64> {
    let mut sizes = vec![0.0; groups(n)];
    (0..n).for_each(|value| sizes[fold(value, n)] += 1.0);
    sizes
}

/// Draws of remote warehouses, in groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Remote {
    /// By home warehouse.
    from: [u64; GROUPS],
    to: [u64; GROUPS],
    by_distance: [u64; GROUPS],
}

impl Remote {
    fn add(&mut self, shape: &Shape, from: u32, to: u32) {
        self.from[shape.warehouse(from)] += 1;
        self.to[shape.warehouse(to)] += 1;
        self.by_distance[shape.distance(from, to)] += 1;
    }

    /// Two statistics: a bias towards some warehouses shows in the positions, a bias towards
    /// neighbours in the distances. A remote warehouse is never the home warehouse, so the first
    /// statistic has a slightly smaller variance than chi-square; this errs on the safe side.
    fn tests(&self, warehouses: u32) -> Vec<Test> {
        let all = sum(&self.to) as f64;
        let others = f64::from(warehouses - 1);
        let sizes_to = sizes(warehouses);
        let to = sizes_to.iter().zip(&self.from).map(|(&size, &from)| {
            // Of the draws from a home in this group, a share stays in the group: its other
            // warehouses.
            (all - from as f64) * size / others + from as f64 * (size - 1.0) / others
        });
        let by_distance = sizes(warehouses - 1).into_iter().map(|size| all * size / others);
        vec![Test::new(&self.to, to), Test::new(&self.by_distance, by_distance)]
    }
}

/// The counts of draws, in groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drawn {
    /// Orders by number of lines, 5 to 15.
    lines: [u64; 11],
    /// Home districts of NewOrder, Payment and OrderStatus.
    districts: [[u64; 10]; 3],
    remote_lines: Remote,
    remote_payments: Remote,
    customers: [u64; GROUPS],
    items: [u64; GROUPS],
}

fn count<const N: usize>(counts: &mut [u64; N], at: Option<usize>) {
    if let Some(count) = at.and_then(|at| counts.get_mut(at)) {
        *count += 1;
    }
}

/// Adds counts to counts. Those of another driver are read from its file, whatever it says.
pub(super) fn add(mine: &mut [u64], theirs: &[u64]) {
    let both = mine.iter_mut().zip(theirs);
    both.for_each(|(mine, theirs)| *mine = mine.saturating_add(*theirs));
}

/// The sum of counts.
pub(super) fn sum(counts: &[u64]) -> u64 {
    counts.iter().copied().fold(0, u64::saturating_add)
}

fn before(n: u32, first: u32) -> Option<usize> {
    n.checked_sub(first).map(|at| at as usize)
}

impl Drawn {
    /// Adds the counts of another client.
    pub fn merge(&mut self, other: &Drawn) {
        add(&mut self.lines, &other.lines);
        for (mine, theirs) in self.districts.iter_mut().zip(&other.districts) {
            add(mine, theirs);
        }
        for (mine, theirs) in [
            (&mut self.remote_lines, &other.remote_lines),
            (&mut self.remote_payments, &other.remote_payments),
        ] {
            add(&mut mine.from, &theirs.from);
            add(&mut mine.to, &theirs.to);
            add(&mut mine.by_distance, &theirs.by_distance);
        }
        add(&mut self.customers, &other.customers);
        add(&mut self.items, &other.items);
    }

    /// Counts the draws of a NewOrder, except the unused item of one that is to roll back.
    pub fn new_order(&mut self, shape: &Shape, input: &NewOrder) {
        count(&mut self.lines, before(input.lines.len() as u32, 5));
        count(&mut self.districts[0], before(input.d, 1));
        self.customer(shape, input.c);
        for line in &input.lines {
            if let Some(&group) = shape.items.of.get(line.item as usize - 1) {
                self.items[usize::from(group)] += 1;
            }
            if line.supply_w != input.w {
                self.remote_lines.add(shape, input.w, line.supply_w);
            }
        }
    }

    /// Counts the draws of a Payment.
    pub fn payment(&mut self, shape: &Shape, input: &Payment) {
        count(&mut self.districts[1], before(input.d, 1));
        if input.c_w != input.w {
            self.remote_payments.add(shape, input.w, input.c_w);
        }
        self.who(shape, &input.who);
    }

    /// Counts the draws of an OrderStatus.
    pub fn order_status(&mut self, shape: &Shape, input: &OrderStatus) {
        count(&mut self.districts[2], before(input.d, 1));
        self.who(shape, &input.who);
    }

    fn who(&mut self, shape: &Shape, who: &Who) {
        if let Who::Id(c) = who {
            self.customer(shape, *c);
        }
    }

    fn customer(&mut self, shape: &Shape, c: u32) {
        if let Some(&group) = shape.customers.of.get(c as usize - 1) {
            self.customers[usize::from(group)] += 1;
        }
    }

    /// The lines of the audit. `enough`: whether there are enough transactions to judge.
    pub fn audit(&self, shape: &Shape, enough: bool) -> Vec<AuditLine> {
        let all = |counts: &[u64]| sum(counts) as f64;
        let even = |counts: &[u64]| {
            let each = all(counts) / counts.len() as f64;
            Test::new(counts, counts.iter().map(|_| each))
        };
        let groups = |counts: &[u64; GROUPS], groups: &Groups| {
            let all = all(counts);
            vec![Test::new(counts, groups.probability.iter().map(|p| all * p))]
        };
        let districts = self.districts.iter().map(|counts| even(counts));
        let districts = districts.reduce(|one, other| one.and(&other));
        let remote = |remote: &Remote| match shape.warehouses > 2 {
            true => Ok(remote.tests(shape.warehouses)),
            false => Err("no choice among others"),
        };
        [
            ("order lines 5–15", "2.4.1.3", Ok(vec![even(&self.lines)])),
            ("remote line warehouses", "2.4.1.5", remote(&self.remote_lines)),
            ("remote payment warehouses", "2.5.1.2", remote(&self.remote_payments)),
            ("home districts", "2.4.1.2", Ok(districts.into_iter().collect())),
            ("customers by NURand", "2.1.6", Ok(groups(&self.customers, &shape.customers))),
            ("items by NURand", "2.1.6", Ok(groups(&self.items, &shape.items))),
        ]
        .map(|(name, clause, tests)| line(name, clause, tests, enough))
        .into()
    }
}

fn line(name: &str, clause: &str, tests: Result<Vec<Test>, &str>, enough: bool) -> AuditLine {
    let (seen, wanted, decided, holds) = match &tests {
        Err(why) => ((*why).to_owned(), "uniform".to_owned(), false, false),
        Ok(tests) => {
            let join = |each: &dyn Fn(&Test) -> String| {
                tests.iter().map(each).collect::<Vec<_>>().join(", ")
            };
            (
                join(&|t| format!("χ² {:.1}", t.statistic)),
                join(&|t| format!("below {:.1}", t.bound())),
                enough && tests.iter().all(|t| t.freedom > 0.0),
                tests.iter().all(|t| t.statistic < t.bound()),
            )
        }
    };
    let verdict = match (decided, holds) {
        (false, _) => Verdict::Skip,
        (true, true) => Verdict::Pass,
        (true, false) => Verdict::Fail,
    };
    AuditLine {
        name: name.into(),
        clause: format!("TPC-C 9.2.2.5, {clause}"),
        seen,
        wanted,
        verdict,
    }
}

/// Pearson's chi-square test.
#[derive(Clone, Copy, Debug)]
struct Test {
    statistic: f64,
    freedom: f64,
}

impl Test {
    /// The test of these counts. Groups with a small expected count are merged with their
    /// neighbours.
    fn new(seen: &[u64], expected: impl Iterator<Item = f64>) -> Self {
        let mut groups: Vec<(f64, f64)> = Vec::new();
        let mut open = (0.0, 0.0);
        for (&seen, expected) in seen.iter().zip(expected) {
            open = (open.0 + seen as f64, open.1 + expected);
            if open.1 >= EXPECTED {
                groups.push(std::mem::take(&mut open));
            }
        }
        match groups.last_mut() {
            Some(last) => *last = (last.0 + open.0, last.1 + open.1),
            None => groups.push(open),
        }
        let statistic = groups
            .iter()
            .filter(|(_, expected)| *expected > 0.0)
            .map(|(seen, expected)| (seen - expected).powi(2) / expected)
            // A sum of nothing is minus zero.
            .fold(0.0, |sum, part| sum + part);
        Test { statistic, freedom: groups.len() as f64 - 1.0 }
    }

    /// Adds an independent test.
    fn and(self, other: &Test) -> Test {
        let statistic = self.statistic + other.statistic;
        Test { statistic, freedom: self.freedom + other.freedom }
    }

    /// The bound by the approximation of Wilson and Hilferty, which is above the true quantile this
    /// far out.
    fn bound(&self) -> f64 {
        let share = 2.0 / (9.0 * self.freedom.max(1.0));
        self.freedom.max(1.0) * (1.0 - share + QUANTILE * share.sqrt()).powi(3)
    }
}

#[cfg(test)]
mod tests {
    use hoap_data::random::Stream;

    use super::*;
    use crate::data::{Schema, Spec};
    use crate::input::{Inputs, OrderLine};

    fn inputs(warehouses: u32, scale_down: u32, seed: u64) -> (Inputs, Shape) {
        let spec = Spec { scale_down, ..Spec::new(Schema::Ch2pp, warehouses) };
        let data = DataSet::new(spec).unwrap();
        let mut random = Stream::new(seed, &[5]);
        let constants = Constants::draw(data.c_last_load(), &mut random);
        (Inputs::new(data, constants, random, None), Shape::of(&data, &constants))
    }

    fn draw(inputs: &mut Inputs, shape: &Shape, orders: usize) -> Drawn {
        let mut drawn = Drawn::default();
        for n in 0..orders {
            drawn.new_order(shape, &inputs.new_order());
            drawn.payment(shape, &inputs.payment());
            if n % 10 == 0 {
                drawn.order_status(shape, &inputs.order_status());
            }
        }
        drawn
    }

    /// Correct draws pass at every number of warehouses and every scale, also with the fewest
    /// transactions.
    #[test]
    fn what_clients_draw_passes_every_line() {
        for (warehouses, scale_down) in [(3, 1), (4, 100), (10, 1), (33, 1), (100, 10), (1000, 1)] {
            for seed in 0..8 {
                let (mut inputs, shape) = inputs(warehouses, scale_down, seed);
                let drawn = draw(&mut inputs, &shape, 4500);
                for line in drawn.audit(&shape, true) {
                    assert_eq!(line.verdict, Verdict::Pass, "{warehouses} {seed} {line:?}");
                }
            }
        }
    }

    /// The probability that a correct run fails a line is below 1e-6, and the bound is low enough
    /// to fail wrong ones. For even degrees of freedom the tail of chi-square has a closed form.
    #[test]
    fn the_bound_is_where_it_should_be() {
        for freedom in (2..=64).step_by(2) {
            let half = Test { statistic: 0.0, freedom: f64::from(freedom) }.bound() / 2.0;
            let mut term = 1.0;
            let mut tail = 1.0;
            for k in 1..freedom / 2 {
                term *= half / f64::from(k);
                tail += term;
            }
            tail *= (-half).exp();
            assert!((1e-11..=1.1e-8).contains(&tail), "{freedom}: {tail}");
        }
    }

    /// The statistics of correct draws have the mean of chi-square.
    #[test]
    fn statistics_of_correct_draws_are_chi_square() {
        let runs = 300;
        let mut all: Vec<Vec<Test>> = vec![Vec::new(); 7];
        for seed in 0..runs {
            let (mut inputs, shape) = inputs(7, 100, 1000 + seed);
            let drawn = draw(&mut inputs, &shape, 2000);
            let each = |counts: &[u64], share: &dyn Fn(usize) -> f64| {
                let sum = counts.iter().sum::<u64>() as f64;
                Test::new(counts, (0..counts.len()).map(|i| sum * share(i)))
            };
            all[0].push(each(&drawn.lines, &|_| 1.0 / 11.0));
            all[1].push(each(&drawn.districts[0], &|_| 0.1));
            all[2].push(each(&drawn.customers, &|i| shape.customers.probability[i]));
            all[3].push(each(&drawn.items, &|i| shape.items.probability[i]));
            let remote = drawn.remote_payments.tests(7);
            all[4].push(remote[0]);
            all[5].push(remote[1]);
            all[6].push(drawn.remote_lines.tests(7)[1]);
        }
        for (i, tests) in all.iter().enumerate() {
            let freedom = tests.iter().map(|t| t.freedom).sum::<f64>() / runs as f64;
            let mean = tests.iter().map(|t| t.statistic).sum::<f64>() / runs as f64;
            // Five standard errors of the mean; the mean of the statistic of positions is n (n - 2)
            // / (n - 1)² of the degrees of freedom.
            let off = 5.0 * (2.0 * freedom / runs as f64).sqrt();
            assert!(
                (freedom * 0.97 - off..=freedom + off).contains(&mean),
                "{i}: {mean} {freedom}"
            );
        }
    }

    #[test]
    fn each_wrong_distribution_fails_its_line() {
        type Break = fn(&mut Inputs, &Shape) -> Drawn;
        let orders = |inputs: &mut Inputs, shape: &Shape, change: &dyn Fn(usize, &mut NewOrder)| {
            let mut drawn = Drawn::default();
            for n in 0..4500 {
                let mut order = inputs.new_order();
                change(n, &mut order);
                drawn.new_order(shape, &order);
            }
            drawn
        };
        let failed = |drawn: &Drawn, shape: &Shape| -> Vec<String> {
            let lines = drawn.audit(shape, true).into_iter();
            lines.filter(|l| l.verdict == Verdict::Fail).map(|l| l.name).collect()
        };
        let (mut inputs, shape) = inputs(10, 1, 3);
        type Change = dyn Fn(usize, &mut NewOrder);
        let broken: [(&str, &Change); 7] = [
            ("order lines 5–15", &|n, o| {
                // The average is unchanged; the added item does not exist.
                let count = if n % 2 == 0 { 8 } else { 12 };
                o.lines.resize(count, OrderLine { item: 100_001, supply_w: o.w, quantity: 1 });
            }),
            ("remote line warehouses", &|_, o| {
                // Always the same remote warehouse.
                for l in o.lines.iter_mut().filter(|l| l.supply_w != o.w) {
                    l.supply_w = if o.w == 1 { 2 } else { 1 };
                }
            }),
            ("remote line warehouses", &|_, o| {
                // Always the next warehouse.
                for l in o.lines.iter_mut().filter(|l| l.supply_w != o.w) {
                    l.supply_w = o.w % 10 + 1;
                }
            }),
            ("home districts", &|n, o| o.d = if n % 20 == 0 { 1 } else { o.d }),
            ("customers by NURand", &|n, o| o.c = 1 + (n as u32 * 7919) % 3000),
            ("items by NURand", &|n, o| {
                for (i, l) in o.lines.iter_mut().enumerate() {
                    l.item = 1 + ((n * 16 + i) as u32 * 7919) % 100_000;
                }
            }),
            ("items by NURand", &|_, o| {
                // Another constant C.
                o.lines.iter_mut().for_each(|l| l.item = (l.item + 1000) % 100_000 + 1);
            }),
        ];
        for (name, change) in broken {
            let drawn = orders(&mut inputs, &shape, change);
            assert_eq!(failed(&drawn, &shape), [name], "{name}");
        }
        let pay: [Break; 2] = [
            |inputs, shape| {
                let mut drawn = Drawn::default();
                for _ in 0..4300 {
                    let p = inputs.payment();
                    let c_w = if p.c_w == p.w { p.w } else { p.w % 10 + 1 };
                    drawn.payment(shape, &Payment { c_w, ..p });
                }
                drawn
            },
            |inputs, shape| {
                let mut drawn = Drawn::default();
                for _ in 0..4300 {
                    let p = inputs.payment();
                    let d = p.d.min(9);
                    drawn.payment(shape, &Payment { d, ..p });
                }
                drawn
            },
        ];
        for (name, make) in ["remote payment warehouses", "home districts"].into_iter().zip(pay) {
            assert_eq!(failed(&make(&mut inputs, &shape), &shape), [name]);
        }
    }

    #[test]
    fn too_few_transactions_and_too_few_warehouses_are_skipped() {
        let (mut one, shape) = inputs(2, 100, 1);
        let drawn = draw(&mut one, &shape, 4500);
        assert!(drawn.audit(&shape, false).iter().all(|l| l.verdict == Verdict::Skip));
        let skipped = drawn.audit(&shape, true).into_iter();
        let skipped: Vec<String> =
            skipped.filter(|l| l.verdict == Verdict::Skip).map(|l| l.name).collect();
        assert_eq!(skipped, ["remote line warehouses", "remote payment warehouses"]);
    }

    /// The counts of several clients add up to those of one.
    #[test]
    fn counts_of_clients_add_up() {
        let (mut inputs, shape) = inputs(10, 100, 2);
        let (mut whole, mut halves) = (Drawn::default(), [Drawn::default(), Drawn::default()]);
        for n in 0..200 {
            let (order, payment) = (inputs.new_order(), inputs.payment());
            for drawn in [&mut whole, &mut halves[n % 2]] {
                drawn.new_order(&shape, &order);
                drawn.payment(&shape, &payment);
            }
        }
        let [mut one, other] = halves;
        one.merge(&other);
        assert_eq!(one, whole);
    }
}
