//! The older PostgreSQL that `HOAP_TEST_POSTGRES_15` names beside the oracle.

use hoap_ch2::data::{DataSet, Schema};
use hoap_ch2::queries::ParameterSet;
use hoap_oracle::sets::small;
use hoap_suites::place::Own;

use super::equal_answers;
use crate::answers::same_answers;

fn check(options: &str, set: &DataSet, sets: &[ParameterSet]) {
    equal_answers(&Own::on("HOAP_TEST_POSTGRES_15", options).url, set, sets);
}

same_answers! { check;
    /// Two warehouses, so that a join that forgot one finds too much. The newer server has other
    /// parameters.
    ch2pp_at_two_warehouses_has_the_same_answers(
        "synchronous_commit=off", small(Schema::Ch2pp, 2), [ParameterSet::Check]
    );
}
