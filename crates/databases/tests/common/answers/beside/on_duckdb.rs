//! DuckDB beside the oracle, in both layouts.

use hoap_data::{DataSet, ExtraFields, Schema, Spec};
use hoap_workload::ch2::queries::ParameterSet;

use super::equal_answers;
use crate::answers::{named_and_random, small};

fn same_answers(options: &str, set: &DataSet, sets: &[ParameterSet]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bench.duckdb");
    equal_answers(&format!("duckdb:{}?{options}", file.display()), set, sets);
}

#[test]
fn ch2_has_the_same_answers() {
    same_answers("layout=columns", &small(Schema::Ch2, 1), &named_and_random());
}

#[test]
fn ch2pp_has_the_same_answers() {
    same_answers("layout=columns", &small(Schema::Ch2pp, 1), &named_and_random());
}

/// Two warehouses, so that a join that forgot one finds too much.
#[test]
fn ch2pp_at_two_warehouses_has_the_same_answers() {
    same_answers("layout=columns&threads=2", &small(Schema::Ch2pp, 2), &[ParameterSet::Check]);
}

#[test]
fn ch2_as_json_has_the_same_answers() {
    same_answers("layout=json", &small(Schema::Ch2, 1), &[ParameterSet::Check]);
}

#[test]
fn ch2pp_as_json_has_the_same_answers() {
    same_answers("layout=json", &small(Schema::Ch2pp, 1), &[ParameterSet::Check]);
}

/// The benchmark's own size; no answer depends on the extra fields.
fn full(schema: Schema) -> DataSet {
    DataSet::new(Spec { extra_fields: ExtraFields::NONE, ..Spec::new(schema, 1) }).unwrap()
}

#[test]
#[ignore = "minutes long: run with --ignored"]
fn full_size_ch2_has_the_same_answers() {
    same_answers("layout=columns", &full(Schema::Ch2), &named_and_random());
}

#[test]
#[ignore = "minutes long: run with --ignored"]
fn full_size_ch2pp_has_the_same_answers() {
    same_answers("layout=columns", &full(Schema::Ch2pp), &named_and_random());
}
