//! On the standby that `HOAP_TEST_POSTGRES_REPLICA` names.

use hoap_database::{Access, Database, Intent};
use hoap_testing::lab::Lab;
use hoap_workload::ErrorKind;
use serde_json::json;

use crate::conformance::{COLLECTION, load, session, until, wait};

fn standby() -> Database {
    let url = hoap_testing::urls::server("HOAP_TEST_POSTGRES_REPLICA");
    let schema = format!("standby{}", std::process::id());
    wait(hoap_postgres::open(&format!("{url}?schema={schema}"))).unwrap()
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

/// The primary changes a table that the standby's sessions read, and the standby waits for nobody.
#[test]
fn what_a_standby_ends_in_order_to_replay_is_a_conflict_and_the_session_goes_on() {
    let lab = Lab::of("postgres-replica");
    let read = |folder: &std::path::Path, name: &str| {
        std::fs::read_to_string(folder.join(name)).unwrap().trim().to_owned()
    };
    let primary = lab.folder().with_file_name("postgres");
    let superuser = read(&primary, "superuser_url");
    let (from, to) = (read(&primary, "port"), read(&lab.folder(), "port"));
    let ask = |url: &str, text: &str| {
        let said = std::process::Command::new("psql").args(["-XAtq", url, "-c", text]).output();
        assert!(said.as_ref().unwrap().status.success(), "{said:?}");
    };
    let on_standby = superuser.replace(&format!(":{from}/"), &format!(":{to}/"));
    ask(&on_standby, "ALTER SYSTEM SET max_standby_streaming_delay = 0");
    ask(&on_standby, "SELECT pg_reload_conf()");
    let written = wait(hoap_databases::open(&read(&primary, "url"))).unwrap();
    load(&written, 1);
    let target = wait(hoap_databases::open(&lab.url())).unwrap();
    until("the standby has the table", || {
        wait(target.documents().unwrap().any_exists(&[COLLECTION])).unwrap()
    });
    let lock = format!("BEGIN; LOCK TABLE {COLLECTION} IN ACCESS EXCLUSIVE MODE; COMMIT");
    let change = || ask(&superuser, &lock);

    // A statement that runs.
    let mut stream = wait(target.analytics().unwrap().session()).unwrap();
    let slow = format!("SELECT pg_sleep(30)::text AS s FROM {COLLECTION} LIMIT 1");
    let e = std::thread::scope(|scope| {
        let query = scope.spawn(|| wait(stream.query(&slow, &[])).unwrap_err());
        until("it is ended", || {
            change();
            query.is_finished()
        });
        query.join().unwrap()
    });
    assert_eq!(e.kind, ErrorKind::Conflict, "{e}");
    assert!(e.advice.as_ref().unwrap().contains("hot_standby_feedback"), "{e:?}");
    assert_eq!(wait(stream.query("SELECT 1", &[])).unwrap().rows, [[json!(1)]]);

    // A session whose transaction waits.
    let mut session = session(&target);
    wait(async {
        let mut t = session.begin(Access::Read).await.unwrap();
        t.get(COLLECTION, "1.1", &[], Intent::Look).await.unwrap();
        let e = loop {
            change();
            match t.get(COLLECTION, "1.1", &[], Intent::Look).await {
                Ok(_) => {}
                Err(e) => break e,
            }
        };
        assert_eq!(e.kind, ErrorKind::Conflict, "{e}");
        drop(t);
        let mut t = session.begin(Access::Read).await.unwrap();
        t.get(COLLECTION, "1.1", &[], Intent::Look).await.unwrap();
        t.commit().await.unwrap();
    });
}
