//! On the older server that `HOAP_TEST_POSTGRES_15` names.

use hoap_database::Database;

use crate::on_postgres::{Schema, fresh_on};

fn fresh() -> (Database, Schema) {
    fresh_on(hoap_testing::urls::server("HOAP_TEST_POSTGRES_15"), "")
}

hoap_suites::variant_tests!(fresh: version);
