//! The pass over whole operational collections that adds up a snapshot. It knows of no run: what a
//! ledger names is looked for by key ([`super::by_key`]).
//!
//! It keeps sums of each warehouse and district, 1.3 kB a warehouse, and nothing of a document but
//! what is wrong ([`super::customers`], [`super::undelivered`]).

use hoap_database::{Documents, Row};
use hoap_workload::Result;
use hoap_workload::checks::{self, Keys, Watch};

use super::customers::Suspects;
use super::district::District;
use super::documents::{self, FoundCustomer, FoundOrder, FoundPayment, FoundStock};
use super::reader::scan;
use super::snapshot::{Reach, Snapshot};
use super::stock::Sold;
use super::undelivered::Numbers;
use super::weighed::{Weighed, Weights};
use crate::data::{Collection, DataSet};
use crate::ledger::digest;

/// The quantities taken from the stock of one warehouse since the load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stock {
    /// According to s_ytd, s_order_cnt and s_remote_cnt, minus their loaded values.
    stated: Sold,
    /// According to the lines of the orders entered since the load.
    ordered: Sold,
    /// What each count of a stock is more than its lines say, weighed by stock.
    more: Weighed,
}

impl Stock {
    /// Whether nothing is more in one stock and less in another.
    fn fits(&self) -> bool {
        self.stated != self.ordered || self.more.all_zero()
    }
}

/// The pass over whole collections.
struct Pass<'a> {
    documents: Documents<'a>,
    data: &'a DataSet,
    watch: &'a Watch<'a>,
    snapshot: Snapshot,
    /// The customers of each warehouse.
    customers: Suspects,
    /// The stock of each warehouse, and the weights of stocks.
    stock: Vec<Stock>,
    weights: Weights,
    /// The numbers of each district's undelivered orders.
    neworders: Numbers,
    /// Undelivered orders that are there.
    matched: u64,
    /// The keys of each collection, in the order of [`Collection::ALL`].
    keys: [Keys; Collection::ALL.len()],
}

impl Snapshot {
    /// Reads the collections.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Cancelled`](hoap_workload::ErrorKind::Cancelled) soon after the watch says
    /// so, [`ErrorKind::Broken`](hoap_workload::ErrorKind::Broken) for a document with a field of the
    /// wrong type or range, and the errors of the database.
    pub async fn take(documents: Documents<'_>, data: &DataSet, watch: &Watch<'_>) -> Result<Self> {
        let snapshot = Snapshot::new(data, Reach::Whole);
        let districts = snapshot.districts.len();
        let mut pass = Pass {
            documents,
            data,
            watch,
            snapshot,
            customers: Suspects::new(data),
            stock: vec![Stock::default(); districts / 10],
            weights: Weights::draw(),
            neworders: Numbers::new(districts),
            matched: 0,
            keys: Default::default(),
        };
        pass.all().await?;
        let Pass { mut snapshot, customers, .. } = pass;
        customers.judge(documents, data, &mut snapshot.findings, watch).await?;
        Ok(snapshot)
    }
}

impl Pass<'_> {
    async fn all(&mut self) -> Result<()> {
        // A collection without documents is counted too.
        self.snapshot.counts = [Some(0); 11];
        self.snapshot.places(self.documents, self.watch).await?;
        self.scan(Collection::Customer, &documents::CUSTOMER, Self::customer).await?;
        // Orders are compared with the undelivered orders, which are therefore read first.
        self.scan(Collection::Neworder, &documents::NEWORDER, Self::neworder).await?;
        if self.neworders.scattered(&self.snapshot.districts) {
            self.neworders_again().await?;
        }
        self.scan(Collection::Orders, &documents::ORDER, Self::order).await?;
        let neworders = self.snapshot.districts.iter().map(|d| d.neworders.count).sum();
        self.snapshot.findings.neworders(neworders, self.matched);
        self.scan(Collection::History, &digest::HISTORY, Self::history).await?;
        self.scan(Collection::Stock, &documents::STOCK, Self::stock_document).await?;
        for c in [Collection::Item, Collection::Supplier, Collection::Nation, Collection::Region] {
            self.scan(c, &[], |_, _, _| Some(())).await?;
        }
        self.same_keys();
        let findings = &mut self.snapshot.findings;
        for (w, stock) in self.stock.iter().enumerate() {
            findings.counts(&|| format!("warehouse {}", w + 1), stock.stated, stock.ordered);
            if !stock.fits() {
                findings.stock_counts.fail(|| {
                    format!(
                        "warehouse {}: s_ytd, s_order_cnt or s_remote_cnt of a stock is too high, \
                         and of another too low",
                        w + 1
                    )
                });
            }
        }
        Ok(())
    }

    /// Whether collections that no transaction adds to have the keys that were loaded, and orders
    /// those of their numbers: a count does not tell one that is lost where another is there twice.
    fn same_keys(&mut self) {
        let Pass { data, snapshot, keys, .. } = self;
        let places = [Collection::Warehouse, Collection::District];
        let grow = [Collection::Orders, Collection::Neworder, Collection::History];
        let fixed =
            Collection::ALL.into_iter().filter(|c| !places.contains(c) && !grow.contains(c));
        let mut others = Vec::new();
        for collection in fixed {
            let (count, found) = (data.count(collection), &keys[collection as usize]);
            let key = |index| {
                let mut key = String::new();
                data.append_key(collection, index, &mut key);
                key
            };
            let counted = snapshot.counts[collection as usize] == Some(count);
            others.extend((counted && !found.are((0..count).map(key))).then_some(collection));
        }
        let numbered = |d: &District| i64::try_from(d.orders) == Ok(d.max_o_id);
        if snapshot.districts.iter().all(numbered) {
            let each = snapshot.districts.iter().enumerate();
            let each = each.flat_map(|(i, d)| (1..=d.orders).map(move |n| (i, n)));
            let key = |(i, number)| format!("{}.{number}", District::key(i));
            let same = keys[Collection::Orders as usize].are(each.map(key));
            others.extend((!same).then_some(Collection::Orders));
        }
        for collection in others {
            snapshot.findings.strays.fail(|| checks::keys::others(collection.name()));
        }
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
            pass.keys[collection as usize].add(key);
            each(pass, key, row)
        })
        .await
    }

    fn customer(&mut self, key: &str, row: &Row) -> Option<()> {
        let found = FoundCustomer::read(row)?;
        let (w, d, c) = found.place;
        self.snapshot.findings.keyed(Collection::Customer, key, &[w, d, c]);
        let name = || format!("customer {key}");
        if let Some(i) = self.snapshot.findings.customer(found.place, name) {
            self.customers.add(i, &found.says());
            let district = i / self.data.customers_per_district() as usize;
            self.snapshot.districts[district].deliveries += found.deliveries;
        }
        Some(())
    }

    fn neworder(&mut self, key: &str, row: &Row) -> Option<()> {
        let (place, o_id) = documents::neworder(row)?;
        let Snapshot { findings, districts, .. } = &mut self.snapshot;
        findings.keyed(Collection::Neworder, key, &[place.0, place.1, o_id.into()]);
        if let Some(i) = findings.district(place, || format!("neworder {key}")) {
            self.neworders.add(i, o_id, &mut districts[i]);
        }
        Some(())
    }

    /// Reads undelivered orders again whose numbers do not follow each other. They are not counted.
    async fn neworders_again(&mut self) -> Result<()> {
        let (documents, watch, neworder) = (self.documents, self.watch, Collection::Neworder);
        scan(documents, watch, neworder, &documents::NEWORDER, self, |pass, _, row| {
            let (place, o_id) = documents::neworder(row)?;
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
        findings.keyed(Collection::Stock, key, &[found.place.0, found.place.1]);
        if let Some(i) = findings.stock_index(found.place, || format!("stock {key}")) {
            let stated = findings.quantity(self.data, key, &found);
            let stock = &mut self.stock[found.place.0 as usize - 1];
            stock.stated.add(stated);
            weigh(&mut stock.more, self.weights, i, stated, 1);
        }
        Some(())
    }

    fn order(&mut self, key: &str, row: &Row) -> Option<()> {
        let order = FoundOrder::read(row)?;
        let (w, d, o_id) = order.place;
        let (findings, districts) = (&mut self.snapshot.findings, &mut self.snapshot.districts);
        findings.keyed(Collection::Orders, key, &[w.into(), d.into(), o_id.into()]);
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
                let name = || format!("stock of a line of orders {key}");
                if let Some(i) = findings.stock_index((supply_w.into(), item.into()), name) {
                    let stock = &mut self.stock[supply_w as usize - 1];
                    stock.ordered.add(sold);
                    weigh(&mut stock.more, self.weights, i, sold, -1);
                }
            }
        }
        Some(())
    }

    fn history(&mut self, key: &str, row: &Row) -> Option<()> {
        let payment = FoundPayment::read(row)?;
        if let Some(c) = self.snapshot.payment(key, &payment) {
            self.customers.add(c, &payment.says());
        }
        Some(())
    }
}

/// Adds the counts of the stock with this index to a sum, so many times.
fn weigh(sum: &mut Weighed, weights: Weights, index: usize, counts: Sold, times: i128) {
    let Sold { quantity, lines, remote } = counts;
    for (place, count) in (3 * index as u64..).zip([quantity, lines, remote]) {
        sum.add(weights.of(place), times * i128::from(count));
    }
}
