//! TPC-C's consistency conditions 3.3.2.1 to 3.3.2.12 right after the load, at small scale and in
//! full, restated on the nested documents (specification, section 6).

use std::collections::{BTreeMap, HashSet};

use hoap_ch2::data::{Collection, DataSet, Schema};
use serde_json::Value;

use super::common::*;

/// Sums or counts by key.
type Totals<K> = BTreeMap<K, i64>;

fn totals<K: Ord>(values: impl IntoIterator<Item = (K, i64)>) -> Totals<K> {
    let mut totals = BTreeMap::new();
    for (key, value) in values {
        *totals.entry(key).or_insert(0) += value;
    }
    totals
}

fn ids<const N: usize>(document: &Value, fields: [&str; N]) -> [i64; N] {
    fields.map(|field| int(document, field))
}

fn check(data: &DataSet) {
    let all = |collection| documents(data, collection).collect::<Vec<_>>();
    let (warehouses, districts) = (all(Collection::Warehouse), all(Collection::District));
    let (customers, history) = (all(Collection::Customer), all(Collection::History));
    let (orders, new_orders) = (all(Collection::Orders), all(Collection::Neworder));
    let district_of = |d: &Value, prefix: &str| {
        [int(d, &format!("{prefix}_w_id")), int(d, &format!("{prefix}_d_id"))]
    };
    let lines = |order: &Value| list(order, "o_orderline").to_vec();

    // (1) w_ytd = sum(d_ytd), (8) w_ytd = sum(h_amount).
    let w_ytd = totals(warehouses.iter().map(|w| (int(w, "w_id"), cents(w, "w_ytd"))));
    assert_eq!(w_ytd, totals(districts.iter().map(|d| (int(d, "d_w_id"), cents(d, "d_ytd")))));
    assert_eq!(w_ytd, totals(history.iter().map(|h| (int(h, "h_w_id"), cents(h, "h_amount")))));

    // (9) d_ytd = sum(h_amount).
    let d_ytd = totals(districts.iter().map(|d| (ids(d, ["d_w_id", "d_id"]), cents(d, "d_ytd"))));
    let payments = history.iter().map(|h| (district_of(h, "h"), cents(h, "h_amount")));
    assert_eq!(d_ytd, totals(payments));

    // (2) d_next_o_id − 1 = max(o_id) = max(no_o_id), (3) new order numbers without gaps.
    for district in &districts {
        let [w, d, next] = ids(district, ["d_w_id", "d_id", "d_next_o_id"]);
        let of = |documents: &[Value], prefix: &str| -> Vec<i64> {
            let of_district = documents.iter().filter(|o| district_of(o, prefix) == [w, d]);
            of_district.map(|o| int(o, &format!("{prefix}_o_id"))).collect()
        };
        let numbers = of(&new_orders, "no");
        let (min, max) = (numbers.iter().min().expect("some"), numbers.iter().max().expect("some"));
        let orders_here = orders.iter().filter(|o| district_of(o, "o") == [w, d]);
        let last = orders_here.clone().map(|o| int(o, "o_id")).max();
        assert_eq!((last, *max), (Some(next - 1), next - 1));
        assert_eq!(max - min + 1, numbers.len() as i64);
        // (4) sum(o_ol_cnt) = number of lines.
        let claimed: i64 = orders_here.clone().map(|o| int(o, "o_ol_cnt")).sum();
        assert_eq!(claimed, orders_here.clone().map(|o| lines(o).len() as i64).sum::<i64>());
        // (11) orders − new orders = delivered orders.
        let delivered = i64::from(data.delivered_per_district());
        assert_eq!(orders_here.count() as i64 - numbers.len() as i64, delivered);
    }

    // (5) carrier null exactly where there is a new order, (6) o_ol_cnt = lines, (7) deliveries
    // null exactly where the carrier is.
    let new: HashSet<[i64; 3]> =
        new_orders.iter().map(|n| ids(n, ["no_w_id", "no_d_id", "no_o_id"])).collect();
    for order in &orders {
        let open = order["o_carrier_id"].is_null();
        assert_eq!(open, new.contains(&ids(order, ["o_w_id", "o_d_id", "o_id"])));
        assert_eq!(int(order, "o_ol_cnt"), lines(order).len() as i64);
        assert!(lines(order).iter().all(|line| line["ol_delivery_d"].is_null() == open));
    }

    // (10) c_balance = delivered − paid, (12) c_balance + c_ytd_payment = delivered.
    let delivered = totals(orders.iter().map(|order| {
        let lines = lines(order);
        let delivered = lines.iter().filter(|line| !line["ol_delivery_d"].is_null());
        let amount = delivered.map(|line| cents(line, "ol_amount")).sum();
        (ids(order, ["o_w_id", "o_d_id", "o_c_id"]), amount)
    }));
    let paid = totals(
        history.iter().map(|h| (ids(h, ["h_c_w_id", "h_c_d_id", "h_c_id"]), cents(h, "h_amount"))),
    );
    for customer in &customers {
        let id = ids(customer, ["c_w_id", "c_d_id", "c_id"]);
        let balance = cents(customer, "c_balance");
        assert_eq!(balance, delivered[&id] - paid[&id]);
        assert_eq!(balance + cents(customer, "c_ytd_payment"), delivered[&id]);
    }
}

#[test]
fn conditions_scaled_down() {
    for schema in [Schema::Ch2, Schema::Ch2pp] {
        for (warehouses, scale_down) in [(1, 100), (3, 100), (2, 25)] {
            check(&data_set(schema, warehouses, scale_down));
        }
    }
}

#[test]
fn conditions_in_full() {
    check(&data_set(Schema::Ch2, 1, 1));
}
