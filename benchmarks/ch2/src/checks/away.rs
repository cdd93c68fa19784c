//! What orders and payments changed in customers and stocks whose warehouses are in another part
//! than theirs: payments by customers of other warehouses, and lines of other warehouses' stock.
//!
//! Where a run is read in parts, each waits here, packed, until its part is compared.

use std::ops::RangeInclusive;

use super::owed::{Account, Owing, warehouse_of};
use super::stock::Sold;
use crate::data::DataSet;
use crate::ledger::log::{Bytes, Entry, Log, number, signed, unsigned};

/// What was changed in a customer or a stock, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Debt {
    Customer(usize, Account),
    Stock(usize, Sold),
}

impl Debt {
    /// Adds it to what its part owes.
    pub fn tell(self, to: &mut impl Owing) {
        match self {
            Debt::Customer(index, more) => to.customer(None, index, more),
            Debt::Stock(index, more) => to.stock(None, index, more),
        }
    }
}

/// Twice the index, with a mark for a stock, and each sum.
impl Entry for Debt {
    const NONE: Debt = Debt::Customer(0, Account::NONE);

    fn write(&self, _: &Debt, to: &mut Bytes) {
        let (first, sums) = match *self {
            Debt::Customer(index, Account { delivered, paid, deliveries, payments }) => {
                (2 * index, [paid, payments.into(), delivered, deliveries.into()])
            }
            Debt::Stock(index, Sold { quantity, lines, remote }) => {
                (2 * index + 1, [quantity, lines, remote, 0])
            }
        };
        to.number(first as u64);
        let used = if first % 2 == 1 { 3 } else { 4 };
        sums.iter().take(used).for_each(|&sum| to.number(unsigned(sum)));
    }

    fn read(_: &Debt, from: &mut &[u8]) -> Debt {
        let first = number(from) as usize;
        let mut sum = || signed(number(from));
        if first % 2 == 1 {
            let (quantity, lines, remote) = (sum(), sum(), sum());
            return Debt::Stock(first / 2, Sold { quantity, lines, remote });
        }
        let (paid, payments, delivered, deliveries) = (sum(), sum(), sum(), sum());
        let (payments, deliveries) = (payments as i32, deliveries as i32);
        Debt::Customer(first / 2, Account { delivered, paid, deliveries, payments })
    }
}

/// Takes what is owed to another part, and drops the rest.
pub(super) struct Away<'a> {
    data: &'a DataSet,
    /// The warehouses of each part, in order.
    parts: &'a [RangeInclusive<u32>],
    debts: Vec<Log<Debt>>,
}

impl<'a> Away<'a> {
    pub fn new(data: &'a DataSet, parts: &'a [RangeInclusive<u32>]) -> Self {
        Away { data, parts, debts: vec![Log::default(); parts.len()] }
    }

    /// What is owed to each part.
    pub fn debts(self) -> Vec<Log<Debt>> {
        self.debts
    }

    /// The part that a warehouse is in.
    fn part(&self, warehouse: u32) -> Option<usize> {
        let at = self.parts.partition_point(|part| *part.end() < warehouse);
        self.parts.get(at).filter(|part| part.contains(&warehouse)).map(|_| at)
    }

    fn note(&mut self, from: Option<u32>, to: u32, debt: Debt) {
        let to = self.part(to);
        if let Some(at) = to
            && from.and_then(|from| self.part(from)) != to
        {
            self.debts[at].push(debt);
        }
    }
}

impl Owing for Away<'_> {
    fn customer(&mut self, from: Option<u32>, index: usize, more: Account) {
        let to = warehouse_of::customer(self.data, index);
        self.note(from, to, Debt::Customer(index, more));
    }

    fn stock(&mut self, from: Option<u32>, index: usize, more: Sold) {
        let to = warehouse_of::stock(self.data, index);
        self.note(from, to, Debt::Stock(index, more));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Schema, Spec};

    #[test]
    fn debts_come_back() {
        let account = Account { delivered: i64::MIN, paid: -1, deliveries: 7, payments: i32::MAX };
        let sold = Sold { quantity: i64::MAX, lines: 1, remote: -1 };
        let debts = [
            Debt::Customer(0, Account::NONE),
            Debt::Stock(usize::MAX / 2, sold),
            Debt::Customer(usize::MAX / 2, account),
            Debt::Stock(3, Sold::default()),
        ];
        let log: Log<Debt> = debts.into_iter().collect();
        assert!(log.iter().eq(debts));
    }

    /// And by those alone that were not read with the part.
    #[test]
    fn what_is_owed_to_another_part_waits_for_it() {
        let data = DataSet::new(Spec { scale_down: 100, ..Spec::new(Schema::Ch2, 5) }).unwrap();
        let parts = [1..=2, 3..=5];
        let mut away = Away::new(&data, &parts);
        let more = Account::paid(5);
        let customer = |w: usize| (w - 1) * 10 * data.customers_per_district() as usize;
        let stock = |w: usize| w * data.items() as usize - 1;
        for (from, w) in [(Some(1), 2), (Some(3), 5), (Some(2), 3), (Some(5), 1), (Some(9), 4)] {
            away.customer(from, customer(w), more);
            away.stock(from, stock(w), Sold::default());
        }
        let debts: Vec<Vec<Debt>> = away.debts().iter().map(|log| log.iter().collect()).collect();
        let of = |w| [Debt::Customer(customer(w), more), Debt::Stock(stock(w), Sold::default())];
        assert_eq!(debts, [of(1).to_vec(), [of(3), of(4)].concat()]);
    }
}
