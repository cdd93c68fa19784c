//! Records, customers and orders: what is PostgreSQL's own.

use super::{fresh, raw};
use crate::conformance::{self, wait};

hoap_suites::conformance_tests!(fresh:
    what_json_cannot_hold_is_refused,
    pages_without_their_index_are_refused,
    joins_without_their_indexes_are_refused,
);

/// A table that another program filled with something else.
#[test]
fn what_is_no_record_is_a_broken_promise() {
    let (target, schema) = fresh();
    let text = format!(
        "INSERT INTO {}.usertable VALUES ('array', '[1]'), ('number', '{{\"field0\":7}}'),
         ('more', '{{\"id\":7,\"x\":{{\"y\":[]}},\"field1\":\"b\",\"field0\":null}}')",
        schema.name
    );
    conformance::what_is_no_record_is_a_broken_promise(&target, &|| {
        wait(raw().batch_execute(&text)).unwrap();
    });
}
