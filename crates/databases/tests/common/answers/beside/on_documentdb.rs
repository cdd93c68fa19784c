//! MongoDB's pipelines beside the oracle on the lab's DocumentDB, which has every stage and operator
//! of them.

use hoap_ch2::data::{DataSet, Schema};
use hoap_ch2::queries::ParameterSet;
use hoap_oracle::sets::{named_and_random, small};
use hoap_suites::place::Own;

use super::equal_answers_where;
use super::on_mongo_wire::quick;
use crate::answers::same_answers;

fn check(options: &str, set: &DataSet, sets: &[ParameterSet]) {
    equal_answers_where(&Own::on("HOAP_TEST_DOCUMENTDB", options).url, set, sets, quick);
}

same_answers! { check;
    ch2_has_the_same_answers("", small(Schema::Ch2, 1), named_and_random());
    ch2pp_has_the_same_answers("", small(Schema::Ch2pp, 1), named_and_random());
    /// Two warehouses, so that a join that forgot one finds too much.
    #[ignore = "minutes long: the naive Q13 compares each customer with each order; run with --ignored"]
    ch2pp_at_two_warehouses_has_the_same_answers("", small(Schema::Ch2pp, 2), [ParameterSet::Check]);
}
