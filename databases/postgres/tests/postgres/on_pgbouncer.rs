//! PgBouncer in front of PostgreSQL, which `HOAP_TEST_PGBOUNCER` names: transaction pooling, and
//! sessions of the server for as long as a client's in database `hoap_session`.

use hoap_database::Database;
use hoap_workload::ErrorKind;

use crate::conformance::wait;
use crate::on_postgres::{Schema, fresh_on};

fn pooler() -> String {
    hoap_testing::urls::server("HOAP_TEST_PGBOUNCER")
}

fn sessions() -> (Database, Schema) {
    fresh_on(format!("{}_session", pooler()), "")
}

// Not cancelling, which ends PgBouncer 1.18 itself ("bad client state").
hoap_suites::conformance_tests!(sessions:
    collections_come_and_go,
    clients_load_parts_at_the_same_time,
    finding_follows_the_index,
    a_snapshot_does_not_move,
    no_update_is_lost,
    an_update_sets_its_fields_and_keeps_the_others,
    a_query_is_one_statement_that_only_reads,
);

#[test]
fn sessions_that_others_share_are_refused_and_left_as_they_were() {
    let settings = || {
        let (client, connection) =
            wait(tokio_postgres::connect(&pooler(), tokio_postgres::NoTls)).unwrap();
        wait(async {
            tokio::spawn(connection);
            let text = "SELECT current_setting('search_path'),
                               current_setting('default_transaction_isolation')";
            let row = client.query_one(text, &[]).await.unwrap();
            (row.get::<_, String>(0), row.get::<_, String>(1))
        })
    };
    let before = settings();
    for more in ["?schema=other&isolation=serializable", "?pool=2", "?sslmode=disable"] {
        let target = wait(hoap_databases::open(&format!("{}{more}", pooler()))).unwrap();
        let refused = [
            wait(target.documents().unwrap().note()).map(drop).unwrap_err(),
            wait(target.transactions().unwrap().session()).map(drop).unwrap_err(),
            wait(target.analytics().unwrap().session()).map(drop).unwrap_err(),
        ];
        for e in refused {
            assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
            assert!(e.answer.contains("transaction pooling"), "{e}");
            assert!(e.advice.as_ref().unwrap().contains("pool_mode=session"), "{e:?}");
        }
    }
    assert_eq!(settings(), before);
}
