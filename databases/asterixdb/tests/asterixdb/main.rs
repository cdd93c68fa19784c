//! AsterixDB does what its module promises.
//!
//! The servers are those of the lab: `eval "$(lab/env)"`.

mod on_asterixdb;
mod on_asterixdb_2;
mod on_asterixdb_column;

use conformance::wait;
use hoap_database::Database;
use hoap_suites::conformance;
use hoap_suites::place::Emptied as Guard;
use hoap_testing::urls::{own, server};

/// A URL with a dataverse that no other test has.
fn place(variable: &str) -> String {
    own(&server(variable))
}

fn open(url: &str) -> Database {
    wait(hoap_asterixdb::open(url)).unwrap()
}

/// A target with a dataverse of its own on the server of a variable.
fn fresh(variable: &str, options: &str) -> (Database, Guard) {
    let target = open(&format!("{}{options}", place(variable)));
    (target.clone(), Guard(target))
}

/// What reads once it is loaded.
#[macro_export]
macro_rules! query_tests {
    ($fresh:path) => {
        hoap_suites::conformance_tests!($fresh:
            parameters_must_match_the_text,
            parameters_keep_their_types,
            a_query_can_be_cancelled,
            a_query_is_explained,
        );
        hoap_suites::shop_tests!($fresh);
        hoap_suites::conformance_tests!($fresh:
            pages_without_their_index_are_refused,
            joins_without_their_indexes_are_refused,
        );
    };
}
