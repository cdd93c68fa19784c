//! The program as its users meet it: commands, files, messages and exit codes.
// Tables of cases, and stories told to their end.
#![allow(clippy::too_many_lines)]

#[cfg(unix)]
mod action;
mod adopting;
mod answers;
mod bad_folders;
mod bad_input;
mod bounds;
mod bundle;
#[cfg(feature = "cassandra")]
mod cassandra;
mod checks;
mod compare;
#[cfg(all(feature = "couchbase", feature = "couchbase-analytics"))]
mod couchbase;
mod doctor;
mod drivers;
#[cfg(feature = "duckdb")]
mod duckdb_pair;
#[cfg(feature = "dynamodb")]
mod dynamodb;
mod experiment;
mod explain;
mod faults;
mod fleet;
mod foreign;
mod gen_files;
mod golden;
mod history;
#[cfg(target_os = "linux")]
mod in_use;
mod indexes;
mod ingestion;
mod key_value;
mod labels;
mod learn;
mod live;
#[cfg(target_os = "linux")]
mod machine;
#[cfg(feature = "mongodb")]
mod mongodb;
mod mutation;
mod observe;
#[cfg(feature = "asterixdb")]
mod on_asterixdb;
#[cfg(feature = "asterixdb")]
mod on_asterixdb_column;
#[cfg(target_os = "linux")]
mod on_kubernetes;
#[cfg(feature = "postgres")]
mod on_postgres;
#[cfg(feature = "postgres")]
mod on_postgres_replica;
mod on_slurm;
mod outputs;
mod own;
mod own_fleet;
mod own_kept;
mod own_queries;
mod own_scans;
#[cfg(target_os = "linux")]
mod package;
mod pair;
mod queries;
mod rates;
#[cfg(target_os = "linux")]
mod read_only;
#[cfg(feature = "redis")]
mod redis;
mod reference;
mod report;
mod schema;
mod secrets;
#[cfg(any(
    feature = "cassandra",
    feature = "couchbase",
    feature = "dynamodb",
    feature = "mongodb",
    feature = "postgres",
    feature = "redis"
))]
#[allow(dead_code, reason = "no database has every test")]
mod servers;
#[cfg(unix)]
mod several;
mod show;
mod silent;
#[cfg(target_os = "linux")]
mod streams;
#[cfg(target_os = "linux")]
mod torture;
mod tree;
mod whole;
mod witness;
mod wrong;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use hoap_testing::{gone, until};

/// A folder of a test's own, gone when dropped, in which `hoap` runs.
struct Place(tempfile::TempDir);

/// How a command ended.
#[derive(Debug)]
struct End {
    code: i32,
    out: String,
    err: String,
}

/// The remark of this id in a record, or in what a command says of runs.
fn remark<'a>(of: &'a serde_json::Value, id: &str) -> Option<&'a serde_json::Value> {
    of["remarks"].as_array().unwrap().iter().find(|remark| remark["id"] == id)
}

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hoap"));
        command.current_dir(self.0.path()).args(line.split_whitespace()).stdin(Stdio::null());
        // Where CI runs the tests, its labels are none of their runs.
        hoap_conduct::labels::service_variables().for_each(|name| {
            command.env_remove(name);
        });
        command
    }

    /// Starts it, and keeps what it says.
    fn spawn(&self, line: &str) -> Child {
        self.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs `hoap` with these words.
    fn run(&self, line: &str) -> End {
        End::of(self.command(line).output().unwrap())
    }

    /// Runs it and expects success.
    fn ok(&self, line: &str) -> End {
        let end = self.run(line);
        assert_eq!(end.code, 0, "hoap {line}: {end:#?}");
        end
    }

    /// Runs it and expects an exit code and one line of error that says these things.
    fn fails(&self, line: &str, code: i32, says: &[&str]) -> End {
        let end = self.run(line);
        assert_eq!(end.code, code, "hoap {line}: {end:#?}");
        let told: Vec<&str> = end.err.lines().filter(|l| l.starts_with("hoap: ")).collect();
        assert_eq!(told.len(), 1, "hoap {line}: not one line of error: {end:#?}");
        for words in says {
            assert!(told[0].contains(words), "hoap {line}: no {words:?} in {:?}", told[0]);
        }
        assert!(!end.err.contains("panicked"), "{end:#?}");
        end
    }

    /// Loads a small CH2++ into `name`.
    fn load(&self, name: &str) -> End {
        self.ok(&format!("load ch2pp --target sqlite:{name} --scale-down 100"))
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_slice(&self.read(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Writes another ledger into the folder of a driver, whose run then does not say which one it
    /// left, as those of older versions.
    fn write_ledger(&self, folder: &str, ledger: &serde_json::Value) {
        self.write(&format!("{folder}/ledger.json"), &ledger.to_string());
        let mut run = self.json(&format!("{folder}/run.json"));
        run.as_object_mut().unwrap().remove("ledger");
        self.write(&format!("{folder}/run.json"), &run.to_string());
    }
}

/// Asks for the end as Ctrl-C does, by the signal that no shell had the tests ignore, and waits: how
/// it ended, and after which time. Whoever does not hear it is ended, and the test fails.
fn interrupted(mut child: Child) -> (End, Duration) {
    let pid = child.id().to_string();
    let begun = Instant::now();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    while begun.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let took = begun.elapsed();
    let _ = child.kill();
    let end = End::of(child.wait_with_output().unwrap());
    assert_eq!(end.code, 130, "{end:#?}");
    (end, took)
}

/// There are checks, and all passed.
fn all_pass(record: &serde_json::Value) {
    let checks = record["checks"].as_array().unwrap();
    assert!(!checks.is_empty());
    assert!(checks.iter().all(|check| check["verdict"] == "pass"), "{checks:#?}");
}

impl End {
    fn of(output: Output) -> End {
        End {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// All that it said.
    #[allow(dead_code)]
    fn told(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    /// Standard output as JSON.
    fn value(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}", self.out))
    }
}
