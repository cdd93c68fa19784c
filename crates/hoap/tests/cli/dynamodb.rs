//! Every workload that DynamoDB can run, as its users run it.

use super::servers::{On, RECORDS, all_pass, suite};

mod on_dynamodb {
    use std::process::Command;

    use hoap_testing::urls::{server, with};
    use serde_json::Value;

    use super::{On, RECORDS, all_pass, suite};

    suite! { "HOAP_TEST_DYNAMODB";
        some_ycsb_workloads_pass(
            "consistency=strong",
            &["a", "b", "c", "f", "e-update", "d", "e"],
            says_what_it_consumed
        );
        pages_and_joins_are_right_or_refused("consistency=strong", Ok(100), Ok(50), "two-phase");
        joins_of_other_models_are_right("consistency=strong");
        // DynamoDB Local says InternalFailure to a request that it is answering while a table is
        // deleted.
        a_table_dropped_in_mid_run_is_lost_and_the_check_says_so_at_once("conditions=changed", &[
            RECORDS,
            [
                "ch2pp --scale-down 100 --extra-fields 0",
                "ch2pp --tx-clients 2 --query-clients 0",
                "orders",
            ],
        ], 2);
        // With the report's price of 6 nodes (section 2.5.3).
        the_reports_experiments_are_rehearsed("", &[
            ("dbaas-2020-a", "DynamoDB, price of 6 nodes", &["read_units=4100", EVENTUAL], "6,103.04"),
            ("dbaas-2020-e", "DynamoDB, price of 6 nodes", &["read_units=40000", EVENTUAL], "6,103.04"),
        ]);
        other_data_and_another_version_of_it_are_refused("");
    }

    const EVENTUAL: &str = "capacity=provisioned&consistency=eventual";

    fn says_what_it_consumed(letter: &str, record: &Value) {
        let used = &record["steps"][0]["usage"];
        let amount = |name: &str| used[name].as_f64().unwrap();
        // A record of 1.1 KB: a unit a read, two a write.
        assert!(amount("read-capacity-units") > 100.0, "{used}");
        assert_eq!(amount("write-capacity-units") > 0.0, letter != "c", "{used}");
        assert!(amount("requests") >= 250.0, "{used}");
        for failures in ["requests-throttled", "requests-failed", "requests-retried"] {
            assert_eq!(amount(failures), 0.0, "{used}");
        }
    }

    #[test]
    fn the_transactions_of_ch2_pass_their_checks() {
        let on = On::new("HOAP_TEST_DYNAMODB", "");
        on.ok("load ch2pp --scale-down 100 --extra-fields 0");
        on.ok("verify ch2pp");
        let run = "run ch2pp --tx-clients 3 --query-clients 0 --operations 200 --warmup 100ms \
                   --retries 100";
        on.ok(&format!("{run} --out run"));
        let record = on.record("run");
        all_pass(&record);
        for kind in record["steps"][0]["transactions"].as_array().unwrap() {
            assert!(kind["count"].as_u64().unwrap() > 0, "{kind}");
            assert_eq!(kind["failures"], serde_json::json!({}), "{kind}");
        }
        let no_queries = "analytical queries on dynamodb:…: not applicable";
        on.refused("run ch2pp --tx-clients 0 --query-clients 1 --out queries", 2, &[no_queries]);
    }

    #[test]
    fn a_prefix_of_one_letter_is_enough() {
        let mut on = On::new("HOAP_TEST_DYNAMODB", "");
        let (_, credentials) = on.url.split_once("&credentials_file=").unwrap();
        let options = format!("credentials_file={credentials}&prefix=q");
        on.url = with(&server("HOAP_TEST_DYNAMODB"), &options);
        on.own.url.clone_from(&on.url);
        on.ok("load ycsb -p recordcount=50 --replace");
        let record = on.passes("ycsb-a", 100);
        let settings = record["operational"]["settings"].as_object().unwrap();
        assert!(settings.contains_key("table q.usertable"), "{settings:#?}");
    }

    /// `hoap` without the credentials of whoever runs the tests.
    fn hoap(home: &std::path::Path, target: &str) -> Command {
        let mut hoap = Command::new(env!("CARGO_BIN_EXE_hoap"));
        for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"] {
            hoap.env_remove(name);
        }
        hoap.env("HOME", home).env("AWS_EC2_METADATA_DISABLED", "true");
        hoap.args(["verify", "ch2pp", "--target", target]);
        hoap
    }

    #[test]
    fn without_credentials_nothing_starts_and_the_message_says_what_to_set() {
        let url = server("HOAP_TEST_DYNAMODB");
        let folder = tempfile::tempdir().unwrap();
        let output = hoap(folder.path(), &url).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{told}");
        assert!(told.contains("AWS_ACCESS_KEY_ID"), "{told}");
        // By the environment, as AWS's own tools take them.
        let mut hoap = hoap(folder.path(), &with(&url, "prefix=nothing-here"));
        hoap.env("AWS_ACCESS_KEY_ID", "AKIDNOBODY").env("AWS_SECRET_ACCESS_KEY", "hunter2");
        let output = hoap.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("hoap load") && !told.contains("hunter2"), "{told}");
    }

    /// Single sign-on is not built in; the message says so, and how its credentials get here.
    #[test]
    fn a_profile_of_single_sign_on_is_said_to_be_one() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".aws")).unwrap();
        let old = "[profile old]\nsso_account_id = 123456789012\nsso_region = us-east-1\n\
                   sso_role_name = bench\nsso_start_url = https://d-0.awsapps.com/start\n";
        let new = "[profile new]\nsso_session = work\nsso_account_id = 123456789012\n\
                   sso_role_name = bench\n[sso-session work]\nsso_region = us-east-1\n\
                   sso_start_url = https://d-0.awsapps.com/start\n";
        std::fs::write(folder.path().join(".aws/config"), format!("{old}{new}")).unwrap();
        for profile in ["old", "new"] {
            let target = with(&server("HOAP_TEST_DYNAMODB"), &format!("profile={profile}"));
            let output = hoap(folder.path(), &target).output().unwrap();
            let told = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{told}");
            let words = ["single sign-on, which is not built in", "export-credentials"];
            assert!(words.iter().all(|word| told.contains(word)), "{told}");
        }
    }
}

mod on_dynamodb_throttle {
    use super::{On, all_pass};

    /// As Amazon documents it, a table that was idle has 300 seconds of its units, and then gains them
    /// second by second; a record of 1.1 KB takes two to write. What the reports counted as failed
    /// (section 4.1.3) is refused here, and not sent again.
    #[test]
    fn updates_beyond_the_units_of_a_table_and_its_burst_fail_as_throttled() {
        let units = "capacity=provisioned&read_units=100&write_units=1&load_write_units=100";
        let on = On::new("HOAP_TEST_DYNAMODB_THROTTLE", units);
        on.ok("load ycsb -p recordcount=100");
        on.ok("run ycsb-a -p readproportion=0 -p updateproportion=1 --operations 400 --warmup 0s \
               --max-failures off --out run");
        let step = &on.record("run")["steps"][0];
        let update = &step["transactions"][0];
        let (done, refused) = (update["count"].as_u64().unwrap(), &update["failures"]["throttled"]);
        // What the bucket gains while the run lasts, and its checks.
        let gained = (step["seconds"].as_f64().unwrap() / 2.0) as u64 + 2;
        assert!((149..=150 + gained).contains(&done), "{done} of {gained}: {update:#}");
        assert_eq!(refused.as_u64(), Some(400 - done), "{update:#}");
        assert_eq!(step["usage"]["requests-throttled"], 400.0 - done as f64, "{step:#}");
    }

    /// A run that used up the read units of its table leaves its checks none: they wait for them.
    #[test]
    fn checks_wait_for_the_units_that_the_run_used_up() {
        let units = "capacity=provisioned&read_units=1&write_units=9&load_write_units=100";
        let on = On::new("HOAP_TEST_DYNAMODB_THROTTLE", units);
        on.ok("load ycsb -p recordcount=10");
        on.ok("run ycsb-c --operations 700 --warmup 0s --max-failures off --out run");
        let record = on.record("run");
        assert_ne!(record["steps"][0]["usage"]["requests-throttled"], 0.0, "{record:#}");
        all_pass(&record);
        assert_eq!(record["partial"], serde_json::Value::Null);
    }
}
