//! Every workload that Cassandra can run, as its users run it. The servers are those of the lab:
//! `eval "$(lab/env)"`.

use hoap_testing::{gone, loads};
use std::process::{Command, Stdio};

use hoap_databases::open;

/// A folder and a keyspace of a test's own. The tables go at the end; the empty keyspace stays, as
/// it does for users.
struct Place {
    folder: tempfile::TempDir,
    url: String,
}

impl Place {
    fn new(variable: &str, name: &str, options: &str) -> Place {
        let url = hoap_testing::urls::server(variable);
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
        let record = self.record(workload);
        let done = record["steps"][0]["transactions"].as_array().unwrap();
        let count: u64 = done.iter().map(|kind| kind["count"].as_u64().unwrap()).sum();
        assert_eq!(count, operations, "{workload}");
        let checks = record["checks"].as_array().unwrap();
        assert!(!checks.is_empty());
        assert!(checks.iter().all(|check| check["verdict"] == "pass"), "{workload}: {checks:#?}");
    }

    fn record(&self, run: &str) -> serde_json::Value {
        let path = self.folder.path().join(run).join("run.json");
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
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

/// D and E insert: who comes after them needs a new table.
fn ycsb(place: &Place, names: &[&str]) {
    for name in names {
        if ["a", "e"].contains(name) {
            place.ok("load ycsb -p recordcount=300 --replace");
        }
        place.passes(&format!("ycsb-{name}"), 300);
    }
}

mod on_cassandra {
    use hoap_testing::experiment::rehearse;

    use super::{Place, gone, loads, ycsb};

    /// With the report's options, except for the copies: there is one node.
    #[test]
    fn the_reports_experiments_are_rehearsed() {
        let place = Place::new("HOAP_TEST_CASSANDRA", "experiments", "replication=1");
        for name in ["nosql-2021-a", "nosql-2021-e", "nosql-2021-join"] {
            let (hoap, folder) = (env!("CARGO_BIN_EXE_hoap"), place.folder.path());
            let label = "Cassandra, 4 nodes";
            let runs = rehearse(hoap, folder, name, label, &[("--target", &place.url)]);
            for run in runs {
                let url = run["operational"]["url"].as_str().unwrap();
                assert!(url.contains("durable_writes=off"), "{url}");
            }
        }
    }

    #[test]
    fn every_ycsb_workload_passes() {
        let all = ["a", "b", "c", "f", "e-update", "d", "e"];
        ycsb(&Place::new("HOAP_TEST_CASSANDRA", "ycsb", "lwt=false"), &all);
    }

    #[test]
    fn a_load_by_several_clients_that_is_killed_or_interrupted_goes_on() {
        let place = Place::new("HOAP_TEST_CASSANDRA", "load", "replication=1");
        loads::killed_and_interrupted(env!("CARGO_BIN_EXE_hoap"), &place.url);
    }

    #[test]
    fn a_table_dropped_in_mid_run_is_lost_and_the_check_says_so_at_once() {
        let place = Place::new("HOAP_TEST_CASSANDRA", "gone", "lwt=false");
        let table = "usertable";
        place.ok("load ycsb -p recordcount=300");
        let line = "run ycsb-a --clients 2 --duration 10m --on-error missing=stop --warmup 100ms \
                    --tick 100ms --recovery-limit 10m --out run";
        let (code, told) = std::thread::scope(|scope| {
            let running = scope.spawn(|| place.run(line));
            gone::until_measured(&place.folder.path().join("run"));
            place.drop(&[table]);
            running.join().unwrap()
        });
        assert_eq!(code, 1, "{told}");
        gone::is_told(&place.record("run"), table, gone::MISSING, 0);
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
        // Whoever cannot run it need not load first.
        place.refused("run pagination --operations 10", &["not applicable", "OFFSET"]);
        place.refused("run join --operations 10", &["hoap load shop"]);
        place.ok("load shop --customers 2000 --orders-per-customer 2");
        place.passes("join", 200);
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
            let target = hoap_databases::open(&place.url).await.unwrap();
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

    /// The documents of CH2 can be loaded and checked here, and its transactions and queries cannot
    /// run.
    #[test]
    fn ch2_is_loaded_and_verified_and_its_run_is_refused_with_the_reason() {
        let place = Place::new("HOAP_TEST_CASSANDRA", "ch2", "lwt=false");
        place.ok("load ch2 -w 1 --scale-down 100");
        place.ok("verify ch2");
        for (line, flag, words) in [
            (
                "run ch2 --tx-clients 4 --query-clients 0 --duration 2s",
                "--operational",
                ["transactions on cassandra:…: not applicable, because", "one partition"],
            ),
            (
                "run ch2 --tx-clients 0 --query-clients 1 --duration 1s",
                "--operational",
                ["queries on cassandra:…: not applicable, because", "without joins"],
            ),
            (
                "query ch2 --queries 1",
                "--analytical",
                ["queries on cassandra:…: not applicable, because", "without joins"],
            ),
        ] {
            let (code, told) = place.run_as(line, &[flag, &place.url]);
            assert_eq!(code, 2, "{told}");
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
    fn updates_inserts_and_scans_of_ycsb_pass() {
        ycsb(&Place::new("HOAP_TEST_CASSANDRA_3", "ycsb", "replication=3"), &["a", "d", "e"]);
    }
}
