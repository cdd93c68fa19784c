//! What a run's orders and payments changed in customers and stocks, and whether they have it.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use hoap_workload::Result;
use hoap_workload::checks::{ByKey, Reader};

use super::customer::Customer;
use super::found::{self, Findings, FoundCustomer, FoundStock};
use super::reader::malformed;
use super::stock::Sold;
use super::unchanged::Sample;
use crate::data::{Collection, DataSet};

/// What payments and deliveries added to a customer, in cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Account {
    pub delivered: i64,
    pub paid: i64,
    pub deliveries: i32,
    pub payments: i32,
}

impl Account {
    /// Nothing.
    pub const NONE: Account = Account { delivered: 0, paid: 0, deliveries: 0, payments: 0 };

    /// By a payment.
    pub fn paid(amount: i64) -> Account {
        Account { paid: amount, payments: 1, ..Account::NONE }
    }

    /// By an order that is delivered, or of which lines are.
    pub fn delivered(amount: i64, whole: bool) -> Account {
        Account { delivered: amount, deliveries: whole.into(), ..Account::NONE }
    }
}

/// What takes note of changes in customers and stocks, by index. Each comes with the warehouse by
/// whose part it was read, if it was read now.
pub(super) trait Owing {
    fn customer(&mut self, from: Option<u32>, index: usize, more: Account);
    fn stock(&mut self, from: Option<u32>, index: usize, more: Sold);
}

/// The warehouse of a document, by index.
pub(super) mod warehouse_of {
    use crate::data::DataSet;

    pub fn customer(data: &DataSet, index: usize) -> u32 {
        (index / (data.customers_per_district() as usize * 10)) as u32 + 1
    }

    pub fn stock(data: &DataSet, index: usize) -> u32 {
        (index / data.items() as usize) as u32 + 1
    }
}

/// What a run changed in the customers and stocks of some warehouses, by index. What it changed in
/// others is left out.
pub(super) struct Owed<'a> {
    data: &'a DataSet,
    warehouses: RangeInclusive<u32>,
    customers: HashMap<usize, Account>,
    stock: HashMap<usize, Sold>,
}

impl Owing for Owed<'_> {
    fn customer(&mut self, _: Option<u32>, index: usize, more: Account) {
        if self.warehouses.contains(&warehouse_of::customer(self.data, index)) {
            let account = self.customers.entry(index).or_default();
            account.delivered += more.delivered;
            account.paid += more.paid;
            account.deliveries += more.deliveries;
            account.payments += more.payments;
        }
    }

    fn stock(&mut self, _: Option<u32>, index: usize, more: Sold) {
        if self.warehouses.contains(&warehouse_of::stock(self.data, index)) {
            self.stock.entry(index).or_default().add(more);
        }
    }
}

impl<'a> Owed<'a> {
    pub fn new(data: &'a DataSet, warehouses: RangeInclusive<u32>) -> Self {
        Owed { data, warehouses, customers: HashMap::new(), stock: HashMap::new() }
    }

    /// Adds the sampled customers and stocks, in which the run may have changed nothing.
    pub fn also(&mut self, sample: &Sample) {
        for &index in sample.indexes(Collection::Customer) {
            self.customer(None, index as usize, Account::NONE);
        }
        for &index in sample.indexes(Collection::Stock) {
            self.stock(None, index as usize, Sold::default());
        }
    }

    /// Reads the customers and stocks. Where the data was not fresh they may have more than is
    /// owed.
    pub async fn check(
        self,
        reader: &mut Reader<'_>,
        findings: &mut Findings,
        fresh: bool,
    ) -> Result<()> {
        let data = self.data;
        each(reader, data, Collection::Customer, &found::CUSTOMER, self.customers, |read| {
            let Read { index, key, row, owed } = read;
            let Some(row) = row else {
                findings.strays.fail(|| format!("customer {key} is not there"));
                return Some(());
            };
            let found = FoundCustomer::read(row)?;
            let name = || format!("customer {key} has the numbers of another");
            if findings.customer(found.place, name) != Some(index) {
                findings.strays.fail(name);
                return Some(());
            }
            let initial = data.district_payments() / i64::from(data.customers_per_district());
            let mut customer = found.says();
            customer += Customer {
                delivered: data.delivered_at_load(index as u64) + owed.delivered,
                paid: initial + owed.paid,
                payments: -1 - i64::from(owed.payments),
                deliveries: -i64::from(owed.deliveries),
                ..Customer::default()
            };
            if fresh {
                findings.balance(index, &customer);
                return Some(());
            }
            let least = customer.payments >= 0
                && customer.deliveries >= 0
                && customer.ytd_payment >= customer.paid;
            findings.customer_counts.expect(least, || {
                format!(
                    "customer {key}: c_payment_cnt, c_delivery_cnt or c_ytd_payment is below what \
                     this run alone added"
                )
            });
            Some(())
        })
        .await?;
        each(reader, data, Collection::Stock, &found::STOCK, self.stock, |read| {
            let Read { index, key, row, owed } = read;
            let Some(row) = row else {
                findings.strays.fail(|| format!("stock {key} is not there"));
                return Some(());
            };
            let found = FoundStock::read(row)?;
            let name = || format!("stock {key} has the numbers of another");
            if findings.stock_index(found.place, name) != Some(index) {
                findings.strays.fail(name);
                return Some(());
            }
            let stated = findings.quantity(data, key, &found);
            if fresh {
                findings.counts(&|| format!("stock {key}"), stated, owed);
                return Some(());
            }
            let least = stated.quantity >= owed.quantity
                && stated.lines >= owed.lines
                && stated.remote >= owed.remote;
            findings.stock_counts.expect(least, || {
                format!(
                    "stock {key}: s_ytd, s_order_cnt or s_remote_cnt is below what this run alone \
                     took"
                )
            });
            Some(())
        })
        .await
    }
}

/// A document that was read, and what is owed to it.
struct Read<'a, T> {
    index: usize,
    key: &'a str,
    row: Option<&'a hoap_database::Row>,
    owed: T,
}

/// Reads documents by index, a batch after the other, in the order of their keys.
async fn each<T: Copy>(
    reader: &mut Reader<'_>,
    data: &DataSet,
    collection: Collection,
    fields: &[&str],
    owed: HashMap<usize, T>,
    mut each: impl FnMut(Read<'_, T>) -> Option<()>,
) -> Result<()> {
    let mut indexes: Vec<usize> = owed.keys().copied().collect();
    indexes.sort_unstable();
    for indexes in indexes.chunks(reader.batch()) {
        let key = |&index: &usize| {
            let mut key = String::new();
            data.append_key(collection, index as u64, &mut key);
            key
        };
        let keys: Vec<String> = indexes.iter().map(key).collect();
        let rows = reader.read(collection.name(), &keys, fields).await?;
        for ((&index, key), row) in indexes.iter().zip(&keys).zip(&rows) {
            let read = Read { index, key, row: row.as_ref(), owed: owed[&index] };
            each(read).ok_or_else(|| {
                let empty = Vec::new();
                malformed(collection, key, fields, row.as_ref().unwrap_or(&empty))
            })?;
        }
    }
    Ok(())
}
