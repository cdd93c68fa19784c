//! Q5, Q7, Q8, Q9.

use serde_json::json;

use super::world::{CHINA, FRANCE, GERMANY, PERU, SCHEMAS, World, line, rows};

/// Section 5, Q5: customer and supplier of one nation; the stock is the order's warehouse's,
/// whoever supplied the line; [D, D + 1 year).
#[test]
fn q5_wants_one_nation_and_the_stock_of_the_orders_warehouse() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world.supplier(5, GERMANY).supplier(10, FRANCE).stock((1, 5), 9, 9).stock((2, 5), 9, 9);
        world.customer((1, 1, 1), GERMANY.1).customer((2, 1, 1), GERMANY.1);
        world.customer((2, 1, 2), FRANCE.1);
        world
            .order((1, 1, 1), 1, None, "2016-01-01", &[line(5, 1, 7.0).supplied_by(2)])
            .order((1, 1, 2), 1, None, "2017-01-01", &[line(5, 1, 100.0)])
            .order((2, 1, 1), 1, None, "2016-06-01", &[line(5, 1, 100.0).supplied_by(1)])
            .order((2, 1, 2), 2, None, "2016-06-01", &[line(5, 1, 8.0), line(5, 1, 0.5)]);
        let made = world.made();
        let of = |region| {
            rows(&made, 5, json!({"region": region, "from": "2016-01-01", "to": "2017-01-01"}))
        };
        assert_eq!(of("Europe"), json!([["France", 8.5], ["Germany", 7.0]]));
        assert_eq!(of("Asia"), json!([]));
    }
}

/// Section 5, Q7: both directions, no trade within a nation; [D1, D2] closed; the stock of the
/// supplying warehouse; the year is that of the entry.
#[test]
fn q7_takes_both_directions_and_both_ends() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world.supplier(5, GERMANY).supplier(10, FRANCE).stock((1, 5), 9, 9).stock((2, 5), 9, 9);
        world.customer((1, 1, 1), GERMANY.1).customer((1, 1, 2), FRANCE.1);
        let of_1 = line(5, 1, 1.0).delivered("2017-01-01");
        let of_2 = line(5, 1, 10.0).delivered("2018-12-31").supplied_by(2);
        let too_late = of_2.delivered("2018-12-31 00:00:00.000001");
        world.order((1, 1, 1), 1, Some(1), "2016-12-31", &[of_1, of_2, too_late]).order(
            (1, 1, 2),
            2,
            Some(1),
            "2017-01-01",
            &[of_1, of_2, line(5, 1, 50.0)],
        );
        let rows = world.rows(
            7,
            json!({"nation_a": "France", "nation_b": "Germany",
                "from": "2017-01-01", "to": "2018-12-31"}),
        );
        assert_eq!(rows, json!([[54, "7", 2016, 10.0], [55, "6", 2017, 1.0]]));
    }
}

/// Section 5, Q8: the share in the market of a region's customers; a denominator of 0 gives null;
/// items below 1000; both ends of the entry's days.
#[test]
fn q8_is_a_share_and_null_where_nothing_was_earned() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        for (item, data, seller) in
            [(998, "xb", GERMANY), (999, "yb", PERU), (997, "xB", GERMANY), (1000, "zb", GERMANY)]
        {
            world.item(item, data, 1.0).supplier(item, seller).stock((1, item), 9, 9);
        }
        world.customer((1, 1, 1), FRANCE.1).customer((1, 1, 2), CHINA.1);
        let lines = [line(998, 1, 1.0), line(999, 1, 3.0), line(997, 1, 9.0), line(1000, 1, 9.0)];
        world
            .order((1, 1, 1), 1, None, "2017-01-01", &lines)
            .order((1, 1, 2), 2, None, "2017-02-01", &lines[..1])
            .order((1, 1, 3), 1, None, "2018-12-31", &[line(998, 1, 0.0)])
            .order((1, 1, 4), 1, None, "2018-12-31 00:00:00.000001", &lines);
        let parameters = json!({"nation": "Germany", "region": "Europe", "data": "b",
            "from": "2017-01-01", "to": "2018-12-31"});
        assert_eq!(world.rows(8, parameters), json!([[2017, 0.25], [2018, null]]));
    }
}

/// Section 5, Q9: by nation and then the latest year first; the ending is case-sensitive.
#[test]
fn q9_orders_by_nation_and_latest_year() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world.item(1, "abb", 1.0).item(2, "aBB", 1.0).item(3, "bb", 1.0).item(4, "bba", 1.0);
        world.supplier(1, PERU).supplier(2, PERU).supplier(3, CHINA).supplier(4, CHINA);
        for item in 1..=4 {
            world.stock((1, item), 9, 9);
        }
        let lines = [line(1, 1, 1.0), line(2, 1, 10.0), line(3, 1, 100.0), line(4, 1, 1000.0)];
        world.order((1, 1, 1), 1, None, "2015-12-31 23:59:59.999999", &lines);
        world.order((1, 1, 2), 1, None, "2016-01-01", &lines[..1]);
        assert_eq!(
            world.rows(9, json!({"data": "bb"})),
            json!([["China", 2015, 100.0], ["Peru", 2016, 1.0], ["Peru", 2015, 1.0]])
        );
    }
}
