//! Redis and Valkey do what every database must do, and what their module promises.
//!
//! The servers are those of the lab: `eval "$(lab/env)"`.

mod on_redis;
mod on_redis_cluster;
mod on_valkey;

use hoap_databases::redis::Redis;
use hoap_testing::conformance;
use hoap_testing::errors::{has, missing, of_kind, unavailable};
use hoap_testing::urls::{own_name as prefix, server, with};
use hoap_workload::Error;
use hoap_workload::capability::Target;

use conformance::wait;

/// A URL with user and password.
fn as_user(url: &str, user: &str) -> String {
    url.replacen("://", &format!("://{user}@"), 1)
}

fn open(url: &str) -> Redis {
    wait(hoap_databases::redis::open(url)).unwrap()
}

fn refused(url: &str) -> Error {
    let e = wait(hoap_databases::redis::open(url)).map(drop).unwrap_err();
    has(&e, &[]);
    e
}

/// Removes what a test left.
struct Guard(Redis);

impl Drop for Guard {
    fn drop(&mut self) {
        let all = ["orders", "item", "usertable", "shop_customer", "shop_orders"];
        let dropped = wait(self.0.documents().unwrap().drop(&all));
        assert!(dropped.is_ok() || std::thread::panicking(), "{dropped:?}");
    }
}

/// A target with a prefix of its own on the server of a variable.
fn fresh(variable: &str, options: &str) -> (Box<Redis>, Guard) {
    let target = open(&with(&with(&server(variable), &format!("prefix={}", prefix())), options));
    (Box::new(target.clone()), Guard(target))
}

/// Number of documents in a collection.
fn count_of(target: &Redis, collection: &str) -> usize {
    let mut count = 0;
    let mut each = |_: &str, _| {
        count += 1;
        Ok(())
    };
    wait(target.documents().unwrap().scan(collection, &[], &mut each)).unwrap();
    count
}
