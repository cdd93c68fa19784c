//! What is sent: statements, parameters, options, and to which node.

use std::collections::BTreeSet;

use hoap_database::key_value::{Fields, Record, Scanned};
use hoap_database::shop::{Ask, JoinVariant};
use hoap_database::{Access, Find, Intent, Order};
use hoap_workload::ErrorKind;
use serde_json::{Value, json};

use crate::cluster::conformance::{
    COLLECTION, document, index, indexes, load, load_records, load_shop, record, session, table,
    transact, wait,
};
use crate::cluster::service::{Act, Service};
use crate::cluster::{open, patient, with};

#[test]
fn a_transaction_says_what_it_wants_and_counts_its_statements() {
    let service = Service::start();
    let url = with(
        &service.url(),
        "tx_durability=persist_to_majority&txtimeout_ms=3000&scan_consistency=not_bounded&kv_timeout_ms=900",
    );
    let target = open(&url);
    load(&target, 3);
    transact(&target, Access::Write, async |t| {
        t.get(COLLECTION, "1.1", &["o_id", "o_name.last"], Intent::Look).await?;
        t.insert(COLLECTION, "9.9", &document(9, 9)).await?;
        t.delete(COLLECTION, "1.2").await
    })
    .unwrap();
    let begun = service.seen("BEGIN WORK");
    let [(node, _, begin)] = begun.as_slice() else { panic!("{begun:?}") };
    assert_eq!(begin["txtimeout"], "3000ms");
    assert_eq!(begin["kvtimeout"], "900ms");
    assert_eq!(begin["durability_level"], "persistToMajority");
    assert_eq!(begin["scan_consistency"], "not_bounded");
    assert_eq!(begin["query_context"], "default:`bench`.`hoap`");
    let seen = service.seen("");
    let inside: Vec<_> = seen.iter().filter(|(.., body)| body["txid"].is_string()).collect();
    let id = &inside[0].2["txid"];
    for (n, (at, _, body)) in inside.iter().enumerate() {
        assert_eq!((&body["txid"], at), (id, node), "a transaction stays where it began");
        assert_eq!(body["txstmtnum"], n + 1);
        assert_eq!(body["scan_consistency"], Value::Null);
    }
    let texts: Vec<_> = inside.iter().map(|(_, text, _)| text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "SELECT RAW [META(d).id, META(d).cas, d.`o_id`, d.`o_name`.`last`] FROM `orders` AS d USE KEYS $1",
            "INSERT INTO `orders` AS d (KEY k, VALUE v) SELECT $1 AS k, $2 AS v WHERE NOT EXISTS \
             (SELECT RAW 1 FROM `orders` AS e USE KEYS $1) RETURNING RAW META(d).id",
            "DELETE FROM `orders` AS d USE KEYS $1 RETURNING RAW META(d).id",
            "COMMIT WORK",
        ]
    );
    assert_eq!(inside[0].2["args"], json!([["1.1"]]));
    assert_eq!(inside[1].2["args"], json!(["9.9", document(9, 9)]));
}

#[test]
fn statements_are_prepared_once_a_client_and_again_where_they_were_forgotten() {
    let service = Service::start();
    let target = open(&patient(&service.url()));
    load(&target, 3);
    let mut session = session(&target);
    let mut read = || {
        wait(async {
            let mut t = session.begin(Access::Write).await.unwrap();
            let row = t.get(COLLECTION, "1.1", &["o_id"], Intent::Change).await.unwrap();
            t.commit().await.unwrap();
            row
        })
    };
    for _ in 0..3 {
        assert_eq!(read(), Some(vec![json!(1)]));
    }
    let prepared = || service.seen("PREPARE FORCE").len();
    assert_eq!(prepared(), 1);
    // A node that was restarted.
    service.0.store.lock().unwrap().prepared.clear();
    assert_eq!(read(), Some(vec![json!(1)]));
    assert_eq!(prepared(), 2);
}

#[test]
fn clients_are_spread_over_the_nodes_that_the_cluster_or_the_url_names() {
    let service = Service::start();
    let nodes = |url: &str, clients: usize| {
        let target = open(url);
        service.0.seen.lock().unwrap().clear();
        for _ in 0..clients {
            let mut session = session(&target);
            wait(async { session.begin(Access::Read).await.unwrap().commit().await.unwrap() });
        }
        let seen = service.seen("BEGIN WORK");
        seen.iter().map(|(node, ..)| *node).collect::<Vec<_>>()
    };
    let both = nodes(&service.url(), 4);
    assert_eq!(both.len(), 4);
    for node in [0, 1] {
        assert_eq!(both.iter().filter(|n| **n == node).count(), 2, "{both:?}");
    }
    let second = service.query_ports()[1];
    let one = nodes(&with(&service.url(), &format!("query_nodes=127.0.0.1:{second}")), 3);
    assert_eq!(one, [1, 1, 1]);
}

#[test]
fn searches_name_their_index_and_its_order() {
    let service = Service::start();
    let target = open(&patient(&service.url()));
    load(&target, 3);
    transact(&target, Access::Read, async |t| {
        let prefix = [json!(1), json!("L1")];
        t.find(Find { order: Order::Descending, limit: Some(1), ..Find::by(&index(), &prefix) })
            .await
    })
    .unwrap();
    let seen = service.seen("USE INDEX");
    let (_, text, body) = seen.last().unwrap();
    assert!(text.ends_with(
        "USE INDEX (`orders_by_customer` USING GSI) WHERE d.`o_w_id` = $1 AND d.`o_name`.`last` = $2 \
         ORDER BY d.`o_id` DESC LIMIT 1"
    ), "{text}");
    assert_eq!(body["args"], json!([1, "L1"]));
    let made: BTreeSet<_> = service.seen("CREATE ").into_iter().map(|(_, text, _)| text).collect();
    for text in [
        "CREATE SCOPE default:`bench`.`hoap`",
        "CREATE COLLECTION default:`bench`.`hoap`.`orders`",
        "CREATE PRIMARY INDEX `hoap_primary` ON `orders` USING GSI WITH {\"defer_build\": true}",
        "CREATE INDEX `orders_by_customer` ON `orders`(`o_w_id`, `o_name`.`last`, `o_id`) USING GSI WITH \
         {\"defer_build\": true}",
    ] {
        assert!(made.contains(text), "{text} is not among {made:?}");
    }
}

/// Data definition 1.2 of the CH2++ paper, and what a search says to an index whose first field it
/// does not know.
#[test]
fn the_papers_indexes_are_made_and_searched() {
    let service = Service::start();
    let target = open(&with(&patient(&service.url()), "indexes=paper&index_replicas=3"));
    let paths = hoap_ch2::schema::Paths::of(hoap_ch2::data::Schema::Ch2pp);
    let documents = target.documents().unwrap();
    let all = ["customer", "district", "neworder", "orders", "warehouse"];
    wait(documents.create(&all)).unwrap();
    wait(documents.settle(&paths.indexes())).unwrap();
    let made: BTreeSet<_> = service.seen("CREATE INDEX").into_iter().map(|(_, s, _)| s).collect();
    let with = " USING GSI WITH {\"defer_build\": true, \"num_replica\": 3}";
    let expected = [
        "`cu_w_id_d_id_last` ON `customer`(`c_w_id`, `c_d_id`, `c_name`.`c_last`)",
        "`di_id_w_id` ON `district`(`d_id`, `d_w_id`)",
        "`no_o_id_d_id_w_id` ON `neworder`(`no_o_id`, `no_d_id`, `no_w_id`)",
        "`or_id_d_id_w_id_c_id` ON `orders`(`o_id`, `o_d_id`, `o_w_id`, `o_c_id`)",
        "`or_w_id_d_id_c_id` ON `orders`(`o_w_id`, `o_d_id`, `o_c_id`)",
        "`wh_id` ON `warehouse`(`w_id`)",
    ];
    assert_eq!(made, expected.map(|text| format!("CREATE INDEX {text}{with}")).into());
    let [_, orders, neworder] = paths.indexes().try_into().unwrap();
    transact(&target, Access::Read, async |t| {
        let prefix = [json!(1), json!(2)];
        t.find(Find { limit: Some(1), ..Find::by(&neworder, &prefix) }).await?;
        let prefix = [json!(1), json!(2), json!(3)];
        t.find(Find { order: Order::Descending, limit: Some(1), ..Find::by(&orders, &prefix) })
            .await
    })
    .unwrap();
    let searches = service.seen("USE INDEX");
    for words in [
        "USE INDEX (`no_o_id_d_id_w_id` USING GSI) WHERE d.`no_w_id` = $1 AND d.`no_d_id` = $2 \
         AND d.`no_o_id` IS NOT MISSING ORDER BY d.`no_o_id` LIMIT 1",
        "USE INDEX (`or_w_id_d_id_c_id` USING GSI) WHERE d.`o_w_id` = $1 AND d.`o_d_id` = $2 AND \
         d.`o_c_id` = $3 ORDER BY d.`o_id` DESC LIMIT 1",
    ] {
        assert!(searches.iter().any(|(_, text, _)| text.ends_with(words)), "{searches:#?}");
    }
}

#[test]
fn key_value_writes_carry_the_durability_asked_for() {
    for (option, level) in [
        ("none", None),
        ("majority", Some(1)),
        ("majority_and_persist", Some(2)),
        ("persist_to_majority", Some(3)),
    ] {
        let service = Service::start();
        let target = open(&with(&service.url(), &format!("durability={option}&expiry_s=60")));
        load_records(&target, &["user1"]);
        let seen = || std::mem::take(&mut *service.0.durabilities.lock().unwrap());
        assert!(seen().into_iter().all(|l| Some(l) == level), "{option}");
        service.0.expiries.lock().unwrap().clear();
        let mut client = wait(target.key_value().unwrap().session(&table(4))).unwrap();
        wait(client.insert("user2", &record([(0, "a")]))).unwrap();
        wait(client.update("user2", &record([(1, "b")]))).unwrap();
        wait(client.update("user2", &record([(0, "a"), (1, "b"), (2, "c"), (3, "d")]))).unwrap();
        wait(client.read("user2", Fields::All, &mut Record::default())).unwrap();
        assert_eq!(*service.0.expiries.lock().unwrap(), [60; 3], "{option}");
        assert_eq!(seen(), vec![level; 3].into_iter().flatten().collect::<Vec<u8>>(), "{option}");
    }
}

/// The reports' connector: `collection.upsert` in A, `collection.replace` in E, each of the whole
/// document.
#[test]
fn whole_updates_are_one_upsert_or_one_replace() {
    for (option, code) in [("upsert", 0x01), ("replace", 0x03)] {
        let service = Service::start();
        let options = format!("updates={option}&durability=majority&expiry_s=60");
        let target = open(&with(&patient(&service.url()), &options));
        assert!(target.key_value().unwrap().updates_are_whole(), "{option}");
        load_records(&target, &["user1"]);
        let mut client = wait(target.key_value().unwrap().session(&table(2))).unwrap();
        let writes = || std::mem::take(&mut *service.0.writes.lock().unwrap());
        writes();
        service.0.expiries.lock().unwrap().clear();
        service.0.durabilities.lock().unwrap().clear();
        let whole = record([(0, "a"), (1, "b")]);
        assert!(wait(client.update("user1", &whole)).unwrap(), "{option}");
        assert_eq!(writes(), [code], "{option}");
        assert_eq!(*service.0.expiries.lock().unwrap(), [60], "{option}");
        assert_eq!(*service.0.durabilities.lock().unwrap(), [1], "{option}");
        let mut found = Record::default();
        assert!(wait(client.read("user1", Fields::All, &mut found)).unwrap());
        assert_eq!(found, whole, "{option}");
        // Only an upsert makes what is not there.
        assert_eq!(wait(client.update("user9", &whole)).unwrap(), option == "upsert");
        assert_eq!(
            wait(client.read("user9", Fields::All, &mut found)).unwrap(),
            option == "upsert"
        );
    }
    let service = Service::start();
    assert!(!open(&service.url()).key_value().unwrap().updates_are_whole());
}

#[test]
fn scans_pages_and_joins_are_the_texts_of_the_reports() {
    let service = Service::start();
    let target = open(&patient(&service.url()));
    load_records(&target, &["user1"]);
    let mut client = wait(target.key_value().unwrap().session(&table(2))).unwrap();
    wait(client.scan("user0", 5, Fields::None, &mut Scanned::default())).unwrap();
    load_shop(&target, &indexes());
    let (_, made, _) = service.seen("CREATE INDEX `shop_customer_zip").remove(0);
    let covering = "`shop_customer_zip_orders` ON `shop_customer`(`address`.`zip`, `order_list`)";
    assert!(made.contains(covering), "{made}");
    let mut pages = wait(target.pages().unwrap().session(Ask::Pages)).unwrap();
    wait(pages.page("x", 3, 7, &mut Vec::new())).unwrap();
    for variant in target.joins().unwrap().variants() {
        let mut joins = wait(target.joins().unwrap().session(Ask::Joins(*variant))).unwrap();
        wait(joins.join("00001", "January", &mut Vec::new())).unwrap();
    }
    let ran = |words: &str| {
        let seen = service.seen(words);
        seen.into_iter().find(|(.., body)| body["prepared"].is_string()).unwrap_or_else(|| {
            panic!("no prepared statement with {words}");
        })
    };
    let (_, text, body) = ran("LIMIT $2");
    assert_eq!(
        text,
        "SELECT RAW [META(d).id] FROM `usertable` AS d WHERE META(d).id >= $1 ORDER BY META(d).id LIMIT $2"
    );
    assert_eq!(
        (&body["args"], &body["scan_consistency"]),
        (&json!(["user0", 5]), &json!("request_plus"))
    );
    assert_eq!(ran("LIMIT $3 OFFSET $2").2["args"], json!(["x", 3, 7]));
    for words in ["ON KEYS c.`order_list`", "o.`_id` IN c.`order_list`", "USE HASH(BUILD)"] {
        assert_eq!(ran(words).2["args"], json!(["00001", "January"]));
    }
}

/// Another edition ignores the hint, and its lookup join would be reported as a hash join.
#[test]
fn a_hash_join_that_the_service_does_not_plan_is_refused() {
    let service = Service::start();
    let target = open(&patient(&service.url()));
    load_shop(&target, &indexes());
    service.0.store.lock().unwrap().community = true;
    let e =
        wait(target.joins().unwrap().session(Ask::Joins(JoinVariant::Hash))).map(drop).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    for words in ["no hash join", "hints_not_followed", "Enterprise"] {
        assert!(e.to_string().contains(words), "{e}");
    }
    wait(target.joins().unwrap().session(Ask::Joins(JoinVariant::Ansi))).map(drop).unwrap();
}

/// Two parts of a load settle at the same time, and the index service tells each of the other.
#[test]
fn an_index_that_another_one_makes_is_no_failure() {
    for words in [
        "Index already exist. Index orders_by_customer",
        "The index orders_by_customer already exists.",
        "Index creation for index orders_by_customer is scheduled for background creation",
    ] {
        let service = Service::start();
        let target = open(&patient(&service.url()));
        wait(target.documents().unwrap().create(&[COLLECTION])).unwrap();
        let error = json!({"errors": [{"code": 5000, "msg": words}], "status": "fatal"});
        service.fault("CREATE INDEX `orders_by_customer`", Act::Answer(500, error));
        wait(target.documents().unwrap().settle(&[index()])).unwrap();
    }
}

/// What the run folder gets has neither user nor password.
#[test]
fn the_description_names_what_decides_speed_and_no_secret() {
    let service = Service::start();
    let target = open(&with(&service.url(), "durability=majority"));
    let description = target.description();
    assert_eq!(description.version, "7.6.2-3721-scripted");
    assert_eq!(description.settings["durability"], "majority");
    assert_eq!(description.settings["query_nodes"], "2");
    let text = format!("{description:?}");
    assert!(!text.contains("secret") && !text.contains("script:"), "{text}");
    let no = target.analytics().map(drop).unwrap_err().to_string();
    assert!(no.contains("couchbase-analytics://"), "{no}");
}
