//! Another database beside the oracle: equal answers to all 22 queries, in both schemas and both
//! query sets. SQLite's equal the oracle's too, so that all databases have the same ones.
//!
//! What is here knows no database: a server's tests give a URL to [`equal_answers`], under which
//! nothing is loaded yet, and remove what they find there afterwards.

#[cfg(feature = "asterixdb")]
mod on_asterixdb;
#[cfg(feature = "asterixdb")]
mod on_asterixdb_column;
#[cfg(feature = "mongodb")]
mod on_documentdb;
#[cfg(feature = "duckdb")]
mod on_duckdb;
#[cfg(feature = "mongodb")]
mod on_mongo_wire;
#[cfg(feature = "postgres")]
mod on_postgres;
#[cfg(feature = "postgres")]
mod on_postgres_15;

use hoap_ch2::data::{Collection, DataSet};
use hoap_ch2::queries::catalogue::QUERIES;
use hoap_ch2::queries::{ParameterSet, QuerySet};
use hoap_oracle::sets::telling;
use hoap_oracle::{Filled, check, complete, load};
use hoap_workload::answers::Query;

/// Loads a data set into the database of a URL and compares its answers, in each query set, with
/// the oracle's, for each query with these sets of parameters. Panics with every difference there
/// is. Published texts, whose joins may be long, are asked with one set.
pub fn equal_answers(url: &str, set: &DataSet, sets: &[ParameterSet]) {
    let chosen = |_: &Query, query_set: QuerySet, parameters: ParameterSet| {
        query_set != QuerySet::Published || parameters == ParameterSet::Check
    };
    equal_answers_where(url, set, sets, chosen);
}

/// Does what [`equal_answers`] does with the queries, query sets and parameters that are chosen.
pub fn equal_answers_where(
    url: &str,
    set: &DataSet,
    sets: &[ParameterSet],
    chosen: fn(&Query, QuerySet, ParameterSet) -> bool,
) {
    let schema = set.spec().schema;
    let data = load(set).unwrap();
    let other = Filled::at_with_all(url, set);
    let all: u64 = Collection::ALL.iter().map(|c| set.count(*c)).sum();
    assert_eq!(other.held(set).0, all, "{}", other.held(set).1);
    let mut differences = Vec::new();
    for query in &QUERIES {
        for (parameter_set, parameters) in telling(&data, set.spec(), query, sets) {
            let complete = complete(&data, query.number, &parameters).unwrap();
            for query_set in other.query_sets(query) {
                if !chosen(query, query_set, parameter_set) {
                    continue;
                }
                let found = other.answer(query, query_set, &parameters);
                let verdict = found.and_then(|f| check(schema, query, &complete, &f));
                if let Err(e) = verdict {
                    differences.push(format!(
                        "{} of {schema}, {query_set}, {parameter_set} parameters: {e}",
                        query.name
                    ));
                }
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
