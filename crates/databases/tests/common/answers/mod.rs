//! The 22 queries on loaded data: what a database answers, against the oracle.

#[cfg(any(feature = "asterixdb", feature = "duckdb", feature = "mongodb", feature = "postgres"))]
mod beside;
mod record;

use hoap_ch2::data::{DataSet, ExtraFields, Schema, Spec};
use hoap_ch2::queries::ParameterSet;
use hoap_ch2::queries::catalogue::QUERIES;
use hoap_oracle::Filled;
use hoap_oracle::sets::{NAMED, named_and_random, small, telling};

/// The benchmark's own size; no answer depends on the extra fields.
fn full(schema: Schema) -> DataSet {
    DataSet::new(Spec { extra_fields: ExtraFields::NONE, ..Spec::new(schema, 1) }).unwrap()
}

/// Tests by a name, the options of the URL, the data and the sets of parameters. `$check` is
/// `fn(&str, &DataSet, &[ParameterSet])`, with the options.
macro_rules! same_answers {
    ($check:path; $($(#[$about:meta])* $name:ident($options:expr, $data:expr, $sets:expr);)*) => {
        $(
            $(#[$about])*
            #[test]
            fn $name() {
                $check($options, &$data, &$sets);
            }
        )*
    };
}
use same_answers;

same_answers! { compare_with_oracle;
    sqlite_answers_ch2_at_one_warehouse("", small(Schema::Ch2, 1), named_and_random());
    sqlite_answers_ch2pp_at_one_warehouse("", small(Schema::Ch2pp, 1), named_and_random());
    /// Two warehouses, so that a join that forgot one finds too much.
    sqlite_answers_ch2_at_two_warehouses("", small(Schema::Ch2, 2), [ParameterSet::Check]);
    sqlite_answers_ch2pp_at_two_warehouses("", small(Schema::Ch2pp, 2), [ParameterSet::Check]);
    #[ignore = "minutes long: run with --ignored"]
    sqlite_answers_full_size_ch2("", full(Schema::Ch2), NAMED);
    #[ignore = "minutes long: run with --ignored"]
    sqlite_answers_full_size_ch2pp("", full(Schema::Ch2pp), NAMED);
}

/// Compares SQLite's answers on a data set, in both query sets, with the oracle's. Panics with
/// every difference there is.
fn compare_with_oracle(_: &str, set: &DataSet, sets: &[ParameterSet]) {
    let data = hoap_oracle::load(set).unwrap();
    let database = Filled::with_all(set);
    let mut differences = Vec::new();
    for query in &QUERIES {
        for (_, parameters) in telling(&data, set.spec(), query, sets) {
            let expected = hoap_oracle::complete(&data, query.number, &parameters).unwrap();
            differences.extend(database.differences(query, &parameters, &expected));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
