//! The lab's imitation, mongo-java-server.

use hoap_database::{Answer, Database};
use hoap_workload::ErrorKind;
use mongodb::bson::{Document, doc};
use serde_json::{Value, json};

use crate::conformance::{COLLECTION, client, document, load, load_records, record, wait};
use crate::{Guard, fresh_on, open, own_database, refused, unavailable, with};

fn server() -> String {
    crate::server("HOAP_TEST_MONGO_WIRE")
}

fn fresh() -> (Database, Guard) {
    fresh_on(&server())
}

crate::suite!(fresh);
hoap_suites::conformance_tests!(fresh:
    a_batch_written_again_is_written_once,
    pages_without_their_index_are_refused,
    joins_without_their_indexes_are_refused,
);

/// Another program sees documents as MongoDB's users write them.
#[test]
fn documents_are_documents_with_their_key_as_id() {
    let url = own_database(&server());
    let target = open(&url);
    let _guard = Guard(target.clone());
    load(&target, 1);
    load_records(&target, &["user1"]);
    wait(client(&target).insert("user2", &record([(0, "a")]))).unwrap();
    wait(async {
        let other = mongodb::Client::with_uri_str(&url).await.unwrap().default_database().unwrap();
        let get = async |collection: &str, key: &str| {
            let collection = other.collection::<Document>(collection);
            collection.find_one(doc! {"_id": key}).await.unwrap().unwrap()
        };
        assert_eq!(get("usertable", "user2").await, doc! {"_id": "user2", "field0": "a"});
        let order = get(COLLECTION, "1.1").await;
        assert_eq!(order.get_i32("o_w_id").unwrap(), 1);
        assert_eq!(order.get_f64("o_total").unwrap(), document(1, 1)["o_total"].as_f64().unwrap());
        let names = other.collection::<Document>(COLLECTION).list_index_names().await.unwrap();
        assert!(names.contains(&"orders_by_customer".to_owned()), "{names:?}");
    });
}

#[test]
fn a_server_alone_has_no_transactions() {
    let (target, _guard) = fresh();
    let no = target.transactions().map(drop).unwrap_err().to_string();
    assert!(no.contains("want a replica set or a sharded cluster"), "{no}");
    for (option, word) in [
        ("sharding=hashed", "sharded cluster"),
        ("documentdb_version=0.108", "this server is not it"),
    ] {
        let e = refused(&with(&own_database(&server()), option));
        assert_eq!(e.kind, ErrorKind::Invalid);
        assert!(e.to_string().contains(word), "{e}");
    }
    let described = target.description();
    assert_eq!(
        (described.name.as_str(), described.settings["deployment"].as_str()),
        ("MongoDB", "one server alone")
    );
    assert_eq!(described.settings["retry_writes"], "false");
    assert!(!described.url.contains('@'));
}

fn ask(target: &Database, text: &Value, parameters: &Value) -> hoap_workload::Result<Answer> {
    let given: Vec<_> = parameters.as_object().unwrap().clone().into_iter().collect();
    wait(async {
        let mut stream = target.analytics().unwrap().session().await?;
        stream.query(&text.to_string(), &given).await
    })
}

#[test]
fn queries_are_pipelines_with_values_of_their_types() {
    let (target, _guard) = fresh();
    load(&target, 4);
    let text = json!({"collection": COLLECTION, "columns": ["last", "n", "value", "absent", "name"], "pipeline": [
        {"$match": {"o_id": {"$lte": {"$param": "most"}}}},
        {"$group": {"_id": "$o_name.last", "n": {"$sum": 1}, "name": {"$first": "$o_name"}}},
        {"$sort": {"_id": 1}},
        {"$project": {"_id": 0, "last": "$_id", "n": 1, "value": {"$literal": {"$param": "text"}}, "name": 1}}
    ]});
    let answer = ask(&target, &text, &json!({"most": 3, "text": "$o_id"})).unwrap();
    assert_eq!(answer.columns, ["last", "n", "value", "absent", "name"]);
    let name = |last: &str| json!({"first": "Ada", "last": last}).to_string();
    let row =
        |last: &str| vec![json!(last), json!(1), json!("$o_id"), json!(null), json!(name(last))];
    assert_eq!(answer.rows, [row("L0"), row("L1"), row("L2")]);
    for (text, word) in [
        (
            json!({"collection": COLLECTION, "columns": [], "pipeline": [{"$nothing": 1}]}),
            "$nothing",
        ),
        (json!({"collection": COLLECTION, "columns": [], "pipeline": [{"$out": "x"}]}), "writes"),
    ] {
        let e = ask(&target, &text, &json!({})).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        assert!(e.to_string().contains(word) && !e.to_string().contains('\n'), "{e}");
    }
}

#[test]
fn counters_are_whole_numbers_by_key() {
    let (target, _guard) = fresh();
    load(&target, 3);
    let mut stream = wait(target.analytics().unwrap().session()).unwrap();
    let mut counters = wait(stream.counters(COLLECTION, "o_id")).unwrap();
    counters.sort();
    assert_eq!(counters, [("1.1".to_owned(), 1), ("1.2".to_owned(), 2), ("1.3".to_owned(), 3)]);
    assert_eq!(wait(stream.counters(COLLECTION, "o_total")).unwrap_err().kind, ErrorKind::Broken);
    assert_eq!(wait(stream.counters("a b", "o_id")).unwrap_err().kind, ErrorKind::Invalid);
}

#[test]
fn where_nobody_listens_it_says_so() {
    let e = refused("mongodb://me:secret@127.0.0.1:1/db?serverSelectionTimeoutMS=300");
    unavailable(&e, &["open mongodb://127.0.0.1:1/db", "check hosts, ports"]);
    let e = refused("mongodb://me:secret@127.0.0.1:1/db?noSuchOption=1");
    assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    assert!(e.to_string().to_lowercase().contains("nosuchoption"), "{e}");
    let e = refused("mongodb://me:secret@127.0.0.1:1/db?w=-1");
    assert!(!e.to_string().contains("secret"), "{e}");
}

/// The imitation has no such command.
#[test]
fn a_server_that_explains_nothing_says_so() {
    let (target, _guard) = fresh();
    load(&target, 1);
    let text =
        r#"{"collection": "orders", "columns": ["n"], "pipeline": [{"$match": {"o_id": 1}}]}"#;
    let e = wait(async {
        let mut session = target.analytics().unwrap().session().await.unwrap();
        session.explain(text, &[]).await.map(drop).unwrap_err()
    });
    assert!(e.to_string().starts_with("explain a query in mongodb://"), "{e}");
    assert!(e.to_string().contains("explain") && !e.to_string().contains('\n'), "{e}");
}

/// A collection of another program comes with the types that JSON lacks, and its indexes.
#[test]
fn a_collection_of_another_program_is_exported() {
    let url = own_database(&server());
    let target = open(&url);
    let _guard = Guard(target.clone());
    let export = |name: &str| {
        let mut documents = Vec::new();
        let mut each = |document| {
            documents.push(Value::Object(document));
            Ok(())
        };
        wait(target.export(name, &mut each)).map(|indexes| (documents, indexes))
    };
    let id = mongodb::bson::oid::ObjectId::parse_str("65a1b2c3d4e5f60718293a4b").unwrap();
    wait(async {
        let other = mongodb::Client::with_uri_str(&url).await.unwrap().default_database().unwrap();
        let theirs = other.collection::<Document>("order items");
        let at = mongodb::bson::DateTime::from_millis(1_706_704_200_123);
        let bytes = mongodb::bson::Binary {
            subtype: mongodb::bson::spec::BinarySubtype::Generic,
            bytes: vec![1, 2, 3],
        };
        theirs
            .insert_one(doc! {"_id": id, "at": at, "raw": bytes, "n": 5_i64, "a": {"b": [1.5]}})
            .await
            .unwrap();
        for keys in [doc! {"a.b": 1, "at": -1}, doc! {"n": "hashed"}] {
            let model = mongodb::IndexModel::builder().keys(keys).build();
            // The imitation has no indexes by a hash.
            let _ = theirs.create_index(model).await;
        }
        other.create_collection("empty").await.unwrap();
    });
    let (documents, indexes) = export("order items").unwrap();
    let expected = json!([{
        "_id": {"$oid": "65a1b2c3d4e5f60718293a4b"}, "at": {"$date": {"$numberLong": "1706704200123"}},
        "raw": {"$binary": {"base64": "AQID", "subType": "00"}}, "n": 5, "a": {"b": [1.5]},
    }]);
    assert_eq!(Value::Array(documents), expected);
    let fields: Vec<_> = indexes.into_iter().map(|index| index.fields).collect();
    assert_eq!(fields, [vec!["_id"], vec!["a.b", "at"]]);
    assert_eq!(export("empty").unwrap().0, [] as [Value; 0]);
    let e = export("orders").unwrap_err();
    assert_eq!(e.kind, ErrorKind::Missing);
    assert!(e.to_string().contains("no such collection in database"), "{e}");
    assert!(e.advice.as_deref().unwrap().contains("empty, order items"));
    wait(async {
        let other = mongodb::Client::with_uri_str(&url).await.unwrap().default_database().unwrap();
        other.drop().await.unwrap();
    });
}
