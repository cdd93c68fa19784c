//! The sums and counts that the checks compare, and the pass over whole operational collections
//! that adds them up.
//!
//! The pass keeps 40 bytes per customer, a few per undelivered order, district and warehouse, none
//! per stock, and no document. [`super::touched`] makes a snapshot of fewer documents.

use hoap_data::{Collection, DataSet};
use serde_json::Value;

use super::digest;
use super::district::{District, Undelivered};
use super::expected::Expected;
use super::found::{self, Customer, Findings, FoundCustomer, FoundOrder, FoundPayment, FoundStock};
use super::reader::{go_on, malformed};
use super::stock::Sold;
use super::transactions::cents;
use crate::Result;
use crate::capability::{Documents, Row};

/// The sums and counts of the database's content, and the checks of single documents.
#[derive(Debug)]
pub struct Snapshot {
    /// w_ytd of each warehouse, cents.
    pub w_ytd: Vec<Option<i64>>,
    /// Each district, warehouse after warehouse.
    pub districts: Vec<District>,
    /// Documents of each collection that was counted, in the order of [`Collection::ALL`].
    pub counts: [Option<u64>; 11],
    /// The results of the checks of single documents.
    pub findings: Findings,
    /// The documents that it rests on.
    pub reach: Reach,
}

/// The documents that a snapshot rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// All of them.
    Whole,
    /// Every warehouse and district, and of the rest what the ledger of a run names and a sample.
    Touched {
        /// Whether the run was the first since the load, so that the documents before it are known.
        fresh: bool,
    },
}

/// The quantities taken from the stock of one warehouse since the load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stock {
    /// According to s_ytd, s_order_cnt and s_remote_cnt, minus their loaded values.
    stated: Sold,
    /// According to the lines of the orders entered since the load.
    ordered: Sold,
}

/// Adds to a difference and saturates.
pub(super) fn add(to: &mut i32, n: i64) {
    let sum = i64::from(*to).saturating_add(n);
    *to = i32::try_from(sum).unwrap_or(if sum > 0 { i32::MAX } else { i32::MIN });
}

/// The pass over whole collections.
struct Pass<'a, 'e> {
    documents: &'a dyn Documents,
    data: &'a DataSet,
    stop: &'a (dyn Fn() -> bool + Sync),
    expected: &'a mut Expected<'e>,
    snapshot: Snapshot,
    /// Each customer, district after district.
    customers: Vec<Customer>,
    /// The stock of each warehouse.
    stock: Vec<Stock>,
    /// The numbers of each district's undelivered orders, sorted.
    neworders: Vec<Vec<u32>>,
    /// Undelivered orders that are there.
    matched: u64,
}

impl Snapshot {
    /// A snapshot of nothing.
    pub(super) fn new(data: &DataSet, reach: Reach) -> Self {
        let warehouses = data.spec().warehouses as usize;
        Snapshot {
            w_ytd: vec![None; warehouses],
            districts: vec![District::default(); warehouses * 10],
            counts: [None; 11],
            findings: Findings::new(data),
            reach,
        }
    }

    /// Reads the collections and passes orders and history to `expected`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled) soon after `stop` returns
    /// true, [`ErrorKind::Broken`](crate::ErrorKind::Broken) for a document with a field of the
    /// wrong type or range, and the errors of the database.
    pub async fn take(
        documents: &dyn Documents,
        data: &DataSet,
        expected: &mut Expected<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self> {
        let snapshot = Snapshot::new(data, Reach::Whole);
        let districts = snapshot.districts.len();
        let mut pass = Pass {
            documents,
            data,
            stop,
            expected,
            snapshot,
            customers: vec![
                Customer::default();
                districts * data.customers_per_district() as usize
            ],
            stock: vec![Stock::default(); districts / 10],
            neworders: vec![Vec::new(); districts],
            matched: 0,
        };
        pass.all().await?;
        Ok(pass.snapshot)
    }

    /// Reads every warehouse and district.
    pub(super) async fn places(
        &mut self,
        documents: &dyn Documents,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<()> {
        let warehouse = ["w_id", "w_ytd"];
        scan(documents, stop, Collection::Warehouse, &warehouse, self, |s, key, row| {
            let (w, ytd) = (row[0].as_u64()?, cents(&row[1])?);
            match s.w_ytd.get_mut((w as usize).wrapping_sub(1)) {
                Some(place) => *place = Some(ytd),
                None => s.findings.strays.fail(|| format!("warehouse {key}")),
            }
            s.count(Collection::Warehouse);
            Some(())
        })
        .await?;
        let district = ["d_w_id", "d_id", "d_ytd", "d_next_o_id"];
        scan(documents, stop, Collection::District, &district, self, |s, key, row| {
            let (ytd, next) = (cents(&row[2])?, row[3].as_i64()?);
            let place = (row[0].as_u64()?, row[1].as_u64()?);
            if let Some(i) = s.findings.district(place, || format!("district {key}")) {
                s.districts[i].ytd = Some(ytd);
                s.districts[i].next_o_id = next;
            }
            s.count(Collection::District);
            Some(())
        })
        .await
    }

    fn count(&mut self, collection: Collection) {
        let at = Collection::ALL.iter().position(|&c| c == collection).unwrap_or_default();
        *self.counts[at].get_or_insert(0) += 1;
    }
}

/// Reads a collection, a document after the other.
async fn scan<T: Send>(
    documents: &dyn Documents,
    stop: &(dyn Fn() -> bool + Sync),
    collection: Collection,
    fields: &[&str],
    to: &mut T,
    mut each: impl FnMut(&mut T, &str, &Row) -> Option<()> + Send,
) -> Result<()> {
    documents
        .scan(collection.name(), fields, &mut |key, row| {
            go_on(stop, collection)?;
            each(to, key, &row).ok_or_else(|| malformed(collection, key, fields, &row))
        })
        .await
}

impl Pass<'_, '_> {
    async fn all(&mut self) -> Result<()> {
        // A collection without documents is counted too.
        self.snapshot.counts = [Some(0); 11];
        self.snapshot.places(self.documents, self.stop).await?;
        self.scan(Collection::Customer, &found::CUSTOMER, Self::customer).await?;
        // Orders are compared with the undelivered orders, which are therefore read first.
        self.scan(Collection::Neworder, &found::NEWORDER, Self::neworder).await?;
        for (numbers, district) in self.neworders.iter_mut().zip(&mut self.snapshot.districts) {
            numbers.sort_unstable();
            district.neworders = Undelivered::of(numbers);
        }
        self.scan(Collection::Orders, &found::ORDER, Self::order).await?;
        let neworders = self.neworders.iter().map(|d| d.len() as u64).sum();
        self.snapshot.findings.neworders(neworders, self.matched);
        self.scan(Collection::History, &digest::HISTORY, Self::history).await?;
        self.scan(Collection::Stock, &found::STOCK, Self::stock_document).await?;
        for c in [Collection::Item, Collection::Supplier, Collection::Nation, Collection::Region] {
            self.scan(c, &[], |_, _, _| Some(())).await?;
        }
        let findings = &mut self.snapshot.findings;
        for (i, customer) in self.customers.iter().enumerate() {
            findings.balance(i, customer);
        }
        for (w, Stock { stated, ordered }) in self.stock.iter().enumerate() {
            findings.counts(&|| format!("warehouse {}", w + 1), *stated, *ordered);
        }
        Ok(())
    }

    async fn scan(
        &mut self,
        collection: Collection,
        fields: &[&str],
        mut each: impl FnMut(&mut Self, &str, &Row) -> Option<()> + Send,
    ) -> Result<()> {
        let (documents, stop) = (self.documents, self.stop);
        scan(documents, stop, collection, fields, self, |pass, key, row| {
            pass.snapshot.count(collection);
            each(pass, key, row)
        })
        .await
    }

    fn customer(&mut self, key: &str, row: &Row) -> Option<()> {
        let found = FoundCustomer::read(row)?;
        let name = || format!("customer {key}");
        if let Some(i) = self.snapshot.findings.customer(found.place, name) {
            let customer = &mut self.customers[i];
            customer.balance = found.balance;
            customer.ytd_payment = found.ytd_payment;
            add(&mut customer.payments, found.payments);
            add(&mut customer.deliveries, found.deliveries);
            let district = i / self.data.customers_per_district() as usize;
            self.snapshot.districts[district].deliveries += found.deliveries;
        }
        Some(())
    }

    fn neworder(&mut self, key: &str, row: &Row) -> Option<()> {
        let o_id = u32::try_from(row[2].as_u64()?).ok()?;
        let place = (row[0].as_u64()?, row[1].as_u64()?);
        if let Some(i) = self.snapshot.findings.district(place, || format!("neworder {key}")) {
            self.neworders[i].push(o_id);
        }
        Some(())
    }

    fn stock_document(&mut self, key: &str, row: &Row) -> Option<()> {
        let found = FoundStock::read(row)?;
        let findings = &mut self.snapshot.findings;
        if findings.stock_index(found.place, || format!("stock {key}")).is_some() {
            let stated = findings.quantity(self.data, key, &found);
            self.stock[found.place.0 as usize - 1].stated.add(stated);
        }
        Some(())
    }

    fn order(&mut self, key: &str, row: &Row) -> Option<()> {
        let order = FoundOrder::read(row)?;
        let (w, d, o_id) = order.place;
        let (findings, districts) = (&mut self.snapshot.findings, &mut self.snapshot.districts);
        let name = || format!("orders {key}");
        let place = (w.into(), d.into());
        let Some(i) = findings.district(place, name) else { return Some(()) };
        order.count(&mut districts[i]);
        let undelivered = self.neworders[i].binary_search(&o_id).is_ok();
        self.matched += u64::from(undelivered);
        findings.order(key, &order, undelivered);
        let name = || format!("customer of orders {key}");
        if let Some(c) = findings.customer((w.into(), d.into(), order.c), name) {
            self.customers[c].delivered += order.delivered;
            let since_the_load = order.carrier() && o_id > self.data.delivered_per_district();
            add(&mut self.customers[c].deliveries, -i64::from(since_the_load));
        }
        if o_id > self.data.orders_per_district() {
            for (supply_w, item, sold) in order.sold()? {
                match self.stock.get_mut((supply_w as usize).wrapping_sub(1)) {
                    Some(stock) => stock.ordered.add(sold),
                    None => {
                        findings.strays.fail(|| format!("warehouse of a line of orders {key}"));
                    }
                }
                self.expected.sample.sold(supply_w, item, sold);
            }
        }
        order.compare(self.expected);
        Some(())
    }

    fn history(&mut self, key: &str, row: &Row) -> Option<()> {
        let snapshot = &mut self.snapshot;
        let payment = FoundPayment::read(row)?;
        if let Some(c) = snapshot.payment(key, row, &payment, self.expected)? {
            self.customers[c].paid += payment.amount;
            add(&mut self.customers[c].payments, -1);
        }
        Some(())
    }
}

impl Snapshot {
    /// Adds a payment to its district and compares it. The index of its customer, where there is
    /// such a customer. `None` where a field is out of range.
    pub(super) fn payment(
        &mut self,
        key: &str,
        row: &Row,
        payment: &FoundPayment,
        expected: &mut Expected<'_>,
    ) -> Option<Option<usize>> {
        let amount = payment.amount;
        if let Some(i) = self.findings.district(payment.place, || format!("history {key}")) {
            self.districts[i].payments += 1;
            self.districts[i].paid += amount;
        }
        let customer = payment.customer(key, &mut self.findings);
        if let Some(i) = customer {
            let ids = [&row[4], &row[3], &row[2], &row[1], &row[0]].map(Value::as_u64);
            expected.sample.paid(i as u64, key, ids, amount);
        }
        let (w, d) = (u32::try_from(payment.place.0).ok()?, u32::try_from(payment.place.1).ok()?);
        expected.see_history(key, (w, d, amount), || digest::values(row));
        Some(customer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An absurd number saturates: it neither wraps around to a right one nor ends the check.
    #[test]
    fn a_difference_keeps_to_its_range() {
        let mut n = 0;
        add(&mut n, 1 << 32);
        assert_eq!(n, i32::MAX);
        add(&mut n, i64::MIN);
        assert_eq!(n, i32::MIN);
    }
}
