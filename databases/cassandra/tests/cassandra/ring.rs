//! The order of the keys in Cassandra: that of their tokens.

use scylla::client::session::Session;

use crate::conformance::wait;

/// The keys of a table in the order of their tokens, as the server has them.
pub fn keys(session: &Session, keyspace: &str, table: &str) -> Vec<String> {
    let text = format!("SELECT token(y_id), y_id FROM {keyspace}.{table}");
    let rows = wait(session.query_unpaged(text, ())).unwrap().into_rows_result().unwrap();
    let mut keys: Vec<_> = rows.rows::<(i64, String)>().unwrap().map(Result::unwrap).collect();
    keys.sort();
    keys.into_iter().map(|(_, key)| key).collect()
}

/// The key with the smallest token.
pub fn first(session: &Session, keyspace: &str, table: &str) -> String {
    let text = format!("SELECT y_id FROM {keyspace}.{table} LIMIT 1");
    let rows = wait(session.query_unpaged(text, ())).unwrap().into_rows_result().unwrap();
    rows.single_row::<(String,)>().unwrap().0
}
