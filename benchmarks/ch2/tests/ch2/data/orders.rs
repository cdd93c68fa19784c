//! Orders, their lines, new orders and what they mean for customers: specification section 3,
//! TPC-C 4.3.3.1.

use std::collections::{BTreeMap, HashMap, HashSet};

use hoap_ch2::data::{Collection, DataSet, Schema};
use hoap_data::DAY_MICROS;
use hoap_testing::statistics::*;
use serde_json::Value;

use super::common::*;

fn district(document: &Value, prefix: &str) -> (i64, i64) {
    (int(document, &format!("{prefix}_w_id")), int(document, &format!("{prefix}_d_id")))
}

fn is_delivered(data: &DataSet, order: &Value) -> bool {
    int(order, "o_id") <= data.delivered_per_district().into()
}

/// TPC-C 4.3.3.1, O_C_ID: a random permutation of the district's customers, so one order each.
#[test]
fn one_order_per_customer() {
    for (warehouses, scale_down) in [(1, 2), (2, 20), (2, 100)] {
        let data = data_set(Schema::Ch2, warehouses, scale_down);
        let customers = i64::from(data.customers_per_district());
        let mut of = BTreeMap::new();
        for order in documents(&data, Collection::Orders) {
            let customer = int(&order, "o_c_id");
            assert!((1..=customers).contains(&customer));
            assert!(of.entry(district(&order, "o")).or_insert_with(HashSet::new).insert(customer));
        }
        assert_eq!(of.len() as u32, warehouses * 10);
        assert!(of.values().all(|c| c.len() as i64 == customers));
    }
}

/// The permutations of two districts have nothing in common.
#[test]
fn districts_differ_in_order() {
    let data = data_set(Schema::Ch2, 1, 1);
    let customers: Vec<i64> =
        documents(&data, Collection::Orders).map(|o| int(&o, "o_c_id")).collect();
    let mut distance = Uniform::new("distance of o_c_id between districts", 0..=2999);
    for (a, b) in customers.iter().zip(&customers[3000..]) {
        distance.add((a + 3000 - b) % 3000);
    }
    distance.check();
}

/// TPC-C 4.3.3.1, table ORDER: numbers, carrier, lines; the first 2,100 of a district are
/// delivered.
#[test]
fn scalars() {
    let data = data_set(Schema::Ch2, 1, 1);
    let mut lines = Uniform::new("o_ol_cnt", 5..=15);
    let mut carriers = Uniform::new("o_carrier_id", 1..=10);
    for order in documents(&data, Collection::Orders) {
        lines.add(int(&order, "o_ol_cnt"));
        assert_eq!(int(&order, "o_ol_cnt"), list(&order, "o_orderline").len() as i64);
        assert_eq!(int(&order, "o_all_local"), 1);
        if int(&order, "o_id") <= 2100 {
            carriers.add(int(&order, "o_carrier_id"));
        } else {
            assert_eq!(order["o_carrier_id"], Value::Null);
        }
    }
    lines.check();
    carriers.check();
}

/// Specification section 3: o_entry_d = c_since of the customer.
#[test]
fn entry_is_customer_since() {
    let data = data_set(Schema::Ch2, 2, 10);
    for order in documents(&data, Collection::Orders) {
        let (w, d) = district(&order, "o");
        let key = format!("{w}.{d}.{}", int(&order, "o_c_id"));
        let customer = document_at(&data, Collection::Customer, &key);
        let history = document_at(&data, Collection::History, &key);
        assert_eq!(order["o_entry_d"], customer["c_since"]);
        assert_eq!(order["o_entry_d"], history["h_date"]);
    }
}

/// TPC-C 4.3.3.1, table ORDER-LINE; ol_quantity, which is 5 there, as in the specification's
/// section 3.
#[test]
fn lines() {
    let data = data_set(Schema::Ch2, 1, 1);
    let mut items = Uniform::new("ol_i_id", 1..=100_000);
    let mut quantities = Uniform::new("ol_quantity", 1..=50);
    let mut info = Strings::new("ol_dist_info", LETTERS, 24..=24);
    for order in documents(&data, Collection::Orders) {
        for (n, line) in list(&order, "o_orderline").iter().enumerate() {
            assert_eq!(int(line, "ol_number"), n as i64 + 1);
            assert_eq!(line["ol_supply_w_id"], order["o_w_id"]);
            items.add(int(line, "ol_i_id"));
            quantities.add(int(line, "ol_quantity"));
            info.add(string(line, "ol_dist_info"));
        }
    }
    items.check();
    quantities.check();
    info.check_characters();
}

/// Specification section 3: in delivered orders 0.01–5000.00 where o_id is a multiple of 5 and 0.00
/// elsewhere; in undelivered ones 0.01–5000.00.
#[test]
fn amounts() {
    let data = data_set(Schema::Ch2, 2, 4);
    let mut delivered = Uniform::new("ol_amount of delivered orders", 1..=500_000);
    let mut undelivered = Uniform::new("ol_amount of undelivered orders", 1..=500_000);
    for order in documents(&data, Collection::Orders) {
        let with_amount = int(&order, "o_id") % 5 == 0;
        for line in list(&order, "o_orderline") {
            let amount = cents(line, "ol_amount");
            match (is_delivered(&data, &order), with_amount) {
                (true, true) => delivered.add(amount),
                (true, false) => assert_eq!(amount, 0),
                (false, _) => undelivered.add(amount),
            }
        }
    }
    delivered.check();
    undelivered.check();
}

/// Specification section 3: ol_delivery_d is uniform in [o_entry_d + 2 days, o_entry_d + 151 days],
/// with a random time of day, in delivered orders and null in others.
#[test]
fn deliveries() {
    let data = data_set(Schema::Ch2, 1, 4);
    let mut after = Uniform::new("delivery after entry", 2 * DAY_MICROS..=151 * DAY_MICROS);
    let mut of_day = Uniform::new("time of day", 0..=DAY_MICROS - 1);
    let end = hoap_data::Timestamp::from(data.end_date()).micros();
    for order in documents(&data, Collection::Orders) {
        let entry = micros(&order, "o_entry_d");
        for line in list(&order, "o_orderline") {
            if is_delivered(&data, &order) {
                let delivery = micros(line, "ol_delivery_d");
                assert!(delivery <= end);
                after.add(delivery - entry);
                of_day.add(delivery.rem_euclid(DAY_MICROS));
            } else {
                assert_eq!(line["ol_delivery_d"], Value::Null);
            }
        }
    }
    after.check();
    of_day.check();
}

/// Scaled down, lines name items that exist.
#[test]
fn items_scaled_down() {
    let data = data_set(Schema::Ch2, 1, 100);
    let mut items = Uniform::new("ol_i_id", 1..=1000);
    for order in documents(&data, Collection::Orders) {
        list(&order, "o_orderline").iter().for_each(|line| items.add(int(line, "ol_i_id")));
    }
    items.check();
}

/// TPC-C 4.3.3.1, table NEW-ORDER: the last 900 orders of each district, those not delivered.
#[test]
fn new_orders() {
    for scale_down in [4, 20, 100] {
        let data = data_set(Schema::Ch2, 2, scale_down);
        let undelivered: HashSet<(i64, i64, i64)> = documents(&data, Collection::Orders)
            .filter(|order| order["o_carrier_id"].is_null())
            .map(|order| {
                let (w, d) = district(&order, "o");
                (w, d, int(&order, "o_id"))
            })
            .collect();
        let new: HashSet<(i64, i64, i64)> = documents(&data, Collection::Neworder)
            .map(|n| (int(&n, "no_w_id"), int(&n, "no_d_id"), int(&n, "no_o_id")))
            .collect();
        assert_eq!(new, undelivered);
        assert_eq!(new.len() as u32, 20 * 900 / scale_down);
        let first = i64::from(data.delivered_per_district()) + 1;
        assert_eq!(new.iter().map(|n| n.2).min(), Some(first));
    }
}

/// Specification section 3: c_balance = sum of the ol_amount of the customer's delivered initial
/// order − 10.00.
#[test]
fn balances() {
    for (warehouses, scale_down) in [(1, 4), (2, 20), (3, 100)] {
        let data = data_set(Schema::Ch2, warehouses, scale_down);
        let mut delivered = HashMap::new();
        for order in documents(&data, Collection::Orders).filter(|o| is_delivered(&data, o)) {
            let amounts = list(&order, "o_orderline").iter().map(|line| cents(line, "ol_amount"));
            let (w, d) = district(&order, "o");
            delivered.insert((w, d, int(&order, "o_c_id")), amounts.sum::<i64>());
        }
        let mut with_amounts = 0;
        for customer in documents(&data, Collection::Customer) {
            let (w, d) = district(&customer, "c");
            let amount = delivered.get(&(w, d, int(&customer, "c_id"))).copied().unwrap_or(0);
            assert_eq!(cents(&customer, "c_balance"), amount - 1000);
            with_amounts += u32::from(amount > 0);
        }
        assert_eq!(with_amounts, warehouses * 10 * (data.delivered_per_district() / 5));
    }
}
