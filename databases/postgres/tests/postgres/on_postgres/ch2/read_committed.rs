//! At isolation read-committed.

use std::any::Any;

use super::super::Schema;

fn fresh_with(options: &str) -> (String, Box<dyn Any + Send + Sync>) {
    let schema = Schema::new();
    (schema.url(&format!("{}&isolation=read-committed{options}", super::CHEAP)), Box::new(schema))
}

fn fresh() -> (String, Box<dyn Any + Send + Sync>) {
    fresh_with("")
}

/// Each look at the data has eight sessions of its own. In a pool they find connections that are
/// open.
fn pooled() -> (String, Box<dyn Any + Send + Sync>) {
    fresh_with("&pool=16")
}

hoap_suites::ch2_tests!(super::fresh: aggregates, checks, transactions);
hoap_suites::ch2_tests!(super::pooled: detection, tampering);
