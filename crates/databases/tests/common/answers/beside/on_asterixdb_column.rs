//! AsterixDB's rows and its columns beside the oracle, on the cluster that
//! `HOAP_TEST_ASTERIXDB_COLUMN` names, with the statistics of ANALYZE.

use std::sync::{Mutex, PoisonError};

use hoap_data::Schema;
use hoap_workload::ch2::queries::ParameterSet;

use super::equal_answers;
use super::on_asterixdb::Place;
use crate::answers::small;

/// Held by the one test that uses the server, which may end where somebody defines a dataset beside
/// another request.
static ALONE: Mutex<()> = Mutex::new(());

fn same_answers(schema: Schema, format: &str) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let options = format!("indexes=published&analyze=on&storage={format}");
    let place = Place::new("HOAP_TEST_ASTERIXDB_COLUMN", &format!("{schema}_{format}"), &options);
    equal_answers(&place.url, &small(schema, 1), &[ParameterSet::Check]);
}

#[test]
fn ch2_in_rows_has_the_same_answers() {
    same_answers(Schema::Ch2, "row");
}

#[test]
fn ch2_in_columns_has_the_same_answers() {
    same_answers(Schema::Ch2, "column");
}

#[test]
fn ch2pp_in_rows_has_the_same_answers() {
    same_answers(Schema::Ch2pp, "row");
}

#[test]
fn ch2pp_in_columns_has_the_same_answers() {
    same_answers(Schema::Ch2pp, "column");
}
