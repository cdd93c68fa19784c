//! A hybrid run over two systems: transactions on the cluster, queries on its Analytics service,
//! whose shadows follow. The answers are SQLite's, recorded before: what is tested is the way.

use hoap_data::Schema;
use hoap_workload::answers::AnswerFile;
use hoap_workload::ch2::queries::catalogue::QUERIES;
use hoap_workload::ch2::queries::{QuerySet, Texts};
use serde_json::Value;

use super::cluster::Service;
use super::shadow::Shadow;
use super::{Place, all_pass};

/// A loaded cluster and its shadow, which knows SQLite's answers about the same data. They are in
/// `sqlite`.
fn pair(service: &Service) -> (Place, Shadow) {
    let place = Place::new(service, "ch2pp");
    place.ok("load ch2pp -w 1 --scale-down 100");
    let (code, told) = place.run_with("load ch2pp -w 1 --scale-down 100 --target sqlite:t.db", &[]);
    assert_eq!(code, 0, "{told}");
    let ask = "query ch2pp --params check --answers-out sqlite --analytical sqlite:t.db";
    let (code, told) = place.run_with(ask, &[]);
    assert_eq!(code, 0, "{told}");
    let shadow = Shadow::start(service, "ch2pp");
    let texts = Texts::embedded(Schema::Ch2pp, "sqlpp", QuerySet::Tuned).unwrap();
    for query in &QUERIES {
        let path = place.folder.path().join("sqlite").join(AnswerFile::name(query));
        shadow.answers(texts.get(query), AnswerFile::read(&path).unwrap());
    }
    (place, shadow)
}

fn check<'a>(record: &'a Value, name: &str) -> &'a Value {
    let checks = record["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).unwrap()
}

#[test]
fn transactions_and_queries_run_on_two_systems_and_freshness_is_measured() {
    let service = Service::start();
    let (place, shadow) = pair(&service);
    let url = shadow.url();

    // Shadows that have not caught up are not queried.
    shadow.hold(true);
    let ask = "query ch2pp --params check --answers-out couchbase --analytical";
    let (code, told) = place.run_with(ask, &[&url]);
    assert_eq!(code, 3, "{told}");
    shadow.hold(false);

    let run = "run ch2pp --tx-clients 2 --query-clients 0,1 --duration 2s --warmup 100ms \
               --freshness-every 20ms --out both";
    let both = ["--operational", &place.url, "--analytical", &url];
    let (code, told) = place.run_with(run, &both);
    assert_eq!(code, 0, "{told}");
    let record = place.json("both/run.json");
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
        // The shadow is behind for as long as it rests, and now and then a probe sees that.
        assert!(freshness["unseen"]["max_us"].as_u64().unwrap() > 0, "{freshness:#}");
    }
    let queries = &steps[2];
    assert!(queries["power_seconds"].as_f64().is_some(), "{queries:#}");
    assert_eq!(queries["incomplete"], Value::Null);
    let asked = shadow.asked();
    assert_eq!(asked.len(), 22, "{asked:?}");
    let analyzed = shadow.analyzed();
    assert_eq!(analyzed.len(), 11, "{analyzed:?}");
    assert!(told.contains("Freshness: age of the oldest"), "{told}");

    // Named as the papers name a configuration: query nodes and analytics nodes.
    let report = "report 4Q+4A=both -o page.html --csv figures.csv";
    let (code, told) = place.run_with(report, &[]);
    assert_eq!(code, 0, "{told}");
    let page = std::fs::read_to_string(place.folder.path().join("page.html")).unwrap();
    assert!(page.contains("4Q+4A") && page.contains("freshness-section"));

    // What the service answers arrives as SQLite gave it.
    let (code, told) = place.run_with(ask, &[&url]);
    assert_eq!(code, 0, "{told}");
    let (code, told) = place.run_with("answers compare sqlite couchbase", &[]);
    assert_eq!(code, 0, "{told}");
    assert_eq!(told.lines().filter(|line| line.contains("equal")).count(), 22, "{told}");
    place.ok("verify ch2pp");
}

/// A node that is lost in mid-query: the query failed, and the power of that step is none.
#[test]
fn a_query_whose_node_is_lost_makes_the_power_incomplete() {
    let service = Service::start();
    let (place, shadow) = pair(&service);
    shadow.fails(5);
    let run = "run ch2pp --tx-clients 1 --query-clients 1 --loops 1 --warmup 100ms \
               --max-failures off --out lost";
    let url = shadow.url();
    let (_, told) = place.run_with(run, &["--operational", &place.url, "--analytical", &url]);
    let record = place.json("lost/run.json");
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
