//! Every workload that runs without transactions, as MongoDB's users run it, on the lab's imitation
//! (`eval "$(lab/env)"`); with transactions, on a real replica set where `HOAP_TEST_MONGODB` names
//! one.

use std::process::{Command, Stdio};

use hoap_testing::loads;

/// A folder and a database of a test's own.
struct Place {
    folder: tempfile::TempDir,
    /// Without the password, which the environment has.
    url: String,
    password: String,
    whole_url: String,
}

impl Place {
    fn new(variable: &str, name: &str) -> Place {
        let server = hoap_testing::urls::server(variable);
        Place::at(&server, name)
    }

    fn at(server: &str, name: &str) -> Place {
        let (base, query) = server.split_once('?').unwrap_or((server, ""));
        let host = base.rsplit_once('/').map_or(base, |(host, _)| host);
        let url = format!("{host}/cli_{name}_{}?{query}", std::process::id());
        let whole_url = url.trim_end_matches('?').to_owned();
        let secret = whole_url.split_once("//").and_then(|(_, rest)| rest.split_once('@'));
        let password =
            secret.and_then(|(user, _)| user.split_once(':')).map(|(_, password)| password);
        let password = password.unwrap_or_default().to_owned();
        let url = whole_url.replacen(&format!(":{password}@"), "@", 1);
        Place { folder: tempfile::tempdir().unwrap(), url, password, whole_url }
    }

    fn command(&self, line: &str, option: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hoap"));
        if !self.password.is_empty() {
            command.env("MONGODB_PASSWORD", &self.password);
        }
        command
            .current_dir(self.folder.path())
            .args(line.split_whitespace())
            .args([option, &self.url])
            .stdin(Stdio::null());
        command
    }

    fn record(&self, folder: &str) -> serde_json::Value {
        let path = self.folder.path().join(folder).join("run.json");
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    /// Runs a command on the database, which the option of this name names.
    fn run(&self, line: &str, option: &str) -> (i32, String) {
        told(line, &self.command(line, option).output().unwrap())
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
        let record = self.record(workload);
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
            let target = hoap_databases::open(&self.whole_url).await?;
            let documents = target.documents().map_err(hoap_workload::Error::from)?;
            let mut all = vec!["usertable", "shop_customer", "shop_orders"];
            all.extend(hoap_data::Collection::ALL.map(hoap_data::Collection::name));
            documents.drop(&all).await
        });
        assert!(dropped.is_ok() || std::thread::panicking(), "{dropped:?}");
    }
}

/// The exit code, and all that was said.
fn told(line: &str, output: &std::process::Output) -> (i32, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let told = format!("hoap {line}: {}{}", text(&output.stdout), text(&output.stderr));
    (output.status.code().unwrap_or(-1), told)
}

fn ycsb(variable: &str) {
    let place = Place::new(variable, "ycsb");
    // D and E insert: who comes after them needs a new table.
    for name in ["a", "b", "c", "f", "e-update", "d", "e"] {
        if ["a", "e"].contains(&name) {
            place.ok("load ycsb -p recordcount=300 --replace");
        }
        place.passes(&format!("ycsb-{name}"), 300);
    }
}

fn shop(variable: &str) {
    let place = Place::new(variable, "shop");
    place.ok("load shop --customers 2000 --orders-per-customer 2");
    place.passes("pagination", 300);
    place.passes("join", 100);
    place.ok("run join --variant two-phase --operations 10 --warmup 10ms --out two-phase");
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
    fn a_load_by_several_clients_that_is_killed_or_interrupted_goes_on() {
        let place = super::Place::new(SERVER, "load");
        super::loads::killed_and_interrupted(env!("CARGO_BIN_EXE_hoap"), &place.whole_url);
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

mod on_documentdb {
    use super::{Place, told};
    use hoap_testing::lab::Lab;
    use std::process::Stdio;
    use std::time::Duration;

    const SERVER: &str = "HOAP_TEST_DOCUMENTDB";

    #[test]
    fn every_ycsb_workload_passes() {
        super::ycsb(SERVER);
    }

    #[test]
    fn pages_and_joins_are_right() {
        super::shop(SERVER);
    }

    #[test]
    fn a_load_by_several_clients_that_is_killed_or_interrupted_goes_on() {
        let place = super::Place::new(SERVER, "load");
        super::loads::killed_and_interrupted(env!("CARGO_BIN_EXE_hoap"), &place.whole_url);
    }

    /// Transactions without a failure, all checks, and all queries with their answers beside them.
    #[test]
    fn both_benchmarks_run_with_transactions_and_queries() {
        for benchmark in ["ch2", "ch2pp"] {
            let place = Place::new(SERVER, benchmark);
            place.ok(&format!("load {benchmark} -w 1 --scale-down 100"));
            place.ok(&format!("verify {benchmark}"));
            let line = format!(
                "run {benchmark} --tx-clients 4 --query-clients 0,1 --warmup 500ms --duration 5s \
                 --out run"
            );
            let (code, told) = place.run(&line, "--operational");
            assert_eq!(code, 0, "{told}");
            let record = place.record("run");
            assert_eq!(record["operational"]["name"], "DocumentDB");
            for step in record["steps"].as_array().unwrap() {
                for operation in step["transactions"].as_array().unwrap() {
                    let failures = operation["failures"].as_object();
                    assert!(failures.is_none_or(|f| f.is_empty()), "{operation:#}");
                }
            }
            let checks = record["checks"].as_array().unwrap();
            assert!(
                checks.len() > 20 && checks.iter().all(|c| c["verdict"] == "pass"),
                "{checks:#?}"
            );
        }
    }

    /// PostgreSQL killed in mid-run, then the gateway: the run goes on, and everything acknowledged
    /// is there.
    #[test]
    fn a_run_lives_through_the_end_of_postgresql_and_of_the_gateway() {
        // The gateway gives up before its client does: otherwise it may apply an operation without
        // its transaction.
        let lab = Lab::with("documentdb", &[("LAB_DOCUMENTDB_COMMAND_SECONDS", "3")]);
        let limits = "&serverSelectionTimeoutMS=2000";
        let place = Place::at(&format!("{}{limits}", lab.url()), "killed");
        place.ok("load ch2pp -w 1 --scale-down 100");
        for process in [1, 2] {
            let folder = format!("killed-{process}");
            let line = format!(
                "run ch2pp --tx-clients 4 --query-clients 0 --warmup 500ms --duration 20s \
                 --recovery-limit 5m --max-failures off --out {folder}"
            );
            let mut command = place.command(&line, "--operational");
            let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            hoap_testing::gone::until_measured(&place.folder.path().join(&folder));
            lab.kill_process(process);
            std::thread::sleep(Duration::from_secs(1));
            lab.up();
            let (code, told) = told(&line, &running.wait_with_output().unwrap());
            assert_eq!(code, 0, "{told}");
            let record = place.record(&folder);
            // A transaction that lost the gateway before its commit is run again: it may be no
            // failure.
            let events = record["events"].as_array().map_or(0, Vec::len);
            assert!(process == 2 || events > 0, "nobody noticed: {told}");
            let checks = record["checks"].as_array().unwrap();
            assert!(checks.iter().any(|c| c["name"] == "nothing lost: Payment"), "{checks:#?}");
            assert!(checks.iter().all(|c| c["verdict"] == "pass"), "{checks:#?}");
            place.ok("verify ch2pp");
        }
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
