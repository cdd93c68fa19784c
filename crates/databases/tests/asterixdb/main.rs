//! AsterixDB does what its module promises.
//!
//! The servers are those of the lab: `eval "$(lab/env)"`.

mod on_asterixdb;
mod on_asterixdb_2;
mod on_asterixdb_column;

use hoap_databases::asterixdb::AsterixDb;
use hoap_testing::conformance;
use hoap_testing::urls::{own_name, server};
use hoap_workload::capability::Target;

use conformance::wait;

/// A URL with a dataverse that no other test has.
fn place(variable: &str) -> String {
    let server = server(variable);
    let at = server.rfind('/').unwrap() + 1;
    format!("{}{}", &server[..at], own_name())
}

fn open(url: &str) -> AsterixDb {
    wait(hoap_databases::asterixdb::open(url)).unwrap()
}

/// Removes what a test left.
struct Guard(AsterixDb);

impl Drop for Guard {
    fn drop(&mut self) {
        let all = ["orders", "item", "shop_customer", "shop_orders", "customer"];
        let dropped = wait(self.0.documents().unwrap().drop(&all));
        assert!(dropped.is_ok() || std::thread::panicking(), "{dropped:?}");
    }
}

/// A target with a dataverse of its own on the server of a variable.
fn fresh(variable: &str, options: &str) -> (Box<AsterixDb>, Guard) {
    let target = open(&format!("{}{options}", place(variable)));
    (Box::new(target.clone()), Guard(target))
}

/// What reads once it is loaded.
#[macro_export]
macro_rules! query_tests {
    ($fresh:path) => {
        hoap_testing::conformance_tests!($fresh:
            parameters_must_match_the_text,
            parameters_keep_their_types,
            a_query_can_be_cancelled,
            a_query_is_explained,
        );
        hoap_testing::shop_tests!($fresh);
    };
}
