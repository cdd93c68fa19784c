//! On DynamoDB Local.

mod faults;
mod records;
mod transactions;
mod witness;

use std::collections::BTreeMap;

use hoap_database::{Batch, Database, Row};
use hoap_workload::ErrorKind;
use serde_json::json;

use crate::conformance::{COLLECTION, batch, count, index, load, wait};
use crate::{Guard, fresh_with, open, prefix, server};

pub fn fresh() -> (Database, Guard) {
    fresh_with("consistency=strong")
}

// The others of the suite: a reading transaction has no snapshot from its beginning
// (`transactions`), and there are no queries.
hoap_suites::document_tests!(fresh);
hoap_suites::transaction_tests!(fresh);
hoap_suites::operation_tests!(fresh);
hoap_suites::shop_tests!(fresh);
hoap_suites::conformance_tests!(fresh:
    a_batch_written_again_is_written_once,
    every_json_value_comes_back_equal,
    fields_of_any_name_are_patched,
    no_update_is_lost,
    pages_without_their_index_are_refused,
    joins_without_their_indexes_are_refused,
);

#[test]
fn a_batch_of_any_size_is_loaded_and_bad_documents_are_refused() {
    let (target, _guard) = fresh();
    let documents = target.documents().unwrap();
    let one = |text: &str| {
        let mut batch = Batch::default();
        batch.push(|key, out| {
            key.push_str("9.9");
            out.extend_from_slice(text.as_bytes());
        });
        batch
    };
    wait(async {
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write(COLLECTION, &batch(1, 1..=1013), 1013).await.unwrap();
        let huge = json!({"text": "x".repeat(500_000)}).to_string();
        for (text, word) in
            [("[1]", "no JSON object"), ("{\"_key\": 1}", "_key"), (huge.as_str(), "400 KB")]
        {
            let e = bulk.write(COLLECTION, &one(text), 1014).await.unwrap_err();
            assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
            assert!(e.to_string().contains(word), "{e}");
        }
        assert_eq!(bulk.position(COLLECTION).await.unwrap(), 1013);
        let e = bulk.write("absent", &one("{}"), 1).await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Missing, "{e}");
    });
    assert_eq!(count(&target), 1013);
}

/// More than the megabyte that one page holds.
#[test]
fn a_scan_of_many_pages_reads_every_document_once() {
    let (target, _guard) = fresh();
    let documents = target.documents().unwrap();
    let mut large = Batch::default();
    for n in 0..60 {
        large.push(|key, text| {
            key.push_str(&format!("k{n}"));
            let document = json!({"n": n, "o_w_id": 1, "o_name": {"last": "L"}, "o_id": n,
                                  "text": "x".repeat(60_000)});
            text.extend_from_slice(document.to_string().as_bytes());
        });
    }
    let mut seen = BTreeMap::new();
    wait(async {
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write(COLLECTION, &large, 60).await.unwrap();
        documents.settle(&[index()]).await.unwrap();
        let mut each = |key: &str, row: Row| {
            assert!(seen.insert(key.to_owned(), row).is_none(), "{key} came twice");
            Ok(())
        };
        documents.scan(COLLECTION, &["n"], &mut each).await.unwrap();
    });
    assert_eq!(seen.len(), 60);
    assert!((0..60).all(|n| seen[&format!("k{n}")] == [json!(n)]));
}

#[test]
fn the_description_says_what_the_tables_cost_and_no_secret() {
    let prefix = prefix();
    let url = |options: &str| format!("{}&prefix={prefix}&{options}", server());
    let target = open(&url("capacity=provisioned&read_units=7&write_units=9"));
    let _guard = Guard(target.clone());
    load(&target, 3);
    let description = open(&url("consistency=strong&retries=2")).description();
    let of = |name: &str| description.settings[name].as_str();
    let orders = format!("table {prefix}.orders");
    assert_eq!(of(&orders), "provisioned: 7 read units, 9 write units");
    assert_eq!(of(&format!("table {prefix}.hoap.notes")), "on-demand");
    assert_eq!((of("consistency"), of("client_retries")), ("strong", "2"));
    assert_eq!(description.name, "Amazon DynamoDB");
    let text = serde_json::to_string(&description).unwrap();
    assert!(!text.contains("hunter2") && !text.contains("AKIDNOBODY"), "{text}");
}

/// Report of 2020, section 4.2.1: 900 write units for runs that hardly write, which a load of 250
/// million records would take six days at. The load has its own, and ends with those of the run.
#[test]
fn a_load_has_a_capacity_of_its_own_and_ends_with_that_of_the_runs() {
    let prefix = prefix();
    let of_runs = "capacity=provisioned&read_units=7&write_units=9";
    let url = |options: &str| format!("{}&prefix={prefix}&{options}", server());
    let target = open(&url(&format!("{of_runs}&load_write_units=50")));
    let _guard = Guard(target.clone());
    let says = || {
        let settings = open(&url(of_runs)).description().settings;
        settings[&format!("table {prefix}.{COLLECTION}")].clone()
    };
    wait(target.documents().unwrap().create(&[COLLECTION])).unwrap();
    assert_eq!(says(), "provisioned: 7 read units, 50 write units");
    load(&target, 3);
    assert_eq!(says(), "provisioned: 7 read units, 9 write units");
    let indexed = format!("table {prefix}.index.");
    let settings = open(&url(of_runs)).description().settings;
    let mut indexes = settings.iter().filter(|(name, _)| name.starts_with(&indexed));
    assert!(indexes.all(|(_, says)| says == "provisioned: 7 read units, 9 write units"));
}

#[test]
fn what_it_lacks_it_says() {
    let (target, _guard) = fresh();
    let why = target.analytics().map(drop).unwrap_err().to_string();
    assert!(
        why.contains("analytical queries on Amazon DynamoDB: not applicable, because"),
        "{why}"
    );
}

/// The comparison report's text of Pagination, whole and in Amazon's parallel scan.
#[test]
fn pages_are_scanned_for_where_an_option_says_so() {
    for segments in [1, 4] {
        let (target, _guard) =
            fresh_with(&format!("consistency=strong&pages=scan&scan_segments={segments}"));
        crate::conformance::pages_are_the_customers_of_the_country(&target);
    }
}

/// Capacity is what the service says: half a unit for 4 KB read eventually, one for 1 KB written,
/// twice that in a transaction.
#[test]
fn consumed_capacity_is_summed() {
    let (target, _guard) = fresh_with("consistency=eventual");
    crate::conformance::load_records(&target, &["user1"]);
    let mut client = crate::conformance::client(&target);
    let mut record = crate::conformance::record([(0, "x")]);

    use hoap_database::key_value::Fields;

    let before = target.usage();
    wait(async {
        for _ in 0..10 {
            assert!(client.read("user1", Fields::All, &mut record).await.unwrap());
        }
        for _ in 0..3 {
            assert!(client.update("user1", &record).await.unwrap());
        }
    });
    let after = target.usage();
    let used = |name: &str| after[name] - before[name];
    assert_eq!((used("read-capacity-units"), used("write-capacity-units")), (5.0, 3.0));
    assert_eq!((used("requests"), used("requests-failed")), (13.0, 0.0));
}
