//! The answers on record (`benchmarks/ch2/answers/`), and what SQLite answers.
//!
//! After a change of the generated data, of the queries or of their parameters, this makes the
//! record again, but only where SQLite and the oracle agree on every answer:
//!
//! ```sh
//! cargo test --release -p hoap-databases --test common -- --ignored make_the_record
//! ```

use std::path::Path;

use hoap_ch2::answers::{StoredAnswers, stored};
use hoap_ch2::data::Spec;
use hoap_ch2::queries::catalogue::QUERIES;
use hoap_ch2::queries::{ParameterSet, QuerySet};
use hoap_database::Answer;
use hoap_oracle::Filled;
use hoap_oracle::sets::{FULL, NAMED, SMALL, on_record};
use hoap_workload::answers::Query;

/// What a database answers to all queries with a set of parameters.
fn answers(
    database: &Filled,
    spec: &Spec,
    parameter_set: ParameterSet,
) -> Vec<(&'static Query, Answer)> {
    let answer = |query: &'static Query| {
        let parameters = parameter_set.parameters(spec, query);
        (query, database.answer(query, QuerySet::Tuned, &parameters).unwrap())
    };
    QUERIES.iter().map(answer).collect()
}

/// Section 6: the answers after the load, against stored digests.
#[test]
fn sqlite_returns_the_answers_on_record() {
    for set in SMALL.into_iter().flat_map(on_record) {
        let spec = set.spec();
        let database = Filled::with_all(&set);
        for parameter_set in NAMED {
            let record = stored(spec, parameter_set).expect("on record");
            for (query, answer) in answers(&database, spec, parameter_set) {
                let parameters = parameter_set.parameters(spec, query);
                assert_eq!(record.check(query, &parameters, &answer), Ok(()), "{spec:?}");
            }
        }
    }
}

#[test]
#[ignore = "writes into the source folder: run by name after a change of data or queries"]
fn make_the_record() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/ch2/answers");
    for set in [FULL].into_iter().chain(SMALL).flat_map(on_record) {
        let (spec, data) = (set.spec(), hoap_oracle::load(&set).unwrap());
        let database = Filled::with_all(&set);
        for parameter_set in NAMED {
            let answers = answers(&database, spec, parameter_set);
            for (query, found) in &answers {
                let parameters = parameter_set.parameters(spec, query);
                let expected = hoap_oracle::complete(&data, query.number, &parameters).unwrap();
                let verdict = hoap_oracle::check(spec.schema, query, &expected, found);
                assert_eq!(verdict, Ok(()), "{} {spec:?}", query.name);
            }
            let borrowed = answers.iter().map(|(query, answer)| (*query, answer));
            let record = StoredAnswers::make(spec, parameter_set, borrowed).unwrap();
            let file = folder.join(record.file_name());
            std::fs::write(&file, record.text()).unwrap();
            println!("made {}", file.display());
        }
    }
}
