//! What single documents say, whichever pass reads them, and the checks that rest on one document.

use hoap_database::Row;
use hoap_workload::checks::Finding;
use hoap_workload::words::counted;
use serde_json::Value;

use super::customer::Customer;
use super::district::District;
use super::places::Places;
use super::stock::{Sold, quantity_left};
use crate::data::{Collection, DataSet};
use crate::ledger::{Order, digest};
use crate::transactions::cents;

/// The fields that [`FoundOrder::read`] takes.
pub(super) const ORDER: [&str; 9] = [
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

/// The fields that [`FoundCustomer::read`] takes.
pub(super) const CUSTOMER: [&str; 7] =
    ["c_w_id", "c_d_id", "c_id", "c_balance", "c_ytd_payment", "c_delivery_cnt", "c_payment_cnt"];

/// The fields that [`FoundStock::read`] takes.
pub(super) const STOCK: [&str; 6] =
    ["s_w_id", "s_i_id", "s_quantity", "s_ytd", "s_order_cnt", "s_remote_cnt"];

/// The fields of an undelivered order.
pub(super) const NEWORDER: [&str; 3] = ["no_w_id", "no_d_id", "no_o_id"];

/// Warehouse and district of an undelivered order, and its number. `None` where a field has the
/// wrong type or range.
pub(super) fn neworder(row: &Row) -> Option<((u64, u64), u32)> {
    let o_id = u32::try_from(row[2].as_u64()?).ok()?;
    Some(((row[0].as_u64()?, row[1].as_u64()?), o_id))
}

/// An order. Amounts are in cents.
pub(super) struct FoundOrder<'a> {
    /// Warehouse, district and number.
    pub place: (u32, u32, u32),
    /// o_c_id.
    pub c: u64,
    pub ol_cnt: i64,
    pub lines: &'a [Value],
    /// Sum of ol_amount.
    amount: i64,
    /// Sum of ol_amount of the lines with a delivery date.
    pub delivered: i64,
    /// Lines without a delivery date.
    open: u64,
    row: &'a Row,
}

impl<'a> FoundOrder<'a> {
    /// `None` where a field has the wrong type or range.
    pub fn read(row: &'a Row) -> Option<Self> {
        let number = |i: usize| u32::try_from(row[i].as_u64()?).ok();
        let lines = row[6].as_array()?;
        let (mut amount, mut delivered, mut open) = (0, 0, 0);
        for line in lines {
            let line_amount = cents(line.get("ol_amount")?)?;
            amount += line_amount;
            match line.get("ol_delivery_d") {
                None | Some(Value::Null) => open += 1,
                Some(_) => delivered += line_amount,
            }
        }
        let place = (number(0)?, number(1)?, number(2)?);
        let (c, ol_cnt) = (row[3].as_u64()?, row[5].as_i64()?);
        Some(FoundOrder { place, c, ol_cnt, lines, amount, delivered, open, row })
    }

    /// Whether o_carrier_id is set.
    pub fn carrier(&self) -> bool {
        !self.row[4].is_null()
    }

    /// Warehouse, district and number of its customer.
    pub fn customer(&self) -> (u64, u64, u64) {
        (self.place.0.into(), self.place.1.into(), self.c)
    }

    /// What it says of its customer.
    pub fn says(&self, data: &DataSet) -> Customer {
        let since_the_load = self.carrier() && self.place.2 > data.delivered_per_district();
        let deliveries = -i64::from(since_the_load);
        Customer { delivered: self.delivered, deliveries, ..Customer::default() }
    }

    /// What each line took from a stock: supplying warehouse, item, quantities. `None` where a
    /// field has the wrong type or range.
    pub fn sold(&self) -> Option<Vec<(u32, u32, Sold)>> {
        let each = |line: &Value| {
            let number = |name| u32::try_from(line.get(name)?.as_u64()?).ok();
            let (w, item) = (number("ol_supply_w_id")?, number("ol_i_id")?);
            let quantity = line.get("ol_quantity")?.as_i64()?;
            let remote = i64::from(w != self.place.0);
            Some((w, item, Sold { quantity, lines: 1, remote }))
        };
        self.lines.iter().map(each).collect()
    }

    /// Adds it to its district.
    pub fn count(&self, district: &mut District) {
        district.orders += 1;
        district.max_o_id = district.max_o_id.max(self.place.2.into());
        district.ol_cnt += self.ol_cnt;
        district.lines += self.lines.len() as i64;
    }

    /// What was acknowledged of it, if it is as it was acknowledged.
    pub fn entered(&self) -> Order {
        let ((w, d, o_id), row) = (self.place, self.row);
        let c = u32::try_from(self.c).unwrap_or(u32::MAX);
        let digest = digest::order([&row[3], &row[5], &row[7], &row[8]], self.lines);
        Order { w, d, o_id, c, lines: self.lines.len() as u32, amount: self.amount, digest }
    }

    /// The digest of what a delivery wrote; `None` where there was none.
    pub fn delivery(&self) -> Option<u64> {
        self.carrier().then(|| digest::delivery(&self.row[4], self.lines))
    }
}

/// A history document. The amount is in cents.
pub(super) struct FoundPayment {
    /// Warehouse and district.
    pub place: (u64, u64),
    /// Warehouse, district and number of the customer.
    pub payer: (u64, u64, u64),
    pub amount: i64,
}

impl FoundPayment {
    /// Reads the fields [`digest::HISTORY`]. `None` where one has the wrong type.
    pub fn read(row: &Row) -> Option<Self> {
        let number = |i: usize| row[i].as_u64();
        Some(FoundPayment {
            place: (number(0)?, number(1)?),
            payer: (number(2)?, number(3)?, number(4)?),
            amount: cents(&row[5])?,
        })
    }

    /// What it says of its customer.
    pub fn says(&self) -> Customer {
        Customer { paid: self.amount, payments: -1, ..Customer::default() }
    }

    /// The index of its customer, where there is such a customer.
    pub fn customer(&self, key: &str, findings: &mut Findings) -> Option<usize> {
        findings.customer(self.payer, || format!("customer of history {key}"))
    }
}

/// The numbers of a customer. Amounts are in cents.
pub(super) struct FoundCustomer {
    /// Warehouse, district and number.
    pub place: (u64, u64, u64),
    pub balance: i64,
    pub ytd_payment: i64,
    pub deliveries: i64,
    pub payments: i64,
}

impl FoundCustomer {
    /// `None` where a field has the wrong type.
    pub fn read(row: &Row) -> Option<Self> {
        Some(FoundCustomer {
            place: (row[0].as_u64()?, row[1].as_u64()?, row[2].as_u64()?),
            balance: cents(&row[3])?,
            ytd_payment: cents(&row[4])?,
            deliveries: row[5].as_i64()?,
            payments: row[6].as_i64()?,
        })
    }

    /// What it says of itself.
    pub fn says(&self) -> Customer {
        let FoundCustomer { balance, ytd_payment, deliveries, payments, .. } = *self;
        Customer { balance, ytd_payment, payments, deliveries, ..Customer::default() }
    }
}

/// The numbers of a stock.
pub(super) struct FoundStock {
    /// Warehouse and item.
    pub place: (u64, u64),
    quantity: i64,
    ytd: i64,
    orders: i64,
    remote: i64,
}

impl FoundStock {
    /// `None` where a field has the wrong type.
    pub fn read(row: &Row) -> Option<Self> {
        Some(FoundStock {
            place: (row[0].as_u64()?, row[1].as_u64()?),
            quantity: row[2].as_i64()?,
            ytd: row[3].as_i64()?,
            orders: row[4].as_i64()?,
            remote: row[5].as_i64()?,
        })
    }
}

/// The results of the checks that rest on one document, and what they need to know of the data.
#[derive(Debug)]
pub struct Findings {
    /// Conditions 5, 6 and 7, on orders.
    pub(super) orders: [Finding; 3],
    /// Conditions 10 and 12, on customers.
    pub(super) balances: [Finding; 2],
    pub(super) customer_counts: Finding,
    pub(super) stock_counts: Finding,
    /// Stocks whose s_quantity does not follow from their s_ytd.
    pub(super) stock_quantities: Finding,
    /// Documents that are missing, or belong to no warehouse, district or customer of this data.
    pub(super) strays: Finding,
    pub(super) places: Places,
}

impl Findings {
    pub(super) fn new(data: &DataSet) -> Self {
        Findings {
            orders: Default::default(),
            balances: Default::default(),
            customer_counts: Finding::default(),
            stock_counts: Finding::default(),
            stock_quantities: Finding::default(),
            strays: Finding::default(),
            places: Places::of(data),
        }
    }

    /// The index of a district; `None`, and a stray, where this data has no such district.
    pub(super) fn district(
        &mut self,
        place: (u64, u64),
        name: impl FnOnce() -> String,
    ) -> Option<usize> {
        let index = self.places.district(place);
        self.known(index, name)
    }

    /// The index of a customer; `None`, and a stray, where this data has no such customer.
    pub(super) fn customer(
        &mut self,
        place: (u64, u64, u64),
        name: impl FnOnce() -> String,
    ) -> Option<usize> {
        let index = self.places.customer(place);
        self.known(index, name)
    }

    /// The index of a stock; `None`, and a stray, where this data has no such stock.
    pub(super) fn stock_index(
        &mut self,
        place: (u64, u64),
        name: impl FnOnce() -> String,
    ) -> Option<usize> {
        let index = self.places.stock(place);
        self.known(index, name)
    }

    fn known(&mut self, index: Option<usize>, name: impl FnOnce() -> String) -> Option<usize> {
        if index.is_none() {
            self.strays.fail(name);
        }
        index
    }

    /// Whether a document has the key of its numbers: operations find it by its key, and what adds
    /// up by its numbers.
    pub(super) fn keyed(&mut self, collection: Collection, key: &str, numbers: &[u64]) {
        let is_of =
            key.split('.').map(|part| part.parse().ok()).eq(numbers.iter().map(|n| Some(*n)));
        if !is_of {
            self.strays.fail(|| format!("{collection} {key} has the numbers of another"));
        }
    }

    /// Conditions 5, 6 and 7. `undelivered` says whether a neworder document has its number.
    pub(super) fn order(&mut self, key: &str, order: &FoundOrder<'_>, undelivered: bool) {
        let (carrier, lines, open) = (order.carrier(), order.lines.len(), order.open);
        let [five, six, seven] = &mut self.orders;
        five.expect(carrier != undelivered, || {
            let carrier = if carrier { "set" } else { "null" };
            let neworder = if undelivered { "a" } else { "no" };
            format!("orders {key}: o_carrier_id {carrier}, {neworder} neworder")
        });
        six.expect(order.ol_cnt == lines as i64, || {
            format!("orders {key}: o_ol_cnt {}, {}", order.ol_cnt, counted(lines, "line", "lines"))
        });
        let as_it_should = if carrier { open == 0 } else { open == lines as u64 };
        seven.expect(as_it_should, || {
            let carrier = if carrier { "set" } else { "null" };
            format!(
                "orders {key}: o_carrier_id {carrier}, ol_delivery_d null in {open} of {}",
                counted(lines, "line", "lines")
            )
        });
    }

    /// Condition 5, other direction: neworder documents, of which so many have an order.
    pub(super) fn neworders(&mut self, neworders: u64, matched: u64) {
        if neworders > matched {
            let missing = neworders - matched;
            self.orders[0]
                .fail(|| format!("{missing} neworder documents have no order of that key"));
        }
    }

    /// Conditions 10 and 12, and the counts of a customer.
    pub(super) fn balance(&mut self, index: usize, c: &Customer) {
        let per_district = self.places.customers() / 10;
        let key = || {
            let district = District::key(index / per_district);
            format!("customer {district}.{}", index % per_district + 1)
        };
        let of = |name, cents: i64| format!("{name} {}", money(Some(cents)));
        let [ten, twelve] = &mut self.balances;
        ten.expect(c.ten() == 0, || {
            let owed = c.delivered.saturating_sub(c.paid);
            format!("{}: {}, {}", key(), of("c_balance", c.balance), of("delivered - paid", owed))
        });
        twelve.expect(c.twelve() == 0, || {
            let sum = of("c_balance + c_ytd_payment", c.balance.saturating_add(c.ytd_payment));
            format!("{}: {sum}, {}", key(), of("delivered", c.delivered))
        });
        for (name, of, more) in [
            ("c_payment_cnt", "history documents", c.payments),
            ("c_delivery_cnt", "orders delivered since the load", c.deliveries),
        ] {
            self.customer_counts
                .expect(more == 0, || format!("{}: {name} less {of} is {more}, not 0", key()));
        }
    }

    /// Whether s_quantity follows from s_ytd. Returns what was taken since the load by its counts.
    pub(super) fn quantity(&mut self, data: &DataSet, key: &str, stock: &FoundStock) -> Sold {
        let loaded = data.stock_numbers(stock.place.0 as u32, stock.place.1 as u32);
        let wanted = quantity_left(loaded.quantity as i64, stock.ytd);
        let place = || format!("stock {key}");
        let wanted = ("loaded less s_ytd, filled up by 91s", wanted);
        self.stock_quantities.equal(place, ("s_quantity", stock.quantity), wanted);
        Sold {
            quantity: stock.ytd,
            lines: stock.orders - loaded.orders as i64,
            remote: stock.remote - loaded.remote as i64,
        }
    }

    /// Whether the counts of a stock, or of a warehouse's, grew by what order lines took.
    pub(super) fn counts(&mut self, place: &dyn Fn() -> String, stated: Sold, ordered: Sold) {
        for (name, left, right) in [
            ("growth of s_ytd", stated.quantity, ordered.quantity),
            ("growth of s_order_cnt", stated.lines, ordered.lines),
            ("growth of s_remote_cnt", stated.remote, ordered.remote),
        ] {
            self.stock_counts.equal(place, (name, left), ("by order lines", right));
        }
    }
}

/// An amount in cents as money, or "missing".
pub(super) fn money(cents: Option<i64>) -> String {
    match cents {
        Some(c) => {
            let sign = if c < 0 { "-" } else { "" };
            format!("{sign}{}.{:02}", c.unsigned_abs() / 100, c.unsigned_abs() % 100)
        }
        None => "missing".into(),
    }
}
