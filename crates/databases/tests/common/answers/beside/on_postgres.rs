//! PostgreSQL beside the oracle, on the server that `HOAP_TEST_POSTGRES` names.

use hoap_data::{DataSet, ExtraFields, Schema, Spec};
use tokio::runtime::Builder;

use super::equal_answers;
use crate::answers::{named_and_random, small};

/// A schema of the server, dropped with its tables at the end.
pub struct Place {
    server: String,
    name: String,
}

impl Place {
    fn new(test: &str) -> Self {
        Self::on(hoap_testing::urls::server("HOAP_TEST_POSTGRES"), test)
    }

    pub fn on(server: String, test: &str) -> Self {
        Place { server, name: format!("answers_{test}_{}", std::process::id()) }
    }

    pub fn url(&self) -> String {
        format!("{}?schema={}&synchronous_commit=off", self.server, self.name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let dropped = runtime.block_on(async {
            let (client, connection) =
                tokio_postgres::connect(&self.server, tokio_postgres::NoTls).await?;
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
