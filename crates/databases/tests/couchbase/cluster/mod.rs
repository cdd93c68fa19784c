//! Couchbase: what its module promises, against a cluster in a script, and against a real one where
//! `HOAP_TEST_COUCHBASE` names it:
//!
//! ```sh
//! HOAP_TEST_COUCHBASE=couchbase://Administrator@127.0.0.1:11210/hoap CB_PASSWORD=… \
//!     cargo test --release -p hoap-databases --features all --test couchbase -- --ignored --test-threads=1 on_couchbase::
//! ```

// Queries are another service's; some promises are kept in another way.
#[allow(dead_code)]
mod ch2;
mod faults;
mod on_couchbase;
mod promises;
mod requests;
mod scripted;
mod secured;
mod silent;

use hoap_databases::couchbase::Couchbase;
use hoap_testing::certificates;
use hoap_testing::conformance;
use hoap_testing::couchbase as service;
use hoap_testing::place::Emptied as Guard;
use hoap_testing::urls::{own_name as scope, with};

use conformance::wait;

/// A URL for a machine that does much else.
fn patient(url: &str) -> String {
    with(url, "kv_timeout_ms=60000&connect_timeout_ms=60000&txtimeout_ms=120000")
}

fn open(url: &str) -> Couchbase {
    wait(hoap_databases::couchbase::open(url)).unwrap()
}

/// Tests of what holds for every cluster. Left out of the common suite: a batch that is all or
/// nothing, and a snapshot that does not move, which Couchbase does not promise (`promises.rs` has
/// what it does); and 300000.0 comes back as 300000.
#[macro_export]
macro_rules! every_promise {
    ($about:tt $fresh:path) => {
        hoap_testing::document_tests!($about $fresh);
        hoap_testing::transaction_tests!($about $fresh);
        hoap_testing::key_value_tests!($about $fresh);
        hoap_testing::shop_tests!($about $fresh);
        hoap_testing::conformance_tests!($about $fresh:
            every_json_value_comes_back_equal,
            a_batch_written_again_is_written_once,
        );
        $crate::promise_tests!($about $fresh:
            no_update_is_lost_among_transactions
            what_changed_after_it_was_read_is_a_conflict
            of_two_that_insert_a_key_the_later_commit_is_a_conflict
            a_key_from_a_counter_that_another_one_moved_is_a_conflict
            a_search_that_an_index_cannot_serve_is_refused
        );
    };
}

/// Of these, what `promises.rs` has.
#[macro_export]
macro_rules! promise_tests {
    ($about:tt $fresh:path:) => {};
    ({$($about:tt)*} $fresh:path: $name:ident $($others:ident)*) => {
        #[test]
        $($about)*
        fn $name() {
            let (target, _guard) = $fresh();
            $crate::cluster::promises::$name(&*target);
        }
        $crate::promise_tests!({$($about)*} $fresh: $($others)*);
    };
}
