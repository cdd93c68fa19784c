//! Valkey.

use hoap_database::Database;

use crate::Guard;

fn fresh() -> (Database, Guard) {
    crate::fresh("HOAP_TEST_VALKEY", "response_timeout_ms=20000")
}

hoap_suites::variant_tests!(fresh: program);

#[test]
fn it_says_that_it_is_valkey() {
    let (target, _guard) = fresh();
    let description = target.description();
    assert_eq!(description.name, "Valkey");
    assert!(description.version.starts_with(|c: char| c.is_ascii_digit()), "{description:?}");
}
