//! What the queries need of the documents, whatever the schema: small typed rows, and the joins.

use std::collections::{BTreeMap, HashMap, HashSet};

use hoap_ch2::data::Schema;
use serde_json::Value;

use super::instant::Instant;

/// Warehouse, district and customer, or warehouse, district and order.
pub type Key3 = (i64, i64, i64);

/// A data set read into memory.
pub struct Loaded {
    /// The schema its documents were written in.
    pub schema: Schema,
    /// By (c_w_id, c_d_id, c_id).
    pub customers: HashMap<Key3, Customer>,
    /// By (o_w_id, o_d_id, o_id).
    pub orders: BTreeMap<Key3, Order>,
    /// (no_w_id, no_d_id, no_o_id).
    pub neworders: HashSet<Key3>,
    /// By (s_w_id, s_i_id).
    pub stocks: HashMap<(i64, i64), Stock>,
    /// By i_id.
    pub items: HashMap<i64, Item>,
    /// By su_suppkey.
    pub suppliers: HashMap<i64, Supplier>,
    /// By n_nationkey.
    pub nations: HashMap<i64, Nation>,
    /// r_name by r_regionkey.
    pub regions: HashMap<i64, String>,
}

/// A customer with the 'shipping' address and the 'contact' phone.
pub struct Customer {
    pub id: i64,
    pub last: String,
    pub city: String,
    pub state: String,
    pub phone: String,
    pub balance_cents: i64,
}

/// An order with its lines.
pub struct Order {
    pub customer: Key3,
    pub carrier: Option<i64>,
    pub line_count: i64,
    pub entered: Instant,
    /// o_entry_d as the document writes it.
    pub entered_text: String,
    pub lines: Vec<Line>,
}

/// An order line.
pub struct Line {
    pub number: i64,
    pub item: i64,
    pub supply_warehouse: i64,
    pub delivered: Option<Instant>,
    pub quantity: i64,
    pub cents: i64,
}

/// A stock entry.
pub struct Stock {
    pub warehouse: i64,
    pub item: i64,
    pub quantity: i64,
    pub order_count: i64,
}

/// An item.
pub struct Item {
    pub id: i64,
    pub name: String,
    pub data: String,
    pub price_cents: i64,
}

/// A supplier.
pub struct Supplier {
    pub key: i64,
    pub name: String,
    /// A string in CH2, an object in CH2++.
    pub address: Value,
    pub nation: i64,
    pub phone: String,
    pub comment: String,
}

/// A nation.
pub struct Nation {
    pub name: String,
    pub region: i64,
}

impl Loaded {
    /// The customer of an order.
    pub fn customer(&self, order: &Order) -> Option<&Customer> {
        self.customers.get(&order.customer)
    }

    /// The nation of a customer: its key is the code point of the state's first character.
    pub fn nation_of_customer(&self, customer: &Customer) -> Option<&Nation> {
        self.nations.get(&customer.nation_key()?)
    }

    /// The supplier of a stock entry: `s_w_id * s_i_id mod 10000`.
    pub fn supplier_of_stock(&self, stock: &Stock) -> Option<&Supplier> {
        self.suppliers.get(&stock.supplier_key())
    }

    /// The supplier of what a warehouse holds of an item.
    pub fn supplier(&self, warehouse: i64, item: i64) -> Option<&Supplier> {
        self.supplier_of_stock(self.stocks.get(&(warehouse, item))?)
    }

    /// The nation of a supplier.
    pub fn nation_of_supplier(&self, supplier: &Supplier) -> Option<&Nation> {
        self.nations.get(&supplier.nation)
    }

    /// The name of a nation's region.
    pub fn region(&self, nation: &Nation) -> Option<&str> {
        self.regions.get(&nation.region).map(String::as_str)
    }

    /// Every order line with its order and that order's key.
    pub fn lines(&self) -> impl Iterator<Item = (&Key3, &Order, &Line)> {
        let of_order = |(key, order)| Order::lines_of(key, order);
        self.orders.iter().flat_map(of_order)
    }
}

impl Customer {
    /// The first character of the state.
    pub fn initial(&self) -> Option<char> {
        self.state.chars().next()
    }

    /// The key of the nation.
    pub fn nation_key(&self) -> Option<i64> {
        self.initial().map(|c| i64::from(u32::from(c)))
    }
}

impl Order {
    /// Sum of ol_amount.
    pub fn cents(&self) -> i64 {
        self.lines.iter().map(|line| line.cents).sum()
    }

    /// The year of o_entry_d.
    pub fn year(&self) -> i64 {
        let digits = self.entered_text.bytes().take(4);
        digits.fold(0, |year, digit| year * 10 + i64::from(digit - b'0'))
    }

    fn lines_of<'a>(
        key: &'a Key3,
        order: &'a Order,
    ) -> impl Iterator<Item = (&'a Key3, &'a Order, &'a Line)> {
        order.lines.iter().map(move |line| (key, order, line))
    }
}

impl Line {
    /// Whether it was delivered, and in [from, to).
    pub fn delivered_in(&self, from: Instant, to: Instant) -> bool {
        self.delivered.is_some_and(|at| from <= at && at < to)
    }
}

impl Stock {
    /// The key of the supplier.
    pub fn supplier_key(&self) -> i64 {
        self.warehouse * self.item % 10_000
    }
}
