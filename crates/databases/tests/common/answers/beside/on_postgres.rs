//! PostgreSQL beside the oracle, on the server that `HOAP_TEST_POSTGRES` names.

use hoap_ch2::data::{DataSet, Schema};
use hoap_ch2::queries::ParameterSet;
use hoap_oracle::sets::{named_and_random, small};
use hoap_suites::place::Own;

use super::equal_answers;
use crate::answers::{full, same_answers};

fn check(options: &str, set: &DataSet, sets: &[ParameterSet]) {
    equal_answers(&Own::on("HOAP_TEST_POSTGRES", options).url, set, sets);
}

const CHEAP: &str = "synchronous_commit=off";

same_answers! { check;
    ch2_has_the_same_answers(CHEAP, small(Schema::Ch2, 1), named_and_random());
    ch2pp_has_the_same_answers(CHEAP, small(Schema::Ch2pp, 1), named_and_random());
    #[ignore = "many minutes long: the naive texts of two queries take long there; run with --ignored"]
    full_size_ch2_has_the_same_answers(CHEAP, full(Schema::Ch2), named_and_random());
    #[ignore = "many minutes long: the naive texts of two queries take long there; run with --ignored"]
    full_size_ch2pp_has_the_same_answers(CHEAP, full(Schema::Ch2pp), named_and_random());
}
