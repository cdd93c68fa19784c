//! One pass over the operational collections that adds up the values for the checks.
//!
//! It keeps 40 bytes per customer, a few per district and warehouse, none per stock, and no
//! document.

use hoap_data::{Collection, DataSet};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::digest;
use super::expected::Expected;
use super::finding::Finding;
use super::ledger::Order;
use super::stock::{Sold, quantity_left};
use super::transactions::cents;
use crate::capability::{Documents, Row};
use crate::words::counted;
use crate::{Error, ErrorKind, Result};

/// The sums and counts of the database's content.
#[derive(Debug)]
pub struct Snapshot {
    /// w_ytd of each warehouse, cents.
    pub w_ytd: Vec<Option<i64>>,
    /// Each district, warehouse after warehouse.
    pub districts: Vec<District>,
    /// Each customer, district after district.
    pub customers: Vec<Customer>,
    /// Documents of each collection, in the order of [`Collection::ALL`].
    pub counts: [u64; 11],
    /// The stock of each warehouse.
    pub stock: Vec<Stock>,
    /// Stocks whose s_quantity does not follow from their s_ytd.
    pub stock_quantities: Finding,
    /// Results of the conditions on single orders: 5, 6 and 7.
    pub order_findings: [Finding; 3],
    /// Documents that belong to no warehouse, district or customer of this data.
    pub strays: Finding,
    customers_per_district: u32,
}

/// The sums of a district.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct District {
    /// d_ytd, cents.
    pub ytd: Option<i64>,
    /// d_next_o_id.
    pub next_o_id: i64,
    /// Orders: count, largest number, sum of o_ol_cnt, nested lines.
    pub orders: u64,
    #[allow(missing_docs)]
    pub max_o_id: i64,
    #[allow(missing_docs)]
    pub ol_cnt: i64,
    #[allow(missing_docs)]
    pub lines: i64,
    /// Numbers of its undelivered orders, sorted.
    pub neworders: Vec<u32>,
    /// History: count and sum of h_amount by (h_w_id, h_d_id), cents.
    pub payments: u64,
    #[allow(missing_docs)]
    pub paid: i64,
    /// Sum of its customers' c_delivery_cnt.
    pub deliveries: i64,
}

/// The sums of a customer, in cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Customer {
    /// c_balance.
    pub balance: i64,
    /// c_ytd_payment.
    pub ytd_payment: i64,
    /// Sum of ol_amount of its delivered lines.
    pub delivered: i64,
    /// Sum of its h_amount.
    pub paid: i64,
    /// c_payment_cnt minus the documents of its history; 0 where the data is consistent.
    pub payments: i32,
    /// c_delivery_cnt minus its orders delivered since the load; 0 where the data is consistent.
    pub deliveries: i32,
}

/// The quantities taken from the stock of one warehouse since the load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stock {
    /// According to s_ytd, s_order_cnt and s_remote_cnt, minus their loaded values.
    pub stated: Sold,
    /// According to the lines of the orders entered since the load.
    pub ordered: Sold,
}

/// Adds to a difference and saturates.
fn add(to: &mut i32, n: i64) {
    let sum = i64::from(*to).saturating_add(n);
    *to = i32::try_from(sum).unwrap_or(if sum > 0 { i32::MAX } else { i32::MIN });
}

/// The source of a snapshot and how the pass is stopped.
struct Pass<'a> {
    documents: &'a dyn Documents,
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl Snapshot {
    /// Reads the collections and passes orders and history to `expected`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Cancelled`] soon after `stop` returns true, [`ErrorKind::Broken`] for a
    /// document with a field of the wrong type or range, and the errors of the database.
    pub async fn take(
        documents: &dyn Documents,
        data: &DataSet,
        expected: &mut Expected,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self> {
        let pass = Pass { documents, stop };
        let districts = data.spec().warehouses as usize * 10;
        let customers = districts * data.customers_per_district() as usize;
        let mut s = Snapshot {
            w_ytd: vec![None; data.spec().warehouses as usize],
            districts: vec![District::default(); districts],
            customers: vec![Customer::default(); customers],
            counts: [0; 11],
            stock: vec![Stock::default(); data.spec().warehouses as usize],
            stock_quantities: Finding::default(),
            order_findings: Default::default(),
            strays: Finding::default(),
            customers_per_district: data.customers_per_district(),
        };
        // Orders are compared with the undelivered orders, which are therefore read first.
        s.scan(&pass, Collection::Warehouse, &["w_id", "w_ytd"], Self::warehouse).await?;
        let fields = ["d_w_id", "d_id", "d_ytd", "d_next_o_id"];
        s.scan(&pass, Collection::District, &fields, Self::district_document).await?;
        let fields = [
            "c_w_id",
            "c_d_id",
            "c_id",
            "c_balance",
            "c_ytd_payment",
            "c_delivery_cnt",
            "c_payment_cnt",
        ];
        s.scan(&pass, Collection::Customer, &fields, Self::customer_document).await?;
        let fields = ["no_w_id", "no_d_id", "no_o_id"];
        s.scan(&pass, Collection::Neworder, &fields, Self::neworder).await?;
        for district in &mut s.districts {
            district.neworders.sort_unstable();
        }
        let mut matched = 0;
        let fields = [
            "o_w_id",
            "o_d_id",
            "o_id",
            "o_c_id",
            "o_carrier_id",
            "o_ol_cnt",
            "o_orderline",
            "o_all_local",
            "o_entry_d",
        ];
        s.scan(&pass, Collection::Orders, &fields, |s, key, row| {
            s.order(data, (key, row), &mut matched, expected)
        })
        .await?;
        s.neworders_without_order(matched);
        s.scan(&pass, Collection::History, &digest::HISTORY, |s, key, row| {
            s.history(key, row, expected)
        })
        .await?;
        let fields = ["s_w_id", "s_i_id", "s_quantity", "s_ytd", "s_order_cnt", "s_remote_cnt"];
        s.scan(&pass, Collection::Stock, &fields, |s, key, row| s.stock_document(data, key, row))
            .await?;
        for c in [Collection::Item, Collection::Supplier, Collection::Nation, Collection::Region] {
            s.scan(&pass, c, &[], |_, _, _| Some(())).await?;
        }
        Ok(s)
    }

    async fn scan(
        &mut self,
        pass: &Pass<'_>,
        collection: Collection,
        fields: &[&str],
        mut each: impl FnMut(&mut Self, &str, &Row) -> Option<()> + Send,
    ) -> Result<()> {
        let at = Collection::ALL.iter().position(|&c| c == collection).unwrap_or_default();
        pass.documents
            .scan(collection.name(), fields, &mut |key, row| {
                if (pass.stop)() {
                    let tried = format!("check {}", collection.name());
                    return Err(Error::new(ErrorKind::Cancelled, tried, "interrupted"));
                }
                self.counts[at] += 1;
                each(self, key, &row).ok_or_else(|| {
                    let fields: Vec<_> = fields.iter().zip(&row).collect();
                    Error::new(
                        ErrorKind::Broken,
                        format!("read {} {key}", collection.name()),
                        format!("a field is not what it must be: {fields:?}"),
                    )
                })
            })
            .await
    }

    fn warehouse(&mut self, key: &str, row: &Row) -> Option<()> {
        let (w, ytd) = (row[0].as_u64()?, cents(&row[1])?);
        match self.w_ytd.get_mut((w as usize).wrapping_sub(1)) {
            Some(place) => *place = Some(ytd),
            None => self.strays.fail(|| format!("warehouse {key}")),
        }
        Some(())
    }

    fn district_document(&mut self, key: &str, row: &Row) -> Option<()> {
        let (ytd, next) = (cents(&row[2])?, row[3].as_i64()?);
        if let Some(i) = self.district(&row[0], &row[1], || format!("district {key}"))? {
            self.districts[i].ytd = Some(ytd);
            self.districts[i].next_o_id = next;
        }
        Some(())
    }

    fn customer_document(&mut self, key: &str, row: &Row) -> Option<()> {
        let (balance, ytd_payment) = (cents(&row[3])?, cents(&row[4])?);
        let (deliveries, payments) = (row[5].as_i64()?, row[6].as_i64()?);
        let name = || format!("customer {key}");
        if let Some(i) = self.customer(&row[0], &row[1], &row[2], name)? {
            self.customers[i].balance = balance;
            self.customers[i].ytd_payment = ytd_payment;
            add(&mut self.customers[i].payments, payments);
            add(&mut self.customers[i].deliveries, deliveries);
            self.districts[i / self.customers_per_district as usize].deliveries += deliveries;
        }
        Some(())
    }

    fn neworder(&mut self, key: &str, row: &Row) -> Option<()> {
        let o_id = u32::try_from(row[2].as_u64()?).ok()?;
        if let Some(i) = self.district(&row[0], &row[1], || format!("neworder {key}"))? {
            self.districts[i].neworders.push(o_id);
        }
        Some(())
    }

    fn stock_document(&mut self, data: &DataSet, key: &str, row: &Row) -> Option<()> {
        let (w, i) = (row[0].as_u64()?, row[1].as_u64()?);
        let numbers = [row[2].as_i64()?, row[3].as_i64()?, row[4].as_i64()?, row[5].as_i64()?];
        let [quantity, ytd, orders, remote] = numbers;
        let items = 1..=u64::from(data.items());
        let Some(stock) = self.stock.get_mut((w as usize).wrapping_sub(1)) else {
            self.strays.fail(|| format!("stock {key}"));
            return Some(());
        };
        if !items.contains(&i) {
            self.strays.fail(|| format!("stock {key}"));
            return Some(());
        }
        let loaded = data.stock_numbers(w as u32, i as u32);
        stock.stated.add(Sold {
            quantity: ytd,
            lines: orders - loaded.orders as i64,
            remote: remote - loaded.remote as i64,
        });
        let wanted = quantity_left(loaded.quantity as i64, ytd);
        let place = || format!("stock {key}");
        let wanted = ("loaded less s_ytd, filled up by 91s", wanted);
        self.stock_quantities.equal(place, ("s_quantity", quantity), wanted);
        Some(())
    }

    fn order(
        &mut self,
        data: &DataSet,
        (key, row): (&str, &Row),
        matched: &mut u64,
        expected: &mut Expected,
    ) -> Option<()> {
        let name = || format!("orders {key}");
        let Some(i) = self.district(&row[0], &row[1], name)? else { return Some(()) };
        let o_id = row[2].as_i64()?;
        let carrier = !row[4].is_null();
        let ol_cnt = row[5].as_i64()?;
        let lines = row[6].as_array()?;
        let (mut amount, mut delivered, mut open) = (0, 0, 0u64);
        for line in lines {
            let line_amount = cents(line.get("ol_amount")?)?;
            amount += line_amount;
            match line.get("ol_delivery_d") {
                None | Some(Value::Null) => open += 1,
                Some(_) => delivered += line_amount,
            }
        }

        let district = &mut self.districts[i];
        district.orders += 1;
        district.max_o_id = district.max_o_id.max(o_id);
        district.ol_cnt += ol_cnt;
        district.lines += lines.len() as i64;
        let undelivered =
            u32::try_from(o_id).is_ok_and(|o| district.neworders.binary_search(&o).is_ok());
        *matched += u64::from(undelivered);

        let [five, six, seven] = &mut self.order_findings;
        five.expect(carrier != undelivered, || {
            let carrier = if carrier { "set" } else { "null" };
            let neworder = if undelivered { "a" } else { "no" };
            format!("orders {key}: o_carrier_id {carrier}, {neworder} neworder")
        });
        six.expect(ol_cnt == lines.len() as i64, || {
            format!("orders {key}: o_ol_cnt {ol_cnt}, {}", counted(lines.len(), "line", "lines"))
        });
        let as_it_should = if carrier { open == 0 } else { open == lines.len() as u64 };
        seven.expect(as_it_should, || {
            let carrier = if carrier { "set" } else { "null" };
            format!(
                "orders {key}: o_carrier_id {carrier}, ol_delivery_d null in {open} of {}",
                counted(lines.len(), "line", "lines")
            )
        });

        let c = row[3].clone();
        if let Some(c) =
            self.customer(&row[0], &row[1], &c, || format!("customer of orders {key}"))?
        {
            self.customers[c].delivered += delivered;
            let since_the_load = carrier && o_id > i64::from(data.delivered_per_district());
            add(&mut self.customers[c].deliveries, -i64::from(since_the_load));
        }
        let (w, d) = (row[0].as_u64()? as u32, row[1].as_u64()? as u32);
        let o_id = u32::try_from(o_id).ok()?;
        if o_id > data.orders_per_district() {
            for line in lines {
                self.line(key, w, line, expected)?;
            }
        }
        let (c, count) = (row[3].as_u64()? as u32, lines.len() as u32);
        expected.see_order((w, d, o_id), || {
            let digest = digest::order([&row[3], &row[5], &row[7], &row[8]], lines);
            Order { w, d, o_id, c, lines: count, amount, digest }
        });
        if carrier {
            expected.see_delivery((w, d, o_id), || digest::delivery(&row[4], lines));
        }
        Some(())
    }

    /// Adds a line of an order of warehouse `w` entered since the load.
    fn line(&mut self, key: &str, w: u32, line: &Value, expected: &mut Expected) -> Option<()> {
        let supply_w = u32::try_from(line.get("ol_supply_w_id")?.as_u64()?).ok()?;
        let item = u32::try_from(line.get("ol_i_id")?.as_u64()?).ok()?;
        let quantity = line.get("ol_quantity")?.as_i64()?;
        let sold = Sold { quantity, lines: 1, remote: i64::from(supply_w != w) };
        match self.stock.get_mut((supply_w as usize).wrapping_sub(1)) {
            Some(stock) => stock.ordered.add(sold),
            None => self.strays.fail(|| format!("warehouse of a line of orders {key}")),
        }
        expected.sample.sold(supply_w, item, sold);
        Some(())
    }

    /// Condition 5, other direction: a neworder document without an order.
    fn neworders_without_order(&mut self, matched: u64) {
        let neworders: u64 = self.districts.iter().map(|d| d.neworders.len() as u64).sum();
        if neworders > matched {
            let missing = neworders - matched;
            self.order_findings[0]
                .fail(|| format!("{missing} neworder documents have no order of that key"));
        }
    }

    fn history(&mut self, key: &str, row: &Row, expected: &mut Expected) -> Option<()> {
        let amount = cents(&row[5])?;
        let name = || format!("history {key}");
        if let Some(i) = self.district(&row[0], &row[1], name)? {
            self.districts[i].payments += 1;
            self.districts[i].paid += amount;
        }
        let name = || format!("customer of history {key}");
        if let Some(i) = self.customer(&row[2], &row[3], &row[4], name)? {
            self.customers[i].paid += amount;
            add(&mut self.customers[i].payments, -1);
            let ids = [&row[4], &row[3], &row[2], &row[1], &row[0]].map(Value::as_u64);
            expected.sample.paid(i as u64, key, ids, amount);
        }
        let (w, d) = (row[0].as_u64()? as u32, row[1].as_u64()? as u32);
        expected.see_history(key, (w, d, amount), || digest::values(row));
        Some(())
    }

    /// The index of a district. `Some(None)`, and a stray, where this data has no such district;
    /// `None` where the fields are not numbers.
    fn district(
        &mut self,
        w: &Value,
        d: &Value,
        name: impl FnOnce() -> String,
    ) -> Option<Option<usize>> {
        let (w, d) = (w.as_u64()?, d.as_u64()?);
        if (1..=self.w_ytd.len() as u64).contains(&w) && (1..=10).contains(&d) {
            return Some(Some((w as usize - 1) * 10 + d as usize - 1));
        }
        self.strays.fail(name);
        Some(None)
    }

    fn customer(
        &mut self,
        w: &Value,
        d: &Value,
        c: &Value,
        name: impl Fn() -> String,
    ) -> Option<Option<usize>> {
        let c = c.as_u64()?;
        let per_district = u64::from(self.customers_per_district);
        let Some(district) = self.district(w, d, &name)? else { return Some(None) };
        if (1..=per_district).contains(&c) {
            return Some(Some(district * per_district as usize + c as usize - 1));
        }
        self.strays.fail(name);
        Some(None)
    }

    /// The key of a district by its index.
    pub fn district_key(i: usize) -> String {
        format!("{}.{}", i / 10 + 1, i % 10 + 1)
    }

    /// The key of a customer by its index.
    pub fn customer_key(&self, i: usize) -> String {
        let per_district = self.customers_per_district as usize;
        format!("{}.{}", Self::district_key(i / per_district), i % per_district + 1)
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
