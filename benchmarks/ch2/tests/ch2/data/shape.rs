//! The shape of the documents: specification section 2.

use hoap_ch2::data::{Collection, DataSet, ExtraFields, Schema, Spec};
use hoap_data::Timestamp;
use hoap_testing::statistics::*;
use serde_json::{Value, json};

use super::common::*;

fn names(document: &Value) -> Vec<String> {
    document.as_object().expect("an object").keys().cloned().collect()
}

fn words(names: &str) -> Vec<String> {
    names.split_whitespace().map(str::to_owned).collect()
}

/// The fields of section 2's table, in its order; CH2 with the flat ones in place of the nested.
#[test]
fn fields_in_order() {
    let address = |p: &str| {
        ["street_1", "street_2", "city", "state", "zip"].map(|f| format!("{p}_{f}")).join(" ")
    };
    let (w, d, c) = (address("w"), address("d"), address("c"));
    let customer_money = "c_credit_lim c_balance c_ytd_payment c_payment_cnt c_delivery_cnt";
    let dists = (1..=10).map(|n| format!("s_dist_{n:02}")).collect::<Vec<_>>().join(" ");
    let order = "o_id o_c_id o_d_id o_w_id o_carrier_id o_ol_cnt o_all_local o_entry_d";
    let stock = "s_i_id s_w_id s_quantity s_ytd s_order_cnt s_remote_cnt s_data";
    let ids = "c_id c_d_id c_w_id c_discount c_credit";
    let table: [(Collection, String, String); 11] = [
        (
            Collection::Warehouse,
            "w_id w_ytd w_tax w_name w_address".into(),
            format!("w_id w_ytd w_tax w_name {w}"),
        ),
        (
            Collection::District,
            "d_id d_w_id d_ytd d_tax d_next_o_id d_name d_address".into(),
            format!("d_id d_w_id d_ytd d_tax d_next_o_id d_name {d}"),
        ),
        (
            Collection::Customer,
            format!(
                "{ids} c_name {customer_money} c_extra_001 c_extra_002 c_addresses c_phones \
                 c_since c_item_categories c_data"
            ),
            format!("{ids} c_first c_middle c_last {customer_money} {c} c_phone c_since c_data"),
        ),
        (
            Collection::History,
            "h_c_id h_c_d_id h_c_w_id h_d_id h_w_id h_date h_amount h_data".into(),
            String::new(),
        ),
        (
            Collection::Orders,
            format!("{order} o_extra_001 o_extra_002 o_orderline"),
            format!("{order} o_orderline"),
        ),
        (Collection::Neworder, "no_o_id no_d_id no_w_id".into(), String::new()),
        (Collection::Stock, format!("{stock} s_dists"), format!("{stock} {dists}")),
        (
            Collection::Item,
            "i_id i_name i_price i_extra_001 i_extra_002 i_categories i_data i_im_id".into(),
            "i_id i_name i_price i_data i_im_id".into(),
        ),
        (
            Collection::Supplier,
            "su_suppkey su_name su_address su_nationkey su_phone su_acctbal su_comment".into(),
            String::new(),
        ),
        (Collection::Nation, "n_nationkey n_name n_regionkey n_comment".into(), String::new()),
        (Collection::Region, "r_regionkey r_name r_comment".into(), String::new()),
    ];
    for (collection, ch2pp, ch2) in table {
        // Empty: CH2 has the same fields.
        let ch2 = if ch2.is_empty() { ch2pp.clone() } else { ch2 };
        for (schema, expected) in [(Schema::Ch2pp, ch2pp), (Schema::Ch2, ch2)] {
            let data = data_set(schema, 2, 100);
            for index in [0, 1, data.count(collection) - 1] {
                let document = document(&data, collection, index);
                assert_eq!(names(&document), words(&expected), "{schema} {collection}");
            }
        }
    }
    let data = data_set(Schema::Ch2pp, 2, 100);
    let customer = document(&data, Collection::Customer, 0);
    assert_eq!(names(&customer["c_name"]), words("c_first c_middle c_last"));
    assert_eq!(names(&customer["c_addresses"][0]), words(&format!("c_address_kind {c}")));
    assert_eq!(names(&customer["c_phones"][0]), words("c_phone_kind c_phone_number"));
    let line = "ol_number ol_i_id ol_supply_w_id ol_delivery_d ol_quantity ol_amount ol_dist_info";
    let order = document(&data, Collection::Orders, 0);
    assert_eq!(names(&order["o_orderline"][0]), words(line));
    for (collection, field, p) in [
        (Collection::Warehouse, "w_address", "w"),
        (Collection::District, "d_address", "d"),
        (Collection::Supplier, "su_address", "su"),
    ] {
        assert_eq!(names(&document(&data, collection, 0)[field]), words(&address(p)));
    }
}

/// Specification section 2: the CH2 document is the CH2++ document with the shipping address and
/// the contact phone.
fn projected(collection: Collection, document: Value) -> Value {
    let mut flat = serde_json::Map::new();
    for (name, value) in document.as_object().expect("an object") {
        match (collection, name.as_str()) {
            (_, name) if name.contains("_extra_") => (),
            (_, "c_item_categories" | "i_categories") => (),
            (_, "w_address" | "d_address" | "c_name") => {
                flat.extend(value.as_object().expect("an object").clone());
            }
            (_, "c_addresses") => {
                let shipping = value[0].as_object().expect("an object").clone();
                flat.extend(shipping.into_iter().filter(|(name, _)| name != "c_address_kind"));
            }
            (_, "c_phones") => {
                flat.insert("c_phone".into(), value[0]["c_phone_number"].clone());
            }
            (_, "su_address") => {
                let part = |field| string(value, field);
                let address = format!(
                    "{}, {}, {}, {} {}",
                    part("su_street_1"),
                    part("su_street_2"),
                    part("su_city"),
                    part("su_state"),
                    part("su_zip")
                );
                flat.insert(name.clone(), json!(address));
            }
            (_, "s_dists") => {
                for (n, dist) in value.as_array().expect("an array").iter().enumerate() {
                    flat.insert(format!("s_dist_{:02}", n + 1), dist.clone());
                }
            }
            _ => {
                flat.insert(name.clone(), value.clone());
            }
        }
    }
    Value::Object(flat)
}

#[test]
fn ch2_is_a_projection_of_ch2pp() {
    for (warehouses, scale_down) in [(1, 100), (2, 50)] {
        let [flat, nested] =
            [Schema::Ch2, Schema::Ch2pp].map(|s| data_set(s, warehouses, scale_down));
        for collection in Collection::ALL {
            let pairs = documents(&flat, collection).zip(documents(&nested, collection));
            for (ch2, ch2pp) in pairs {
                assert_eq!(ch2.to_string(), projected(collection, ch2pp).to_string());
            }
        }
    }
}

/// Specification section 2: N extra fields of 32 lower-case hexadecimal characters in customer,
/// orders and item, whose number changes no other value.
#[test]
fn extra_fields() {
    let mut spec = Spec::new(Schema::Ch2pp, 2);
    spec.scale_down = 100;
    spec.extra_fields = ExtraFields::NONE;
    let plain = DataSet::new(spec).expect("valid");
    let mut digits = Strings::new("extra fields", "0123456789abcdef", 32..=32);
    for fields in [
        ExtraFields::all(1),
        ExtraFields::default(),
        ExtraFields::all(128),
        ExtraFields { customer: 3, orders: 0, item: 128 },
    ] {
        spec.extra_fields = fields;
        let data = DataSet::new(spec).expect("valid");
        for (collection, prefix, count) in [
            (Collection::Customer, "c_extra_", fields.customer),
            (Collection::Orders, "o_extra_", fields.orders),
            (Collection::Item, "i_extra_", fields.item),
        ] {
            for index in 0..data.count(collection) {
                let mut found = document(&data, collection, index);
                let object = found.as_object_mut().expect("an object");
                for n in 1..=count {
                    let value = object.shift_remove(&format!("{prefix}{n:03}")).expect("there");
                    digits.add(value.as_str().expect("a string"));
                }
                assert_eq!(found, document(&plain, collection, index));
            }
        }
        for collection in [Collection::Warehouse, Collection::Stock, Collection::Supplier] {
            assert_eq!(text(&data, collection, 1), text(&plain, collection, 1));
        }
    }
    digits.check_characters();
}

/// Extra fields are all different, within a document and between documents.
#[test]
fn extra_fields_differ() {
    let mut spec = Spec::new(Schema::Ch2pp, 1);
    (spec.scale_down, spec.extra_fields) = (100, ExtraFields::all(128));
    let data = DataSet::new(spec).expect("valid");
    let mut seen = std::collections::HashSet::new();
    for collection in [Collection::Customer, Collection::Orders, Collection::Item] {
        for document in documents(&data, collection) {
            for (name, value) in document.as_object().expect("an object") {
                if name.contains("_extra_") {
                    assert!(seen.insert(value.as_str().expect("a string").to_owned()));
                }
            }
        }
    }
    assert_eq!(seen.len(), (300 + 300 + 1000) * 128);
}

/// Money has two decimals, taxes and discounts have four; dates have one width.
#[test]
fn numbers_as_written() {
    for schema in [Schema::Ch2, Schema::Ch2pp] {
        let data = data_set(schema, 2, 100);
        for collection in Collection::ALL {
            for index in 0..data.count(collection) {
                check_numbers(&text(&data, collection, index));
            }
        }
    }
}

fn check_numbers(document: &str) {
    let value: Value = serde_json::from_str(document).expect("JSON");
    assert!(!document.contains(|c: char| c.is_ascii_control() || !c.is_ascii()));
    assert!(!document.contains("\": ") && !document.contains("\\"));
    for (after_quote, field) in document.match_indices("\":").map(|(end, _)| {
        let start = document[..end].rfind('"').map_or(0, |quote| quote + 1);
        (&document[end + 2..], &document[start..end])
    }) {
        let number: String = after_quote
            .chars()
            .take_while(|&c| c == '-' || c == '.' || c.is_ascii_digit())
            .collect();
        let decimals = number.split_once('.').map(|(_, decimals)| decimals.len());
        let expected = match field {
            "w_ytd" | "d_ytd" | "c_credit_lim" | "c_balance" | "c_ytd_payment" | "h_amount"
            | "ol_amount" | "i_price" | "su_acctbal" => Some(2),
            "w_tax" | "d_tax" | "c_discount" => Some(4),
            _ => None,
        };
        assert_eq!(decimals, expected, "{field} in {document}");
        if matches!(field, "c_since" | "h_date" | "o_entry_d" | "ol_delivery_d")
            && !after_quote.starts_with("null")
        {
            let date = &after_quote[1..=Timestamp::LEN];
            assert!(date.parse::<Timestamp>().is_ok() && after_quote[27..].starts_with('"'));
        }
    }
    assert!(value.is_object());
}
