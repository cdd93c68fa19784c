//! What a data set may be made from, and what is said about the rest.

use hoap_ch2::data::{DataSet, ExtraFields, MAX_WAREHOUSES, Schema, Spec};
use hoap_data::Date;

use super::common;

fn error(change: impl FnOnce(&mut Spec)) -> String {
    let mut spec = Spec::new(Schema::Ch2pp, 1);
    change(&mut spec);
    let error = DataSet::new(spec).expect_err("not valid").to_string();
    assert!(!error.contains('\n'));
    error
}

/// Specification section 1 and 2, and the published settings.
#[test]
fn defaults() {
    let spec = Spec::new(Schema::Ch2pp, 7);
    assert_eq!((spec.warehouses, spec.seed, spec.scale_down), (7, 1, 1));
    assert_eq!(spec.run_date.to_string(), "2021-01-01");
    assert_eq!(spec.extra_fields, ExtraFields::all(64));
    assert_eq!(Spec::new(Schema::Ch2, 7).extra_fields, ExtraFields::NONE);
}

/// Specification section 1: START_DATE = RUN_DATE − 7 years, END_DATE = RUN_DATE − 1 day.
#[test]
fn start_and_end_date() {
    for (run, start, end) in [
        ("2021-01-01", "2014-01-01", "2020-12-31"),
        ("2024-02-29", "2017-02-28", "2024-02-28"),
        ("2025-03-01", "2018-03-01", "2025-02-28"),
    ] {
        let mut spec = Spec::new(Schema::Ch2pp, 1);
        spec.run_date = run.parse().expect("a day");
        let data = DataSet::new(spec).expect("valid");
        assert_eq!(data.start_date().to_string(), start);
        assert_eq!(data.end_date().to_string(), end);
    }
}

#[test]
fn parameters_out_of_range() {
    assert_eq!(error(|s| s.warehouses = 0), "0 warehouses are not possible: choose 1 to 10000000");
    assert_eq!(
        error(|s| s.warehouses = MAX_WAREHOUSES + 1),
        "10000001 warehouses are not possible: choose 1 to 10000000"
    );
    for n in [0, 3, 8, 40, 101, 200, u32::MAX] {
        let expected = format!("scale-down {n} is not possible: choose a divisor of 100");
        assert_eq!(error(|s| s.scale_down = n), expected);
    }
    let expected = "extra fields 'customer=64,orders=64,item=129' make no sense: write a number \
                    from 0 to 128, or each collection once as in customer=64,orders=0,item=16";
    assert_eq!(error(|s| s.extra_fields.item = 129), expected);
    assert!(error(|s| s.extra_fields.customer = u32::MAX).contains("make no sense"));
    assert!(error(|s| s.extra_fields.orders = 129).contains("make no sense"));
    assert_eq!(
        error(|s| s.schema = Schema::Ch2),
        "CH2 has no extra fields, but 64 were asked for: choose 0, or CH2++"
    );
    for run_date in [Date::MIN, Date::MAX, Date::MIN.add_years(6), Date::MAX.add_years(-8)] {
        assert_eq!(
            error(|s| s.run_date = run_date),
            format!("RUN_DATE {run_date} is not possible: choose a day of the years 0008 to 9990")
        );
    }
}

#[test]
fn ends_of_the_ranges_are_valid() {
    let changes: [fn(&mut Spec); 6] = [
        |s| s.warehouses = MAX_WAREHOUSES,
        |s| s.scale_down = 100,
        |s| s.extra_fields = ExtraFields::all(128),
        |s| s.seed = u64::MAX,
        |s| s.run_date = Date::MIN.add_years(7),
        |s| s.run_date = Date::MAX.add_years(-9),
    ];
    for change in changes {
        let mut spec = Spec::new(Schema::Ch2pp, 1);
        change(&mut spec);
        let data = DataSet::new(spec).expect("valid");
        for collection in hoap_ch2::data::Collection::ALL {
            common::document(&data, collection, data.count(collection) - 1);
        }
    }
}

#[test]
fn extra_fields_as_text() {
    for (text, fields) in [
        ("0", ExtraFields::NONE),
        ("64", ExtraFields::default()),
        ("128", ExtraFields::all(128)),
        ("customer=64,orders=0,item=16", ExtraFields { customer: 64, orders: 0, item: 16 }),
    ] {
        assert_eq!(text.parse(), Ok(fields));
        assert_eq!(fields.to_string(), text);
    }
    let orders_only: ExtraFields = "orders=3".parse().expect("extra fields");
    assert_eq!(orders_only, ExtraFields { orders: 3, ..ExtraFields::default() });
    for bad in [
        "",
        " ",
        "-1",
        "+1",
        "129",
        "64.0",
        "99999999999",
        "x",
        "customer",
        "customer=",
        "customer=129",
        "customer=+1",
        "customer=1,",
        ",customer=1",
        "customer=1,customer=2",
        "stock=1",
        "customer=1 orders=2",
        "customer=1,2",
        "customer=1=2",
        "a\nb=1",
    ] {
        let error = bad.parse::<ExtraFields>().expect_err("no extra fields").to_string();
        assert!(error.contains("make no sense") && !error.contains('\n'), "{bad}: {error}");
    }
    let error = "é".repeat(1000).parse::<ExtraFields>().expect_err("no number").to_string();
    assert!(error.len() < 300, "{error}");
}

#[test]
fn schema_as_text() {
    for schema in [Schema::Ch2, Schema::Ch2pp] {
        assert_eq!(schema.name().parse(), Ok(schema));
        assert_eq!(schema.to_string(), schema.name());
    }
    assert_eq!([Schema::Ch2.title(), Schema::Ch2pp.title()], ["CH2", "CH2++"]);
    for bad in ["", "CH2", "ch2++", "ch3"] {
        let error = bad.parse::<Schema>().expect_err("no schema").to_string();
        assert_eq!(error, format!("schema '{bad}' is unknown: use one of ch2, ch2pp"));
    }
}
