//! On the standby that `HOAP_TEST_POSTGRES_REPLICA` names.

use hoap_database::{Access, Database, Intent};
use hoap_workload::ErrorKind;
use serde_json::json;

use crate::conformance::{COLLECTION, session, wait};

fn standby() -> Database {
    let url = hoap_testing::urls::server("HOAP_TEST_POSTGRES_REPLICA");
    let schema = format!("standby{}", std::process::id());
    wait(hoap_databases::postgres::open(&format!("{url}?schema={schema}"))).unwrap()
}

#[test]
fn a_standby_says_what_it_is_and_that_it_cannot_be_written() {
    let target = standby();
    assert_eq!(target.description().settings["in_recovery"], "on (a standby)");
    let documents = target.documents().unwrap();
    let e = wait(documents.create(&[COLLECTION])).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(e.to_string().contains("read-only: name the primary"), "{e}");
    assert_eq!(wait(documents.note()).unwrap(), None);
    let mut session = session(&target);
    wait(async {
        let mut t = session.begin(Access::Write).await.unwrap();
        let e = t.insert(COLLECTION, "1", &json!({})).await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Missing, "{e}");
        drop(t);
        let mut t = session.begin(Access::Read).await.unwrap();
        // The collection is not there; what can be read is read.
        let e = t.get(COLLECTION, "1", &[], Intent::Look).await.unwrap_err();
        assert!(e.to_string().contains("does not exist"), "{e}");
    });
    let mut stream = wait(target.analytics().unwrap().session()).unwrap();
    let answer = wait(stream.query("SELECT pg_is_in_recovery() AS standby", &[])).unwrap();
    assert_eq!(answer.rows, [[json!(1)]]);
}
