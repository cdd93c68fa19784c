//! Reads documents of either schema from their JSON text.
//!
//! The two schemas have their own structs where their paths differ, so a document in the shape of
//! the other schema is an error, never half read.

use std::collections::HashMap;
use std::hash::Hash;

use hoap_ch2::data::{Collection, DataSet, Schema};
use serde::Deserialize;
use serde_json::Value;

use super::instant::Instant;
use super::model::{Customer, Item, Line, Loaded, Nation, Order, Stock, Supplier};

/// Reads a whole data set.
///
/// # Errors
/// A document that is not of the schema, a key that comes twice.
pub fn load(set: &DataSet) -> Result<Loaded, String> {
    let mut loader = Loader::new(set.spec().schema);
    let mut text = Vec::new();
    for collection in Collection::ALL {
        for index in 0..set.count(collection) {
            text.clear();
            set.append(collection, index, &mut text);
            loader.add(collection, &text)?;
        }
    }
    Ok(loader.finish())
}

/// Takes documents one by one.
pub struct Loader(Loaded);

impl Loader {
    /// Nothing yet.
    pub fn new(schema: Schema) -> Self {
        Loader(Loaded {
            schema,
            customers: HashMap::new(),
            orders: Default::default(),
            neworders: Default::default(),
            stocks: HashMap::new(),
            items: HashMap::new(),
            suppliers: HashMap::new(),
            nations: HashMap::new(),
            regions: HashMap::new(),
        })
    }

    /// All that was added.
    pub fn finish(self) -> Loaded {
        self.0
    }

    /// Adds one document. Collections that no query reads are passed over.
    ///
    /// # Errors
    /// A document that is not of the schema, a key that is there already.
    pub fn add(&mut self, collection: Collection, text: &[u8]) -> Result<(), String> {
        self.read(collection, text).map_err(|e| {
            format!("read {} {}: {e}", collection.name(), String::from_utf8_lossy(text))
        })
    }

    fn read(&mut self, collection: Collection, text: &[u8]) -> Result<(), String> {
        let data = &mut self.0;
        match collection {
            Collection::Warehouse | Collection::District | Collection::History => Ok(()),
            Collection::Customer => {
                let (key, customer) = match data.schema {
                    Schema::Ch2 => parse::<FlatCustomer>(text)?.into_customer(),
                    Schema::Ch2pp => parse::<NestedCustomer>(text)?.into_customer()?,
                };
                put(&mut data.customers, key, customer)
            }
            Collection::Orders => {
                let order = parse::<OrderDocument>(text)?;
                let key = (order.o_w_id, order.o_d_id, order.o_id);
                match data.orders.insert(key, order.into_order()?) {
                    None => Ok(()),
                    Some(_) => Err("the key is there already".into()),
                }
            }
            Collection::Neworder => {
                let n = parse::<NeworderDocument>(text)?;
                match data.neworders.insert((n.no_w_id, n.no_d_id, n.no_o_id)) {
                    true => Ok(()),
                    false => Err("the key is there already".into()),
                }
            }
            Collection::Stock => {
                let s = parse::<StockDocument>(text)?;
                let stock = Stock {
                    warehouse: s.s_w_id,
                    item: s.s_i_id,
                    quantity: s.s_quantity,
                    order_count: s.s_order_cnt,
                };
                put(&mut data.stocks, (s.s_w_id, s.s_i_id), stock)
            }
            Collection::Item => {
                let i = parse::<ItemDocument>(text)?;
                let price_cents = i.i_price.0;
                let item = Item { id: i.i_id, name: i.i_name, data: i.i_data, price_cents };
                put(&mut data.items, i.i_id, item)
            }
            Collection::Supplier => {
                let s = parse::<SupplierDocument>(text)?;
                match (data.schema, &s.su_address) {
                    (Schema::Ch2, Value::String(_)) | (Schema::Ch2pp, Value::Object(_)) => {}
                    (_, other) => return Err(format!("su_address is {other}")),
                }
                let supplier = Supplier {
                    key: s.su_suppkey,
                    name: s.su_name,
                    address: s.su_address,
                    nation: s.su_nationkey,
                    phone: s.su_phone,
                    comment: s.su_comment,
                };
                put(&mut data.suppliers, s.su_suppkey, supplier)
            }
            Collection::Nation => {
                let n = parse::<NationDocument>(text)?;
                let nation = Nation { name: n.n_name, region: n.n_regionkey };
                put(&mut data.nations, n.n_nationkey, nation)
            }
            Collection::Region => {
                let r = parse::<RegionDocument>(text)?;
                put(&mut data.regions, r.r_regionkey, r.r_name)
            }
        }
    }
}

fn parse<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(text).map_err(|e| e.to_string())
}

fn put<K: Eq + Hash, V>(rows: &mut HashMap<K, V>, key: K, row: V) -> Result<(), String> {
    match rows.insert(key, row) {
        None => Ok(()),
        Some(_) => Err("the key is there already".into()),
    }
}

/// A JSON number with at most two decimals (specification section 1).
#[derive(Deserialize)]
#[serde(try_from = "f64")]
struct Cents(i64);

impl TryFrom<f64> for Cents {
    type Error = String;

    fn try_from(amount: f64) -> Result<Self, String> {
        let cents = (amount * 100.0).round();
        // The nearest double to a decimal with two places, not merely near one.
        if cents / 100.0 != amount || cents.abs() > 1e15 {
            return Err(format!("{amount} is no amount with two decimals"));
        }
        Ok(Cents(cents as i64))
    }
}

#[derive(Deserialize)]
struct FlatCustomer {
    c_id: i64,
    c_d_id: i64,
    c_w_id: i64,
    c_last: String,
    c_city: String,
    c_state: String,
    c_phone: String,
    c_balance: Cents,
}

impl FlatCustomer {
    fn into_customer(self) -> ((i64, i64, i64), Customer) {
        let customer = Customer {
            id: self.c_id,
            last: self.c_last,
            city: self.c_city,
            state: self.c_state,
            phone: self.c_phone,
            balance_cents: self.c_balance.0,
        };
        ((self.c_w_id, self.c_d_id, self.c_id), customer)
    }
}

#[derive(Deserialize)]
struct NestedCustomer {
    c_id: i64,
    c_d_id: i64,
    c_w_id: i64,
    c_name: Name,
    c_addresses: Vec<Address>,
    c_phones: Vec<Phone>,
    c_balance: Cents,
}

#[derive(Deserialize)]
struct Name {
    c_last: String,
}

#[derive(Deserialize)]
struct Address {
    c_address_kind: String,
    c_city: String,
    c_state: String,
}

#[derive(Deserialize)]
struct Phone {
    c_phone_kind: String,
    c_phone_number: String,
}

impl NestedCustomer {
    fn into_customer(self) -> Result<((i64, i64, i64), Customer), String> {
        let shipping = only(self.c_addresses, |a| a.c_address_kind == "shipping")
            .ok_or("not exactly one shipping address")?;
        let contact = only(self.c_phones, |p| p.c_phone_kind == "contact")
            .ok_or("not exactly one contact phone")?;
        let customer = Customer {
            id: self.c_id,
            last: self.c_name.c_last,
            city: shipping.c_city,
            state: shipping.c_state,
            phone: contact.c_phone_number,
            balance_cents: self.c_balance.0,
        };
        Ok(((self.c_w_id, self.c_d_id, self.c_id), customer))
    }
}

/// The one element that is so, if it is one.
fn only<T>(all: Vec<T>, is_so: impl Fn(&T) -> bool) -> Option<T> {
    let mut found = all.into_iter().filter(is_so);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

#[derive(Deserialize)]
struct OrderDocument {
    o_id: i64,
    o_c_id: i64,
    o_d_id: i64,
    o_w_id: i64,
    o_carrier_id: Option<i64>,
    o_ol_cnt: i64,
    o_entry_d: String,
    o_orderline: Vec<LineDocument>,
}

#[derive(Deserialize)]
struct LineDocument {
    ol_number: i64,
    ol_i_id: i64,
    ol_supply_w_id: i64,
    ol_delivery_d: Option<String>,
    ol_quantity: i64,
    ol_amount: Cents,
}

impl OrderDocument {
    fn into_order(self) -> Result<Order, String> {
        let line = |line: LineDocument| {
            Ok(Line {
                number: line.ol_number,
                item: line.ol_i_id,
                supply_warehouse: line.ol_supply_w_id,
                delivered: line.ol_delivery_d.as_deref().map(Instant::parse).transpose()?,
                quantity: line.ol_quantity,
                cents: line.ol_amount.0,
            })
        };
        Ok(Order {
            customer: (self.o_w_id, self.o_d_id, self.o_c_id),
            carrier: self.o_carrier_id,
            line_count: self.o_ol_cnt,
            entered: Instant::parse(&self.o_entry_d)?,
            entered_text: self.o_entry_d,
            lines: self.o_orderline.into_iter().map(line).collect::<Result<_, String>>()?,
        })
    }
}

#[derive(Deserialize)]
struct NeworderDocument {
    no_o_id: i64,
    no_d_id: i64,
    no_w_id: i64,
}

#[derive(Deserialize)]
struct StockDocument {
    s_i_id: i64,
    s_w_id: i64,
    s_quantity: i64,
    s_order_cnt: i64,
}

#[derive(Deserialize)]
struct ItemDocument {
    i_id: i64,
    i_name: String,
    i_price: Cents,
    i_data: String,
}

#[derive(Deserialize)]
struct SupplierDocument {
    su_suppkey: i64,
    su_name: String,
    su_address: Value,
    su_nationkey: i64,
    su_phone: String,
    su_comment: String,
}

#[derive(Deserialize)]
struct NationDocument {
    n_nationkey: i64,
    n_name: String,
    n_regionkey: i64,
}

#[derive(Deserialize)]
struct RegionDocument {
    r_regionkey: i64,
    r_name: String,
}
