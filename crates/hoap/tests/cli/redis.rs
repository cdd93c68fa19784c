//! Every workload that Redis and Valkey can run, as their users run it. The servers are those of
//! the lab: `eval "$(lab/env)"`.

use hoap_testing::experiment::rehearse;
use hoap_testing::{gone, loads};
use std::process::{Command, Stdio};

use hoap_databases::open;

/// A folder and a prefix of a test's own.
struct Place {
    folder: tempfile::TempDir,
    url: String,
}

impl Place {
    fn new(variable: &str, name: &str) -> Place {
        let url = hoap_testing::urls::server(variable);
        let joint = if url.contains('?') { '&' } else { '?' };
        let url = format!("{url}{joint}prefix=cli-{name}-{}", std::process::id());
        Place { folder: tempfile::tempdir().unwrap(), url }
    }

    fn run(&self, line: &str) -> (i32, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_hoap"))
            .current_dir(self.folder.path())
            .args(line.split_whitespace())
            .args(["--target", &self.url])
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
            let target = open(&self.url).await?;
            let documents = target.documents().map_err(hoap_workload::Error::from)?;
            documents.drop(&["usertable", "shop_customer", "shop_orders"]).await
        });
        assert!(dropped.is_ok() || std::thread::panicking(), "{dropped:?}");
    }
}

fn ycsb(variable: &str) {
    let place = Place::new(variable, "ycsb");
    // D and E insert: who comes after them needs a new table.
    for name in ["a", "b", "c", "f", "e-update", "d", "e"] {
        if ["a", "e"].contains(&name) {
            place.ok("load ycsb -p recordcount=300 --replace");
        }
        place.passes(&format!("ycsb-{name}"), 600);
    }
}

fn loads(variable: &str) {
    let place = Place::new(variable, "load");
    loads::killed_and_interrupted(env!("CARGO_BIN_EXE_hoap"), &place.url);
}

fn shop(variable: &str) {
    let place = Place::new(variable, "shop");
    place.ok("load shop --customers 2000 --orders-per-customer 2");
    place.passes("pagination", 300);
    place.passes("join", 100);
    let (code, told) = place.run("run join --variant ansi --operations 10 --out ansi");
    assert_eq!(code, 2, "{told}");
    assert!(told.contains("two-phase"), "{told}");
}

/// A server of a test's own that keeps nothing.
struct Forgetful {
    port: u16,
    process: std::process::Child,
}

impl Forgetful {
    fn start() -> Forgetful {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let server = Forgetful { port, process: Forgetful::spawn(port) };
        server.say("PING");
        server
    }

    fn spawn(port: u16) -> std::process::Child {
        Command::new("redis-server")
            .args(["--bind", "127.0.0.1", "--save", "", "--port", &port.to_string()])
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server is there where the lab's redis is")
    }

    /// Ends it without a word and starts it again, empty.
    fn restart(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.process = Forgetful::spawn(self.port);
        self.say("PING");
    }

    /// Says a command once the server listens, and expects an answer that is no error.
    fn say(&self, command: &str) {
        use std::io::{Read, Write};
        let start = std::time::Instant::now();
        let mut stream = loop {
            match std::net::TcpStream::connect(("127.0.0.1", self.port)) {
                Ok(stream) => break stream,
                Err(e) => assert!(start.elapsed().as_secs() < 20, "{e}"),
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        };
        stream.write_all(format!("{command}\r\n").as_bytes()).unwrap();
        let mut first = [0];
        stream.read_exact(&mut first).unwrap();
        assert_eq!(first, *b"+", "{command}");
    }
}

impl Drop for Forgetful {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

mod on_redis {
    use std::process::{Command, Stdio};

    use super::{Forgetful, Place, gone, rehearse};

    #[test]
    fn the_reports_experiments_are_rehearsed() {
        let place = Place::new("HOAP_TEST_REDIS", "experiments");
        for (name, label) in [
            ("dbaas-capella-a", "Redis Enterprise Cloud, 3 nodes"),
            ("dbaas-capella-c", "Redis Enterprise Cloud, 18 nodes"),
        ] {
            let (hoap, folder) = (env!("CARGO_BIN_EXE_hoap"), place.folder.path());
            rehearse(hoap, folder, name, label, &[("--target", &place.url)]);
        }
    }

    /// One that restarts empty, and one that somebody empties.
    #[test]
    fn records_that_are_gone_in_mid_run_are_lost_and_the_check_says_so_at_once() {
        let mut server = Forgetful::start();
        let url = format!("redis://127.0.0.1:{}", server.port);
        let place = Place { folder: tempfile::tempdir().unwrap(), url };
        for (run, empty) in [
            ("a", &Forgetful::restart as &dyn Fn(&mut Forgetful)),
            ("d", &|server: &mut Forgetful| server.say("FLUSHALL")),
        ] {
            place.ok("load ycsb -p recordcount=300 --replace");
            let line = format!(
                "run ycsb-{run} --clients 2,1 --duration 3s --warmup 100ms --tick 100ms \
                 --recovery-limit 10m --out {run}"
            );
            let (code, told) = std::thread::scope(|scope| {
                let running = scope.spawn(|| place.run(&line));
                gone::until_measured(&place.folder.path().join(run));
                empty(&mut server);
                running.join().unwrap()
            });
            assert_eq!(code, 1, "{told}");
            let record = std::fs::read(place.folder.path().join(run).join("run.json")).unwrap();
            let record: serde_json::Value = serde_json::from_slice(&record).unwrap();
            gone::is_told(&record, "usertable", "not-found", 0);
            // The second step cannot begin; that the numbers are void comes before that.
            assert_eq!(record["steps"].as_array().unwrap().len(), 1);
            assert!(record["partial"].as_str().unwrap().contains("no collection usertable"));
        }
    }

    #[test]
    fn every_ycsb_workload_passes() {
        super::ycsb("HOAP_TEST_REDIS");
    }

    #[test]
    fn pages_and_joins_are_right() {
        super::shop("HOAP_TEST_REDIS");
    }

    #[test]
    fn a_load_by_several_clients_that_is_killed_or_interrupted_goes_on() {
        super::loads("HOAP_TEST_REDIS");
    }

    /// The user's password is in a configuration file alone: nothing that is said or left holds it.
    #[test]
    fn a_password_from_a_configuration_file_is_nowhere_else() {
        let place = Place::new("HOAP_TEST_REDIS", "secret");
        let folder = place.folder.path();
        for (password, good) in
            [("hoap%20secret", true), ("9%2FZq7%3F%40", false), ("9/Zq7", false)]
        {
            let url = place.url.replacen("://", &format!("://hoap_password:{password}@"), 1);
            std::fs::write(folder.join("hoap.toml"), format!("target = {url:?}")).unwrap();
            for line in [
                "load ycsb -p recordcount=100 --replace --config hoap.toml",
                "run ycsb-a -p recordcount=100 --operations 500 --warmup 10ms --out run --config hoap.toml",
            ] {
                let mut command = Command::new(env!("CARGO_BIN_EXE_hoap"));
                command.current_dir(folder).args(line.split_whitespace());
                let end = command.stdin(Stdio::null()).output().unwrap();
                let told = format!("{end:?}");
                assert_eq!(end.status.success(), good, "{told}");
                let secrets = ["hoap secret", "hoap%20secret", "Zq7"];
                assert!(!secrets.iter().any(|secret| told.contains(secret)), "{told}");
            }
        }
        for entry in std::fs::read_dir(folder.join("run")).unwrap() {
            let text = std::fs::read(entry.unwrap().path()).unwrap();
            let text = String::from_utf8_lossy(&text);
            assert!(!text.contains("hoap secret") && !text.contains("hoap%20secret"), "{text}");
        }
    }
}

mod on_redis_cluster {
    #[test]
    fn every_ycsb_workload_passes() {
        super::ycsb("HOAP_TEST_REDIS_CLUSTER");
    }

    #[test]
    fn pages_and_joins_are_right() {
        super::shop("HOAP_TEST_REDIS_CLUSTER");
    }

    #[test]
    fn a_load_by_several_clients_that_is_killed_or_interrupted_goes_on() {
        super::loads("HOAP_TEST_REDIS_CLUSTER");
    }
}

/// It speaks as Redis does: what goes through the command line once shows that.
mod on_valkey {
    #[test]
    fn every_ycsb_workload_passes() {
        super::ycsb("HOAP_TEST_VALKEY");
    }
}
