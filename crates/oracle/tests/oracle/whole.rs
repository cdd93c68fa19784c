//! On generated data: the oracle by itself, and against the answers on record
//! (`benchmarks/ch2/answers/`).

use hoap_ch2::answers::stored;
use hoap_ch2::data::{DataSet, Schema, Spec};
use hoap_ch2::queries::ParameterSet;
use hoap_oracle::sets::{
    FULL, NAMED, SCHEMAS, SMALL, executions, named_and_random, on_record, says_something, small,
};
use hoap_workload::answers::Kind;
use serde_json::Value;

/// Two tables made apart, the catalogue's and the oracle's, say the same of parameters, columns and
/// limits.
#[test]
fn catalogue_and_oracle_agree_on_what_goes_in_and_what_comes_out() {
    for schema in SCHEMAS {
        let set = small(schema, 1);
        let data = hoap_oracle::load(&set).unwrap();
        for (query, _, parameters) in executions(set.spec(), &named_and_random()) {
            let complete = hoap_oracle::complete(&data, query.number, &parameters).unwrap();
            let columns: Vec<&str> = query.columns.iter().map(|column| column.name).collect();
            assert_eq!(complete.answer.columns, columns, "{}", query.name);
            assert_eq!(complete.limit, query.limit_of(schema.name()), "{}", query.name);
        }
    }
}

/// Section 5: "on CH2 and on CH2++ (same numbers, other paths)"; section 2: both shapes come from
/// the same values. Only the shape of addresses differs, and the limit of Q3.
#[test]
fn both_schemas_have_the_same_answers() {
    let [ch2, ch2pp] = SCHEMAS.map(|schema| small(schema, 2));
    let [flat, nested] = [&ch2, &ch2pp].map(|set| hoap_oracle::load(set).unwrap());
    for (query, set, parameters) in executions(ch2.spec(), &named_and_random()) {
        let rows = |data| {
            let complete = hoap_oracle::complete(data, query.number, &parameters).unwrap();
            let mut rows = complete.answer.rows;
            let addresses =
                (0..).zip(query.columns).filter(|(_, column)| column.kind == Kind::Json);
            for (position, _) in addresses {
                rows.iter_mut().for_each(|row| row[position] = Value::Null);
            }
            rows
        };
        assert_eq!(rows(&flat), rows(&nested), "{} with {set} parameters", query.name);
    }
}

/// Section 6: no answer to the `check` parameters is empty at W = 1, so every comparison with them
/// compares something.
#[test]
fn no_answer_to_the_check_parameters_is_empty_at_one_warehouse() {
    let set = DataSet::new(Spec::new(Schema::Ch2, 1)).unwrap();
    let data = hoap_oracle::load(&set).unwrap();
    for (query, _, parameters) in executions(set.spec(), &[ParameterSet::Check]) {
        let answer = hoap_oracle::answer(&data, query.number, &parameters).unwrap();
        assert!(says_something(&answer), "{} {parameters:?}: {:?}", query.name, answer.rows);
    }
}

/// The record and the second implementation agree at every size, whatever SQLite says.
#[test]
fn the_oracle_returns_the_answers_on_record() {
    for set in [FULL].into_iter().chain(SMALL).flat_map(on_record) {
        let (spec, data) = (set.spec(), hoap_oracle::load(&set).unwrap());
        for (query, parameter_set, parameters) in executions(spec, &NAMED) {
            let record = stored(spec, parameter_set).expect("on record");
            let answer = hoap_oracle::answer(&data, query.number, &parameters).unwrap();
            assert_eq!(record.check(query, &parameters, &answer), Ok(()), "{spec:?}");
        }
    }
}
