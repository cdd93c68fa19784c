//! The older PostgreSQL that `HOAP_TEST_POSTGRES_15` names beside the oracle.

use hoap_data::Schema;
use hoap_workload::ch2::queries::ParameterSet;

use super::equal_answers;
use super::on_postgres::Place;
use crate::answers::small;

/// Two warehouses, so that a join that forgot one finds too much. The newer server has other
/// parameters.
#[test]
fn ch2pp_at_two_warehouses_has_the_same_answers() {
    let place = Place::on(hoap_testing::urls::server("HOAP_TEST_POSTGRES_15"), "two");
    equal_answers(&place.url(), &small(Schema::Ch2pp, 2), &[ParameterSet::Check]);
}
