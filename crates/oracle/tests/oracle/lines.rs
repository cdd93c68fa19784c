//! Q1, Q4, Q6, Q12.

use serde_json::json;

use super::world::{SCHEMAS, World, line, rows};

/// Section 5, Q1: lines delivered after the day, not on its midnight and not undelivered ones.
#[test]
fn q1_takes_lines_delivered_after_the_day() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        let lines = [
            line(1, 3, 1.10).delivered("2014-07-01 00:00:00.000001"),
            line(1, 9, 5.00).delivered("2014-07-01"),
        ];
        world.order((1, 1, 1), 1, Some(1), "2014-06-01", &lines);
        let lines = [line(1, 4, 2.25).delivered("2014-08-01"), line(1, 9, 5.00)];
        world.order((1, 1, 2), 2, Some(1), "2014-06-01", &lines);
        let rows = world.rows(1, json!({"after": "2014-07-01"}));
        assert_eq!(rows, json!([[1, 7, 3.35, 3.5, 1.675, 2]]));
    }
}

/// Section 5, Q4: at or after one week; [D, D + 3 months); an order counts once.
#[test]
fn q4_counts_orders_with_a_line_a_week_late_or_later() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        let on_time = line(1, 1, 1.0).delivered("2015-07-07 23:59:59.999999");
        let week = line(1, 1, 1.0).delivered("2015-07-08");
        world
            .order((1, 1, 1), 1, Some(1), "2015-07-01", &[week, week, on_time])
            .order((1, 1, 2), 2, Some(1), "2015-07-01", &[on_time, on_time])
            .order((1, 1, 3), 3, None, "2015-07-01", &[line(1, 1, 1.0)])
            .order((1, 1, 4), 4, Some(1), "2015-09-30", &[week.delivered("2016-01-01")])
            .order((1, 1, 5), 5, Some(1), "2015-10-01", &[week.delivered("2016-01-01")])
            .order((1, 1, 6), 6, Some(1), "2015-06-30", &[week]);
        let rows = world.rows(4, json!({"from": "2015-07-01", "to": "2015-10-01"}));
        assert_eq!(rows, json!([[1, 1], [3, 1]]));
    }
}

/// Section 5, Q6: [D, D + 1 year), amount above A; a sum over no rows is null.
#[test]
fn q6_sums_large_lines_of_a_year_and_nothing_is_null() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        let lines = [
            line(1, 1, 600.00).delivered("2016-05-01"),
            line(1, 1, 600.01).delivered("2016-01-01"),
            line(1, 1, 700.10).delivered("2016-12-31 23:59:59.999999"),
            line(1, 1, 700.00).delivered("2017-01-01"),
            line(1, 1, 700.00),
        ];
        world.order((1, 1, 1), 1, Some(1), "2015-12-01", &lines);
        let made = world.made();
        let of = |from, to| rows(&made, 6, json!({"from": from, "to": to, "amount": 600}));
        assert_eq!(of("2016-01-01", "2017-01-01"), json!([[1300.11]]));
        assert_eq!(of("2018-01-01", "2019-01-01"), json!([[null]]));
    }
}

/// Section 5, Q12: lines of carriers 1 and 2 beside those of the others, per o_ol_cnt.
#[test]
fn q12_counts_lines_not_orders_and_none_before_its_entry() {
    for schema in SCHEMAS {
        let mut world = World::new(schema);
        let entry = line(1, 1, 1.0).delivered("2016-03-01");
        let before = line(1, 1, 1.0).delivered("2016-02-29");
        let next_year = line(1, 1, 1.0).delivered("2017-01-01");
        world
            .order((1, 1, 1), 1, Some(1), "2016-03-01", &[entry, entry, before])
            .order((1, 1, 2), 2, Some(2), "2016-03-01", &[entry, next_year, before])
            .order((1, 1, 3), 3, Some(3), "2016-03-01", &[entry, before, before])
            .order((1, 1, 4), 4, Some(10), "2016-03-01", &[entry])
            .order((1, 1, 5), 5, Some(1), "2016-03-01", &[before, before])
            .order((1, 1, 6), 6, None, "2016-03-01", &[line(1, 1, 1.0)]);
        let rows = world.rows(12, json!({"from": "2016-01-01", "to": "2017-01-01"}));
        assert_eq!(rows, json!([[1, 0, 1], [3, 3, 1]]));
    }
}
