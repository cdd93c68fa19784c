//! A server that ends while it is used, and comes back.

use std::time::{Duration, Instant};

use hoap_database::key_value::{Fields, Record};
use hoap_database::{Access, Database, Intent};
use hoap_testing::lab::Lab;
use hoap_workload::ErrorKind;
use serde_json::json;

use crate::conformance::{self, COLLECTION, client, get, load, session, wait};

fn open(lab: &Lab, options: &str) -> Database {
    wait(hoap_postgres::open(&format!("{}?{options}", lab.url()))).unwrap()
}

/// Killed with -9 in the middle of transactions and started again.
#[test]
fn every_acknowledged_commit_outlives_the_server() {
    let lab = Lab::start();
    for options in ["schema=public", "pool=2"] {
        let target = open(&lab, options);
        wait(target.documents().unwrap().drop(&[COLLECTION])).unwrap();
        let kinds = [ErrorKind::Unavailable, ErrorKind::Ambiguous];
        conformance::every_acknowledged_commit_outlives(&target, &kinds, true, &|| {
            lab.kill();
            std::thread::sleep(Duration::from_millis(50));
            lab.up();
        });
    }
}

#[test]
fn every_session_goes_on_after_the_server_was_away() {
    let lab = Lab::start();
    let target = open(&lab, "schema=public");
    load(&target, 3);
    conformance::load_records(&target, &["user1"]);
    let mut transactions = session(&target);
    let mut records = client(&target);
    let mut stream = wait(target.analytics().unwrap().session()).unwrap();
    let mut record = Record::default();
    assert!(wait(records.read("user1", Fields::All, &mut record)).unwrap());
    lab.kill();
    // What serves a connection notices only a moment later that its server is gone, each by itself.
    let killed = Instant::now();
    let fails = |attempt: &mut dyn FnMut() -> hoap_workload::Result<()>| loop {
        match attempt() {
            Ok(()) => std::thread::sleep(Duration::from_millis(20)),
            Err(e) => break e.kind,
        }
        assert!(killed.elapsed() < Duration::from_secs(60), "it goes on without its server");
    };
    let kinds = [
        fails(&mut || wait(records.read("user1", Fields::All, &mut record)).map(drop)),
        fails(&mut || wait(transactions.begin(Access::Read)).map(drop)),
        fails(&mut || wait(stream.query("SELECT 1", &[])).map(drop)),
        fails(&mut || wait(target.documents().unwrap().note()).map(drop)),
    ];
    assert_eq!(kinds, [ErrorKind::Unavailable; 4]);
    lab.up();
    assert!(wait(records.read("user1", Fields::All, &mut record)).unwrap());
    assert_eq!(wait(stream.query("SELECT 1", &[])).unwrap().rows, [[json!(1)]]);
    wait(async {
        let mut t = transactions.begin(Access::Read).await.unwrap();
        assert!(t.get(COLLECTION, "1.1", &[], Intent::Look).await.unwrap().is_some());
        t.commit().await.unwrap();
    });
    // In the middle of a transaction: it is over, and the next one is not.
    wait(async {
        let mut t = transactions.begin(Access::Write).await.unwrap();
        t.delete(COLLECTION, "1.1").await.unwrap();
        lab.kill();
        lab.up();
        let e = t.delete(COLLECTION, "1.2").await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
        let e = t.delete(COLLECTION, "1.3").await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        drop(t);
        let mut t = transactions.begin(Access::Write).await.unwrap();
        assert!(t.delete(COLLECTION, "1.3").await.unwrap());
        t.commit().await.unwrap();
    });
    assert!(get(&target, "1.1", &[]).is_some() && get(&target, "1.3", &[]).is_none());
}

/// A load is one role's, a run another's, which may read and write and nothing else.
#[test]
fn a_role_that_may_make_nothing_runs_on_what_another_loaded() {
    let lab = Lab::start();
    let owner = open(&lab, "schema=bench");
    load(&owner, 3);
    let (one, two) = (json!({"runs": 0}), json!({"runs": 1}));
    assert!(wait(owner.documents().unwrap().set_note(None, &one)).unwrap());
    conformance::load_records(&owner, &["user1"]);
    wait(async {
        let (client, connection) =
            tokio_postgres::connect(&lab.url(), tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let grant = "GRANT CONNECT ON DATABASE hoap TO hoap_nothing;
                     GRANT USAGE ON SCHEMA bench TO hoap_nothing;
                     GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA bench
                     TO hoap_nothing";
        client.batch_execute(grant).await.unwrap();
    });
    let url = lab.url().replacen("//hoap@", "//hoap_nothing@", 1);
    let target = wait(hoap_postgres::open(&format!("{url}?schema=bench"))).unwrap();
    let documents = target.documents().unwrap();
    assert_eq!(wait(documents.note()).unwrap(), Some(one.clone()));
    assert!(wait(documents.set_note(Some(&one), &two)).unwrap());
    assert_eq!(conformance::count(&target), 3);
    let mut records = client(&target);
    assert!(wait(records.read("user1", Fields::All, &mut Record::default())).unwrap());
    assert!(wait(records.update("user1", &conformance::record([(0, "x")]))).unwrap());
    wait(records.insert("user2", &conformance::record([(0, "x")]))).unwrap();
    let mut session = session(&target);
    wait(async {
        let mut t = session.begin(Access::Write).await.unwrap();
        assert!(t.get(COLLECTION, "1.1", &[], Intent::Change).await.unwrap().is_some());
        t.insert(COLLECTION, "1.9", &json!({"o_id": 9})).await.unwrap();
        assert!(t.delete(COLLECTION, "1.2").await.unwrap());
        t.commit().await.unwrap();
    });
    wait(async {
        let mut queries = target.analytics().unwrap().session().await.unwrap();
        let answer = queries.query("SELECT count(*) AS n FROM orders", &[]).await.unwrap();
        assert_eq!(answer.rows, [[json!(3)]]);
    });
    // What it does not have the right to is said.
    let e = wait(documents.create(&["more"])).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(e.to_string().contains("permission denied for schema bench"), "{e}");
}

#[test]
fn a_server_out_of_connections_says_so_and_a_pool_does_with_fewer() {
    let lab = Lab::start();
    let target = open(&lab, "schema=public");
    load(&target, 1);
    let connect = |target: &Database| wait(target.transactions().unwrap().session());
    let mut many = Vec::new();
    let e = loop {
        match connect(&target) {
            Ok(session) => many.push(session),
            Err(e) => break e,
        }
        assert!(many.len() < 1000, "the server has no end");
    };
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(e.to_string().contains("SQLSTATE 53300"), "{e}");
    assert!(e.to_string().contains("pool=N, or raise max_connections"), "{e}");
    drop(many);
    // The server needs a moment to see that they are gone.
    let start = Instant::now();
    while connect(&target).is_err() {
        assert!(start.elapsed() < Duration::from_secs(10));
    }
    let pooled = open(&lab, "pool=2");
    let mut sessions: Vec<_> = (0..1000).map(|_| connect(&pooled).unwrap()).collect();
    for session in &mut sessions {
        wait(async {
            let mut t = session.begin(Access::Read).await.unwrap();
            assert!(t.get(COLLECTION, "1.1", &[], Intent::Look).await.unwrap().is_some());
            t.commit().await.unwrap();
        });
    }
}
