//! Customers and history: specification section 3, TPC-C 4.3.3.1.

use std::collections::{BTreeMap, HashMap, HashSet};

use hoap_ch2::data::{Collection, Schema, last_name};
use hoap_data::{DAY_MICROS, Timestamp};
use hoap_testing::statistics::*;
use serde_json::Value;

use super::common::*;

fn customers(schema: Schema, warehouses: u32) -> impl Iterator<Item = Value> {
    documents(&data_set(schema, warehouses, 1), Collection::Customer)
}

/// TPC-C 4.3.3.1, table CUSTOMER, and its constants.
#[test]
fn scalars() {
    let mut discount = Uniform::new("c_discount", 0..=5000);
    let mut first = Strings::new("c_first", LETTERS, 8..=16);
    let mut data = Strings::new("c_data", LETTERS, 300..=500);
    let mut phone = Strings::new("c_phone", DIGITS, 16..=16);
    let mut phones = HashSet::new();
    for customer in customers(Schema::Ch2, 1) {
        discount.add(scaled(&customer, "c_discount", 10_000.0));
        first.add(string(&customer, "c_first"));
        data.add(string(&customer, "c_data"));
        phone.add(string(&customer, "c_phone"));
        phones.insert(string(&customer, "c_phone").to_owned());
        assert_eq!(string(&customer, "c_middle"), "OE");
        assert_eq!(cents(&customer, "c_credit_lim"), 5_000_000);
        assert_eq!(cents(&customer, "c_ytd_payment"), 1000);
        assert_eq!(int(&customer, "c_payment_cnt"), 1);
        assert_eq!(int(&customer, "c_delivery_cnt"), 0);
    }
    discount.check();
    first.check();
    data.check();
    phone.check_characters();
    assert_eq!(phones.len(), 30_000);
}

/// TPC-C 4.3.3.1: streets and city a(10..20), zip n(4) + "11111" (4.3.2.7). Specification section
/// 3: the state's first character is uniform over 62.
#[test]
fn addresses() {
    let mut street_1 = Strings::new("c_street_1", LETTERS, 10..=20);
    let mut street_2 = Strings::new("c_street_2", LETTERS, 10..=20);
    let mut city = Strings::new("c_city", LETTERS, 10..=20);
    let mut zip = Strings::new("c_zip", DIGITS, 4..=4);
    let mut state = [(); 2].map(|()| Strings::new("c_state", ALPHANUMERICS, 1..=1));
    for customer in customers(Schema::Ch2, 1) {
        street_1.add(string(&customer, "c_street_1"));
        street_2.add(string(&customer, "c_street_2"));
        city.add(string(&customer, "c_city"));
        zip.add(string(&customer, "c_zip").strip_suffix("11111").expect("11111"));
        let (initial, second) = string(&customer, "c_state").split_at(1);
        state[0].add(initial);
        state[1].add(second);
    }
    street_1.check();
    street_2.check();
    city.check();
    zip.check_characters();
    state.into_iter().for_each(Strings::check_characters);
}

/// Specification section 3: 'shipping' and 'contact' always, each other kind with probability 1/3,
/// independently; no kind twice.
#[test]
fn kinds_of_addresses_and_phones() {
    let mut together = BTreeMap::new();
    for customer in customers(Schema::Ch2pp, 1) {
        let kinds = |list_field, kind_field| -> Vec<String> {
            let of = list(&customer, list_field).iter();
            of.map(|entry| string(entry, kind_field).to_owned()).collect()
        };
        let addresses = kinds("c_addresses", "c_address_kind");
        let phones = kinds("c_phones", "c_phone_kind");
        for (kinds, order) in [
            (&addresses, ["shipping", "home", "work", "billing"]),
            (&phones, ["contact", "home", "work", "mobile"]),
        ] {
            let expected: Vec<&str> = order
                .into_iter()
                .filter(|k| *k == order[0] || kinds.iter().any(|x| x == k))
                .collect();
            assert_eq!(*kinds, expected);
        }
        *together.entry((addresses, phones)).or_insert(0u64) += 1;
    }
    // All 64 combinations, as often as independent thirds make them.
    assert_eq!(together.len(), 64);
    let share =
        |others: usize| (1.0f64 / 3.0).powi(others as i32) * (2.0f64 / 3.0).powi(3 - others as i32);
    let expected: Vec<f64> =
        together.keys().map(|(a, p)| 30_000.0 * share(a.len() - 1) * share(p.len() - 1)).collect();
    assert_fits("kinds", &together.values().copied().collect::<Vec<_>>(), &expected);
}

/// Specification section 3: addresses and numbers of the other kinds are of the same form, and
/// are others.
#[test]
fn other_addresses_and_phones() {
    let mut seen = HashSet::new();
    let mut numbers = 0;
    let mut digits = Strings::new("c_phone_number", DIGITS, 16..=16);
    let mut initials = Strings::new("c_state of all kinds", ALPHANUMERICS, 1..=1);
    for customer in customers(Schema::Ch2pp, 1).take(5000) {
        for phone in list(&customer, "c_phones") {
            digits.add(string(phone, "c_phone_number"));
            seen.insert(string(phone, "c_phone_number").to_owned());
            numbers += 1;
        }
        for address in list(&customer, "c_addresses") {
            initials.add(&string(address, "c_state")[..1]);
            seen.insert(string(address, "c_street_1").to_owned());
            numbers += 1;
        }
    }
    // A street of ten letters could occur twice once in billions.
    assert_eq!(seen.len(), numbers);
    digits.check_characters();
    initials.check_characters();
}

/// Specification section 3: 0 to 15 different names of 128.
#[test]
fn item_categories() {
    let mut counts = Uniform::new("number of c_item_categories", 0..=15);
    let mut names = Uniform::new("c_item_categories", 0..=127);
    let mut neighbours = Uniform::new("difference of neighbours", 1..=127);
    for customer in customers(Schema::Ch2pp, 1) {
        let categories: Vec<i64> =
            list(&customer, "c_item_categories").iter().map(category_number).collect();
        assert_eq!(categories.iter().collect::<HashSet<_>>().len(), categories.len());
        counts.add(categories.len() as i64);
        categories.iter().for_each(|&c| names.add(c));
        categories.windows(2).for_each(|w| neighbours.add((w[1] + 128 - w[0]) % 128));
    }
    counts.check();
    names.check();
    neighbours.check();
}

fn category_number(name: &Value) -> i64 {
    let digits = name.as_str().and_then(|n| n.strip_prefix("category_")).expect("category_");
    assert_eq!(digits.len(), 3);
    digits.parse().expect("a number")
}

/// TPC-C 4.3.3.1, C_CREDIT: exactly 10 % of each district, at random places.
#[test]
fn bad_credit() {
    for scale_down in [1, 4, 100] {
        let data = data_set(Schema::Ch2, 2, scale_down);
        let mut bad = BTreeMap::new();
        let mut places = Uniform::new("c_id of BC", 1..=data.customers_per_district().into());
        for customer in documents(&data, Collection::Customer) {
            let district = (int(&customer, "c_w_id"), int(&customer, "c_d_id"));
            match string(&customer, "c_credit") {
                "GC" => (),
                "BC" => {
                    *bad.entry(district).or_insert(0) += 1;
                    places.add(int(&customer, "c_id"));
                }
                other => panic!("c_credit {other}"),
            }
        }
        assert_eq!(bad.len(), 20);
        assert!(bad.values().all(|&n| n == data.customers_per_district() / 10), "{bad:?}");
        if scale_down < 100 {
            places.check();
        }
    }
}

/// TPC-C 4.3.3.1, C_LAST: the first 1,000 of a district run through all names; the rest is
/// NURand(255, 0, 999) of 2.1.6 with the load's constant.
#[test]
fn last_names() {
    let data = data_set(Schema::Ch2, 2, 1);
    let names: HashMap<String, usize> = (0..1000).map(|n| (last_name(n), n as usize)).collect();
    let mut drawn = vec![0u64; 1000];
    for customer in documents(&data, Collection::Customer) {
        let number = names[string(&customer, "c_last")];
        match int(&customer, "c_id") {
            id @ ..=1000 => assert_eq!(number as i64, id - 1),
            _ => drawn[number] += 1,
        }
    }
    let c = data.c_last_load() as usize;
    assert!(c <= 255);
    let mut expected = vec![0.0; 1000];
    let total: u64 = drawn.iter().sum();
    for a in 0..256 {
        for x in 0..1000 {
            expected[((a | x) + c) % 1000] += total as f64 / 256_000.0;
        }
    }
    // Names that should be rare are counted together: chi-squared wants a few in each cell.
    let (mut seen_cells, mut expected_cells) = (vec![0], vec![0.0]);
    for (&s, &e) in drawn.iter().zip(&expected) {
        if e >= 5.0 {
            seen_cells.push(s);
            expected_cells.push(e);
        } else {
            seen_cells[0] += s;
            expected_cells[0] += e;
        }
    }
    assert_fits("c_last", &seen_cells, &expected_cells);
}

/// With fewer than 1,000 customers in a district all of them run through the names.
#[test]
fn last_names_scaled_down() {
    let data = data_set(Schema::Ch2, 1, 100);
    for customer in documents(&data, Collection::Customer) {
        assert_eq!(string(&customer, "c_last"), last_name(int(&customer, "c_id") as u32 - 1));
    }
}

/// TPC-C 2.1.6.1: C is drawn from 0 to 255; a function of the seed alone.
#[test]
fn load_constant() {
    let mut constants = Uniform::new("C", 0..=255);
    for seed in 0..10_000 {
        let mut spec = hoap_ch2::data::Spec::new(Schema::Ch2, 1);
        spec.seed = seed;
        let c = hoap_ch2::data::DataSet::new(spec).expect("valid").c_last_load();
        spec.warehouses = 5;
        spec.scale_down = 10;
        assert_eq!(hoap_ch2::data::DataSet::new(spec).expect("valid").c_last_load(), c);
        constants.add(c.into());
    }
    constants.check();
}

/// Specification section 3: c_since is uniform in [START_DATE, END_DATE − 151 days].
#[test]
fn since() {
    let data = data_set(Schema::Ch2, 1, 1);
    let first = Timestamp::from(data.start_date()).micros();
    let last = Timestamp::from(data.end_date().add_days(-151)).micros();
    let mut since = Uniform::new("c_since", first..=last);
    let mut of_day = Uniform::new("time of day", 0..=DAY_MICROS - 1);
    for customer in documents(&data, Collection::Customer) {
        let instant = micros(&customer, "c_since");
        since.add(instant);
        of_day.add(instant.rem_euclid(DAY_MICROS));
    }
    since.check();
    of_day.check();
}

/// TPC-C 4.3.3.1, table HISTORY; specification section 3: h_date = c_since.
#[test]
fn history() {
    let data = data_set(Schema::Ch2, 1, 1);
    let mut text = Strings::new("h_data", LETTERS, 12..=24);
    let pairs = documents(&data, Collection::Customer).zip(documents(&data, Collection::History));
    for (customer, history) in pairs {
        for (h, c) in [
            ("h_c_id", "c_id"),
            ("h_c_d_id", "c_d_id"),
            ("h_c_w_id", "c_w_id"),
            ("h_d_id", "c_d_id"),
            ("h_w_id", "c_w_id"),
            ("h_date", "c_since"),
        ] {
            assert_eq!(history[h], customer[c], "{h}");
        }
        assert_eq!(cents(&history, "h_amount"), 1000);
        text.add(string(&history, "h_data"));
    }
    text.check();
}
