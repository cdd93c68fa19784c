//! MongoDB's pipelines beside the oracle: on the lab's imitation, `HOAP_TEST_MONGO_WIRE`, and on a
//! real server where `HOAP_TEST_MONGODB` names one.

use hoap_data::Schema;
use hoap_workload::ch2::queries::{ParameterSet, Query, QuerySet};
use tokio::runtime::Builder;

use super::{equal_answers, equal_answers_where};
use crate::answers::{named_and_random, small};

/// A database of a test's own, dropped with its collections at the end.
pub struct Place(String);

impl Place {
    pub fn new(variable: &str, test: &str) -> Self {
        let server = hoap_testing::urls::server(variable);
        let (base, query) = server.split_once('?').unwrap_or((&server, ""));
        let host = base.rsplit_once('/').map_or(base, |(host, _)| host);
        Place(format!("{host}/answers_{test}_{}?{query}", std::process::id()))
    }

    pub fn url(&self) -> &str {
        self.0.trim_end_matches('?')
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let dropped = runtime.block_on(async {
            // The driver knows its own options only.
            let options = self.url().split('&').filter(|o| !o.starts_with("documentdb_version="));
            let url = options.collect::<Vec<_>>().join("&");
            let client = mongodb::Client::with_uri_str(url).await?;
            client.default_database().expect("the URL names one").drop().await
        });
        if !std::thread::panicking() {
            dropped.unwrap();
        }
    }
}

/// All, but the naive Q13 with one set of parameters alone: no index serves it here, so that it
/// takes up to a minute each time.
pub fn quick(query: &Query, query_set: QuerySet, parameters: ParameterSet) -> bool {
    (query.number, query_set) != (13, QuerySet::Naive) || parameters == ParameterSet::Check
}

#[test]
fn ch2_has_the_same_answers() {
    let place = Place::new("HOAP_TEST_MONGO_WIRE", "ch2");
    equal_answers_where(place.url(), &small(Schema::Ch2, 1), &named_and_random(), quick);
}

#[test]
fn ch2pp_has_the_same_answers() {
    let place = Place::new("HOAP_TEST_MONGO_WIRE", "ch2pp");
    equal_answers_where(place.url(), &small(Schema::Ch2pp, 1), &named_and_random(), quick);
}

#[test]
#[ignore = "minutes long: the imitation has no compound indexes; run with --ignored"]
fn ch2pp_at_two_warehouses_has_the_same_answers() {
    let place = Place::new("HOAP_TEST_MONGO_WIRE", "two");
    equal_answers(place.url(), &small(Schema::Ch2pp, 2), &named_and_random());
}

#[test]
#[ignore = "wants a real replica set: HOAP_TEST_MONGODB=mongodb://… with --ignored"]
fn a_replica_set_has_the_same_answers() {
    for (schema, test) in [(Schema::Ch2, "ch2"), (Schema::Ch2pp, "ch2pp")] {
        let place = Place::new("HOAP_TEST_MONGODB", test);
        equal_answers(place.url(), &small(schema, 2), &named_and_random());
    }
}
