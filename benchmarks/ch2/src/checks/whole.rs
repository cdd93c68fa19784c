//! The pass over whole operational collections that adds up a snapshot.
//!
//! It keeps sums of each warehouse and district, 1.3 kB a warehouse, and nothing of a document but
//! what is wrong ([`super::suspects`], [`super::undelivered`]).

use hoap_database::{Documents, Row};
use hoap_workload::Result;
use hoap_workload::checks::Watch;

use super::expected::Expected;
use super::found::{self, FoundCustomer, FoundOrder, FoundPayment, FoundStock};
use super::reader::scan;
use super::snapshot::{Reach, Snapshot};
use super::stock::Sold;
use super::suspects::Suspects;
use super::undelivered::Numbers;
use crate::data::{Collection, DataSet};
use crate::ledger::digest;

/// The quantities taken from the stock of one warehouse since the load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stock {
    /// According to s_ytd, s_order_cnt and s_remote_cnt, minus their loaded values.
    stated: Sold,
    /// According to the lines of the orders entered since the load.
    ordered: Sold,
}

/// The pass over whole collections.
struct Pass<'a, 'e> {
    documents: Documents<'a>,
    data: &'a DataSet,
    watch: &'a Watch<'a>,
    expected: &'a mut Expected<'e>,
    snapshot: Snapshot,
    /// The customers of each warehouse.
    customers: Suspects,
    /// The stock of each warehouse.
    stock: Vec<Stock>,
    /// The numbers of each district's undelivered orders.
    neworders: Numbers,
    /// Undelivered orders that are there.
    matched: u64,
}

impl Snapshot {
    /// Reads the collections and passes orders and history to `expected`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Cancelled`](hoap_workload::ErrorKind::Cancelled) soon after the watch says
    /// so, [`ErrorKind::Broken`](hoap_workload::ErrorKind::Broken) for a document with a field of the
    /// wrong type or range, and the errors of the database.
    pub async fn take(
        documents: Documents<'_>,
        data: &DataSet,
        expected: &mut Expected<'_>,
        watch: &Watch<'_>,
    ) -> Result<Self> {
        let snapshot = Snapshot::new(data, Reach::Whole);
        let districts = snapshot.districts.len();
        let mut pass = Pass {
            documents,
            data,
            watch,
            expected,
            snapshot,
            customers: Suspects::new(data),
            stock: vec![Stock::default(); districts / 10],
            neworders: Numbers::new(districts),
            matched: 0,
        };
        pass.all().await?;
        let Pass { mut snapshot, customers, .. } = pass;
        customers.judge(documents, data, &mut snapshot.findings, watch).await?;
        Ok(snapshot)
    }
}

impl Pass<'_, '_> {
    async fn all(&mut self) -> Result<()> {
        // A collection without documents is counted too.
        self.snapshot.counts = [Some(0); 11];
        self.snapshot.places(self.documents, self.watch).await?;
        self.scan(Collection::Customer, &found::CUSTOMER, Self::customer).await?;
        // Orders are compared with the undelivered orders, which are therefore read first.
        self.scan(Collection::Neworder, &found::NEWORDER, Self::neworder).await?;
        if self.neworders.scattered(&self.snapshot.districts) {
            self.neworders_again().await?;
        }
        self.scan(Collection::Orders, &found::ORDER, Self::order).await?;
        let neworders = self.snapshot.districts.iter().map(|d| d.neworders.count).sum();
        self.snapshot.findings.neworders(neworders, self.matched);
        self.scan(Collection::History, &digest::HISTORY, Self::history).await?;
        self.scan(Collection::Stock, &found::STOCK, Self::stock_document).await?;
        for c in [Collection::Item, Collection::Supplier, Collection::Nation, Collection::Region] {
            self.scan(c, &[], |_, _, _| Some(())).await?;
        }
        let findings = &mut self.snapshot.findings;
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
        let (documents, watch) = (self.documents, self.watch);
        scan(documents, watch, collection, fields, self, |pass, key, row| {
            pass.snapshot.count(collection);
            each(pass, key, row)
        })
        .await
    }

    fn customer(&mut self, key: &str, row: &Row) -> Option<()> {
        let found = FoundCustomer::read(row)?;
        let name = || format!("customer {key}");
        if let Some(i) = self.snapshot.findings.customer(found.place, name) {
            self.customers.add(i, &found.says());
            let district = i / self.data.customers_per_district() as usize;
            self.snapshot.districts[district].deliveries += found.deliveries;
        }
        Some(())
    }

    fn neworder(&mut self, key: &str, row: &Row) -> Option<()> {
        let (place, o_id) = found::neworder(row)?;
        let Snapshot { findings, districts, .. } = &mut self.snapshot;
        if let Some(i) = findings.district(place, || format!("neworder {key}")) {
            self.neworders.add(i, o_id, &mut districts[i]);
        }
        Some(())
    }

    /// Reads undelivered orders again whose numbers do not follow each other. They are not counted.
    async fn neworders_again(&mut self) -> Result<()> {
        let (documents, watch, neworder) = (self.documents, self.watch, Collection::Neworder);
        scan(documents, watch, neworder, &found::NEWORDER, self, |pass, _, row| {
            let (place, o_id) = found::neworder(row)?;
            if let Some(i) = pass.snapshot.findings.places.district(place) {
                pass.neworders.keep(i, o_id);
            }
            Some(())
        })
        .await?;
        self.neworders.sort();
        Ok(())
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
        let undelivered = self.neworders.has(i, o_id, &districts[i]);
        self.matched += u64::from(undelivered);
        findings.order(key, &order, undelivered);
        let name = || format!("customer of orders {key}");
        if let Some(c) = findings.customer(order.customer(), name) {
            self.customers.add(c, &order.says(self.data));
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
            self.customers.add(c, &payment.says());
        }
        Some(())
    }
}
