//! Q2, Q11, Q15, Q16, Q20, Q21.

use serde_json::{Value, json};

use super::world::{CHINA, FRANCE, GERMANY, PERU, SCHEMAS, World, count_before_limit, line, rows};

/// Section 5, Q2: the minimum is among the suppliers of the region, so a lower stock elsewhere does
/// not matter; all suppliers tied at it come.
#[test]
fn q2_returns_every_supplier_tied_at_the_minimum_of_the_region() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world.supplier(3, GERMANY).supplier(6, FRANCE).supplier(9, PERU).supplier(12, GERMANY);
        world.item(3, "xb", 1.0);
        world.stock((1, 3), 20, 9).stock((2, 3), 20, 9).stock((3, 3), 10, 9).stock((4, 3), 21, 9);
        // Another item of the same suppliers, with another ending.
        world.item(6, "xB", 1.0).stock((1, 6), 1, 9);
        let address = world.address();
        let made = world.made();
        let of = |region| rows(&made, 2, json!({"region": region, "data": "b"}));
        let row = |key: i64, nation: &str| {
            let name = format!("Supplier#{key:09}");
            json!([key, name, nation, 3, "item3", address, "phone", "no comment"])
        };
        assert_eq!(of("Europ"), json!([row(6, "France"), row(3, "Germany")]));
        assert_eq!(of("Europe"), of("Europ"));
        assert_eq!(of("America"), json!([row(9, "Peru")]));
        assert_eq!(of("europ"), json!([]));
    }
}

/// Section 5, Q2: by nation, supplier, item; the first 100.
#[test]
fn q2_stops_after_100() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        for i in 1..=101 {
            world.item(i, "b", 1.0).stock((1, i), 20, 9).supplier(i, CHINA);
        }
        let made = world.made();
        let parameters = json!({"region": "Asia", "data": "b"});
        assert_eq!(count_before_limit(&made, 2, parameters.clone()), 101);
        let rows = rows(&made, 2, parameters);
        let items: Vec<_> = rows.as_array().unwrap().iter().map(|row| row[3].clone()).collect();
        assert_eq!(json!(items), json!((1..=100).collect::<Vec<_>>()));
    }
}

/// Section 5, Q11: above 0.00005 of the nation's total, not at it; an item's stocks of one nation
/// are summed over the warehouses.
#[test]
fn q11_compares_with_the_nations_own_total() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world.supplier(1, GERMANY).supplier(2, GERMANY).supplier(3, GERMANY).supplier(7, PERU);
        world.stock((1, 1), 9, 1).stock((1, 2), 9, 19_000).stock((1, 3), 9, 2);
        world.stock((1, 7), 9, 1_000_000);
        // Item 1's second stock has supplier 2.
        world.stock((2, 1), 9, 0);
        let mut at_it = World::new(schema);
        at_it.supplier(1, GERMANY).supplier(2, GERMANY).supplier(4, GERMANY);
        at_it.stock((1, 1), 9, 1).stock((2, 1), 9, 0).stock((1, 2), 9, 9_999);
        at_it.stock((2, 2), 9, 10_000);
        let nation = json!({"nation": "Germany"});
        assert_eq!(world.rows(11, nation.clone()), json!([[2, 19_000], [3, 2], [1, 1]]));
        assert_eq!(at_it.rows(11, nation), json!([[2, 19_999]]));
    }
}

/// Section 5, Q15: all suppliers with the largest revenue; [D, D + 3 months); the stock of the
/// supplying warehouse.
#[test]
fn q15_returns_every_supplier_tied_at_the_maximum() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        for key in [3, 4, 5, 6] {
            world.supplier(key, PERU);
        }
        world.stock((1, 3), 9, 9).stock((1, 4), 9, 9).stock((1, 5), 9, 9).stock((2, 3), 9, 9);
        let lines = [
            // In cents both are 0.30, in binary fractions the first is more.
            line(4, 1, 0.1).delivered("2018-01-01"),
            line(4, 1, 0.2).delivered("2018-03-31 23:59:59.999999"),
            line(3, 1, 0.3).delivered("2018-02-01").supplied_by(2),
            line(3, 1, 0.29).delivered("2018-02-01"),
            line(5, 1, 9.0).delivered("2018-04-01"),
            line(5, 1, 9.0),
        ];
        world.order((1, 1, 1), 1, Some(1), "2017-12-01", &lines);
        let address = world.address();
        assert_eq!(
            world.rows(15, json!({"from": "2018-01-01", "to": "2018-04-01"})),
            json!([
                [4, "Supplier#000000004", address, "phone", 0.3],
                [6, "Supplier#000000006", address, "phone", 0.3],
            ])
        );
        assert_eq!(
            World::new(schema).rows(15, json!({"from": "2018-01-01", "to": "2018-04-01"})),
            json!([])
        );
    }
}

/// Section 5, Q16: suppliers with Customer…Complaints do not count, those with Customer…Recommends
/// or the words the other way round do; different suppliers count once; items without any other
/// supplier have no row.
#[test]
fn q16_excludes_suppliers_with_complaints() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world
            .supplier_with(1, 55, "xCustomer of ours Complaintsx")
            .supplier_with(2, 55, "Customer Recommends")
            .supplier_with(3, 55, "Complaints of a Customer")
            .supplier_with(4, 55, "customer complaints")
            .supplier_with(6, 55, "CustomerComplaints");
        world.item(1, "abcd", 12.5).item(2, "zzcd", 1.0).item(3, "zcd", 3.0).item(6, "ab", 7.0);
        // Item 1: suppliers 1 (complaint), 2, 3, 4 and twice 2 (10,002 warehouses later).
        world.stock((1, 1), 9, 9).stock((2, 1), 9, 9).stock((3, 1), 9, 9).stock((4, 1), 9, 9);
        world.stock((10_002, 1), 9, 9);
        world.stock((1, 2), 9, 9).stock((1, 3), 9, 9).stock((2, 3), 9, 9).stock((1, 6), 9, 9);
        assert_eq!(
            world.rows(16, json!({"data": "zz"})),
            json!([["item1", "abc", 12.5, 3], ["item3", "zcd", 3.0, 1]])
        );
    }
}

/// Section 5, Q16: the group is name, brand and price, not the item.
#[test]
fn q16_groups_items_that_show_the_same() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        for i in 1..=3 {
            let price = if i == 3 { 2.0 } else { 1.0 };
            let item = json!({"i_id": i, "i_name": "same", "i_price": price, "i_data": "same"});
            world.add(hoap_ch2::data::Collection::Item, item);
            world.stock((1, i), 9, 9).supplier(i, PERU);
        }
        let rows = world.rows(16, json!({"data": "zz"}));
        assert_eq!(rows, json!([["same", "sam", 1.0, 2], ["same", "sam", 2.0, 1]]));
    }
}

fn germany_co() -> Value {
    json!({"nation": "Germany", "data": "co", "from": "2016-01-01", "to": "2017-01-01"})
}

/// Section 5, Q20: each stock by itself against all of its item's lines of the year, whatever
/// warehouse they came from; above, not at; a supplier comes once.
#[test]
fn q20_weighs_each_stock_against_the_lines_of_its_item() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world.item(3, "cobalt", 1.0).item(6, "copper", 1.0).item(5, "COal", 1.0).item(7, "co", 1.0);
        for key in [3, 5, 6, 7, 9] {
            world.supplier(key, GERMANY);
        }
        world.supplier(12, PERU);
        // Item 3: 20 + 20 delivered in the year, one of them in warehouse 2; 20 × 2 is not above.
        world.stock((1, 3), 3, 9).stock((2, 3), 2, 9).stock((3, 3), 9, 9).stock((4, 3), 9, 9);
        world.stock((1, 6), 1, 9).stock((1, 5), 90, 9).stock((1, 7), 90, 9);
        let lines = [
            line(3, 20, 1.0).delivered("2016-01-01"),
            line(3, 50, 1.0).delivered("2017-01-01"),
            line(3, 50, 1.0),
            line(6, 20, 1.0).delivered("2016-02-01"),
            line(5, 1, 1.0).delivered("2016-02-01"),
            // Item 7 has no line in the year, so its stock is in no group.
            line(7, 1, 1.0).delivered("2015-12-31 23:59:59.999999"),
        ];
        world.order((1, 1, 1), 1, Some(1), "2015-12-01", &lines);
        world.order((2, 1, 1), 1, Some(1), "2015-12-01", &[lines[0]]);
        let address = world.address();
        assert_eq!(
            world.rows(20, germany_co()),
            json!([["Supplier#000000003", address], ["Supplier#000000009", address]])
        );
    }
}

/// Section 5, Q20: a supplier of two such stocks comes once.
#[test]
fn q20_returns_a_supplier_once() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world.item(3, "co", 1.0).item(6, "co", 1.0).supplier(6, GERMANY);
        world.stock((2, 3), 50, 9).stock((1, 6), 50, 9);
        let lines =
            [line(3, 1, 1.0).delivered("2016-02-01"), line(6, 1, 1.0).delivered("2016-02-01")];
        world.order((1, 1, 1), 1, Some(1), "2015-12-01", &lines);
        let address = world.address();
        assert_eq!(world.rows(20, germany_co()), json!([["Supplier#000000006", address]]));
    }
}

/// Section 5, Q21: more than 150 days after the entry, and no other line later: two lines at the
/// same instant both count, undelivered ones do not come later.
#[test]
fn q21_counts_the_last_lines_of_an_order_when_very_late() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        for key in 1..=4 {
            world.supplier(key, PERU).stock((1, key), 9, 9);
        }
        world.supplier(5, GERMANY).stock((1, 5), 9, 9).stock((2, 1), 9, 9);
        // 150 days after 2017-12-01 is 2018-04-30.
        let late = "2018-04-30 00:00:00.000001";
        let of = |item| line(item, 1, 1.0);
        world
            // 1 and 2 tie; 3 is late but not last; 4 is not delivered.
            .order(
                (1, 1, 1),
                1,
                Some(1),
                "2017-12-01",
                &[
                    of(1).delivered("2018-05-01"),
                    of(2).delivered("2018-05-01"),
                    of(3).delivered(late),
                    of(4),
                ],
            )
            // Just late enough; supplied by another warehouse, but the order's stock decides.
            .order((1, 1, 2), 1, Some(1), "2017-12-01", &[of(2).delivered(late).supplied_by(2)])
            // Exactly 150 days.
            .order((1, 1, 3), 1, Some(1), "2017-12-01", &[of(3).delivered("2018-04-30")])
            // A German line is later than the Peruvian one.
            .order(
                (1, 1, 4),
                1,
                Some(1),
                "2017-12-01",
                &[of(3).delivered(late), of(5).delivered("2018-05-01")],
            )
            // The month's last midnight is in it, the instant after is not.
            .order((1, 1, 5), 1, Some(1), "2017-12-31", &[of(4).delivered("2018-06-30")])
            .order(
                (1, 1, 6),
                1,
                Some(1),
                "2017-12-31 00:00:00.000001",
                &[of(3).delivered("2018-06-30")],
            );
        assert_eq!(
            world.rows(21, json!({"nation": "Peru", "from": "2017-12-01", "to": "2017-12-31"})),
            json!([
                ["Supplier#000000002", 2],
                ["Supplier#000000001", 1],
                ["Supplier#000000004", 1],
            ])
        );
    }
}
