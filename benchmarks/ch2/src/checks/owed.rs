//! What a run's orders and payments changed in customers and stocks, and whether they have it.
//!
//! Changes are added up by document. Where that is too much for the memory, sums go into a log, which
//! is read by document.

use std::collections::HashMap;

use hoap_database::Row;
use hoap_workload::Result;
use hoap_workload::checks::Reader;

use super::customer::Customer;
use super::documents::{self, Findings, FoundCustomer, FoundStock};
use super::sample::Sample;
use super::stock::Sold;
use crate::data::{Collection, DataSet};
use crate::ledger::log::{Entry, Log};
use crate::ledger::record::{Put, Take};

/// What payments and deliveries added to a customer, in cents.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Account {
    pub delivered: i64,
    pub paid: i64,
    pub deliveries: i64,
    pub payments: i64,
}

/// A customer, or a stock, by index.
type Place = (bool, u64);

/// The changes of a document: the fields of [`Account`], or of [`Sold`] and 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Debt {
    place: Place,
    sums: [i64; 4],
}

impl Entry for Debt {
    type Record = [u8; 41];

    fn pack(self) -> [u8; 41] {
        let (stock, index) = self.place;
        let to = Put::new().put([stock.into()]).put(index.to_be_bytes());
        self.sums.into_iter().fold(to, |to, sum| to.put(sum.to_be_bytes())).all()
    }

    fn unpack(record: [u8; 41]) -> Debt {
        let mut from = Take(&record);
        let place = (from.take() == [1], u64::from_be_bytes(from.take()));
        Debt { place, sums: [(); 4].map(|()| i64::from_be_bytes(from.take())) }
    }
}

fn add(sums: &mut [i64; 4], more: [i64; 4]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(more));
}

/// What a run changed in customers and stocks.
pub(super) struct Owed {
    /// The most documents in memory.
    most: usize,
    sums: HashMap<Place, [i64; 4]>,
    beyond: Log<Debt>,
}

impl Owed {
    /// Nothing yet, with this log for what is too much.
    pub fn new(most: usize, beyond: Log<Debt>) -> Self {
        Owed { most, sums: HashMap::new(), beyond }
    }

    pub fn customer(&mut self, index: usize, more: Account) {
        let Account { delivered, paid, deliveries, payments } = more;
        self.add((false, index as u64), [delivered, paid, deliveries, payments]);
    }

    pub fn stock(&mut self, index: usize, more: Sold) {
        self.add((true, index as u64), [more.quantity, more.lines, more.remote, 0]);
    }

    fn add(&mut self, place: Place, more: [i64; 4]) {
        add(self.sums.entry(place).or_default(), more);
        if self.sums.len() > self.most {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.sums.drain().for_each(|(place, sums)| self.beyond.push(Debt { place, sums }));
    }

    /// Adds the sampled customers and stocks, in which the run may have changed nothing.
    pub fn also(&mut self, sample: &Sample) {
        for &index in sample.indexes(Collection::Customer) {
            self.customer(index as usize, Account::default());
        }
        for &index in sample.indexes(Collection::Stock) {
            self.stock(index as usize, Sold::default());
        }
    }

    /// Reads the customers and stocks. Where the data was not fresh they may have more than is
    /// owed.
    pub async fn check(
        mut self,
        reader: &mut Reader<'_>,
        data: &DataSet,
        findings: &mut Findings,
        fresh: bool,
    ) -> Result<()> {
        self.flush();
        self.beyond.sort();
        let mut all = self.beyond.iter().peekable();
        let whole = std::iter::from_fn(move || {
            let mut debt = all.next()?;
            while let Some(more) = all.next_if(|more| more.place == debt.place) {
                add(&mut debt.sums, more.sums);
            }
            Some(debt)
        });
        let mut debts = whole.peekable();
        let mut judge = Judge { data, findings, fresh };
        for (stock, collection, fields) in [
            (false, Collection::Customer, &documents::CUSTOMER[..]),
            (true, Collection::Stock, &documents::STOCK[..]),
        ] {
            let here = std::iter::from_fn(|| debts.next_if(|debt| debt.place.0 == stock));
            let here = here.map(|debt| {
                let mut key = String::new();
                data.append_key(collection, debt.place.1, &mut key);
                (debt, key)
            });
            let see = |debt: Debt, key: &str, row: Option<&Row>| match (row, stock) {
                (None, _) => {
                    judge.findings.strays.fail(|| format!("{collection} {key} is not there"));
                    Some(())
                }
                (Some(row), true) => judge.stock(key, row, &debt),
                (Some(row), false) => judge.customer(key, row, &debt),
            };
            reader.each((collection.name(), fields), here, see).await?;
        }
        Ok(())
    }
}

/// Compares documents with what is owed to them. `None`: a field has the wrong type.
struct Judge<'a> {
    data: &'a DataSet,
    findings: &'a mut Findings,
    fresh: bool,
}

impl Judge<'_> {
    fn customer(&mut self, key: &str, row: &Row, debt: &Debt) -> Option<()> {
        let Judge { data, findings, fresh } = self;
        let ((_, index), [delivered, paid, deliveries, payments]) = (debt.place, debt.sums);
        let found = FoundCustomer::read(row)?;
        let name = || format!("customer {key} has the numbers of another");
        if findings.customer(found.place, name) != Some(index as usize) {
            findings.strays.fail(name);
            return Some(());
        }
        let initial = data.district_payments() / i64::from(data.customers_per_district());
        let mut customer = found.says();
        customer += Customer {
            delivered: data.delivered_at_load(index).saturating_add(delivered),
            paid: initial.saturating_add(paid),
            payments: -1 - payments,
            deliveries: -deliveries,
            ..Customer::default()
        };
        if *fresh {
            findings.balance(index as usize, &customer);
            return Some(());
        }
        let least = customer.payments >= 0
            && customer.deliveries >= 0
            && customer.ytd_payment >= customer.paid;
        findings.customer_counts.expect(least, || {
            format!(
                "customer {key}: c_payment_cnt, c_delivery_cnt or c_ytd_payment is below what this \
                 run alone added"
            )
        });
        Some(())
    }

    fn stock(&mut self, key: &str, row: &Row, debt: &Debt) -> Option<()> {
        let Judge { data, findings, fresh } = self;
        let ((_, index), [quantity, lines, remote, _]) = (debt.place, debt.sums);
        let found = FoundStock::read(row)?;
        let name = || format!("stock {key} has the numbers of another");
        if findings.stock_index(found.place, name) != Some(index as usize) {
            findings.strays.fail(name);
            return Some(());
        }
        let stated = findings.quantity(data, key, &found);
        if *fresh {
            findings.counts(&|| format!("stock {key}"), stated, Sold { quantity, lines, remote });
            return Some(());
        }
        let least = stated.quantity >= quantity && stated.lines >= lines && stated.remote >= remote;
        findings.stock_counts.expect(least, || {
            format!(
                "stock {key}: s_ytd, s_order_cnt or s_remote_cnt is below what this run alone took"
            )
        });
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debts_come_back_by_document() {
        let debt = |stock, index, sum| Debt { place: (stock, index), sums: [sum, -1, 0, i64::MIN] };
        let all = [debt(false, 3, 1), debt(false, 256, i64::MAX), debt(true, 0, i64::MIN)];
        assert!(all.iter().rev().copied().collect::<Log<Debt>>().iter().eq(all));
        let mut owed = Owed::new(2, Log::default());
        for (index, quantity) in [(7, 1), (5, 2), (7, 3), (6, 4), (7, 5)] {
            owed.stock(index, Sold { quantity, lines: 1, remote: 0 });
            assert!(owed.sums.len() <= 2);
        }
        owed.flush();
        let sold: Vec<_> = owed.beyond.iter().map(|debt| (debt.place.1, debt.sums[0])).collect();
        assert_eq!(sold.iter().filter(|(index, _)| *index == 7).map(|(_, n)| n).sum::<i64>(), 9);
        assert!(sold.is_sorted_by_key(|(index, _)| *index) && sold.len() == 4);
    }
}
