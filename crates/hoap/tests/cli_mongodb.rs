//! Every workload that runs without transactions, as MongoDB's users run it, on the lab's imitation
//! (`eval "$(lab/env)"`); with transactions, on a real replica set where `HOAP_TEST_MONGODB` names one.

use std::process::{Command, Stdio};

/// A folder and a database of a test's own.
struct Place {
    folder: tempfile::TempDir,
    url: String,
}

impl Place {
    fn new(variable: &str, name: &str) -> Place {
        let server = std::env::var(variable).unwrap_or_else(|_| {
            panic!(
                "set {variable}: eval \"$(lab/env)\", or leave these out with ./test --no-servers"
            )
        });
        let (base, query) = server.split_once('?').unwrap_or((&server, ""));
        let host = base.rsplit_once('/').map_or(base, |(host, _)| host);
        let url = format!("{host}/cli_{name}_{}?{query}", std::process::id());
        let url = url.trim_end_matches('?').to_owned();
        Place { folder: tempfile::tempdir().unwrap(), url }
    }

    /// Runs a command on the database, which the option of this name names.
    fn run(&self, line: &str, option: &str) -> (i32, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_hoap"))
            .current_dir(self.folder.path())
            .args(line.split_whitespace())
            .args([option, &self.url])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let told = format!("hoap {line}: {}{}", text(&output.stdout), text(&output.stderr));
        (output.status.code().unwrap_or(-1), told)
    }

    fn ok(&self, line: &str) -> String {
        let (code, told) = self.run(line, "--target");
        assert_eq!(code, 0, "{told}");
        told
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
}

impl Drop for Place {
    fn drop(&mut self) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let dropped = runtime.block_on(async {
            let target = hoap_databases::open(&self.url).await?;
            let documents = target.documents().map_err(hoap_workload::Error::from)?;
            let mut all = vec!["usertable", "shop_customer", "shop_orders"];
            all.extend(hoap_data::Collection::ALL.map(hoap_data::Collection::name));
            documents.drop(&all).await
        });
        assert!(dropped.is_ok() || std::thread::panicking(), "{dropped:?}");
    }
}

fn ycsb(variable: &str) {
    let place = Place::new(variable, "ycsb");
    for name in ["a", "b", "c", "d", "e", "e-update", "f"] {
        place.ok("load ycsb -p recordcount=300 --replace");
        place.passes(&format!("ycsb-{name}"), 600);
    }
}

fn shop(variable: &str) {
    let place = Place::new(variable, "shop");
    place.ok("load shop --customers 2000 --orders-per-customer 2");
    place.passes("pagination", 300);
    place.passes("join", 100);
    place.ok("run join --variant two-phase --operations 10 --out two-phase");
    let (code, told) = place.run("run join --variant ansi --operations 10 --out ansi", "--target");
    assert_eq!(code, 2, "{told}");
    assert!(told.contains("two-phase"), "{told}");
}

mod on_mongo_wire {
    use super::Place;

    const SERVER: &str = "HOAP_TEST_MONGO_WIRE";

    #[test]
    fn every_ycsb_workload_passes() {
        super::ycsb(SERVER);
    }

    #[test]
    fn pages_and_joins_are_right() {
        super::shop(SERVER);
    }

    #[test]
    fn a_benchmark_is_loaded_verified_and_queried() {
        let place = Place::new(SERVER, "ch2");
        place.ok("load ch2 -w 1 --scale-down 100");
        place.ok("verify ch2");
        let (code, told) = place.run("query ch2 --query-set naive", "--analytical");
        assert_eq!(code, 0, "{told}");
        // Transactions are refused before the run begins.
        let (code, told) = place.run("run ch2 --tx-clients 1 --duration 1s", "--operational");
        assert_ne!(code, 0, "{told}");
        assert!(told.contains("want a replica set or a sharded cluster"), "{told}");
    }
}

mod on_mongodb {
    use super::Place;

    const SERVER: &str = "HOAP_TEST_MONGODB";

    #[test]
    #[ignore = "wants a real replica set: HOAP_TEST_MONGODB=mongodb://… with --ignored"]
    fn every_workload_passes() {
        super::ycsb(SERVER);
        super::shop(SERVER);
        let place = Place::new(SERVER, "ch2pp");
        place.ok("load ch2pp -w 1 --scale-down 20");
        place.ok("verify ch2pp");
        let line = "run ch2pp --tx-clients 4 --query-clients 0,1 --duration 5s --out mixed";
        let (code, told) = place.run(line, "--operational");
        assert_eq!(code, 0, "{told}");
        place.ok("verify ch2pp");
    }
}
