//! NoSQL specification, section 2: customers and orders.

use std::collections::{BTreeMap, HashSet};

use ShopCollection::{Customer, Orders, Sales};
use hoap_data::Date;
use hoap_shop::data::DATA_VERSION;
use hoap_shop::data::{JOIN_DOCUMENTS, MONTHS, ShopCollection, ShopData, ShopSpec};
use hoap_testing::measured::both;
use serde_json::Value;
use sha2::{Digest, Sha256};

fn shop(change: impl FnOnce(&mut ShopSpec)) -> ShopData {
    let mut spec = ShopSpec::new(6000);
    change(&mut spec);
    ShopData::new(spec).expect("valid")
}

fn bytes(data: &ShopData, collection: ShopCollection, index: u64) -> Vec<u8> {
    let mut out = Vec::new();
    data.append(collection, index, &mut out);
    out
}

fn key(data: &ShopData, collection: ShopCollection, index: u64) -> String {
    let mut out = String::new();
    data.append_key(collection, index, &mut out);
    out
}

fn documents(data: &ShopData, collection: ShopCollection) -> Vec<Value> {
    let document = |index| serde_json::from_slice(&bytes(data, collection, index)).expect("JSON");
    (0..data.count(collection)).map(document).collect()
}

fn string<'a>(value: &'a Value, pointer: &str) -> &'a str {
    let text = value.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_else(|| panic!("{pointer} of {value} is no string"))
}

fn int(value: &Value, name: &str) -> i64 {
    value[name].as_i64().unwrap_or_else(|| panic!("{name} of {value} is no integer"))
}

fn cents(value: &Value, name: &str) -> i64 {
    let number = value[name].as_f64();
    (number.unwrap_or_else(|| panic!("{name} of {value} is no number")) * 100.0).round() as i64
}

fn fields(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

/// Section 2: the fields of both documents, in this order, and of everything nested in them; then
/// the padding.
#[test]
fn fields_of_the_documents() {
    let data = shop(|_| ());
    for c in documents(&data, Customer) {
        let expected = "_id first_name middle_name last_name balance_current dob email is_active \
                        linear_score weighted_score phone age_group age_by_group url devices \
                        linked_devices address children visited_places order_list padding";
        assert_eq!(fields(&c).join(" "), expected);
        let address = &c["address"];
        assert_eq!(
            fields(address),
            ["street", "city", "zip", "country", "geo_region", "prev_address"]
        );
        let previous = &address["prev_address"];
        assert_eq!(
            fields(previous),
            ["street", "city", "zip", "country", "property_current_owner"]
        );
        let owner = &previous["property_current_owner"];
        assert_eq!(fields(owner), ["first_name", "middle_name", "last_name", "phone"]);
        for child in list(&c["children"]) {
            assert_eq!(fields(child), ["first_name", "gender", "age"]);
        }
        for place in list(&c["visited_places"]) {
            assert_eq!(fields(place), ["country", "cities"]);
            assert!(!list(&place["cities"]).is_empty());
        }
        assert!(c["is_active"].is_boolean());
        assert!(list(&c["devices"]).iter().all(Value::is_string));
        assert!(list(&c["linked_devices"]).iter().all(|d| list(d).iter().all(Value::is_string)));
        age_fits(&c);
    }
    for o in documents(&data, Orders) {
        let expected = "_id customer_id year month day weekday quantity list_price \
                        discount_amount_percent sale_price tax coupon department product_name \
                        padding";
        assert_eq!(fields(&o).join(" "), expected);
    }
}

/// Section 2: age_group and age_by_group tell the age that dob gives on 2021-01-01.
fn age_fits(customer: &Value) {
    let born: Date = string(customer, "/dob").parse().expect("a day");
    let birthdays =
        (1..200).take_while(|&n| born.add_years(n) <= "2021-01-01".parse().expect("a day"));
    let age = birthdays.count() as i64;
    let group = age / 10 * 10;
    assert_eq!(string(customer, "/age_group"), format!("{group}-{}", group + 9), "{born}");
    assert_eq!(int(customer, "age_by_group"), age - group, "{born}");
}

/// Section 2: about 4 KB a customer and 4.5 KB an order, each document within 2 %, be a KB 1000 or
/// 1024 bytes; and exactly the size of the specification.
#[test]
fn sizes() {
    let data = ShopData::new(ShopSpec::new(5_000_000)).expect("valid");
    for (collection, kilobytes) in [(Customer, 4.0), (Orders, 4.5)] {
        for index in (0..5_000_000).step_by(97) {
            let size = bytes(&data, collection, index).len() as f64;
            for kilobyte in [1000.0, 1024.0] {
                let share = size / (kilobytes * kilobyte);
                assert!((0.98..=1.02).contains(&share), "{collection} {index}: {size} bytes");
            }
        }
    }
    let data = shop(|s| (s.customer_bytes, s.order_bytes) = (2000, 1001));
    for (collection, size) in [(Customer, 2000), (Orders, 1001)] {
        assert!((0..6000).all(|index| bytes(&data, collection, index).len() == size));
    }
}

/// Section 2, cardinalities: each country, each zip code and each customer has exactly as many
/// as asked for, in the documents; and what enumerates them without the documents agrees.
#[test]
fn cardinalities() {
    for (zip, each) in [(100, 1), (250, 3), (500, 2)] {
        let data = shop(|s| {
            (s.customers_per_zip, s.orders_per_customer) = (zip, each);
            (s.customer_bytes, s.order_bytes) = (2000, 500);
        });
        let (mut countries, mut zips) = (BTreeMap::new(), BTreeMap::new());
        for (index, c) in documents(&data, Customer).iter().enumerate() {
            let (country, zip) = (string(c, "/address/country"), string(c, "/address/zip"));
            countries.entry(country.to_owned()).or_insert_with(Vec::new).push(index as u64);
            zips.entry(zip.to_owned()).or_insert_with(Vec::new).push(index as u64);
            assert_eq!(list(&c["order_list"]).len() as u64, each);
        }
        assert_eq!((countries.len() as u64, zips.len() as u64), (6, 6000 / zip));
        assert_eq!((data.countries(), data.zips()), (6, 6000 / zip));
        assert!(countries.values().all(|customers| customers.len() == 1000));
        assert!(zips.values().all(|customers| customers.len() as u64 == zip));
        for n in 0..data.countries() {
            let mut name = String::new();
            data.append_country(n, &mut name);
            let mut customers: Vec<u64> = data.customers_of_country(n).collect();
            customers.sort_unstable();
            assert_eq!(countries[&name], customers);
            assert!(customers.iter().all(|&c| data.country_of(c) == n));
        }
        for n in 0..data.zips() {
            let mut code = String::new();
            data.append_zip(n, &mut code);
            let mut customers: Vec<u64> = data.customers_of_zip(n).collect();
            customers.sort_unstable();
            assert_eq!(zips[&code], customers);
            assert!(customers.iter().all(|&c| data.zip_of(c) == n));
        }
        assert_eq!(data.customers_of_country(data.countries()).count(), 0);
        assert_eq!(data.customers_of_zip(data.zips()).count(), 0);
    }
    assert_eq!(JOIN_DOCUMENTS, [100, 250, 500]);
    assert_eq!(ShopSpec::new(6000).customers_per_zip, JOIN_DOCUMENTS[0]);
}

/// A zip code lies in one country, a country in one region, and the customers of both are spread
/// over the keys.
#[test]
fn geography() {
    let data = shop(|_| ());
    let mut country_of_zip = BTreeMap::new();
    let mut region_of_country = BTreeMap::new();
    for c in documents(&data, Customer) {
        let [zip, country, region] = ["zip", "country", "geo_region"]
            .map(|f| string(&c, &format!("/address/{f}")).to_owned());
        assert_eq!(*country_of_zip.entry(zip).or_insert_with(|| country.clone()), country);
        assert_eq!(*region_of_country.entry(country).or_insert_with(|| region.clone()), region);
    }
    for n in 0..data.countries() {
        let first_half = data.customers_of_country(n).filter(|&c| c < 3000).count();
        assert!((400..=600).contains(&first_half), "{first_half} of 1000");
    }
}

/// Section 2: order_list and customer_id agree in both directions, and every order is in exactly
/// one list.
#[test]
fn lists_and_orders_agree() {
    let data = shop(|s| s.orders_per_customer = 3);
    let orders = documents(&data, Orders);
    assert_eq!(orders.len(), 18_000);
    let mut listed = HashSet::new();
    for (number, c) in documents(&data, Customer).iter().enumerate() {
        for (order, n) in list(&c["order_list"]).iter().zip(data.orders_of(number as u64)) {
            assert_eq!(data.index_of(Orders, order.as_str().expect("a key")), Some(n));
            assert_eq!(orders[n as usize]["_id"], *order);
            assert_eq!(orders[n as usize]["customer_id"], c["_id"]);
            assert_eq!(data.customer_of(n), number as u64);
            assert!(listed.insert(n), "order {n} is listed twice");
        }
    }
    assert_eq!(listed.len(), orders.len());
}

/// Section 2: sale_price is list_price less the discount to the cent; the date exists and has that
/// day of the week.
#[test]
fn orders_add_up() {
    let data = shop(|s| s.customers_per_country = 6000);
    let mut discounts = HashSet::new();
    for (index, o) in documents(&data, Orders).iter().enumerate() {
        let (list, sale) = (cents(o, "list_price"), cents(o, "sale_price"));
        let percent = int(o, "discount_amount_percent");
        assert_eq!(sale * 100, list * (100 - percent), "{o}");
        assert_eq!(sale, data.sale_cents(index as u64));
        assert!((0..=sale / 5 + 1).contains(&cents(o, "tax")), "{o}");
        discounts.insert(percent);
        let month = MONTHS.iter().position(|m| *m == string(o, "/month")).expect("a month");
        assert_eq!(data.month_of(index as u64), month);
        let date = Date::new(int(o, "year") as i32, month as u32 + 1, int(o, "day") as u32);
        let days = date.unwrap_or_else(|| panic!("no such day: {o}")).days_since_1970();
        // 2018-01-01, day 17,532, was a Monday.
        let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
        assert_eq!(string(o, "/weekday"), names[(days - 17_532).rem_euclid(7) as usize], "{o}");
    }
    assert_eq!(discounts, (0..=10).map(|n| 5 * n).collect());
}

/// Section 4: the answer of every JOIN from the documents is the one computed from the keys, and no
/// (zip code, month) has more than one order more than another of the same zip code.
#[test]
fn joins() {
    for (per_zip, each) in [(100, 1), (250, 3), (5, 1)] {
        let data = shop(|s| {
            (s.customers_per_zip, s.orders_per_customer) = (per_zip, each);
            s.order_bytes = 500;
        });
        let orders = documents(&data, Orders);
        let mut answers = BTreeMap::new();
        for c in documents(&data, Customer) {
            for order in list(&c["order_list"]) {
                let n = data.index_of(Orders, order.as_str().expect("a key")).expect("an order");
                let o = &orders[n as usize];
                let group = (string(&c, "/address/zip").to_owned(), string(o, "/month").to_owned());
                let (sum, count) = answers.entry(group).or_insert((0, 0));
                *sum += cents(o, "sale_price");
                *count += 1;
            }
        }
        for zip in 0..data.zips() {
            let mut code = String::new();
            data.append_zip(zip, &mut code);
            for (month, name) in MONTHS.into_iter().enumerate() {
                let answer = answers.remove(&(code.clone(), name.to_owned()));
                assert_eq!(data.join_cents(zip, month), answer.map(|(sum, _)| sum));
                let least = per_zip * each / 12;
                let count = answer.map_or(0, |(_, count)| count);
                assert!((least..=least + 1).contains(&count), "{code} {name}: {count}");
            }
        }
        assert!(answers.is_empty());
        assert_eq!(data.join_cents(data.zips(), 0).or(data.join_cents(0, 12)), None);
    }
}

/// Section 2, documents are functions of their key: alone, in any order, and in a part they are the
/// same; parts join to the whole.
#[test]
fn purity() {
    let data = shop(|_| ());
    for collection in ShopCollection::ALL {
        let (mut parts, mut joined, mut ends) = (Vec::new(), 0..0, vec![0]);
        for part in 1..=7 {
            let range = data.part(collection, part, 7);
            assert_eq!(range.start, joined.end);
            joined.end = range.end;
            range.for_each(|index| {
                data.append(collection, index, &mut parts);
                ends.push(parts.len());
            });
        }
        assert_eq!(joined, 0..data.count(collection));
        for (index, ends) in ends.windows(2).enumerate().rev() {
            let alone = bytes(&shop(|_| ()), collection, index as u64);
            assert_eq!(alone, parts[ends[0]..ends[1]]);
        }
        assert!(data.part(collection, 0, 7).is_empty() && data.part(collection, 8, 7).is_empty());
    }
}

/// Another seed changes every document.
#[test]
fn seed() {
    let (a, b) = (shop(|_| ()), shop(|s| s.seed = 2));
    for collection in ShopCollection::ALL {
        for index in 0..a.count(collection) {
            assert_ne!(bytes(&a, collection, index), bytes(&b, collection, index));
        }
    }
}

/// Keys and indexes are inverse; what is no key of the load is none.
#[test]
fn keys() {
    let data = shop(|s| s.orders_per_customer = 2);
    for collection in ShopCollection::ALL {
        for index in 0..data.count(collection) {
            let key = key(&data, collection, index);
            assert_eq!(data.index_of(collection, &key), Some(index));
            let document: Value =
                serde_json::from_slice(&bytes(&data, collection, index)).expect("JSON");
            assert_eq!(document["_id"], *key);
        }
    }
    assert_eq!(key(&data, Customer, 0), "customer:0");
    for wrong in [
        "",
        "customer",
        "customer:",
        "customer:6000",
        "customer:01",
        "customer:+1",
        "customer:-1",
        "customer:1 ",
        "order:1",
        "customer:99999999999999999999",
        "customer:00",
    ] {
        assert_eq!(data.index_of(Customer, wrong), None, "{wrong}");
    }
    assert_eq!(key(&data, Sales, 13), "sales:00001:February");
    for wrong in ["sales:1:February", "sales:00001:2", "sales:00060:May", "sales:00001", "order:1"]
    {
        assert_eq!(data.index_of(Sales, wrong), None, "{wrong}");
    }
}

/// The models that the reports discuss (2021 report, section 4.4.1): orders within their customers,
/// as long as both, and a table of what a join finds. All hold what customers and orders hold.
#[test]
fn embedded_orders_and_the_joining_table() {
    let data = shop(|s| s.orders_per_customer = 3);
    let embedded = shop(|s| (s.orders_per_customer, s.embedded) = (3, true));
    let orders = documents(&data, Orders);
    let by_key = |key: &Value| {
        let index = data.index_of(Orders, key.as_str().expect("a key")).expect("an order");
        let mut order = orders[index as usize].clone();
        order.as_object_mut().expect("an object").remove("padding");
        order
    };
    for (mut alone, mut with) in
        documents(&data, Customer).into_iter().zip(documents(&embedded, Customer))
    {
        let index = data.index_of(Customer, string(&alone, "/_id")).expect("a customer");
        assert_eq!(bytes(&embedded, Customer, index).len(), 4048 + 3 * 4554);
        let within = with.as_object_mut().expect("an object").remove("orders").expect("orders");
        let named = alone.as_object_mut().expect("an object").remove("order_list").expect("a list");
        assert_eq!(list(&within), list(&named).iter().map(by_key).collect::<Vec<_>>());
        for customer in [&mut alone, &mut with] {
            customer.as_object_mut().expect("an object").remove("padding");
        }
        assert_eq!(alone, with);
    }
    let mut seen = 0;
    for sales in documents(&data, Sales) {
        assert_eq!(fields(&sales), ["_id", "zip", "month", "orders"]);
        let mut sum = None;
        for sale in list(&sales["orders"]) {
            let order = by_key(&sale["_id"]);
            assert_eq!(
                (&order["month"], &order["sale_price"]),
                (&sales["month"], &sale["sale_price"])
            );
            let index =
                data.index_of(Customer, string(&order, "/customer_id")).expect("a customer");
            let customer: Value =
                serde_json::from_slice(&bytes(&data, Customer, index)).expect("JSON");
            assert_eq!(customer["address"]["zip"], sales["zip"]);
            *sum.get_or_insert(0) += cents(sale, "sale_price");
            seen += 1;
        }
        let zip = string(&sales, "/zip").parse().expect("a number");
        let month = MONTHS.iter().position(|m| *m == sales["month"]).expect("a month");
        assert_eq!(sum, data.join_cents(zip, month));
    }
    assert_eq!(seen, orders.len());
}

/// A specification that cannot be is an error that says what to do.
#[test]
fn bad_specifications() {
    type Change = fn(&mut ShopSpec);
    let changes: [(Change, &str); 8] = [
        (|s| s.customers = 0, "0 customers are not possible: choose 1 to 10000000000"),
        (|s| s.customers = u64::MAX, "customers are not possible"),
        (|s| s.orders_per_customer = 0, "0 orders per customer are not possible: choose 1 to 100"),
        (|s| s.customers = 6100, "6100 customers cannot make whole countries of 1000"),
        (|s| s.customers_per_country = 0, "choose a number of customers per country that divides"),
        (|s| s.customers_per_zip = 300, "1000 customers of a country cannot make whole zip codes"),
        (|s| s.customers_per_zip = 0, "choose a number of customers per zip code that divides"),
        (|s| s.order_bytes = usize::MAX, "order documents of 18446744073709551615 bytes"),
    ];
    for (change, message) in changes {
        let mut spec = ShopSpec::new(6000);
        change(&mut spec);
        let error = ShopData::new(spec).expect_err(message).to_string();
        assert!(error.contains(message), "{error}");
        assert!(!error.contains('\n'));
    }
}

/// SHA-256 over `key`, a tab, the document and a line end, for every document.
fn digest(data: &ShopData, collection: ShopCollection) -> String {
    let mut hash = Sha256::new();
    for index in 0..data.count(collection) {
        hash.update(key(data, collection, index));
        hash.update(b"\t");
        hash.update(bytes(data, collection, index));
        hash.update(b"\n");
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of DATA_VERSION 1: of the defaults, and of other parameters.
#[test]
fn golden() {
    assert_eq!(DATA_VERSION, 1);
    let other = shop(|s| {
        *s = ShopSpec {
            seed: 20_260_101,
            customers: 7500,
            orders_per_customer: 5,
            customers_per_country: 500,
            customers_per_zip: 250,
            customer_bytes: 3000,
            order_bytes: 800,
            embedded: false,
        }
    });
    let digests = [shop(|_| ()), other].map(|data| ShopCollection::BOTH.map(|c| digest(&data, c)));
    assert_eq!(digests, GOLDEN);
}

const GOLDEN: [[&str; 2]; 2] = [
    [
        "4bf8ffaa980aafc59038bffabdcc9192a97b2cf6d31bfff37f8797623e8f9fdb",
        "d25cf47f992c187b2b40bdff7845123db9ec6698b4f274ba8d17926d6ad0ab85",
    ],
    [
        "934cae26fb11951bb1a07e6a8afd30ed638879e4a5b8bfa0be2b06b05c6a0d2a",
        "84f26cdf55a28d49b9a411086ecdb9e147f24934c433dbd064c50a5fca0ba959",
    ],
];

#[test]
fn every_document_counts_its_bytes() {
    let data = ShopData::new(ShopSpec::new(1000)).expect("valid");
    for collection in ShopCollection::ALL {
        for index in 0..100 {
            let (counted, written) = both(|w| data.write(collection, index, w));
            assert_eq!(counted, written, "{collection} {index}");
            let mut text = Vec::new();
            data.append(collection, index, &mut text);
            assert_eq!(written, text.len(), "{collection} {index}");
        }
    }
}
