//! Every workload that Redis and Valkey can run, as their users run it.

use super::servers::{On, suite};

mod on_redis {
    use hoap_suites::place::Own;
    use hoap_testing::gone;
    use hoap_testing::redis::Server;

    use super::{On, suite};

    suite! { "HOAP_TEST_REDIS";
        every_ycsb_workload_passes("");
        pages_and_joins_are_right_or_refused("", Ok(300), Ok(100), "two-phase");
        a_load_by_several_clients_that_is_killed_or_interrupted_goes_on("");
        the_reports_experiments_are_rehearsed("", &[
            ("dbaas-capella-a", "Redis Enterprise Cloud, 3 nodes", &[], ""),
            ("dbaas-capella-c", "Redis Enterprise Cloud, 18 nodes", &[], ""),
        ]);
        a_password_from_a_configuration_file_is_nowhere_else("");
    }

    /// Not by a scan of all for some of them.
    #[test]
    fn what_a_workload_file_wrote_is_read_by_its_keys() {
        let server = Server::start();
        let (p, url) = (crate::own::place(), server.url());
        p.ok(&format!("load telemetry.toml --scale 0.005 --target {url}"));
        let line = format!(
            "run telemetry.toml --target {url} --operations 300 --warmup 0s --check-reads \
             --without last-readings --without an-hour --out"
        );
        for out in ["first", "second"] {
            p.ok(&format!("{line} {out}"));
            let run = p.json(&format!("{out}/run.json"));
            let checks = run["checks"].as_array().unwrap();
            assert!(checks.iter().all(|check| check["verdict"] != "fail"), "{checks:#?}");
            let read = run["checks_read"].as_array().unwrap();
            let documents = |at: usize| read[at]["documents"].as_u64().unwrap();
            assert!(documents(1) > 6000 && documents(1) < 4 * documents(0), "{read:#?}");
        }
    }

    /// It writes nothing, not even that it ran.
    #[test]
    fn runs_that_only_read_run_on_a_replica() {
        let primary = Server::start();
        let on = On::at(Own { url: primary.url() });
        on.ok("load ycsb -p recordcount=100");
        let shop = On::at(Own { url: format!("{}?prefix=shop", primary.url()) });
        shop.ok("load shop --customers 2000 --customers-per-zip 100");
        let replica = Server::replica(&primary);
        let copies = [replica.url(), format!("{}?prefix=shop", replica.url())];
        let [on, shop] = copies.map(|url| On::at(Own { url }));
        on.ok("run ycsb-c --operations 50 --warmup 1ms --out c");
        crate::all_pass(&on.record("c"));
        let counted = "run ycsb-c --operations 50 --check database --out d";
        on.refused(counted, 2, &["--check full counts here"]);
        on.refused("run ycsb-a --operations 50 --warmup 1ms --out a", 3, &["read only replica"]);
        for run in ["pagination", "join"] {
            shop.ok(&format!("run {run} --operations 20 --warmup 1ms --check-reads --out {run}"));
        }
        // What is there goes at the end.
        replica.say("REPLICAOF NO ONE");
    }

    /// One that restarts empty, and one that somebody empties.
    #[test]
    fn records_that_are_gone_in_mid_run_are_lost_and_the_check_says_so_at_once() {
        let mut server = Server::forgetful();
        let on = On::at(Own { url: server.url() });
        let restart: &dyn Fn(&mut Server) = &|server| {
            server.kill();
            server.start_again();
        };
        for (run, empty) in [("a", restart), ("d", &|server| server.say("FLUSHALL"))] {
            on.ok("load ycsb -p recordcount=300 --replace");
            let line = format!(
                "run ycsb-{run} --clients 2,1 --duration 3s --warmup 100ms --tick 100ms \
                 --recovery-limit 10m --out {run}"
            );
            let running = on.spawn(&line);
            gone::until_measured(&on.place.path(run));
            empty(&mut server);
            let end = on.end(running.wait_with_output().unwrap());
            assert_eq!(end.code, 1, "{end:#?}");
            let record = on.record(run);
            gone::is_told(&record, "usertable", "not-found", 0);
            // The second step cannot begin; that the numbers are void comes before that.
            assert_eq!(record["steps"].as_array().unwrap().len(), 1);
            assert!(record["partial"].as_str().unwrap().contains("no collection usertable"));
        }
    }
}

mod on_redis_cluster {
    super::suite! { "HOAP_TEST_REDIS_CLUSTER";
        every_ycsb_workload_passes("");
        pages_and_joins_are_right_or_refused("", Ok(300), Ok(100), "two-phase");
        a_load_by_several_clients_that_is_killed_or_interrupted_goes_on("");
    }
}

/// It speaks as Redis does: what goes through the command line once shows that.
mod on_valkey {
    super::suite! { "HOAP_TEST_VALKEY"; every_ycsb_workload_passes(""); }
}
