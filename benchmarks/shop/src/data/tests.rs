//! The least size of a document, and padding to it.

use super::spec::PADDING_FRAME;
use super::{MAX_CUSTOMERS, MAX_ORDERS_PER_CUSTOMER, ShopCollection, ShopData, ShopSpec};

/// Bytes of the longest JSON object of these fields: names, and characters of their values with
/// their quotes or brackets.
fn object(fields: &[(&str, usize)]) -> usize {
    fields.iter().map(|(name, value)| name.len() + value + 4).sum::<usize>() + 1
}

fn array(most: usize, element: usize) -> usize {
    2 + most * (element + 1)
}

/// A string of this many characters.
fn quoted(characters: usize) -> usize {
    characters + 2
}

/// The largest data set with the shortest documents.
fn largest() -> ShopSpec {
    let mut spec = ShopSpec::new(MAX_CUSTOMERS);
    spec.orders_per_customer = MAX_ORDERS_PER_CUSTOMER;
    (spec.customers_per_country, spec.customers_per_zip) = (1, 1);
    spec.customer_bytes = spec.longest_customer();
    spec.order_bytes = spec.longest_order();
    spec
}

#[test]
fn no_customer_is_longer() {
    let key = quoted("customer:9999999999".len());
    let country = quoted("United Kingdom 161290323".len());
    let (zip, city, street) = (quoted(10), quoted(11), quoted("999 Market Square".len()));
    let phone = ("phone", quoted(13));
    let (first, last) = (quoted(6), quoted(8));
    let name = [("first_name", first), ("middle_name", first), ("last_name", last)];
    let place = [("street", street), ("city", city), ("zip", zip), ("country", country)];
    let owner = object(&[name.as_slice(), &[phone]].concat());
    let previous = object(&[place.as_slice(), &[("property_current_owner", owner)]].concat());
    let region = ("geo_region", quoted("Middle East".len()));
    let address = object(&[place.as_slice(), &[region, ("prev_address", previous)]].concat());
    let child = object(&[("first_name", first), ("gender", quoted(6)), ("age", 2)]);
    let visited = object(&[("country", country), ("cities", array(3, city))]);
    let email = quoted("Nikhil.Kowalski9999999999@example.com".len());
    let scalars = [
        ("_id", key),
        ("balance_current", "-1000.00".len().max("10000.00".len())),
        ("dob", quoted(10)),
        ("email", email),
        ("is_active", "false".len()),
        ("linear_score", 4),
        ("weighted_score", 6),
        phone,
        ("age_group", quoted(5)),
        ("age_by_group", 1),
        ("url", quoted("https://example.com/".len() + 12)),
    ];
    let nested = [
        ("devices", array(4, quoted(16))),
        ("linked_devices", array(3, array(3, quoted(16)))),
        ("address", address),
        ("children", array(3, child)),
        ("visited_places", array(4, visited)),
        ("order_list", array(100, quoted("order:999999999999".len()))),
    ];
    let longest = object(&[&name[..], &scalars, &nested].concat());
    let least = largest().customer_bytes;
    assert!((longest + PADDING_FRAME..longest + 100).contains(&least), "{longest} {least}");
}

#[test]
fn no_order_is_longer() {
    let longest = object(&[
        ("_id", quoted("order:999999999999".len())),
        ("customer_id", quoted("customer:9999999999".len())),
        ("year", 4),
        ("month", quoted("September".len())),
        ("day", 2),
        ("weekday", quoted("Wednesday".len())),
        ("quantity", 2),
        ("list_price", "10000.00".len()),
        ("discount_amount_percent", 2),
        ("sale_price", "10000.00".len()),
        ("tax", "2000.00".len()),
        ("coupon", quoted(8)),
        ("department", quoted("Electronics".len())),
        ("product_name", quoted("Portable Backpack".len())),
    ]);
    let least = largest().order_bytes;
    assert!((longest + PADDING_FRAME..longest + 60).contains(&least), "{longest} {least}");
}

/// Every document has the requested size, also the least one; a smaller size is an error.
#[test]
fn least_sizes() {
    let spec = largest();
    let data = ShopData::new(spec).expect("valid");
    let mut out = Vec::new();
    for (collection, bytes) in
        ShopCollection::ALL.into_iter().zip([spec.customer_bytes, spec.order_bytes])
    {
        let count = data.count(collection);
        for index in (0..5000).chain(count - 5000..count) {
            out.clear();
            data.append(collection, index, &mut out);
            assert_eq!(out.len(), bytes, "{collection} {index}");
        }
    }
    for change in [
        |spec: &mut ShopSpec| spec.customer_bytes -= 1,
        |spec: &mut ShopSpec| spec.order_bytes -= 1,
    ] {
        let mut small = spec;
        change(&mut small);
        let error = ShopData::new(small).expect_err("too small").to_string();
        assert!(error.contains("bytes are not possible: choose "), "{error}");
    }
}
