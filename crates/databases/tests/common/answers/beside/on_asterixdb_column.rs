//! AsterixDB's rows and its columns beside the oracle, on the cluster that
//! `HOAP_TEST_ASTERIXDB_COLUMN` names, with the statistics of ANALYZE.

use std::sync::{Mutex, PoisonError};

use hoap_ch2::data::{DataSet, Schema};
use hoap_ch2::queries::ParameterSet;
use hoap_oracle::sets::small;
use hoap_suites::place::Own;

use super::equal_answers;
use crate::answers::same_answers;

/// Held by the one test that uses the server, which may end where somebody defines a dataset beside
/// another request.
static ALONE: Mutex<()> = Mutex::new(());

fn check(format: &str, set: &DataSet, sets: &[ParameterSet]) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let options = format!("indexes=published&analyze=on&storage={format}");
    equal_answers(&Own::on("HOAP_TEST_ASTERIXDB_COLUMN", &options).url, set, sets);
}

same_answers! { check;
    ch2_in_rows_has_the_same_answers("row", small(Schema::Ch2, 1), [ParameterSet::Check]);
    ch2_in_columns_has_the_same_answers("column", small(Schema::Ch2, 1), [ParameterSet::Check]);
    ch2pp_in_rows_has_the_same_answers("row", small(Schema::Ch2pp, 1), [ParameterSet::Check]);
    ch2pp_in_columns_has_the_same_answers("column", small(Schema::Ch2pp, 1), [ParameterSet::Check]);
}
