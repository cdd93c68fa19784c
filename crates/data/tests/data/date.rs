//! Days and instants.

use hoap_data::{DAY_MICROS, Date, Timestamp};

fn date(text: &str) -> Date {
    text.parse().expect("a day")
}

/// Every day of the calendar, counted forward by its own rules.
#[test]
fn every_day() {
    let mut day = Date::MIN;
    let mut expected = (1, 1, 1);
    loop {
        assert_eq!((day.year(), day.month(), day.day()), expected);
        assert_eq!(Date::new(expected.0, expected.1, expected.2), Some(day));
        if day == Date::MAX {
            break;
        }
        let (year, month, of_month) = expected;
        expected = if Date::new(year, month, of_month + 1).is_some() {
            (year, month, of_month + 1)
        } else if month < 12 {
            (year, month + 1, 1)
        } else {
            (year + 1, 1, 1)
        };
        day = day.add_days(1);
    }
    assert_eq!(expected, (9999, 12, 31));
    // 365 or 366 days a year, 97 leap years in 400.
    assert_eq!(Date::MAX.days_since_1970() - Date::MIN.days_since_1970(), 3_652_058);
}

#[test]
fn known_days() {
    assert_eq!(date("1970-01-01").days_since_1970(), 0);
    assert_eq!(date("2000-02-29").days_since_1970(), 11_016);
    assert_eq!(date("2021-01-01").days_since_1970(), 18_628);
    assert_eq!(date("1969-12-31").days_since_1970(), -1);
    for bad in [
        "",
        "2021",
        "2021-1-1",
        "2021-13-01",
        "2021-00-01",
        "2021-01-00",
        "2021-01-32",
        "2021-02-29",
        "1900-02-29",
        "2021-04-31",
        "0000-01-01",
        "10000-01-01",
        "2021-01-01 ",
        "2021/01/01",
        "-021-01-01",
        "2021-01-0x",
        "２021-01-1",
        "20210-1-01",
        "+021-01-01",
    ] {
        let error = bad.parse::<Date>().expect_err("no day").to_string();
        assert_eq!(error, format!("date '{bad}' is not a day: write YYYY-MM-DD"));
    }
}

#[test]
fn arithmetic() {
    assert_eq!(date("2020-02-28").add_days(2), date("2020-03-01"));
    assert_eq!(date("2021-01-31").add_months(1), date("2021-02-28"));
    assert_eq!(date("2021-01-31").add_months(-2), date("2020-11-30"));
    assert_eq!(date("2021-12-15").add_months(13), date("2023-01-15"));
    assert_eq!(date("2020-02-29").add_years(1), date("2021-02-28"));
    assert_eq!(date("2021-05-05").add_years(-7), date("2014-05-05"));
    assert_eq!(Date::MAX.add_days(1), Date::MAX);
    assert_eq!(Date::MIN.add_days(-1), Date::MIN);
    assert_eq!(date("2021-01-01").add_days(i64::MAX), Date::MAX);
    assert_eq!(date("2021-01-01").add_days(i64::MIN), Date::MIN);
    for n in [i32::MAX, i32::MIN] {
        let end = if n > 0 { Date::MAX } else { Date::MIN };
        assert_eq!(date("2021-01-01").add_months(n), end);
        assert_eq!(date("2021-01-01").add_years(n), end);
    }
}

/// Specification section 1: dates have one width, so that string order is time order.
#[test]
fn timestamps() {
    let midnight = Timestamp::from(date("2021-01-01"));
    assert_eq!(midnight.to_string(), "2021-01-01 00:00:00.000000");
    assert_eq!(midnight.add_micros(-1).to_string(), "2020-12-31 23:59:59.999999");
    assert_eq!(midnight.add_micros(-1).date(), date("2020-12-31"));
    assert_eq!(Timestamp::from_micros(-1).to_string(), "1969-12-31 23:59:59.999999");
    assert_eq!(Timestamp::from_micros(i64::MAX).to_string(), "9999-12-31 23:59:59.999999");
    assert_eq!(Timestamp::from_micros(i64::MIN).to_string(), "0001-01-01 00:00:00.000000");
    assert_eq!(midnight.add_micros(i64::MAX), Timestamp::from_micros(i64::MAX));
    assert_eq!(midnight.add_days(2).micros() - midnight.micros(), 2 * DAY_MICROS);
    assert_eq!(midnight.add_days(i64::MIN), Timestamp::from_micros(i64::MIN));
    let mut last = Timestamp::from_micros(i64::MIN).to_string();
    for step in 0..5000 {
        let instant = Timestamp::from_micros(i64::MIN).add_micros(step * 63_000_123_456_789);
        let text = instant.to_string();
        assert_eq!(text.len(), Timestamp::LEN);
        assert_eq!(text.parse(), Ok(instant));
        assert_eq!(instant.to_bytes(), text.as_bytes());
        assert!(step == 0 || last < text);
        last = text;
    }
}

#[test]
fn texts_that_are_no_timestamps() {
    for bad in [
        "",
        "2021-01-01",
        "2021-01-01 00:00:00",
        "2021-01-01 00:00:00.0",
        "2021-01-01T00:00:00.000000",
        "2021-01-01 24:00:00.000000",
        "2021-01-01 00:60:00.000000",
        "2021-01-01 00:00:60.000000",
        "2021-02-30 00:00:00.000000",
        "2021-01-01 00:00:00.00000x",
        "2021-01-01 00:00:00.0000000",
        "2021-01-0é 00:00:00.00000",
        "2021-01-01 -1:00:00.000000",
        "2021-01-01 00:00:00,000000",
    ] {
        let error = bad.parse::<Timestamp>().expect_err("no instant").to_string();
        let end = "is not an instant: write YYYY-MM-DD HH:MM:SS.ffffff";
        assert_eq!(error, format!("timestamp '{bad}' {end}"));
    }
}
