//! Every workload that DynamoDB can run, as its users run it. The server is that of the lab:
//! `eval "$(lab/env)"`.

use hoap_testing::gone;
use std::process::{Command, Stdio};

use hoap_databases::open;
use hoap_workload::note;

/// A folder, credentials and a prefix of a test's own.
struct Place {
    folder: tempfile::TempDir,
    url: String,
    collections: &'static [&'static str],
}

const RECORDS: &[&str] = &["usertable"];
const SHOP: &[&str] = &["shop_customer", "shop_orders"];
const CH2: &[&str] = &[
    "warehouse",
    "district",
    "customer",
    "history",
    "orders",
    "neworder",
    "stock",
    "item",
    "supplier",
    "nation",
    "region",
];

impl Place {
    fn new(name: &str, collections: &'static [&'static str], options: &str) -> Place {
        let url = hoap_testing::urls::server("HOAP_TEST_DYNAMODB");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("credentials");
        let text = "[default]\naws_access_key_id = AKIDNOBODY\naws_secret_access_key = hunter2\n";
        std::fs::write(&file, text).unwrap();
        let (file, id) = (file.display(), std::process::id());
        let url = format!("{url}&credentials_file={file}&prefix=cli-{name}-{id}{options}");
        Place { folder, url, collections }
    }

    fn run(&self, line: &str) -> (i32, String) {
        let target = match line.starts_with("run ch2") {
            true => "--operational",
            false => "--target",
        };
        let output = Command::new(env!("CARGO_BIN_EXE_hoap"))
            .current_dir(self.folder.path())
            .args(line.split_whitespace())
            .args([target, &self.url])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let told = format!("hoap {line}: {}{}", text(&output.stdout), text(&output.stderr));
        assert!(!told.contains("hunter2"), "{told}");
        (output.status.code().unwrap_or(-1), told)
    }

    fn ok(&self, line: &str) {
        let (code, told) = self.run(line);
        assert_eq!(code, 0, "{told}");
    }

    fn record(&self, folder: &str) -> serde_json::Value {
        let path = self.folder.path().join(folder).join("run.json");
        let text = std::fs::read_to_string(path).unwrap();
        assert!(!text.contains("hunter2") && !text.contains("AKIDNOBODY"), "{text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Runs a workload with reads checked: all operations are done, and every check passes.
    fn passes(&self, workload: &str, operations: u64) -> serde_json::Value {
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

fn all_pass(record: &serde_json::Value) {
    let checks = record["checks"].as_array().unwrap();
    assert!(!checks.is_empty());
    assert!(checks.iter().all(|check| check["verdict"] == "pass"), "{checks:#?}");
}

impl Drop for Place {
    fn drop(&mut self) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let dropped = runtime.block_on(async {
            let target = open(&self.url).await?;
            let documents = target.documents().map_err(hoap_workload::Error::from)?;
            documents.drop(self.collections).await
        });
        assert!(dropped.is_ok() || std::thread::panicking(), "{dropped:?}");
    }
}

mod on_dynamodb {
    use hoap_testing::experiment::rehearse;

    use super::*;

    #[test]
    fn the_reports_experiments_are_rehearsed_with_their_capacities() {
        let place = Place::new("experiments", RECORDS, "");
        for (name, units) in [("dbaas-2020-a", 4100), ("dbaas-2020-e", 40_000)] {
            let (hoap, folder) = (env!("CARGO_BIN_EXE_hoap"), place.folder.path());
            let label = "DynamoDB, price of 6 nodes";
            for run in rehearse(hoap, folder, name, label, &[("--target", &place.url)]) {
                let url = run["operational"]["url"].as_str().unwrap();
                assert!(url.contains(&format!("read_units={units}")), "{url}");
                assert!(url.contains("capacity=provisioned&consistency=eventual"), "{url}");
            }
            // The report's price of 6 nodes (section 2.5.3).
            let page = std::fs::read_to_string(folder.join(name).join("report.html")).unwrap();
            assert!(page.contains("6,103.04"), "{name}: a page with its costs");
        }
    }

    #[test]
    fn every_ycsb_workload_passes_and_says_what_it_consumed() {
        let place = Place::new("ycsb", RECORDS, "&consistency=strong");
        // D and E insert: who comes after them needs a new table.
        for name in ["a", "b", "c", "f", "e-update", "d", "e"] {
            if ["a", "e"].contains(&name) {
                place.ok("load ycsb -p recordcount=300 --replace");
            }
            let record = place.passes(&format!("ycsb-{name}"), 300);
            let used = &record["steps"][0]["usage"];
            let amount = |name: &str| used[name].as_f64().unwrap();
            // A record of 1.1 KB: a unit a read, two a write.
            assert!(amount("read-capacity-units") > 100.0, "{used}");
            assert_eq!(amount("write-capacity-units") > 0.0, name != "c", "{used}");
            assert!(amount("requests") >= 250.0, "{used}");
            for failures in ["requests-throttled", "requests-failed", "requests-retried"] {
                assert_eq!(amount(failures), 0.0, "{used}");
            }
        }
    }

    #[test]
    fn the_transactions_of_ch2_pass_their_checks() {
        let place = Place::new("ch2", CH2, "");
        place.ok("load ch2pp --scale-down 100 --extra-fields 0");
        place.ok("verify ch2pp");
        place.ok(
            "run ch2pp --tx-clients 3 --query-clients 0 --operations 200 --warmup 100ms --out run",
        );
        let record = place.record("run");
        all_pass(&record);
        let done = record["steps"][0]["transactions"].as_array().unwrap();
        for kind in done {
            assert!(kind["count"].as_u64().unwrap() > 0, "{kind}");
            assert_eq!(kind["failures"], serde_json::json!({}), "{kind}");
        }
        let (code, told) = place.run("run ch2pp --tx-clients 0 --query-clients 1 --out queries");
        assert_eq!(code, 2, "{told}");
        assert!(told.contains("analytical queries on dynamodb:…: not applicable"), "{told}");
    }

    #[test]
    fn a_table_deleted_in_mid_run_is_lost_and_the_check_says_so_at_once() {
        let place = Place::new("gone", CH2, "&conditions=changed");
        for (load, run, table) in [
            ("ycsb -p recordcount=300", "ycsb-a --clients 2", "usertable"),
            (
                "ch2pp --scale-down 100 --extra-fields 0",
                "ch2pp --tx-clients 2 --query-clients 0",
                "orders",
            ),
        ] {
            place.ok(&format!("load {load} --replace"));
            let line = format!(
                "run {run} --duration 10m --on-error missing=stop --warmup 100ms --tick 100ms \
                 --recovery-limit 10m"
            );
            let (code, told) = std::thread::scope(|scope| {
                let running = scope.spawn(|| place.run(&format!("{line} --out {table}")));
                gone::until_measured(&place.folder.path().join(table));
                let deleted = tokio::runtime::Runtime::new().unwrap().block_on(async {
                    let target = open(&place.url).await?;
                    let documents = target.documents().map_err(hoap_workload::Error::from)?;
                    documents.drop(&[table]).await
                });
                deleted.unwrap();
                running.join().unwrap()
            });
            assert_eq!(code, 1, "{told}");
            // DynamoDB Local says InternalFailure to a request that it is answering while a table
            // is deleted.
            gone::is_told(&place.record(table), table, gone::MISSING, 2);
        }
    }

    #[test]
    fn a_prefix_of_one_letter_is_enough() {
        let url = std::env::var("HOAP_TEST_DYNAMODB").unwrap();
        let mut place = Place::new("short", RECORDS, "");
        let file = place.folder.path().join("credentials");
        place.url = format!("{url}&credentials_file={}&prefix=q", file.display());
        place.ok("load ycsb -p recordcount=50 --replace");
        let record = place.passes("ycsb-a", 100);
        let settings = record["operational"]["settings"].as_object().unwrap();
        assert!(settings.contains_key("table q.usertable"), "{settings:#?}");
    }

    #[test]
    fn pages_and_joins_are_not_applicable_with_the_reason() {
        let place = Place::new("shop", SHOP, "");
        place.ok("load shop --customers 1000 --orders-per-customer 1");
        for workload in ["pagination", "join"] {
            let (code, told) =
                place.run(&format!("run {workload} --operations 10 --out {workload}"));
            assert_eq!(code, 2, "{told}");
            assert!(told.contains("not applicable") && told.contains("no nested field"), "{told}");
        }
    }

    #[test]
    fn other_data_and_another_version_of_it_are_refused() {
        let place = Place::new("other", RECORDS, "");
        place.ok("load ycsb -p recordcount=100");
        let (code, told) = place.run("load ycsb -p recordcount=200");
        assert_eq!(code, 3, "{told}");
        assert!(told.contains("the database holds other data"), "{told}");
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let target = open(&place.url).await.unwrap();
            let documents = target.documents().unwrap();
            let there = documents.note().await.unwrap().unwrap();
            let mut note = note::read(documents).await.unwrap().unwrap();
            note.data["version"] = 999.into();
            assert!(documents.set_note(Some(&there), &note::write(&note)).await.unwrap());
        });
        let (code, told) = place.run("run ycsb-c --operations 10 --out run");
        assert_ne!(code, 0, "{told}");
        assert!(told.contains("version"), "{told}");
    }

    #[test]
    fn without_credentials_nothing_starts_and_the_message_says_what_to_set() {
        let url = std::env::var("HOAP_TEST_DYNAMODB").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut hoap = Command::new(env!("CARGO_BIN_EXE_hoap"));
        for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"] {
            hoap.env_remove(name);
        }
        let output = hoap
            .env("HOME", folder.path())
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .args(["verify", "ch2pp", "--target", &url])
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{told}");
        assert!(told.contains("AWS_ACCESS_KEY_ID"), "{told}");
        // By the environment, as AWS's own tools take them.
        let output = Command::new(env!("CARGO_BIN_EXE_hoap"))
            .env("HOME", folder.path())
            .env("AWS_ACCESS_KEY_ID", "AKIDNOBODY")
            .env("AWS_SECRET_ACCESS_KEY", "hunter2")
            .args(["verify", "ch2pp", "--target", &format!("{url}&prefix=nothing-here")])
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("hoap load") && !told.contains("hunter2"), "{told}");
    }

    /// Single sign-on is not built in; the message says so, and how its credentials get here.
    #[test]
    fn a_profile_of_single_sign_on_is_said_to_be_one() {
        let url = std::env::var("HOAP_TEST_DYNAMODB").unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".aws")).unwrap();
        let old = "[profile old]\nsso_account_id = 123456789012\nsso_region = us-east-1\n\
                   sso_role_name = bench\nsso_start_url = https://d-0.awsapps.com/start\n";
        let new = "[profile new]\nsso_session = work\nsso_account_id = 123456789012\n\
                   sso_role_name = bench\n[sso-session work]\nsso_region = us-east-1\n\
                   sso_start_url = https://d-0.awsapps.com/start\n";
        std::fs::write(folder.path().join(".aws/config"), format!("{old}{new}")).unwrap();
        for profile in ["old", "new"] {
            let mut hoap = Command::new(env!("CARGO_BIN_EXE_hoap"));
            for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"] {
                hoap.env_remove(name);
            }
            let target = format!("{url}&profile={profile}");
            let output = hoap
                .env("HOME", folder.path())
                .env("AWS_EC2_METADATA_DISABLED", "true")
                .args(["verify", "ch2pp", "--target", &target])
                .output()
                .unwrap();
            let told = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{told}");
            let words = ["single sign-on, which is not built in", "export-credentials"];
            assert!(words.iter().all(|word| told.contains(word)), "{told}");
        }
    }
}
