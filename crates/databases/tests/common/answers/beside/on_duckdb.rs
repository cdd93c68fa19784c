//! DuckDB beside the oracle, in both layouts.

use hoap_ch2::data::{DataSet, Schema};
use hoap_ch2::queries::ParameterSet;
use hoap_oracle::sets::{named_and_random, small};

use super::equal_answers;
use crate::answers::{full, same_answers};

fn check(options: &str, set: &DataSet, sets: &[ParameterSet]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bench.duckdb");
    equal_answers(&format!("duckdb:{}?{options}", file.display()), set, sets);
}

same_answers! { check;
    ch2_has_the_same_answers("layout=columns", small(Schema::Ch2, 1), named_and_random());
    ch2pp_has_the_same_answers("layout=columns", small(Schema::Ch2pp, 1), named_and_random());
    /// Two warehouses, so that a join that forgot one finds too much.
    ch2pp_at_two_warehouses_has_the_same_answers(
        "layout=columns&threads=2", small(Schema::Ch2pp, 2), [ParameterSet::Check]
    );
    ch2_as_json_has_the_same_answers("layout=json", small(Schema::Ch2, 1), [ParameterSet::Check]);
    ch2pp_as_json_has_the_same_answers("layout=json", small(Schema::Ch2pp, 1), [ParameterSet::Check]);
    #[ignore = "minutes long: run with --ignored"]
    full_size_ch2_has_the_same_answers("layout=columns", full(Schema::Ch2), named_and_random());
    #[ignore = "minutes long: run with --ignored"]
    full_size_ch2pp_has_the_same_answers("layout=columns", full(Schema::Ch2pp), named_and_random());
}
