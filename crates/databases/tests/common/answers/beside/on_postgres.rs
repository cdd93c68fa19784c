//! PostgreSQL beside the oracle, on the server that `HOAP_TEST_POSTGRES` names.

use hoap_data::{DataSet, ExtraFields, Schema, Spec};
use hoap_workload::ch2::queries::ParameterSet;
use tokio::runtime::Builder;

use super::equal_answers;
use crate::answers::{named_and_random, small};

/// The server's URL, which ends in the name of a database.
fn server() -> String {
    hoap_testing::urls::server("HOAP_TEST_POSTGRES")
}

/// A schema of the server, dropped with its tables at the end.
struct Place {
    name: String,
}

impl Place {
    fn new(test: &str) -> Self {
        Place { name: format!("answers_{test}_{}", std::process::id()) }
    }

    fn url(&self) -> String {
        format!("{}?schema={}&synchronous_commit=off", server(), self.name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let dropped = runtime.block_on(async {
            let (client, connection) =
                tokio_postgres::connect(&server(), tokio_postgres::NoTls).await?;
            tokio::spawn(connection);
            client.batch_execute(&format!("DROP SCHEMA IF EXISTS {} CASCADE", self.name)).await
        });
        if !std::thread::panicking() {
            dropped.unwrap();
        }
    }
}

#[test]
fn ch2_has_the_same_answers() {
    let place = Place::new("ch2");
    equal_answers(&place.url(), &small(Schema::Ch2, 1), &named_and_random());
}

#[test]
fn ch2pp_has_the_same_answers() {
    let place = Place::new("ch2pp");
    equal_answers(&place.url(), &small(Schema::Ch2pp, 1), &named_and_random());
}

/// Two warehouses, so that a join that forgot one finds too much. The tests above have other
/// parameters.
#[test]
fn ch2pp_at_two_warehouses_has_the_same_answers() {
    let place = Place::new("two");
    equal_answers(&place.url(), &small(Schema::Ch2pp, 2), &[ParameterSet::Check]);
}

/// The benchmark's own size; no answer depends on the extra fields.
fn full(schema: Schema) -> DataSet {
    DataSet::new(Spec { extra_fields: ExtraFields::NONE, ..Spec::new(schema, 1) }).unwrap()
}

#[test]
#[ignore = "many minutes long: the naive texts of two queries take long there; run with --ignored"]
fn full_size_ch2_has_the_same_answers() {
    let place = Place::new("full_ch2");
    equal_answers(&place.url(), &full(Schema::Ch2), &named_and_random());
}

#[test]
#[ignore = "many minutes long: the naive texts of two queries take long there; run with --ignored"]
fn full_size_ch2pp_has_the_same_answers() {
    let place = Place::new("full_ch2pp");
    equal_answers(&place.url(), &full(Schema::Ch2pp), &named_and_random());
}
