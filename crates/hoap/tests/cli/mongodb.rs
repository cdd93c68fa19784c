//! Every workload that runs without transactions, as MongoDB's users run it, on the lab's imitation;
//! with transactions, on a real replica set where `HOAP_TEST_MONGODB` names one.

use super::servers::{On, all_pass, suite};

mod on_mongo_wire {
    use super::{On, suite};

    suite! { "HOAP_TEST_MONGO_WIRE";
        every_ycsb_workload_passes("");
        pages_and_joins_are_right_or_refused("", Ok(300), Ok(100), "two-phase");
        a_load_by_several_clients_that_is_killed_or_interrupted_goes_on("");
    }

    #[test]
    fn a_benchmark_is_loaded_verified_and_queried() {
        let on = On::new("HOAP_TEST_MONGO_WIRE", "");
        on.ok("load ch2 -w 1 --scale-down 100");
        on.ok("verify ch2");
        on.ok("query ch2 --query-set naive");
        // Transactions are refused before the run begins.
        let end = on.run("run ch2 --tx-clients 1 --duration 1s");
        assert_ne!(end.code, 0, "{end:#?}");
        assert!(end.err.contains("want a replica set or a sharded cluster"), "{end:#?}");
    }
}

mod on_documentdb {
    use std::time::Duration;

    use hoap_suites::place::Own;
    use hoap_testing::gone;
    use hoap_testing::lab::Lab;
    use hoap_testing::urls::{own, with};

    use super::{On, all_pass, suite};

    suite! { "HOAP_TEST_DOCUMENTDB";
        every_ycsb_workload_passes("");
        pages_and_joins_are_right_or_refused("", Ok(300), Ok(100), "two-phase");
        a_load_by_several_clients_that_is_killed_or_interrupted_goes_on("");
    }

    /// Transactions without a failure, all checks, and all queries with their answers beside them.
    #[test]
    fn both_benchmarks_run_with_transactions_and_queries() {
        for benchmark in ["ch2", "ch2pp"] {
            let on = On::new("HOAP_TEST_DOCUMENTDB", "");
            on.ok(&format!("load {benchmark} -w 1 --scale-down 100"));
            on.ok(&format!("verify {benchmark}"));
            on.ok(&format!(
                "run {benchmark} --tx-clients 4 --query-clients 0,1 --warmup 500ms --duration 5s \
                 --out run"
            ));
            let record = on.record("run");
            assert_eq!(record["operational"]["name"], "DocumentDB");
            for step in record["steps"].as_array().unwrap() {
                for operation in step["transactions"].as_array().unwrap() {
                    let failures = operation["failures"].as_object();
                    assert!(failures.is_none_or(|f| f.is_empty()), "{operation:#}");
                }
            }
            assert!(record["checks"].as_array().unwrap().len() > 20);
            all_pass(&record);
        }
    }

    /// PostgreSQL killed in mid-run, then the gateway: the run goes on, and everything acknowledged
    /// is there.
    #[test]
    fn a_run_lives_through_the_end_of_postgresql_and_of_the_gateway() {
        // The gateway gives up before its client does: otherwise it may apply an operation without
        // its transaction.
        let lab = Lab::with("documentdb", &[("LAB_DOCUMENTDB_COMMAND_SECONDS", "3")]);
        let url = with(&own(&lab.url()), "serverSelectionTimeoutMS=2000");
        let on = On::at(Own { url });
        on.ok("load ch2pp -w 1 --scale-down 100");
        for process in [1, 2] {
            let folder = format!("killed-{process}");
            let running = on.spawn(&format!(
                "run ch2pp --tx-clients 4 --query-clients 0 --warmup 500ms --duration 20s \
                 --recovery-limit 5m --max-failures off --out {folder}"
            ));
            gone::until_measured(&on.place.path(&folder));
            lab.kill_process(process);
            std::thread::sleep(Duration::from_secs(1));
            lab.up();
            let end = on.end(running.wait_with_output().unwrap());
            assert_eq!(end.code, 0, "{end:#?}");
            let record = on.record(&folder);
            // A transaction that lost the gateway before its commit is run again: it may be no
            // failure.
            let events = record["events"].as_array().map_or(0, Vec::len);
            assert!(process == 2 || events > 0, "nobody noticed: {end:#?}");
            let checks = record["checks"].as_array().unwrap();
            assert!(checks.iter().any(|c| c["name"] == "nothing lost: Payment"), "{checks:#?}");
            all_pass(&record);
            on.ok("verify ch2pp");
        }
    }
}

mod on_mongodb {
    use super::super::servers;
    use super::On;

    #[test]
    #[ignore = "wants a real replica set: HOAP_TEST_MONGODB=mongodb://… with --ignored"]
    fn every_workload_passes() {
        let on = || On::new("HOAP_TEST_MONGODB", "");
        servers::every_ycsb_workload_passes(on());
        servers::pages_and_joins_are_right_or_refused(on(), Ok(300), Ok(100), "two-phase");
        let on = on();
        on.ok("load ch2pp -w 1 --scale-down 20");
        on.ok("verify ch2pp");
        on.ok("run ch2pp --tx-clients 4 --query-clients 0,1 --duration 5s --out mixed");
        on.ok("verify ch2pp");
    }
}
