//! At isolation serializable.

use std::any::Any;

use super::super::Schema;

fn fresh() -> (String, Box<dyn Any + Send + Sync>) {
    let schema = Schema::new();
    (schema.url("&synchronous_commit=off&isolation=serializable"), Box::new(schema))
}

hoap_testing::ch2_tests!(super::fresh: checks, detection, tampering, transactions);
