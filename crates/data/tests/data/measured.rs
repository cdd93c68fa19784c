//! A writer that counts: its bytes are those written.

use hoap_data::writer::{Field, Writer};
use hoap_data::{Date, Timestamp, field};
use hoap_testing::measured::both;

#[test]
fn every_value_counts_its_bytes() {
    let (counted, written) = both(|w| {
        w.begin_object(Field::ELEMENT);
        for value in [0, 9, 10, 99, 100, 12_345, 99_999_999, 100_000_000, u64::MAX] {
            w.int(field!("i"), value);
        }
        for value in [0, 1, -1, 99, 100, -100, 99_999, -100_000, i64::MAX / 1000] {
            w.cents(field!("c"), value);
        }
        for value in [0, 1, 9999, 10_000, 99_999, 100_000] {
            w.ratio(field!("r"), value);
        }
        w.null(field!("n"));
        w.bool(field!("t"), true);
        w.bool(field!("f"), false);
        w.str(field!("s"), "text");
        w.str(field!("e"), "");
        w.timestamp(field!("d"), Timestamp::from(Date::new(2014, 3, 9).expect("a day")));
        w.begin_array(field!("a"));
        w.end_array();
        w.begin_array(field!("b"));
        w.begin_object(Field::ELEMENT);
        w.end_object();
        w.begin_array(Field::ELEMENT);
        w.int(Field::ELEMENT, 1);
        w.end_array();
        w.end_array();
        w.end_object();
    });
    assert_eq!(counted, written);
    let empty = both(|w| {
        w.begin_object(Field::ELEMENT);
        w.end_object();
    });
    assert_eq!(empty, (2, 2));
}
