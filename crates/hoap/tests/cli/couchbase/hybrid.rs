//! A hybrid run over two systems: transactions on the cluster, queries on its Analytics service,
//! whose shadows follow. The answers are SQLite's, recorded before: what is tested is the way.

use hoap_ch2::data::Schema;
use hoap_ch2::queries::catalogue::QUERIES;
use hoap_ch2::queries::{QuerySet, Texts};
use hoap_workload::answers::AnswerFile;
use serde_json::Value;

use super::super::servers::{On, all_pass};
use super::cluster::Service;
use super::on;
use super::shadow::Shadow;

/// A loaded cluster and its shadow, which knows SQLite's answers about the same data. They are in
/// `sqlite`.
fn pair(service: &Service) -> (On, Shadow) {
    let on = on(service, "ch2pp");
    on.ok("load ch2pp -w 1 --scale-down 100");
    on.place.load("t.db");
    on.place.ok("query ch2pp --params check --answers-out sqlite --analytical sqlite:t.db");
    let shadow = Shadow::start(service, "ch2pp");
    let texts = Texts::embedded(Schema::Ch2pp, "sqlpp", QuerySet::Tuned).unwrap();
    for query in &QUERIES {
        let path = on.place.path("sqlite").join(AnswerFile::name(query.number));
        shadow.answers(texts.get(query), AnswerFile::read(&path).unwrap());
    }
    (on, shadow)
}

fn check<'a>(record: &'a Value, name: &str) -> &'a Value {
    let checks = record["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).unwrap()
}

#[test]
fn transactions_and_queries_run_on_two_systems_and_freshness_is_measured() {
    let service = Service::start();
    let (on, shadow) = pair(&service);
    let url = shadow.url();

    // Shadows that have not caught up are not queried.
    shadow.hold(true);
    let ask = "query ch2pp --params check --answers-out couchbase --analytical";
    let end = on.run_with(ask, &[&url]);
    assert_eq!(end.code, 3, "{end:#?}");
    shadow.hold(false);

    let run = "run ch2pp --tx-clients 2 --query-clients 0,1 --duration 2s --warmup 100ms \
               --loops 10 --warmup-loops 0 --freshness-every 20ms --out both";
    let end = on.run_with(run, &["--operational", &on.url, "--analytical", &url]);
    assert_eq!(end.code, 0, "{end:#?}");
    let record = on.record("both");
    all_pass(&record);
    assert_eq!(check(&record, "queries caught up")["checked"], 2);
    assert_eq!(record["operational"]["name"], "Couchbase Server");
    assert_eq!(record["analytical"]["name"], "Couchbase Analytics");
    assert_eq!(record["analytical"]["settings"]["link"], "Local");
    let first = record["catch_up"]["before_seconds"].as_f64().unwrap();
    assert!(first > 0.0 && record["catch_up"]["after_seconds"].as_f64().is_some(), "{record:#}");
    let steps = record["steps"].as_array().unwrap();
    for step in steps.iter().filter(|step| step["tx_clients"] != 0) {
        let freshness = &step["freshness"];
        assert!(freshness["probes"].as_u64().unwrap() > 3, "{freshness:#}");
        assert_eq!(freshness["failed"], 0, "{freshness:#}");
        // The shadow rests until several probes have seen that it is behind.
        assert!(freshness["unseen"]["max_us"].as_u64().unwrap() > 0, "{freshness:#}");
    }
    let queries = &steps[2];
    assert!(queries["power_seconds"].as_f64().is_some(), "{queries:#}");
    assert_eq!(queries["incomplete"], Value::Null);
    let asked = shadow.asked();
    assert_eq!(asked.len(), 22, "{asked:?}");
    let analyzed = shadow.analyzed();
    assert_eq!(analyzed.len(), 11, "{analyzed:?}");
    let full = on.place.ok("show --full both").out;
    assert!(full.contains("Freshness: age of the oldest"), "{full}");

    // Named as the papers name a configuration: query nodes and analytics nodes.
    on.place.ok("report 4Q+4A=both -o page.html --csv figures.csv");
    let page = on.place.text("page.html");
    assert!(page.contains("4Q+4A") && page.contains("freshness-section"));

    // What the service answers arrives as SQLite gave it.
    let end = on.run_with(ask, &[&url]);
    assert_eq!(end.code, 0, "{end:#?}");
    let told = on.place.ok("answers compare sqlite couchbase").out;
    assert_eq!(told.lines().filter(|line| line.contains("equal")).count(), 22, "{told}");
    on.ok("verify ch2pp");
}

/// A node that is lost in mid-query: the query failed, and the power of that step is none.
#[test]
fn a_query_whose_node_is_lost_makes_the_power_incomplete() {
    let service = Service::start();
    let (on, shadow) = pair(&service);
    shadow.fails(5);
    let run = "run ch2pp --tx-clients 1 --query-clients 1 --loops 1 --warmup 100ms \
               --max-failures off --out lost";
    let url = shadow.url();
    let told = on.run_with(run, &["--operational", &on.url, "--analytical", &url]).told();
    let record = on.record("lost");
    let steps = record["steps"].as_array().unwrap();
    let lost: Vec<_> = steps.iter().filter(|step| step["query_clients"] == 1).collect();
    assert!(!lost.is_empty(), "{told}");
    for step in lost {
        assert_eq!(step["power_seconds"], Value::Null);
        assert!(step["incomplete"].to_string().contains("Q05"), "{}", step["incomplete"]);
        let error = step["queries"].to_string();
        assert!(error.contains("connection was lost before the end of the answer"), "{error}");
    }
    assert!(told.contains("incomplete"), "{told}");
    all_pass(&record);
}
