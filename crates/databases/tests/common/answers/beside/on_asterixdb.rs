//! AsterixDB beside the oracle, on the cluster that `HOAP_TEST_ASTERIXDB` names.

use hoap_data::{DataSet, ExtraFields, Schema, Spec};
use hoap_databases::open;
use hoap_workload::ch2::queries::ParameterSet;
use tokio::runtime::Builder;

use super::equal_answers;
use crate::answers::{named_and_random, small};

const SERVER: &str = "HOAP_TEST_ASTERIXDB";

/// Everything that a test may have made.
const COLLECTIONS: [&str; 11] = [
    "customer",
    "district",
    "history",
    "item",
    "nation",
    "neworder",
    "orders",
    "region",
    "stock",
    "supplier",
    "warehouse",
];

/// A dataverse of the cluster, whose datasets are dropped at the end.
pub struct Place {
    pub url: String,
}

impl Place {
    /// A dataverse of its own for a test, on the cluster that a variable names.
    pub fn new(variable: &str, test: &str, options: &str) -> Self {
        let server = hoap_testing::urls::server(variable);
        let name = format!("answers_{test}_{}", std::process::id());
        let at = server.rfind('/').unwrap() + 1;
        Place { url: format!("{}{name}?{options}", &server[..at]) }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let dropped = runtime.block_on(async {
            let target = open(&self.url).await?;
            target.documents()?.drop(&COLLECTIONS).await
        });
        assert!(dropped.is_ok() || std::thread::panicking(), "{dropped:?}");
    }
}

#[test]
fn ch2_has_the_same_answers() {
    let place = Place::new(SERVER, "ch2", "indexes=searched");
    equal_answers(&place.url, &small(Schema::Ch2, 1), &named_and_random());
}

#[test]
fn ch2pp_has_the_same_answers() {
    let place = Place::new(SERVER, "ch2pp", "indexes=searched");
    equal_answers(&place.url, &small(Schema::Ch2pp, 1), &named_and_random());
}

/// Two warehouses, so that a join that forgot one finds too much; and the published indexes, which
/// change plans and no answer. The tests above have other parameters.
#[test]
fn ch2pp_at_two_warehouses_with_indexes_has_the_same_answers() {
    let place = Place::new(SERVER, "two", "indexes=published");
    equal_answers(&place.url, &small(Schema::Ch2pp, 2), &[ParameterSet::Check]);
}

/// The benchmark's own size; no answer depends on the extra fields.
fn full(schema: Schema) -> DataSet {
    DataSet::new(Spec { extra_fields: ExtraFields::NONE, ..Spec::new(schema, 1) }).unwrap()
}

#[test]
#[ignore = "many minutes long: run with --ignored"]
fn full_size_ch2_has_the_same_answers() {
    let place = Place::new(SERVER, "full_ch2", "indexes=searched");
    equal_answers(&place.url, &full(Schema::Ch2), &named_and_random());
}

#[test]
#[ignore = "many minutes long: run with --ignored"]
fn full_size_ch2pp_has_the_same_answers() {
    let place = Place::new(SERVER, "full_ch2pp", "indexes=searched");
    equal_answers(&place.url, &full(Schema::Ch2pp), &named_and_random());
}
