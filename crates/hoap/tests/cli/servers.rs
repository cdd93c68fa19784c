//! What every database with a server does at the command line; where they differ is data. The
//! servers are those of the lab: `eval "$(lab/env)"`.

use std::process::{Child, Command, Output, Stdio};

use hoap_suites::loads;
use hoap_suites::place::Own;
use hoap_testing::experiment::rehearse;
use hoap_testing::urls::{as_user, with};
use hoap_testing::{gone, wait};
use serde_json::Value;

pub(crate) use super::all_pass;
use super::{End, Place};

/// A folder, and a place of a test's own on a server.
pub struct On {
    // It goes first: it may need files of the folder.
    pub own: Own,
    pub place: Place,
    /// The URL as it is given to commands: without a password, which the environment has.
    pub url: String,
    variables: Vec<(&'static str, String)>,
    /// What nothing that is said or recorded may hold.
    secrets: Vec<String>,
}

impl On {
    /// On the server of a variable, with options.
    pub fn new(variable: &str, options: &str) -> On {
        let mut on = On::at(Own::on(variable, options));
        if on.url.starts_with("dynamodb:") {
            let keys = "aws_access_key_id = AKIDNOBODY\naws_secret_access_key = hunter2\n";
            on.place.write("credentials", &format!("[default]\n{keys}"));
            let file = format!("credentials_file={}", on.place.path("credentials").display());
            on.own.url = with(&on.own.url, &file);
            on.url.clone_from(&on.own.url);
            on.secrets = ["hunter2", "AKIDNOBODY"].map(String::from).into();
        }
        on
    }

    pub fn at(own: Own) -> On {
        let url = own.url.clone();
        let mut on =
            On { place: Place::new(), own, url, variables: Vec::new(), secrets: Vec::new() };
        let secret = on.url.split_once("//").and_then(|(_, rest)| rest.split_once('@'));
        if let Some((_, password)) = secret.and_then(|(user, _)| user.split_once(':')) {
            let password = password.to_owned();
            on.url = on.url.replacen(&format!(":{password}@"), "@", 1);
            let mongodb = on.url.starts_with("mongodb");
            let variable = if mongodb { "MONGODB_PASSWORD" } else { "CB_PASSWORD" };
            let plain = password.replace("%20", " ");
            on.variables.push((variable, plain.clone()));
            on.secrets.extend([password, plain]);
        }
        on
    }

    /// A command on the database, named by the flag that it takes.
    pub fn command(&self, line: &str) -> Command {
        let words: Vec<&str> = line.split_whitespace().collect();
        let flag = match words[..] {
            ["run", benchmark, ..] if benchmark.starts_with("ch2") => "--operational",
            ["query", ..] => "--analytical",
            _ => "--target",
        };
        self.command_with(line, &[flag, &self.url])
    }

    /// A command with these words after it.
    fn command_with(&self, line: &str, words: &[&str]) -> Command {
        let mut command = self.place.command(line);
        let variables = self.variables.iter().map(|(name, value)| (name, value));
        command.args(words).envs(variables);
        command
    }

    pub fn run_with(&self, line: &str, words: &[&str]) -> End {
        self.end(self.command_with(line, words).output().unwrap())
    }

    pub fn spawn(&self, line: &str) -> Child {
        self.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// How a command of this database ended.
    pub fn end(&self, output: Output) -> End {
        let end = End::of(output);
        let told = format!("{end:?}");
        assert!(!self.secrets.iter().any(|secret| told.contains(secret)), "{end:#?}");
        assert!(!told.contains("panicked"), "{end:#?}");
        end
    }

    pub fn run(&self, line: &str) -> End {
        self.end(self.command(line).output().unwrap())
    }

    pub fn ok(&self, line: &str) -> End {
        let end = self.run(line);
        assert_eq!(end.code, 0, "hoap {line}: {end:#?}");
        end
    }

    /// Runs it and expects an exit code and an error with these words.
    pub fn refused(&self, line: &str, code: i32, says: &[&str]) {
        let end = self.run(line);
        assert_eq!(end.code, code, "hoap {line}: {end:#?}");
        for words in says {
            assert!(end.err.contains(words), "hoap {line}: no {words:?}: {end:#?}");
        }
    }

    pub fn record(&self, run: &str) -> Value {
        let text = self.place.text(&format!("{run}/run.json"));
        assert!(!self.secrets.iter().any(|secret| text.contains(secret)), "{text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Runs a workload with reads checked: all operations are done, and every check passes.
    pub fn passes(&self, workload: &str, operations: u64) -> Value {
        self.ok(&format!(
            "run {workload} --operations {operations} --clients 3 --warmup 10ms --check-reads --out \
             {workload}"
        ));
        let record = self.record(workload);
        let done = record["steps"][0]["transactions"].as_array().unwrap();
        let count: u64 = done.iter().map(|kind| kind["count"].as_u64().unwrap()).sum();
        assert_eq!(count, operations, "{workload}");
        all_pass(&record);
        record
    }
}

/// Tests of this file on the server of a variable: name, options of the URL, and what else differs.
macro_rules! suite {
    ($variable:expr; $($test:ident($options:expr $(, $data:expr)*);)*) => {
        $(
            #[test]
            fn $test() {
                $crate::servers::$test($crate::servers::On::new($variable, $options), $($data),*);
            }
        )*
    };
}
pub(crate) use suite;

pub fn every_ycsb_workload_passes(on: On) {
    some_ycsb_workloads_pass(on, &["a", "b", "c", "f", "e-update", "d", "e"], |_, _| ());
}

/// These, each of which leaves a record of this kind.
pub fn some_ycsb_workloads_pass(on: On, letters: &[&str], told: fn(&str, &Value)) {
    // D and E insert: who comes after them needs a new table.
    let mut inserted = true;
    for letter in letters {
        if inserted {
            on.ok("load ycsb -p recordcount=300 --replace");
        }
        inserted = ["d", "e"].contains(letter);
        told(letter, &on.passes(&format!("ycsb-{letter}"), 300));
    }
}

/// Of a workload: so many operations pass, or it is refused with these words.
type Offer = Result<u64, &'static [&'static str]>;

/// What does not apply is refused before anything is loaded, and after. Of the joins that it has
/// not, one is refused with the name of those that it has.
pub fn pages_and_joins_are_right_or_refused(on: On, pages: Offer, joins: Offer, has: &str) {
    let both = [("pagination", pages), ("join", joins)];
    for (workload, offer) in both {
        let run = format!("run {workload} --operations 10");
        match offer {
            Ok(_) => on.refused(&run, 3, &["hoap load shop"]),
            Err(words) => on.refused(&run, 2, words),
        }
    }
    on.ok("load shop --customers 2000 --orders-per-customer 2");
    for (workload, offer) in both {
        match offer {
            Ok(operations) => drop(on.passes(workload, operations)),
            Err(words) => on.refused(&format!("run {workload} --operations 10"), 2, words),
        }
    }
    if joins.is_ok() {
        on.refused("run join --variant ansi --operations 10", 2, &[has]);
        on.ok(&format!("run join --variant {has} --operations 10 --warmup 10ms --out by-name"));
    }
    on.refused("run ycsb-a --operations 10", 3, &["shop"]);
}

/// The models that the reports discuss (2021, section 4.4.1), each loaded and joined.
pub fn joins_of_other_models_are_right(on: On) {
    for (variant, flags) in
        [("embedded", "--embedded"), ("joining-table", "--collections shop_sales")]
    {
        on.ok(&format!("load shop --customers 1000 --orders-per-customer 2 {flags} --replace"));
        on.ok(&format!(
            "run join --variant {variant} --operations 50 --clients 2 --warmup 0s --check-reads --out {variant}"
        ));
        let record = on.record(variant);
        assert_eq!(record["configuration"]["variant"], variant);
        all_pass(&record);
    }
}

pub fn a_load_by_several_clients_that_is_killed_or_interrupted_goes_on(on: On) {
    loads::killed_and_interrupted(env!("CARGO_BIN_EXE_hoap"), &on.own.url);
}

/// What loads and runs the tables of YCSB, of which `usertable` is dropped.
pub const RECORDS: [&str; 3] = ["ycsb -p recordcount=300", "ycsb-a --clients 2", "usertable"];

/// The tables that these load and run; the server may be at `in_flight` operations when one goes.
pub fn a_table_dropped_in_mid_run_is_lost_and_the_check_says_so_at_once(
    on: On,
    all: &[[&str; 3]],
    in_flight: u64,
) {
    for [load, run, table] in all {
        on.ok(&format!("load {load} --replace"));
        let running = on.spawn(&format!(
            "run {run} --duration 10m --on-error missing=stop --warmup 100ms --tick 100ms \
             --recovery-limit 10m --out {table}"
        ));
        gone::until_measured(&on.place.path(table));
        on.own.remove(&[table]).unwrap();
        let end = on.end(running.wait_with_output().unwrap());
        assert_eq!(end.code, 1, "{end:#?}");
        gone::is_told(&on.record(table), table, gone::MISSING, in_flight);
    }
}

/// Name and configuration of each, what the URL of each run holds, and what the page says.
pub fn the_reports_experiments_are_rehearsed(on: On, all: &[(&str, &str, &[&str], &str)]) {
    for (name, label, holds, says) in all {
        let folder = on.place.path("");
        let target = [("--target", &*on.url)];
        for run in rehearse(env!("CARGO_BIN_EXE_hoap"), &folder, name, label, &target) {
            let url = run["operational"]["url"].as_str().unwrap();
            assert!(holds.iter().all(|words| url.contains(words)), "{url}");
        }
        let page = std::fs::read_to_string(folder.join(name).join("report.html")).unwrap();
        assert!(page.contains(says), "{name}: {says}");
    }
}

/// A table that another version of the program made holds other values.
pub fn other_data_and_another_version_of_it_are_refused(on: On) {
    on.ok("load ycsb -p recordcount=20");
    on.refused("load ycsb -p recordcount=40", 3, &["the database holds other data"]);
    wait(async {
        let target = hoap_databases::open(&on.own.url).await.unwrap();
        let documents = target.documents().unwrap();
        let note = documents.note().await.unwrap().unwrap();
        let mut other = note.clone();
        other["data"]["version"] = 7_000_000.into();
        assert!(documents.set_note(Some(&note), &other).await.unwrap());
    });
    on.refused("run ycsb-a --operations 10", 3, &["data version 7000000", "--replace"]);
    on.refused("load ycsb -p recordcount=20 --resume", 3, &["version 7000000"]);
    on.ok("load ycsb -p recordcount=20 --replace");
    on.passes("ycsb-c", 20);
}

/// The user's password is in a configuration file alone: nothing that is said or left holds it. A
/// wrong one is refused by the server, or nobody asks the server.
pub fn a_password_from_a_configuration_file_is_nowhere_else(mut on: On) {
    on.own.url = as_user(&on.own.url, "hoap_password:hoap%20secret");
    super::secrets::leaves_no_trace(&on.own.url, &["hoap secret", "hoap%20secret"]);
    for password in ["9/Zq7", "9/Zq7@", "9%2FZq7%3F%40", "Zq7%20'\\\"", "1?a=Zq7"] {
        let wrong = on.own.url.replacen("hoap%20secret", password, 1);
        on.place.write("hoap.toml", &format!("target = {wrong:?}"));
        let end = on.place.run("load ycsb -p recordcount=10 --config hoap.toml");
        assert!(end.code == 2 || end.code == 3, "{password}: {end:#?}");
        assert!(!format!("{end:?}").contains("Zq7"), "{password}: {end:#?}");
    }
}
