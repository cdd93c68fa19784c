//! The data and the parameters with which answers are compared.

use hoap_ch2::data::{DataSet, ExtraFields, Schema, Spec};
use hoap_ch2::queries::catalogue::QUERIES;
use hoap_ch2::queries::{ParameterSet, Parameters};
use hoap_database::Answer;
use hoap_workload::answers::Query;

use super::evaluate::answer;
use super::model::Loaded;

pub const SCHEMAS: [Schema; 2] = [Schema::Ch2, Schema::Ch2pp];

/// A data set that loads in a moment.
pub fn small(schema: Schema, warehouses: u32) -> DataSet {
    DataSet::new(Spec { scale_down: 20, ..Spec::new(schema, warehouses) }).unwrap()
}

/// The parameter sets that specification section 5 names: for reference and for checks.
pub const NAMED: [ParameterSet; 2] = [ParameterSet::Reference, ParameterSet::Check];

/// The named sets, and a draw from the domains of each query, or as many as
/// `HOAP_TEST_ANSWERS_DRAWS` says.
pub fn named_and_random() -> Vec<ParameterSet> {
    let draws = std::env::var("HOAP_TEST_ANSWERS_DRAWS").map_or(1, |n| n.parse().unwrap());
    let random = (0..draws).map(|turn| ParameterSet::Random { seed: 7, stream: 0, turn });
    NAMED.into_iter().chain(random).collect()
}

/// Every query of the catalogue with each of these sets of parameters.
pub fn executions<'a>(
    spec: &'a Spec,
    sets: &'a [ParameterSet],
) -> impl Iterator<Item = (&'static Query, ParameterSet, Parameters)> + 'a {
    let of_query = move |query: &'static Query| {
        sets.iter().map(move |&set| (query, set, set.parameters(spec, query)))
    };
    QUERIES.iter().flat_map(of_query)
}

/// Divisors of the small data sets on record, of tests and of the demonstration.
pub const SMALL: [u32; 2] = [100, 20];
/// The benchmark's own size.
pub const FULL: u32 = 1;

/// The data sets on record, by their divisor. No answer depends on the extra fields.
pub fn on_record(scale_down: u32) -> [DataSet; 2] {
    SCHEMAS.map(|schema| {
        let extra_fields = ExtraFields::NONE;
        DataSet::new(Spec { scale_down, extra_fields, ..Spec::new(schema, 1) }).unwrap()
    })
}

/// Whether there are rows, and not only nulls and zeros in them.
pub fn says_something(answer: &Answer) -> bool {
    answer.rows.iter().flatten().any(|value| !value.is_null() && value.as_f64() != Some(0.0))
}

/// The parameters of these sets, and where the answers to all of them say nothing, those of the
/// first random draw whose answer does: on small data most answers to Q20 and Q21 are empty.
pub fn telling(
    data: &Loaded,
    spec: &Spec,
    query: &Query,
    sets: &[ParameterSet],
) -> Vec<(ParameterSet, Parameters)> {
    let of = |set: ParameterSet| (set, set.parameters(spec, query));
    let tells = |(_, parameters): &(ParameterSet, Parameters)| {
        says_something(&answer(data, query.number, parameters).unwrap())
    };
    let mut all: Vec<_> = sets.iter().copied().map(of).collect();
    if !all.iter().any(tells) {
        const DRAWS: u64 = 5000;
        let mut draws =
            (0..DRAWS).map(|turn| of(ParameterSet::Random { seed: 7, stream: 1, turn }));
        let first = draws.find(tells);
        all.push(first.unwrap_or_else(|| panic!("{DRAWS} answers to {} say nothing", query.name)));
    }
    all
}
