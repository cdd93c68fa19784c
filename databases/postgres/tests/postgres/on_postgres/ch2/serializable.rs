//! At isolation serializable.

use std::any::Any;

use super::super::Schema;

fn fresh() -> (String, Box<dyn Any + Send + Sync>) {
    let schema = Schema::new();
    (schema.url(&format!("{}&isolation=serializable", super::CHEAP)), Box::new(schema))
}

hoap_suites::ch2_tests!(@ checks fresh:
    everything_holds_after_many_clients_and_the_ledger_agrees,
);
