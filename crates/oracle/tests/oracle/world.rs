//! A handful of documents, written by hand.

use hoap_ch2::data::{Collection, Schema};
pub use hoap_oracle::sets::SCHEMAS;
use hoap_oracle::{Document, Filled, Loaded, Loader, answer, complete};
use serde_json::{Value, json};

pub const GERMANY: (i64, char) = (55, '7');
pub const FRANCE: (i64, char) = (54, '6');
pub const PERU: (i64, char) = (72, 'H');
pub const CHINA: (i64, char) = (73, 'I');

/// Documents of one schema in the making. It starts with the regions and four nations.
pub struct World {
    pub schema: Schema,
    loader: Loader,
    documents: Vec<Document>,
}

/// The key of a document (section 2): query texts may join by it.
fn key(collection: Collection, document: &Value) -> String {
    let fields: &[&str] = match collection {
        Collection::Customer => &["c_w_id", "c_d_id", "c_id"],
        Collection::Orders => &["o_w_id", "o_d_id", "o_id"],
        Collection::Neworder => &["no_w_id", "no_d_id", "no_o_id"],
        Collection::Stock => &["s_w_id", "s_i_id"],
        Collection::Item => &["i_id"],
        Collection::Supplier => &["su_suppkey"],
        Collection::Nation => &["n_nationkey"],
        Collection::Region => &["r_regionkey"],
        other => panic!("no query reads {}", other.name()),
    };
    let parts: Vec<String> = fields.iter().map(|field| document[field].to_string()).collect();
    parts.join(".")
}

/// A world that can be asked.
pub struct Made {
    /// As the oracle has read it.
    pub data: Loaded,
    /// As a database has it.
    database: Filled,
}

impl World {
    pub fn new(schema: Schema) -> Self {
        let mut world = World { schema, loader: Loader::new(schema), documents: Vec::new() };
        for (key, name) in [(1, "America"), (2, "Asia"), (3, "Europe")] {
            world.add(Collection::Region, json!({"r_regionkey": key, "r_name": name}));
        }
        for (key, name, region) in
            [(54, "France", 3), (55, "Germany", 3), (72, "Peru", 1), (73, "China", 2)]
        {
            let nation = json!({"n_nationkey": key, "n_name": name, "n_regionkey": region});
            world.add(Collection::Nation, nation);
        }
        world
    }

    pub fn add(&mut self, collection: Collection, document: Value) {
        let text = document.to_string().into_bytes();
        self.loader.add(collection, &text).unwrap();
        self.documents.push((collection, key(collection, &document), text));
    }

    /// A customer whose state starts with `initial`.
    pub fn customer(&mut self, (w, d, c): (i64, i64, i64), initial: char) -> &mut Self {
        self.customer_with((w, d, c), initial, "9000000000000000", -10.0)
    }

    pub fn customer_with(
        &mut self,
        (w, d, c): (i64, i64, i64),
        initial: char,
        phone: &str,
        balance: f64,
    ) -> &mut Self {
        let state = format!("{initial}x");
        let document = match self.schema {
            Schema::Ch2 => json!({
                "c_id": c, "c_d_id": d, "c_w_id": w, "c_last": format!("LAST{c}"),
                "c_city": "city", "c_state": state, "c_phone": phone, "c_balance": balance,
            }),
            // The kinds that no query asks for come first and would answer otherwise.
            Schema::Ch2pp => json!({
                "c_id": c, "c_d_id": d, "c_w_id": w, "c_balance": balance,
                "c_name": {"c_first": "first", "c_last": format!("LAST{c}")},
                "c_addresses": [
                    {"c_address_kind": "home", "c_city": "elsewhere", "c_state": "??"},
                    {"c_address_kind": "shipping", "c_city": "city", "c_state": state},
                ],
                "c_phones": [
                    {"c_phone_kind": "mobile", "c_phone_number": "?"},
                    {"c_phone_kind": "contact", "c_phone_number": phone},
                ],
            }),
        };
        self.add(Collection::Customer, document);
        self
    }

    /// An order of customer `c` of the same district. Days stand for their midnight.
    pub fn order(
        &mut self,
        (w, d, o): (i64, i64, i64),
        c: i64,
        carrier: Option<i64>,
        entered: &str,
        lines: &[Line],
    ) -> &mut Self {
        let line = |(i, line): (usize, &Line)| {
            json!({
                "ol_number": i + 1, "ol_i_id": line.item,
                "ol_supply_w_id": line.supply_warehouse.unwrap_or(w),
                "ol_delivery_d": line.delivered.map(at), "ol_quantity": line.quantity,
                "ol_amount": line.amount, "ol_dist_info": "info",
            })
        };
        let order = json!({
            "o_id": o, "o_c_id": c, "o_d_id": d, "o_w_id": w, "o_carrier_id": carrier,
            "o_ol_cnt": lines.len(), "o_all_local": 1, "o_entry_d": at(entered),
            "o_orderline": lines.iter().enumerate().map(line).collect::<Vec<_>>(),
        });
        self.add(Collection::Orders, order);
        self
    }

    pub fn neworder(&mut self, (w, d, o): (i64, i64, i64)) -> &mut Self {
        self.add(Collection::Neworder, json!({"no_o_id": o, "no_d_id": d, "no_w_id": w}));
        self
    }

    pub fn item(&mut self, i: i64, data: &str, price: f64) -> &mut Self {
        let item =
            json!({"i_id": i, "i_name": format!("item{i}"), "i_price": price, "i_data": data});
        self.add(Collection::Item, item);
        self
    }

    /// Its supplier is `w * i` in these small worlds.
    pub fn stock(&mut self, (w, i): (i64, i64), quantity: i64, order_count: i64) -> &mut Self {
        let stock =
            json!({"s_i_id": i, "s_w_id": w, "s_quantity": quantity, "s_order_cnt": order_count});
        self.add(Collection::Stock, stock);
        self
    }

    pub fn supplier(&mut self, key: i64, (nation, _): (i64, char)) -> &mut Self {
        self.supplier_with(key, nation, "no comment")
    }

    pub fn supplier_with(&mut self, key: i64, nation: i64, comment: &str) -> &mut Self {
        let address = self.address();
        let supplier = json!({
            "su_suppkey": key, "su_name": format!("Supplier#{key:09}"), "su_address": address,
            "su_nationkey": nation, "su_phone": "phone", "su_acctbal": 1.5, "su_comment": comment,
        });
        self.add(Collection::Supplier, supplier);
        self
    }

    /// The address of all suppliers.
    pub fn address(&self) -> Value {
        match self.schema {
            Schema::Ch2 => json!("street"),
            Schema::Ch2pp => json!({"su_street_1": "street"}),
        }
    }

    pub fn made(mut self) -> Made {
        self.documents.sort_by_key(|(collection, _, _)| collection.name());
        let database = Filled::with(self.schema, self.documents.into_iter());
        Made { data: self.loader.finish(), database }
    }

    /// The rows of a query.
    pub fn rows(self, query: u8, parameters: Value) -> Value {
        rows(&self.made(), query, parameters)
    }
}

/// The rows of a query by the oracle, its parameters given by name; days stand for their midnight.
/// Panics where the query texts answer otherwise.
pub fn rows(made: &Made, query: u8, parameters: Value) -> Value {
    let parameters = given(parameters);
    let expected = complete(&made.data, query, &parameters).unwrap();
    let of_catalogue = hoap_ch2::queries::catalogue::query(query).unwrap();
    let differences = made.database.differences(of_catalogue, &parameters, &expected);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    json!(answer(&made.data, query, &parameters).unwrap().rows)
}

/// How many rows a query would have without a LIMIT.
pub fn count_before_limit(made: &Made, query: u8, parameters: Value) -> usize {
    complete(&made.data, query, &given(parameters)).unwrap().answer.rows.len()
}

pub fn given(parameters: Value) -> Vec<(String, Value)> {
    let instant = |value: Value| match value.as_str() {
        Some(day) if day.len() == 10 && day.starts_with("20") => json!(at(day)),
        _ => value,
    };
    let Value::Object(parameters) = parameters else { panic!("{parameters}") };
    parameters.into_iter().map(|(name, value)| (name, instant(value))).collect()
}

/// An instant as documents write it, of a day or a day with a time.
fn at(text: &str) -> String {
    let rest = " 00:00:00.000000";
    format!("{text}{}", if text.len() == 10 { rest } else { "" })
}

/// A line of a hand-written order.
#[derive(Clone, Copy)]
pub struct Line {
    item: i64,
    quantity: i64,
    amount: f64,
    delivered: Option<&'static str>,
    supply_warehouse: Option<i64>,
}

/// A line that is not delivered.
pub fn line(item: i64, quantity: i64, amount: f64) -> Line {
    Line { item, quantity, amount, delivered: None, supply_warehouse: None }
}

impl Line {
    pub fn delivered(self, at: &'static str) -> Self {
        Line { delivered: Some(at), ..self }
    }

    pub fn supplied_by(self, warehouse: i64) -> Self {
        Line { supply_warehouse: Some(warehouse), ..self }
    }
}
