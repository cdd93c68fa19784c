//! Every workload that Cassandra can run, as its users run it.

use super::servers::{On, RECORDS, suite};

mod on_cassandra {
    use super::{On, RECORDS, suite};

    suite! { "HOAP_TEST_CASSANDRA";
        every_ycsb_workload_passes("lwt=false");
        pages_and_joins_are_right_or_refused(
            "lwt=false",
            Err(&["not applicable", "OFFSET"]),
            Ok(200),
            "joining-table"
        );
        a_load_by_several_clients_that_is_killed_or_interrupted_goes_on("replication=1");
        a_table_dropped_in_mid_run_is_lost_and_the_check_says_so_at_once("lwt=false", &[
            RECORDS,
        ], 0);
        // With the report's options, except for the copies: there is one node.
        the_reports_experiments_are_rehearsed("replication=1", &[
            ("nosql-2021-a", "Cassandra, 4 nodes", &["durable_writes=off"], ""),
            ("nosql-2021-e", "Cassandra, 4 nodes", &["durable_writes=off"], ""),
            ("nosql-2021-join", "Cassandra, 4 nodes", &["durable_writes=off"], ""),
        ]);
        other_data_and_another_version_of_it_are_refused("lwt=false");
    }

    #[test]
    fn lightweight_transactions_pass_too() {
        let on = On::new("HOAP_TEST_CASSANDRA", "lwt=true");
        for workload in ["ycsb-d", "ycsb-a"] {
            on.ok("load ycsb -p recordcount=100 --replace");
            on.passes(workload, 100);
        }
    }

    /// The documents of CH2 can be loaded and checked here, and its transactions and queries cannot
    /// run.
    #[test]
    fn ch2_is_loaded_and_verified_and_its_run_is_refused_with_the_reason() {
        let on = On::new("HOAP_TEST_CASSANDRA", "lwt=false");
        on.ok("load ch2 -w 1 --scale-down 100");
        on.ok("verify ch2");
        let queries = "queries on cassandra:…: not applicable, because";
        for (line, words) in [
            (
                "run ch2 --tx-clients 4 --query-clients 0 --duration 2s",
                ["transactions on cassandra:…: not applicable, because", "one partition"],
            ),
            ("run ch2 --tx-clients 0 --query-clients 1 --duration 1s", [queries, "without joins"]),
            ("query ch2 --queries 1", [queries, "without joins"]),
        ] {
            on.refused(line, 2, &words);
        }
        // Loaded once, it is not loaded again by chance.
        on.refused("load ch2 -w 1 --scale-down 100", 3, &["--replace"]);
    }
}

mod on_cassandra_3 {
    super::suite! { "HOAP_TEST_CASSANDRA_3";
        some_ycsb_workloads_pass("replication=3", &["a", "d", "e"], |_, _| ());
    }
}
