//! MongoDB's pipelines beside the oracle: on the lab's imitation, `HOAP_TEST_MONGO_WIRE`, and on a
//! real server where `HOAP_TEST_MONGODB` names one.

use hoap_ch2::data::{DataSet, Schema};
use hoap_ch2::queries::{ParameterSet, QuerySet};
use hoap_oracle::sets::{named_and_random, small};
use hoap_suites::place::Own;
use hoap_workload::answers::Query;

use super::{equal_answers, equal_answers_where};
use crate::answers::same_answers;

/// All, but the naive Q13 with one set of parameters alone: no index serves it here, so that it
/// takes up to a minute each time.
pub fn quick(query: &Query, query_set: QuerySet, parameters: ParameterSet) -> bool {
    (query.number, query_set) != (13, QuerySet::Naive) || parameters == ParameterSet::Check
}

fn check(server: &str, set: &DataSet, sets: &[ParameterSet]) {
    equal_answers_where(&Own::on(server, "").url, set, sets, quick);
}

fn check_all(server: &str, set: &DataSet, sets: &[ParameterSet]) {
    equal_answers(&Own::on(server, "").url, set, sets);
}

same_answers! { check;
    ch2_has_the_same_answers("HOAP_TEST_MONGO_WIRE", small(Schema::Ch2, 1), named_and_random());
    ch2pp_has_the_same_answers("HOAP_TEST_MONGO_WIRE", small(Schema::Ch2pp, 1), named_and_random());
}
same_answers! { check_all;
    #[ignore = "minutes long: the imitation has no compound indexes; run with --ignored"]
    ch2pp_at_two_warehouses_has_the_same_answers(
        "HOAP_TEST_MONGO_WIRE", small(Schema::Ch2pp, 2), named_and_random()
    );
    #[ignore = "wants a real replica set: HOAP_TEST_MONGODB=mongodb://… with --ignored"]
    a_replica_set_has_the_same_answers_to_ch2(
        "HOAP_TEST_MONGODB", small(Schema::Ch2, 2), named_and_random()
    );
    #[ignore = "wants a real replica set: HOAP_TEST_MONGODB=mongodb://… with --ignored"]
    a_replica_set_has_the_same_answers_to_ch2pp(
        "HOAP_TEST_MONGODB", small(Schema::Ch2pp, 2), named_and_random()
    );
}
