//! Q14, Q17, Q19.

use serde_json::{Value, json};

use super::world::{SCHEMAS, World, line, rows};

/// Section 5, Q14: 100 × promoted / (1 + all), [D, D + 1 month), 'pr' in this case; null over no
/// line.
#[test]
fn q14_adds_one_to_the_denominator() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world.item(1, "promo", 1.0).item(2, "PRomo", 1.0).item(3, "xpr", 1.0);
        let lines = [
            line(1, 1, 3.0).delivered("2017-09-01"),
            line(2, 1, 2.0).delivered("2017-09-30 23:59:59.999999"),
            line(3, 1, 2.0).delivered("2017-09-15"),
            line(1, 1, 50.0).delivered("2017-10-01"),
            line(1, 1, 50.0),
        ];
        world.order((1, 1, 1), 1, Some(1), "2017-08-01", &lines);
        let made = world.made();
        let of = |from, to| rows(&made, 14, json!({"from": from, "to": to}));
        assert_eq!(of("2017-09-01", "2017-10-01"), json!([[37.5]]));
        assert_eq!(of("2018-09-01", "2018-10-01"), json!([[null]]));
    }
}

/// Section 5, Q17: below the item's average over all its lines, delivered or not; half the sum, to
/// half a cent.
#[test]
fn q17_takes_quantities_below_the_average_of_their_item() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world.item(1, "xb", 1.0).item(2, "yb", 1.0).item(3, "b!", 1.0);
        let lines = [
            // Item 1: average 5, so 4 is below and 5 is not.
            line(1, 4, 1.01).delivered("2017-09-01"),
            line(1, 5, 50.0),
            line(1, 6, 50.0),
            // Item 2: average 10.5; item 3 does not end so.
            line(2, 10, 2.0),
            line(2, 11, 50.0).delivered("2017-09-01"),
            line(3, 1, 50.0),
            line(3, 9, 50.0),
        ];
        world.order((1, 1, 1), 1, Some(1), "2017-08-01", &lines);
        let made = world.made();
        assert_eq!(rows(&made, 17, json!({"data": "b"})), json!([[1.505]]));
        assert_eq!(rows(&made, 17, json!({"data": "z"})), json!([[null]]));
    }
}

fn three_alternatives() -> Value {
    json!({"data1": "h", "low1": 7, "high1": 17, "w11": 1, "w12": 3, "w13": 3,
        "data2": "t", "low2": 16, "high2": 26, "w21": 2, "w22": 2, "w23": 2,
        "data3": "h", "low3": 17, "high3": 34, "w31": 1, "w32": 1, "w33": 1})
}

/// Section 5, Q19: quantities and prices with both ends, prices to 5, 10 and 15, the order's
/// warehouse; a line for which two alternatives hold counts once.
#[test]
fn q19_takes_both_ends_of_its_ranges_and_each_line_once() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world.item(1, "ah", 5.0).item(2, "ah", 5.01).item(3, "at", 10.0).item(4, "at", 10.01);
        world.item(5, "ah", 0.99).item(6, "ah", 15.0).item(7, "ah", 15.01).item(8, "ah", 1.0);
        let lines = [
            line(1, 7, 1.0),
            // Both the first and the third alternative.
            line(1, 17, 2.0).supplied_by(2),
            line(1, 6, 1000.0),
            line(1, 18, 4.0),
            line(2, 16, 1000.0),
            line(3, 20, 1000.0),
            line(5, 10, 1000.0),
            line(6, 34, 8.0),
            line(6, 35, 1000.0),
            line(7, 34, 1000.0),
            line(8, 10, 16.0),
        ];
        world
            .order((1, 1, 1), 1, None, "2017-08-01", &lines)
            .order((2, 1, 1), 1, None, "2017-08-01", &[line(3, 26, 32.0), line(4, 26, 1000.0)])
            .order((3, 1, 1), 1, None, "2017-08-01", &[line(1, 10, 64.0), line(6, 20, 1000.0)]);
        assert_eq!(world.rows(19, three_alternatives()), json!([[127.0]]));
        assert_eq!(World::new(schema).rows(19, three_alternatives()), json!([[null]]));
    }
}
