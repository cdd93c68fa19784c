//! MongoDB's pipelines beside the oracle on the lab's DocumentDB, which has every stage and operator
//! of them.

use hoap_data::Schema;
use hoap_workload::ch2::queries::ParameterSet;

use super::equal_answers_where;
use super::on_mongo_wire::{Place, quick};
use crate::answers::{named_and_random, small};

fn same_answers(schema: Schema, warehouses: u32, test: &str, sets: &[ParameterSet]) {
    let place = Place::new("HOAP_TEST_DOCUMENTDB", test);
    equal_answers_where(place.url(), &small(schema, warehouses), sets, quick);
}

#[test]
fn ch2_has_the_same_answers() {
    same_answers(Schema::Ch2, 1, "ch2", &named_and_random());
}

#[test]
fn ch2pp_has_the_same_answers() {
    same_answers(Schema::Ch2pp, 1, "ch2pp", &named_and_random());
}

/// Two warehouses, so that a join that forgot one finds too much.
#[test]
#[ignore = "minutes long: the naive Q13 compares each customer with each order; run with --ignored"]
fn ch2pp_at_two_warehouses_has_the_same_answers() {
    same_answers(Schema::Ch2pp, 2, "two", &[ParameterSet::Check]);
}
