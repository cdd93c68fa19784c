//! Two nodes.

use hoap_database::Database;
use hoap_workload::ErrorKind;

use crate::Guard;
use crate::conformance::{load, wait};

fn fresh() -> (Database, Guard) {
    crate::fresh("HOAP_TEST_ASTERIXDB_2", "?query_timeout_ms=60000")
}

hoap_suites::variant_tests!(fresh: two_nodes);

/// With files that both nodes read.
mod by_files {
    use hoap_database::Database;

    use crate::Guard;

    fn fresh() -> (Database, (Guard, tempfile::TempDir)) {
        let folder = tempfile::tempdir().unwrap();
        let option = format!("?load_folder={}", folder.path().display());
        let (target, guard) = crate::fresh("HOAP_TEST_ASTERIXDB_2", &option);
        (target, (guard, folder))
    }

    hoap_suites::variant_tests!(fresh: files_of_two_nodes);
}

#[test]
fn both_nodes_are_described() {
    let (target, _guard) = fresh();
    assert_eq!(target.description().settings["nodes"], "2");
}

/// Ends the node whose process is named, after which the lab brings the cluster up again.
#[test]
#[ignore = "ends a node: HOAP_TEST_ASTERIXDB_2_NODE is its process; then lab/up asterixdb-2"]
fn a_node_that_is_lost_fails_the_query_and_the_next_one() {
    let node = std::env::var("HOAP_TEST_ASTERIXDB_2_NODE").expect("the process of a node");
    let target = crate::open(&crate::place("HOAP_TEST_ASTERIXDB_2"));
    load(&target, 100);
    let mut session = wait(target.analytics().unwrap().session()).unwrap();
    let endless = "SELECT count(*) AS c FROM orders AS o, range(1, 1000000000) AS a \
                   WHERE a % 7 = o.o_id % 11 AND a % 13 = o.o_id % 17";
    let killer = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_secs(5));
        std::process::Command::new("kill").args(["-9", &node]).status().unwrap()
    });
    let e = wait(session.query(endless, &[])).unwrap_err();
    assert!(killer.join().unwrap().success());
    println!("{e}");
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    let e = wait(session.query("SELECT o.o_id AS i FROM orders AS o", &[])).unwrap_err();
    println!("{e}");
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
}
