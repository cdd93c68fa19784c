//! Q3, Q10, Q13, Q18, Q22.

use hoap_ch2::data::Schema;
use serde_json::{Value, json};

use super::world::{GERMANY, PERU, SCHEMAS, World, count_before_limit, line, rows};

/// Section 5, Q3: with a neworder, of the right state in the right case, before the day; the
/// dearest first and then the oldest.
#[test]
fn q3_takes_undelivered_orders_of_the_state() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world.customer((1, 1, 1), 'a').customer((1, 1, 2), 'A').customer((1, 2, 1), 'a');
        let lines = [line(1, 1, 2.5), line(2, 1, 2.5)];
        world
            .order((1, 1, 1), 1, None, "2017-03-14 23:59:59.999999", &lines)
            .order((1, 1, 2), 1, None, "2017-03-15", &lines)
            .order((1, 1, 3), 2, None, "2017-03-01", &lines)
            .order((1, 1, 4), 1, Some(1), "2017-03-01", &lines)
            .order((1, 2, 1), 1, None, "2017-03-01", &lines)
            .order((1, 2, 2), 1, None, "2017-03-02", &[line(1, 1, 6.0)]);
        for order in [(1, 1, 1), (1, 1, 2), (1, 1, 3), (1, 2, 1), (1, 2, 2), (1, 2, 4)] {
            world.neworder(order);
        }
        assert_eq!(
            world.rows(3, json!({"state": "a", "before": "2017-03-15"})),
            json!([
                [2, 1, 2, 6.0, "2017-03-02 00:00:00.000000"],
                [1, 1, 2, 5.0, "2017-03-01 00:00:00.000000"],
                [1, 1, 1, 5.0, "2017-03-14 23:59:59.999999"],
            ])
        );
    }
}

/// Section 5, Q3: ten rows in CH2, all in CH2++.
#[test]
fn q3_has_a_limit_in_ch2_alone() {
    for (schema, count) in [(Schema::Ch2, 10), (Schema::Ch2pp, 12)] {
        let mut world = World::new(schema);
        world.customer((1, 1, 1), 'a');
        for o in 1..=12 {
            world.order((1, 1, o), 1, None, "2017-03-01", &[line(1, 1, 1.0)]).neworder((1, 1, o));
        }
        let made = world.made();
        let parameters = json!({"state": "a", "before": "2017-03-15"});
        assert_eq!(count_before_limit(&made, 3, parameters.clone()), 12);
        assert_eq!(rows(&made, 3, parameters).as_array().unwrap().len(), count);
    }
}

/// Section 5, Q10, and Fig. 4 of the CH2++ paper: the group is c_id, name, city, phone and nation,
/// neither warehouse nor district; [D, D + 3 months); 20 rows.
#[test]
fn q10_groups_by_what_the_customer_shows() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world.customer((1, 1, 1), GERMANY.1).customer((1, 2, 1), GERMANY.1);
        world.customer((1, 3, 1), PERU.1).customer((1, 3, 2), '?');
        let cheap = [line(1, 1, 1.0)];
        world
            .order((1, 1, 1), 1, None, "2015-10-01", &[line(1, 1, 1.0), line(2, 1, 0.25)])
            .order((1, 2, 1), 1, None, "2015-12-31", &cheap)
            .order((1, 3, 1), 1, None, "2015-11-01", &[line(1, 1, 3.0)])
            .order((1, 3, 2), 2, None, "2015-11-01", &cheap)
            .order((1, 1, 2), 1, None, "2016-01-01", &cheap);
        for c in 10..=30 {
            world.customer((1, 4, c), GERMANY.1);
            world.order((1, 4, c), c, None, "2015-11-01", &[line(1, 1, 0.5)]);
        }
        let made = world.made();
        let parameters = json!({"from": "2015-10-01", "to": "2016-01-01"});
        assert_eq!(count_before_limit(&made, 10, parameters.clone()), 23);
        let rows = rows(&made, 10, parameters);
        assert_eq!(rows.as_array().unwrap().len(), 20);
        let phone = "9000000000000000";
        assert_eq!(rows[0], json!([1, "LAST1", 3.0, "city", phone, "Peru"]));
        assert_eq!(rows[1], json!([1, "LAST1", 2.25, "city", phone, "Germany"]));
        assert_eq!(rows[2], json!([10, "LAST10", 0.5, "city", phone, "Germany"]));
    }
}

/// Section 5, Q13: a left join on the full key, grouped by c_id alone. A customer without such an
/// order counts 0 and still makes a group; carriers above K, null is not.
#[test]
fn q13_counts_customers_without_orders_and_groups_districts() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        for (d, c) in [(1, 1), (2, 1), (1, 2), (2, 3), (1, 4)] {
            world.customer((1, d, c), 'a');
        }
        let lines = [line(1, 1, 1.0)];
        world
            .order((1, 1, 1), 1, Some(9), "2015-01-01", &lines)
            .order((1, 2, 1), 1, Some(10), "2015-01-01", &lines)
            .order((1, 1, 2), 2, Some(8), "2015-01-01", &lines)
            .order((1, 1, 3), 4, None, "2015-01-01", &lines)
            // District 1 has no customer 3: the join is on the whole key.
            .order((1, 1, 4), 3, Some(9), "2015-01-01", &lines);
        // c_id 1 has two; 2, 3 and 4 have none.
        assert_eq!(world.rows(13, json!({"carrier": 8})), json!([[0, 3], [2, 1]]));
    }
}

/// Section 5, Q13: order by custdist desc, c_count desc.
#[test]
fn q13_orders_equal_counts_by_the_larger_number_of_orders() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world.customer((1, 1, 1), 'a').customer((1, 1, 2), 'a');
        world.order((1, 1, 1), 1, Some(9), "2015-01-01", &[line(1, 1, 1.0)]);
        assert_eq!(world.rows(13, json!({"carrier": 8})), json!([[1, 1], [0, 1]]));
    }
}

/// Section 5, Q18: above A, not at it; the first 100 by sum and then the oldest.
#[test]
fn q18_takes_sums_above_the_amount() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world.customer((1, 1, 1), 'a');
        // Ten times 20.01 and ten times 0.1 in binary fractions are near 200, not at it.
        world
            .order((1, 1, 1), 1, None, "2015-01-02", &[line(1, 1, 20.0); 10])
            .order((1, 1, 2), 1, None, "2015-01-02", &[line(1, 1, 20.01); 10])
            .order((1, 1, 3), 1, None, "2015-01-01", &[line(1, 1, 200.1)]);
        assert_eq!(
            world.rows(18, json!({"amount": 200})),
            json!([
                ["LAST1", 1, 3, "2015-01-01 00:00:00.000000", 1, 200.1],
                ["LAST1", 1, 2, "2015-01-02 00:00:00.000000", 10, 200.1],
            ])
        );
    }
}

/// Section 5, Q18: 100 rows; who is tied with the last is known before the limit.
#[test]
fn q18_stops_after_100() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world.customer((1, 1, 1), 'a');
        for o in 1..=101 {
            world.order((1, 1, o), 1, None, "2015-01-02", &[line(1, 1, 300.0)]);
        }
        let made = world.made();
        assert_eq!(count_before_limit(&made, 18, json!({"amount": 200})), 101);
        assert_eq!(rows(&made, 18, json!({"amount": 200})).as_array().unwrap().len(), 100);
    }
}

fn seven_digits(from: &str, to: &str) -> Value {
    json!({"digit1": "1", "digit2": "2", "digit3": "3", "digit4": "4", "digit5": "5",
        "digit6": "6", "digit7": "7", "from": from, "to": to})
}

/// Section 5, Q22: the average is over the positive balances of the customers with such phones,
/// those with an order in the month included; the month ends at its last day's midnight.
#[test]
fn q22_compares_with_the_average_positive_balance_of_such_phones() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world
            .customer_with((1, 1, 1), 'b', "10", 400.0)
            .customer_with((1, 1, 2), 'a', "20", 300.25)
            .customer_with((1, 1, 3), 'a', "70", 300.25)
            .customer_with((1, 1, 4), 'a', "30", 199.5)
            .customer_with((1, 1, 5), 'c', "30", -1000.0)
            .customer_with((1, 1, 6), 'd', "80", 100_000.0)
            // It ordered in the month, so it is not counted, but its balance is in the average.
            .customer_with((1, 1, 7), 'e', "10", 600.0)
            .customer_with((1, 2, 7), 'E', "10", 600.0)
            // Exactly the average: not above it.
            .customer_with((1, 1, 8), 'f', "10", 400.0);
        let lines = [line(1, 1, 1.0)];
        world
            .order((1, 1, 1), 7, None, "2013-12-31", &lines)
            .order((1, 2, 1), 7, None, "2013-12-31 00:00:00.000001", &lines)
            .order((1, 1, 2), 2, None, "2013-11-30 23:59:59.999999", &lines);
        // (400 + 300.25 + 300.25 + 199.5 + 600 + 600 + 400) / 7 = 400
        assert_eq!(
            world.rows(22, seven_digits("2013-12-01", "2013-12-31")),
            json!([["E", 1, 600.0]])
        );
    }
}

/// Section 5, Q22: per state initial, in its order.
#[test]
fn q22_groups_by_initial() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world
            .customer_with((1, 1, 1), 'b', "10", 0.01)
            .customer_with((1, 1, 2), 'b', "20", 10.05)
            .customer_with((1, 1, 3), 'b', "30", 10.1)
            .customer_with((1, 1, 4), 'B', "40", 10.1);
        let rows = world.rows(22, seven_digits("2013-12-01", "2013-12-31"));
        assert_eq!(rows, json!([["B", 1, 10.1], ["b", 2, 20.15]]));
    }
}

/// Without a positive balance there is no average, so nobody is above it.
#[test]
fn q22_is_empty_without_a_positive_balance() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        world.customer_with((1, 1, 1), 'b', "10", -10.0).customer_with((1, 1, 2), 'b', "10", 0.0);
        assert_eq!(world.rows(22, seven_digits("2013-12-01", "2013-12-31")), json!([]));
    }
}
