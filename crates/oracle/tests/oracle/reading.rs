//! What is read, and what is refused.

use hoap_ch2::data::{Collection, Schema};
use hoap_oracle::{Instant, Loader, answer};
use serde_json::json;

use super::world::{GERMANY, World, given};

fn refusal(schema: Schema, collection: Collection, document: &str) -> String {
    Loader::new(schema).add(collection, document.as_bytes()).unwrap_err()
}

/// Section 2: the schemas differ in shape, and neither is read as the other.
#[test]
fn a_document_of_the_other_schema_is_refused() {
    let flat = r#"{"c_id":1,"c_d_id":1,"c_w_id":1,"c_last":"A","c_city":"b","c_state":"cd",
        "c_phone":"1","c_balance":-10.00}"#;
    assert!(Loader::new(Schema::Ch2).add(Collection::Customer, flat.as_bytes()).is_ok());
    assert!(refusal(Schema::Ch2pp, Collection::Customer, flat).contains("c_name"));
    let supplier = r#"{"su_suppkey":1,"su_name":"n","su_address":"a","su_nationkey":55,
        "su_phone":"1","su_comment":"c"}"#;
    assert!(refusal(Schema::Ch2pp, Collection::Supplier, supplier).contains("su_address"));
}

/// Section 3: 'shipping' and 'contact' always, and once.
#[test]
fn a_customer_has_one_shipping_address_and_one_contact_phone() {
    let with = |addresses: &[&str], phones: &[&str]| {
        let address = |kind| json!({"c_address_kind": kind, "c_city": "c", "c_state": "ab"});
        let phone = |kind| json!({"c_phone_kind": kind, "c_phone_number": "1"});
        let customer = json!({
            "c_id": 1, "c_d_id": 1, "c_w_id": 1, "c_balance": 1, "c_name": {"c_last": "A"},
            "c_addresses": addresses.iter().map(address).collect::<Vec<_>>(),
            "c_phones": phones.iter().map(phone).collect::<Vec<_>>(),
        });
        Loader::new(Schema::Ch2pp).add(Collection::Customer, customer.to_string().as_bytes())
    };
    assert!(with(&["home", "shipping"], &["contact"]).is_ok());
    assert!(with(&["home"], &["contact"]).unwrap_err().contains("shipping"));
    assert!(with(&["shipping", "shipping"], &["contact"]).unwrap_err().contains("shipping"));
    assert!(with(&["shipping"], &["home"]).unwrap_err().contains("contact"));
}

/// Section 1: money has at most two decimals; keys are unique (section 2).
#[test]
fn fractions_of_a_cent_and_repeated_keys_are_refused() {
    let item = |price: &str| {
        format!(r#"{{"i_id":1,"i_name":"n","i_price":{price},"i_data":"d"}}"#).into_bytes()
    };
    let mut loader = Loader::new(Schema::Ch2);
    assert!(loader.add(Collection::Item, &item("1.005")).unwrap_err().contains("two decimals"));
    assert!(loader.add(Collection::Item, &item("1.29")).is_ok());
    assert!(loader.add(Collection::Item, &item("2")).unwrap_err().contains("already"));
}

#[test]
fn a_query_takes_its_own_parameters_and_no_others() {
    let mut world = World::new(Schema::Ch2);
    world.supplier(1, GERMANY);
    let made = world.made();
    let refusal = |query, parameters| answer(&made.data, query, &given(parameters)).unwrap_err();
    assert!(refusal(0, json!({})).contains("there are 22"));
    assert!(refusal(23, json!({})).contains("there are 22"));
    assert!(refusal(11, json!({})).contains("nation"));
    assert!(refusal(11, json!({"nation": "Peru", "data": "b"})).contains("data"));
    assert!(refusal(11, json!({"nation": 7})).contains("not a string"));
    assert!(refusal(13, json!({"carrier": "8"})).contains("not a whole number"));
    assert!(refusal(1, json!({"after": "2014-07"})).contains("YYYY-MM-DD"));
    let columns = answer(&made.data, 11, &given(json!({"nation": "Peru"}))).unwrap().columns;
    assert_eq!(columns, ["s_i_id", "ordercount"]);
}

#[test]
fn the_calendar_knows_leap_years_and_the_ends_of_months() {
    let at = |day: &str| Instant::parse(&format!("{day} 00:00:00.000001")).unwrap();
    let months = (1..=12).map(|m| format!("2017-{m:02}-01")).collect::<Vec<_>>();
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30];
    let within = months.iter().zip(&months[1..]).zip(lengths).map(|((a, b), n)| (&**a, &**b, n));
    let others = [
        ("2000-02-28", "2000-03-01", 2),
        ("1900-02-28", "1900-03-01", 1),
        ("1970-01-01", "2021-01-01", 18_628),
        ("2017-02-22", "2017-03-01", 7),
    ];
    for (from, to, days) in within.chain(others) {
        assert_eq!(at(from).plus_days(days), at(to), "{from}");
    }
    for wrong in ["2017-02-22", "2017-02-22T00:00:00.000001", "2017-02-22 00:00:00.00000é", ""] {
        assert!(Instant::parse(wrong).is_err(), "{wrong:?}");
    }
}
