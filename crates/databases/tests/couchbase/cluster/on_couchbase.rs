//! The suite against a real cluster. No lab has one, so it is ignored unless asked for.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hoap_databases::couchbase::Couchbase;

use crate::cluster::{Guard, open, scope, with};

fn fresh() -> (Box<Couchbase>, Guard) {
    let url = std::env::var("HOAP_TEST_COUCHBASE")
        .expect("set HOAP_TEST_COUCHBASE=couchbase://USER@HOST/BUCKET, and CB_PASSWORD");
    let target = open(&with(&url, &format!("scope={}", scope())));
    (Box::new(target.clone()), Guard(target))
}

macro_rules! all {
    ($($module:ident: $name:ident,)*) => {
        [$((stringify!($name), (|| {
            let (target, _guard) = fresh();
            crate::cluster::$module::$name(&*target);
        }) as fn()),)*]
    };
}

/// One test after the other, as a cluster makes and drops few collections at a time.
#[test]
#[ignore = "wants a cluster: HOAP_TEST_COUCHBASE"]
fn the_suite_passes() {
    let mut broken = Vec::new();
    for (name, test) in crate::every_promise!(all) {
        let passed = catch_unwind(AssertUnwindSafe(test)).is_ok();
        println!("{name}: {}", if passed { "ok" } else { "FAILED" });
        broken.extend((!passed).then_some(name));
    }
    assert!(broken.is_empty(), "{broken:?}");
}
