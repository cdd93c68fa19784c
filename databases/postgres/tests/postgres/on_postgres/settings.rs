//! What the run folder says is what is in force, and the mapping is what queries written against it
//! rely on.

use hoap_database::{Access, Change, Database, Find, Index, Intent, Patch};
use hoap_testing::until;
use hoap_workload::ErrorKind;
use serde_json::json;

use super::{Schema, fresh, raw};
use crate::conformance::{COLLECTION, index, load, session, transact, wait};

#[test]
fn the_description_states_what_is_in_force() {
    let schema = Schema::new();
    let target = schema.open("&isolation=serializable&synchronous_commit=remote_write&pool=7");
    let description = target.description();
    assert_eq!(description.name, "PostgreSQL");
    assert!(description.version.split(['.', ' ']).next().unwrap().parse::<u32>().unwrap() >= 13);
    let shown = |sql: &str| {
        let shown: String = wait(raw().query_one(sql, &[])).unwrap().get(0);
        shown
    };
    for name in ["fsync", "full_page_writes", "shared_buffers", "wal_level", "max_connections"] {
        let here = shown(&format!("SHOW {name}"));
        assert_eq!(description.settings[name], here, "{name}");
    }
    for (name, value) in [
        ("synchronous_commit", "remote_write"),
        ("isolation", "serializable"),
        ("in_recovery", "off"),
        ("pool", "7 connections"),
        ("schema", schema.name.as_str()),
    ] {
        assert_eq!(description.settings[name], value, "{name}");
    }
    assert!(description.settings.contains_key("data_checksums"));
    // Without the option it is the server's.
    let settings = schema.open("").description().settings;
    assert_eq!(settings["synchronous_commit"], shown("SHOW synchronous_commit"));
    assert_eq!(settings["isolation"], "read-committed");
    assert_eq!(settings["durability"], "a commit is on disk when it is acknowledged");
    assert_eq!(settings["replicas"], "a commit waits for none");
    let late = schema.open("&synchronous_commit=off").description().settings;
    assert!(late["durability"].contains("last commits may be lost"), "{late:#?}");
    let unlogged = schema.open("&unlogged=on");
    assert!(unlogged.description().settings["durability"].starts_with("none: "));
    load(&unlogged, 1);
    let text = "SELECT relpersistence::text FROM pg_class WHERE oid = $1::text::regclass";
    let table = format!("{}.orders", schema.name);
    let kind: String = wait(raw().query_one(text, &[&table])).unwrap().get(0);
    assert_eq!(kind, "u");
}

#[test]
fn sessions_are_set_as_the_url_says() {
    let schema = Schema::new();
    let target = schema.open(
        "&application_name=a%20b&synchronous_commit=local&statement_timeout_ms=12345\
         &options=-c%20work_mem%3D7MB",
    );
    let mut stream = wait(target.analytics().unwrap().session()).unwrap();
    for (name, value) in [
        ("application_name", "a b"),
        ("synchronous_commit", "local"),
        ("statement_timeout", "12345ms"),
        ("work_mem", "7MB"),
        ("default_transaction_read_only", "on"),
    ] {
        let given = [("name".to_owned(), json!(name))];
        let text = "SELECT current_setting($name::text)";
        let answer = wait(stream.query(text, &given)).unwrap();
        assert_eq!(answer.rows, [[json!(value)]], "{name}");
    }
}

#[test]
fn a_statement_that_takes_too_long_is_a_timeout() {
    let schema = Schema::new();
    let target = schema.open("&statement_timeout_ms=50");
    let mut stream = wait(target.analytics().unwrap().session()).unwrap();
    let e = wait(stream.query("SELECT 1 AS x FROM pg_sleep(60)", &[])).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Timeout, "{e}");
    assert_eq!(wait(stream.query("SELECT 1", &[])).unwrap().rows, [[json!(1)]]);
}

/// The indexes of CH2's transactions serve the searches, in their order and without sorting.
#[test]
fn the_index_serves_the_search() {
    let (target, schema) = fresh();
    load(&target, 2000);
    let client = raw();
    wait(client.batch_execute(&format!("SET search_path = {}", schema.name))).unwrap();
    let plan = |text: &str| {
        let rows = wait(client.query(&format!("EXPLAIN (COSTS off) {text}"), &[])).unwrap();
        rows.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>().join(" ")
    };
    for order in ["NULLS FIRST", "DESC NULLS LAST"] {
        let found = plan(&format!(
            "SELECT key FROM orders WHERE doc -> 'o_w_id' = '1' \
             AND doc -> 'o_name' -> 'last' = '\"L1\"' ORDER BY doc -> 'o_id' {order} LIMIT 1 FOR UPDATE"
        ));
        assert!(found.contains("using orders_by_customer"), "{found}");
        assert!(!found.contains("Sort"), "{found}");
    }
    let found = plan("SELECT doc FROM orders WHERE key = '1.1'");
    assert!(found.contains("using orders_pkey"), "{found}");
    let found = plan("SELECT doc FROM orders WHERE key >= '1.1' ORDER BY key LIMIT 50");
    assert!(found.contains("using orders_pkey") && !found.contains("Sort"), "{found}");
}

#[test]
fn a_missing_index_is_found_out_before_the_search() {
    let (target, _schema) = fresh();
    load(&target, 3);
    let other = Index { name: "orders_by_total".into(), ..index() };
    let found =
        transact(&target, Access::Read, async |t| t.find(Find::by(&other, &[json!(1)])).await);
    let e = found.unwrap_err();
    assert_eq!(e.kind, ErrorKind::Missing, "{e}");
    assert!(e.to_string().contains("no such index: orders_by_total; run `hoap load`"), "{e}");
}

#[test]
fn what_others_made_is_left_alone() {
    let (target, schema) = fresh();
    let documents = target.documents().unwrap();
    wait(documents.create(&["item"])).unwrap();
    let client = raw();
    let strange = format!(
        "CREATE TABLE {0}.orders (id int); CREATE INDEX orders_by_customer ON {0}.item (key)",
        schema.name
    );
    wait(client.batch_execute(&strange)).unwrap();
    crate::conformance::what_others_made_is_left_alone(&target, COLLECTION, "orders is there");
    wait(client.batch_execute(&format!("DROP TABLE {}.orders", schema.name))).unwrap();
    wait(documents.create(&[COLLECTION])).unwrap();
    let e = wait(documents.settle(&[index()])).unwrap_err();
    assert!(e.to_string().contains("orders_by_customer is there and is not ours"), "{e}");
}

/// The mapping itself, as the texts below `queries/` use it.
#[test]
fn documents_are_jsonb_in_a_table_of_their_own() {
    let (target, _schema) = fresh();
    load(&target, 3);
    let mut stream = wait(target.analytics().unwrap().session()).unwrap();
    let mut query = |text: &str| wait(stream.query(text, &[]));
    let lines = "SELECT o.key, (l.value -> 'ol_amount')::numeric AS amount, \
                 (o.doc ->> 'o_open')::bool AS open, 1.50 AS decimal, NULL::text AS nothing
                 FROM orders o, jsonb_array_elements(o.doc -> 'o_orderline') l
                 ORDER BY (o.doc -> 'o_id')::int8";
    let answer = query(lines).unwrap();
    assert_eq!(answer.columns, ["key", "amount", "open", "decimal", "nothing"]);
    assert_eq!(answer.rows[2], [json!("1.3"), json!(0.5), json!(1), json!(1.5), json!(null)]);
    for (text, word) in [
        ("SELECT doc FROM orders", "column doc is jsonb: cast it"),
        ("SELECT now() AS at", "column at is timestamptz: cast it"),
        ("SELECT nothing()", "function nothing() does not exist"),
        ("SELECT 1; SELECT 2", "multiple commands"),
    ] {
        let e = query(text).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        assert!(e.to_string().contains(word), "{e}");
    }
    for text in ["SELECT 'inf'::float8 AS huge", "SELECT 'NaN'::numeric AS huge"] {
        let e = query(text).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Broken, "{e}");
        assert!(e.to_string().contains("column huge is"), "{e}");
    }
    let e = query("SELECT key FROM absent").unwrap_err();
    assert_eq!(e.kind, ErrorKind::Missing, "{e}");
}

/// A key and a document with everything that a format could trip over.
#[test]
fn any_json_text_survives_the_load() {
    let (target, _schema) = fresh();
    let strange = "\\.\t\r\n\u{1}\u{2}\\u0000\\N'\"$1 €😀\u{10ffff}";
    let document = json!({ "s": strange, "n": [1.50, -0.0, 1e-7, i64::MIN], strange: null });
    let documents = target.documents().unwrap();
    let mut batch = hoap_database::Batch::default();
    batch.push(|key, text| {
        key.push_str(strange);
        text.extend_from_slice(document.to_string().as_bytes());
    });
    wait(async {
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write(COLLECTION, &batch, 1).await.unwrap();
        let mut seen = Vec::new();
        let mut each = |key: &str, row: hoap_database::Row| {
            seen.push((key.to_owned(), row));
            Ok(())
        };
        documents.scan(COLLECTION, &["s", "n"], &mut each).await.unwrap();
        let row = vec![json!(strange), json!([1.5, 0.0, 1e-7, i64::MIN])];
        assert_eq!(seen, [(strange.to_owned(), row)]);
    });
    let found = transact(&target, Access::Read, async |t| {
        t.get(COLLECTION, strange, &["s"], Intent::Look).await
    });
    assert_eq!(found.unwrap(), Some(vec![json!(strange)]));
}

/// PostgreSQL's text cannot hold U+0000: nothing is stored instead, and the document is named.
#[test]
fn u_0000_is_refused_with_the_document_that_has_it() {
    let (target, _schema) = fresh();
    load(&target, 1);
    let refused = |e: hoap_workload::Error, words: &[&str]| {
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        let e = e.to_string();
        assert!(e.contains("cannot hold U+0000: take it out"), "{e}");
        assert!(words.iter().all(|word| e.contains(word)), "{e}");
    };
    for (key, text) in [("3.4", r#"{"a": ["x\u0000"]}"#), ("3\0", "{}")] {
        let mut bad = crate::conformance::batch(3, 1..=3);
        bad.push(|to, out| {
            to.push_str(key);
            out.extend_from_slice(text.as_bytes());
        });
        wait(async {
            let mut bulk = target.documents().unwrap().bulk("1/1").await.unwrap();
            let e = bulk.write(COLLECTION, &bad, 5).await.unwrap_err();
            refused(e, &["load 4 documents into", "document \"3"]);
            assert_eq!(bulk.position(COLLECTION).await.unwrap(), 1);
        });
    }
    assert_eq!(crate::conformance::count(&target), 1);
    let insert = |key: &str| {
        transact(&target, Access::Write, async |t| {
            t.insert(COLLECTION, key, &json!({"a": "\0"})).await
        })
    };
    refused(insert("1.2").unwrap_err(), &["insert", "1.2"]);
    refused(insert("1\0").unwrap_err(), &["insert"]);
    let set = [Patch { path: "o_id", change: Change::Set(json!("\0")) }];
    let patched =
        transact(&target, Access::Write, async |t| t.patch(COLLECTION, "1.1", &set).await);
    refused(patched.unwrap_err(), &["patch", "1.1"]);
    assert_eq!(crate::conformance::field(&target, "1.1", "o_id"), json!(1));
}

#[test]
fn text_that_is_no_json_is_refused_and_undoes_its_batch() {
    let (target, _schema) = fresh();
    load(&target, 1);
    let mut bad = crate::conformance::batch(3, 1..=3);
    bad.push(|key, text| {
        key.push_str("3.4");
        text.extend_from_slice(b"{\"o_id\": ");
    });
    wait(async {
        let mut bulk = target.documents().unwrap().bulk("1/1").await.unwrap();
        let e = bulk.write(COLLECTION, &bad, 5).await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        assert!(e.to_string().contains("invalid input syntax for type json"), "{e}");
        assert_eq!(bulk.position(COLLECTION).await.unwrap(), 1);
    });
    assert_eq!(crate::conformance::count(&target), 1);
}

#[test]
fn a_transaction_may_end_before_it_did_anything() {
    let (target, _schema) = fresh();
    load(&target, 1);
    let mut session = session(&target as &Database);
    wait(async {
        let t = session.begin(Access::Write).await.unwrap();
        t.commit().await.unwrap();
        let t = session.begin(Access::Write).await.unwrap();
        t.rollback().await.unwrap();
        drop(session.begin(Access::Write).await.unwrap());
        let mut t = session.begin(Access::Write).await.unwrap();
        t.get(COLLECTION, "1.1", &[], Intent::Change).await.unwrap();
        t.commit().await.unwrap();
    });
}

/// A query that its database ends, for a limit of the user or by an administrator's hand, is one that
/// failed. That it is a stream's first changes nothing: it is not run again.
#[test]
fn a_query_that_the_server_cancels_is_a_failure_and_nobodys_wish() {
    let (target, _schema) = fresh();
    let mut stream = wait(target.analytics().unwrap().session()).unwrap();
    let e = std::thread::scope(|scope| {
        scope.spawn(|| {
            let other = raw();
            let cancel = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity \
                          WHERE query LIKE '%pg_sleep(61)' AND wait_event = 'PgSleep'";
            until("a query that runs", || {
                wait(other.query_one(cancel, &[])).unwrap().get::<_, i64>(0) > 0
            });
        });
        wait(stream.query("SELECT 1 AS x FROM pg_sleep(61)", &[])).unwrap_err()
    });
    assert_eq!(e.kind, ErrorKind::Timeout, "{e}");
    assert!(e.to_string().contains("the database cancelled it"), "{e}");
}
