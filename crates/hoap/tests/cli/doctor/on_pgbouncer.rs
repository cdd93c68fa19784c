//! PgBouncer in front of PostgreSQL.

use super::{broken, place};

#[test]
fn a_pooler_that_shares_sessions_is_told() {
    let url = place("HOAP_TEST_PGBOUNCER");
    broken(&[&url], &[], "connects", &["transaction pooling", "pool_mode=session"]);
}
