//! AsterixDB beside the oracle, on the cluster that `HOAP_TEST_ASTERIXDB` names.

use hoap_ch2::data::{DataSet, Schema};
use hoap_ch2::queries::{ParameterSet, QuerySet};
use hoap_oracle::sets::{named_and_random, small};
use hoap_suites::place::Own;

use super::{equal_answers, equal_answers_where};
use crate::answers::{full, same_answers};

/// But for the published texts, whose joins take many minutes here.
fn check(options: &str, set: &DataSet, sets: &[ParameterSet]) {
    let own = Own::on("HOAP_TEST_ASTERIXDB", options);
    equal_answers_where(&own.url, set, sets, |_, texts, _| texts != QuerySet::Published);
}

#[test]
#[ignore = "many minutes long: run with --ignored"]
fn published_texts_have_the_same_answers() {
    let own = Own::on("HOAP_TEST_ASTERIXDB", "indexes=searched");
    equal_answers(&own.url, &small(Schema::Ch2pp, 1), &[ParameterSet::Check]);
}

same_answers! { check;
    ch2_has_the_same_answers("indexes=searched", small(Schema::Ch2, 1), named_and_random());
    ch2pp_has_the_same_answers("indexes=searched", small(Schema::Ch2pp, 1), named_and_random());
    /// Two warehouses, so that a join that forgot one finds too much; and the published indexes,
    /// which change plans and no answer. The tests above have other parameters.
    ch2pp_at_two_warehouses_with_indexes_has_the_same_answers(
        "indexes=published", small(Schema::Ch2pp, 2), [ParameterSet::Check]
    );
    #[ignore = "many minutes long: run with --ignored"]
    full_size_ch2_has_the_same_answers("indexes=searched", full(Schema::Ch2), named_and_random());
    #[ignore = "many minutes long: run with --ignored"]
    full_size_ch2pp_has_the_same_answers(
        "indexes=searched", full(Schema::Ch2pp), named_and_random()
    );
}
