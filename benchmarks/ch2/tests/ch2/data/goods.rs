//! Warehouses, districts, items, stocks, suppliers, nations and regions: specification section 3,
//! TPC-C 4.3.3.1, TPC-H 4.2.3.

use std::collections::{BTreeMap, HashSet};

use hoap_ch2::data::{Collection, Schema};
use hoap_data::{NATIONS, REGIONS};
use hoap_testing::statistics::*;
use serde_json::Value;

use super::common::*;

/// TPC-C 4.3.3.1, tables WAREHOUSE and DISTRICT.
#[test]
fn warehouses_and_districts() {
    let data = data_set(Schema::Ch2, 2000, 100);
    for (collection, p) in [(Collection::Warehouse, 'w'), (Collection::District, 'd')] {
        let mut tax = Uniform::new("tax", 0..=2000);
        let mut name = Strings::new("name", LETTERS, 6..=10);
        let mut street = Strings::new("street", LETTERS, 10..=20);
        let mut city = Strings::new("city", LETTERS, 10..=20);
        let mut state = Strings::new("state", ALPHANUMERICS, 2..=2);
        let mut zip = Strings::new("zip", DIGITS, 4..=4);
        for site in documents(&data, collection) {
            tax.add(scaled(&site, &format!("{p}_tax"), 10_000.0));
            name.add(string(&site, &format!("{p}_name")));
            street.add(string(&site, &format!("{p}_street_1")));
            street.add(string(&site, &format!("{p}_street_2")));
            city.add(string(&site, &format!("{p}_city")));
            state.add(string(&site, &format!("{p}_state")));
            let code = string(&site, &format!("{p}_zip")).strip_suffix("11111");
            zip.add(code.expect("11111"));
        }
        tax.check();
        [name, street, city].into_iter().for_each(Strings::check);
        [state, zip].into_iter().for_each(Strings::check_characters);
    }
}

/// TPC-C 4.3.3.1, with the specification's section 3: d_ytd = 30,000.00, w_ytd = 300,000.00,
/// d_next_o_id = 3001; scaled down so that they fit the customers.
#[test]
fn year_to_date() {
    for n in [1, 4, 100] {
        let data = data_set(Schema::Ch2pp, 1, n);
        let warehouse = document(&data, Collection::Warehouse, 0);
        assert_eq!(cents(&warehouse, "w_ytd"), 30_000_000 / i64::from(n));
        for district in documents(&data, Collection::District) {
            assert_eq!(cents(&district, "d_ytd"), 3_000_000 / i64::from(n));
            assert_eq!(int(&district, "d_next_o_id"), i64::from(3000 / n) + 1);
        }
    }
}

/// TPC-C 4.3.3.1, table ITEM.
#[test]
fn items() {
    let mut name = Strings::new("i_name", LETTERS, 14..=24);
    let mut price = Uniform::new("i_price", 100..=10_000);
    let mut image = Uniform::new("i_im_id", 1..=10_000);
    for item in documents(&data_set(Schema::Ch2, 1, 1), Collection::Item) {
        name.add(string(&item, "i_name"));
        price.add(cents(&item, "i_price"));
        image.add(int(&item, "i_im_id"));
    }
    name.check();
    price.check();
    image.check();
}

/// CH2++ paper, section 3.1: 1 to 3 different categories of 128.
#[test]
fn item_categories() {
    let mut counts = Uniform::new("number of i_categories", 1..=3);
    let mut names = vec![0; 128];
    for item in documents(&data_set(Schema::Ch2pp, 1, 1), Collection::Item) {
        let categories = list(&item, "i_categories");
        counts.add(categories.len() as i64);
        assert_eq!(
            categories.iter().map(Value::to_string).collect::<HashSet<_>>().len(),
            categories.len()
        );
        for category in categories {
            let number = category.as_str().and_then(|c| c.strip_prefix("category_"));
            names[number.expect("category_").parse::<usize>().expect("a number")] += 1;
        }
    }
    counts.check();
    assert_even("i_categories", &names);
}

/// TPC-C 4.3.3.1, I_DATA and S_DATA: a(26..50); exactly 10 % of the items, and of each warehouse's
/// stocks, hold ORIGINAL, at a random place.
#[test]
fn original() {
    for (collection, id, field, scale_down) in [
        (Collection::Item, "i_id", "i_data", 1),
        (Collection::Item, "i_id", "i_data", 100),
        (Collection::Stock, "s_w_id", "s_data", 1),
        (Collection::Stock, "s_w_id", "s_data", 50),
    ] {
        let data = data_set(Schema::Ch2, 2, scale_down);
        let mut lengths = Uniform::new("length of data", 26..=50);
        let mut letters = Strings::new("data", LETTERS, 18..=50);
        let mut places = BTreeMap::new();
        let mut originals: BTreeMap<i64, u32> = BTreeMap::new();
        for document in documents(&data, collection) {
            let text = string(&document, field);
            lengths.add(text.len() as i64);
            let (original, rest) = without_original(text);
            letters.add_characters(&rest);
            if original {
                // All of one warehouse, or of the items.
                let group = if collection == Collection::Stock { int(&document, id) } else { 0 };
                *originals.entry(group).or_default() += 1;
                *places.entry((text.len(), text.find("ORIGINAL"))).or_insert(0) += 1;
            }
        }
        lengths.check();
        letters.check_characters();
        let groups = if collection == Collection::Stock { 2 } else { 1 };
        assert_eq!(originals.len(), groups);
        assert!(originals.values().all(|&n| n == data.items() / 10), "{originals:?}");
        if scale_down == 1 {
            // Every place in every length, the first and the last included.
            assert_eq!(places.len(), (26..=50).map(|len| len - 8 + 1).sum::<usize>());
            let total = 10_000.0 * groups as f64;
            let expected: Vec<f64> =
                places.keys().map(|(len, _)| total / 25.0 / (len - 8 + 1) as f64).collect();
            assert_fits("place of ORIGINAL", &places.into_values().collect::<Vec<_>>(), &expected);
        }
    }
}

/// The warehouses' ORIGINAL stocks are not the same items.
#[test]
fn original_stocks_differ_by_warehouse() {
    let data = data_set(Schema::Ch2, 2, 1);
    let original: HashSet<(i64, i64)> = documents(&data, Collection::Stock)
        .filter(|s| string(s, "s_data").contains("ORIGINAL"))
        .map(|s| (int(&s, "s_w_id"), int(&s, "s_i_id")))
        .collect();
    let both = (1..=100_000).filter(|&i| original.contains(&(1, i)) && original.contains(&(2, i)));
    assert_share("ORIGINAL in both", both.count(), 100_000, 0.01);
}

/// Specification section 3, stock: with more than one warehouse s_remote_cnt is a tenth of
/// s_order_cnt, with one it is 0.
#[test]
fn stocks() {
    for warehouses in [1, 2] {
        let mut quantity = Uniform::new("s_quantity", 10..=100);
        let mut orders = Uniform::new("s_order_cnt", 10..=3000);
        let mut dists = Strings::new("s_dists", LETTERS, 24..=24);
        for stock in documents(&data_set(Schema::Ch2pp, warehouses, 2), Collection::Stock) {
            quantity.add(int(&stock, "s_quantity"));
            orders.add(int(&stock, "s_order_cnt"));
            assert_eq!(int(&stock, "s_ytd"), 0);
            let remote = if warehouses == 1 { 0 } else { int(&stock, "s_order_cnt") / 10 };
            assert_eq!(int(&stock, "s_remote_cnt"), remote);
            let texts = list(&stock, "s_dists");
            assert_eq!(texts.len(), 10);
            texts.iter().for_each(|d| dists.add(d.as_str().expect("a string")));
            assert_eq!(texts.iter().map(Value::to_string).collect::<HashSet<_>>().len(), 10);
        }
        quantity.check();
        orders.check();
        dists.check_characters();
    }
}

/// TPC-H 4.2.3, table SUPPLIER. Keys from 0, so that every `s_w_id * s_i_id mod 10000` exists.
#[test]
fn suppliers() {
    let data = data_set(Schema::Ch2, 1, 1);
    let mut balance = Uniform::new("su_acctbal", -99_999..=999_999);
    let mut comments = Strings::new("su_comment", ALPHANUMERICS, 25..=100);
    let mut local = [(); 3].map(|()| Vec::new());
    for (n, supplier) in documents(&data, Collection::Supplier).enumerate() {
        assert_eq!(int(&supplier, "su_suppkey"), n as i64);
        assert_eq!(string(&supplier, "su_name"), format!("Supplier#{n:09}"));
        balance.add(cents(&supplier, "su_acctbal"));
        if !string(&supplier, "su_comment").contains("Customer") {
            comments.add_characters(string(&supplier, "su_comment"));
        }
        // TPC-H 4.2.2.9: country code by the nation's position, and local numbers.
        let phone: Vec<i64> =
            string(&supplier, "su_phone").split('-').map(|p| p.parse().expect("digits")).collect();
        assert_eq!(string(&supplier, "su_phone").len(), 15);
        let nation = NATIONS.iter().position(|n| i64::from(n.1) == int(&supplier, "su_nationkey"));
        assert_eq!(phone[0], nation.expect("a nation") as i64 + 10);
        (0..3).for_each(|i| local[i].push(phone[i + 1]));
    }
    balance.check();
    comments.check_characters();
    for (numbers, range) in local.into_iter().zip([100..=999, 100..=999, 1000..=9999]) {
        let mut uniform = Uniform::new("su_phone", range);
        numbers.into_iter().for_each(|n| uniform.add(n));
        uniform.check();
    }
    let mut lengths = Uniform::new("length of su_comment", 25..=100);
    documents(&data, Collection::Supplier)
        .for_each(|s| lengths.add(string(&s, "su_comment").len() as i64));
    lengths.check();
}

/// Specification section 3: su_nationkey is spread evenly over the 62 nations in random order.
#[test]
fn nations_of_suppliers() {
    let data = data_set(Schema::Ch2, 1, 1);
    let nations: Vec<i64> =
        documents(&data, Collection::Supplier).map(|s| int(&s, "su_nationkey")).collect();
    let mut counts = BTreeMap::new();
    nations.iter().for_each(|n| *counts.entry(*n).or_insert(0) += 1);
    assert_eq!(counts.len(), 62);
    assert!(counts.keys().all(|k| NATIONS.iter().any(|n| i64::from(n.1) == *k)));
    assert!(counts.values().all(|n| [161, 162].contains(n)), "{counts:?}");
    let equal_neighbours = nations.windows(2).filter(|w| w[0] == w[1]).count();
    assert_share("neighbours of one nation", equal_neighbours, 9999, 1.0 / 62.0);
}

/// TPC-H 4.2.3, S_COMMENT: exactly five comments match Customer…Recommends and five others
/// Customer…Complaints, whatever the seed.
#[test]
fn marked_comments() {
    let mut before = BTreeMap::new();
    let mut between = BTreeMap::new();
    for seed in 0..10 {
        let mut spec = hoap_ch2::data::Spec::new(Schema::Ch2, 1);
        spec.seed = seed;
        let data = hoap_ch2::data::DataSet::new(spec).expect("valid");
        let mut seen = [0, 0];
        for supplier in documents(&data, Collection::Supplier) {
            let comment = string(&supplier, "su_comment");
            for (n, tail) in ["Recommends", "Complaints"].into_iter().enumerate() {
                if let Some((head, rest)) = comment.split_once("Customer")
                    && let Some(gap) = rest.find(tail)
                {
                    seen[n] += 1;
                    *before.entry(head.len()).or_insert(0) += 1;
                    *between.entry(gap).or_insert(0) += 1;
                }
            }
        }
        assert_eq!(seen, [5, 5], "seed {seed}");
    }
    assert!(before.len() > 15 && between.len() > 15, "{before:?} {between:?}");
}

/// Specification section 3: the nations, whose keys are the code points of 0–9, A–Z, a–z, and the
/// regions; comments as TPC-H 4.2.3.
#[test]
fn nations_and_regions() {
    let code_points: Vec<u32> = ALPHANUMERICS.bytes().map(u32::from).collect();
    assert_eq!(NATIONS.map(|n| n.1).to_vec(), code_points);
    assert_eq!(NATIONS.iter().map(|n| n.0).collect::<HashSet<_>>().len(), 62);
    assert_eq!(REGIONS, ["Africa", "America", "Asia", "Europe", "Middle East"]);
    let of_region = |r: u32| NATIONS.iter().filter(|n| n.2 == r).count();
    assert_eq!((0..5).map(of_region).collect::<Vec<_>>(), [13, 12, 13, 12, 12]);
    // Those that the reference parameters of section 5 name.
    for (name, key, region) in [
        ("Germany", 55, 3),
        ("Cambodia", 115, 2),
        ("Peru", 72, 1),
        ("Algeria", 48, 0),
        ("Norway", 122, 3),
    ] {
        assert!(NATIONS.contains(&(name, key, region)), "{name}");
    }
    let data = data_set(Schema::Ch2pp, 1, 1);
    for (nation, (name, key, region)) in documents(&data, Collection::Nation).zip(NATIONS) {
        assert_eq!(string(&nation, "n_name"), name);
        assert_eq!(int(&nation, "n_nationkey"), i64::from(key));
        assert_eq!(int(&nation, "n_regionkey"), i64::from(region));
        assert!((31..=114).contains(&string(&nation, "n_comment").len()));
    }
    for (key, (region, name)) in documents(&data, Collection::Region).zip(REGIONS).enumerate() {
        assert_eq!((int(&region, "r_regionkey"), string(&region, "r_name")), (key as i64, name));
        assert!((31..=115).contains(&string(&region, "r_comment").len()));
    }
}
