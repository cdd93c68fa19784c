//! At isolation read-committed.

use std::any::Any;

use super::super::Schema;

fn fresh() -> (String, Box<dyn Any + Send + Sync>) {
    let schema = Schema::new();
    (schema.url("&synchronous_commit=off&isolation=read-committed"), Box::new(schema))
}

hoap_testing::ch2_tests!(super::fresh: aggregates, checks, transactions);
