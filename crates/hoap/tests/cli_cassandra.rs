//! Every workload that Cassandra can run, as its users run it. The servers are those of the lab:
//! `eval "$(lab/env)"`.

use std::process::{Command, Stdio};

use hoap_target::open;

/// A folder and a keyspace of a test's own. The tables go at the end; the empty keyspace stays, as it does for
/// users.
struct Place {
    folder: tempfile::TempDir,
    url: String,
}

impl Place {
    fn new(variable: &str, name: &str, options: &str) -> Place {
        let url = std::env::var(variable).unwrap_or_else(|_| {
            panic!(
                "set {variable}: eval \"$(lab/env)\", or leave these out with ./test --no-servers"
            )
        });
        let (hosts, _) = url.rsplit_once('/').unwrap();
        let url = format!("{hosts}/cli_{name}_{}?{options}", std::process::id());
        Place { folder: tempfile::tempdir().unwrap(), url }
    }

    fn run(&self, line: &str) -> (i32, String) {
        self.run_as(line, &["--target", &self.url])
    }

    fn run_as(&self, line: &str, rest: &[&str]) -> (i32, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_hoap"))
            .current_dir(self.folder.path())
            .args(line.split_whitespace())
            .args(rest)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let told = format!("hoap {line}: {}{}", text(&output.stdout), text(&output.stderr));
        (output.status.code().unwrap_or(-1), told)
    }

    fn ok(&self, line: &str) {
        let (code, told) = self.run(line);
        assert_eq!(code, 0, "{told}");
    }

    /// A command that is refused: wrong use, with these words.
    fn refused(&self, line: &str, words: &[&str]) {
        let (code, told) = self.run(line);
        assert_ne!(code, 0, "{told}");
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
    }

    /// Runs a workload with reads checked: all operations are done, and every check passes.
    fn passes(&self, workload: &str, operations: u64) {
        self.ok(&format!(
            "run {workload} --operations {operations} --clients 3 --warmup 10ms --check-reads --out \
             {workload}"
        ));
        let path = self.folder.path().join(workload).join("run.json");
        let record: serde_json::Value =
            serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let done = record["steps"][0]["transactions"].as_array().unwrap();
        let count: u64 = done.iter().map(|kind| kind["count"].as_u64().unwrap()).sum();
        assert_eq!(count, operations, "{workload}");
        let checks = record["checks"].as_array().unwrap();
        assert!(!checks.is_empty());
        assert!(checks.iter().all(|check| check["verdict"] == "pass"), "{workload}: {checks:#?}");
    }

    /// Drops tables.
    fn drop(&self, collections: &[&str]) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let dropped = runtime.block_on(async {
            let target = open(&self.url).await?;
            let documents = target.documents().map_err(hoap_workload::Error::from)?;
            documents.drop(collections).await
        });
        assert!(dropped.is_ok() || std::thread::panicking(), "{dropped:?}");
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        Place::drop(self, &["usertable", "shop_customer", "shop_orders"]);
    }
}

fn ycsb(place: &Place) {
    for name in ["a", "b", "c", "d", "e", "e-update", "f"] {
        place.ok("load ycsb -p recordcount=300 --replace");
        place.passes(&format!("ycsb-{name}"), 600);
    }
}

mod on_cassandra {
    use super::{Place, ycsb};

    #[test]
    fn every_ycsb_workload_passes() {
        ycsb(&Place::new("HOAP_TEST_CASSANDRA", "ycsb", "lwt=false"));
    }

    #[test]
    fn lightweight_transactions_pass_too() {
        let place = Place::new("HOAP_TEST_CASSANDRA", "lwt", "lwt=true");
        place.ok("load ycsb -p recordcount=100");
        place.passes("ycsb-d", 100);
        place.ok("load ycsb -p recordcount=100 --replace");
        place.passes("ycsb-a", 100);
    }

    #[test]
    fn joins_are_right_and_what_does_not_apply_is_said() {
        let place = Place::new("HOAP_TEST_CASSANDRA", "shop", "lwt=false");
        place.ok("load shop --customers 2000 --orders-per-customer 2");
        place.passes("join", 200);
        place.refused("run pagination --operations 10", &["not applicable", "OFFSET"]);
        place.refused("run join --variant ansi --operations 10", &["joining-table"]);
        // Another benchmark's data.
        place.refused("run ycsb-a --operations 10", &["shop"]);
    }

    /// A table that another version of the program made holds other values.
    #[test]
    fn a_table_of_another_data_version_is_refused() {
        let place = Place::new("HOAP_TEST_CASSANDRA", "version", "lwt=false");
        place.ok("load ycsb -p recordcount=20");
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let target = hoap_target::open(&place.url).await.unwrap();
            let documents = target.documents().unwrap();
            let note = documents.note().await.unwrap().unwrap();
            let mut other = note.clone();
            other["data"]["version"] = 7_000_000.into();
            assert!(documents.set_note(Some(&note), &other).await.unwrap());
        });
        place.refused("run ycsb-a --operations 10", &["data version 7000000", "--replace"]);
        place.refused("load ycsb -p recordcount=20 --resume", &["version 7000000"]);
        place.ok("load ycsb -p recordcount=20 --replace");
        place.passes("ycsb-c", 20);
    }

    /// The documents of CH2 can be loaded and checked here, its transactions and queries cannot run.
    #[test]
    fn ch2_is_loaded_and_checked_and_neither_run_nor_queried() {
        let place = Place::new("HOAP_TEST_CASSANDRA", "ch2", "lwt=false");
        place.ok("load ch2 -w 1 --scale-down 100");
        place.ok("verify ch2");
        for (line, what) in [
            (
                "run ch2 --tx-clients 1 --query-clients 0 --duration 1s --operational",
                "transactions",
            ),
            ("run ch2 --tx-clients 0 --query-clients 1 --duration 1s --operational", "queries"),
            ("query ch2 --queries 1 --analytical", "queries"),
        ] {
            let (code, told) = place.run_as(line, &[&place.url]);
            assert_ne!(code, 0, "{told}");
            let words = [what, "on Cassandra: not applicable, because"];
            assert!(words.iter().all(|word| told.contains(word)), "{told}");
        }
        // Loaded once, it is not loaded again by chance.
        place.refused("load ch2 -w 1 --scale-down 100", &["--replace"]);
        Place::drop(&place, &hoap_data::Collection::ALL.map(hoap_data::Collection::name));
    }
}

mod on_cassandra_3 {
    use super::{Place, ycsb};

    #[test]
    fn every_ycsb_workload_passes() {
        ycsb(&Place::new("HOAP_TEST_CASSANDRA_3", "ycsb", "replication=3"));
    }
}
