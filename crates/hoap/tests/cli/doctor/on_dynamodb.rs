//! DynamoDB Local: transactions, no queries.

use hoap_testing::urls::server;

use super::sound;

#[test]
fn what_it_has_is_proved_and_what_it_has_not_is_said() {
    let server = server("HOAP_TEST_DYNAMODB");
    let joint = if server.contains('?') { '&' } else { '?' };
    let url = format!("{server}{joint}prefix=doctor{}_", std::process::id());
    let keys = [("AWS_ACCESS_KEY_ID", "x"), ("AWS_SECRET_ACCESS_KEY", "x")];
    let passed = ["loads", "documents", "transactions", "forced conflict", "clients", "records"];
    sound(&[&url], &keys, &passed, &["queries"]);
}
