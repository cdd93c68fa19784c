//! What the run folder says about SQLite is what is in force, and the mapping is what queries
//! written against it rely on.

use hoap_database::{Database, Index};
use serde_json::json;

use super::conformance::{a_query_ends_at_its_time_limit, index, load, wait};

fn target(options: &str) -> (Database, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}/t.db{options}", directory.path().display());
    (wait(hoap_databases::open(&url)).unwrap(), directory)
}

#[test]
fn the_description_states_what_is_in_force() {
    let (fresh, _guard) = target("");
    load(&fresh, 1);
    let description = fresh.description();
    assert_eq!(description.name, "SQLite");
    assert!(description.version.starts_with("3."), "{}", description.version);
    for (name, value) in [
        ("journal_mode", "wal"),
        ("synchronous", "full"),
        ("page_size", "8192 bytes"),
        ("cache_size", "256 MiB"),
        ("mmap_size", "0 MiB"),
        ("wal_autocheckpoint", "4000 pages"),
        ("temp_store", "memory"),
        ("threads", "0"),
        ("busy_timeout", "30000 ms"),
    ] {
        assert_eq!(description.settings[name], value, "{name}");
    }
    let (changed, _guard) = target(
        "?synchronous=normal&page_size=4096&cache_mb=10&mmap_mb=100&checkpoint_pages=50\
         &busy_timeout_ms=7&temp_store=file&threads=2&max_pages=1000",
    );
    load(&changed, 1);
    let settings = changed.description().settings;
    for (name, value) in [
        ("synchronous", "normal"),
        ("page_size", "4096 bytes"),
        ("cache_size", "10 MiB"),
        ("mmap_size", "100 MiB"),
        ("wal_autocheckpoint", "50 pages"),
        ("temp_store", "file"),
        ("threads", "2"),
        ("busy_timeout", "7 ms"),
        ("max_page_count", "1000 pages"),
    ] {
        assert_eq!(settings[name], value, "{name}");
    }
}

#[test]
fn the_description_reads_back_what_the_file_really_has() {
    let (fresh, guard) = target("?page_size=4096");
    load(&fresh, 1);
    // The page size of a file that exists cannot change.
    let url = format!("sqlite:{}/t.db?page_size=16384", guard.path().display());
    let again = wait(hoap_databases::open(&url)).unwrap();
    load_again(&again);
    assert_eq!(again.description().settings["page_size"], "4096 bytes");
}

fn load_again(target: &Database) {
    wait(target.documents().unwrap().create(&["item"])).unwrap();
}

/// The indexes of CH2's transactions serve both the searches and the query texts, which use the
/// same words.
#[test]
fn queries_in_the_words_of_the_mapping_use_the_indexes() {
    let (target, guard) = target("?synchronous=off");
    load(&target, 500);
    let ids = Index::new("orders_by_id", "orders", &["o_w_id", "o_id"]);
    wait(target.documents().unwrap().settle(&[index(), ids])).unwrap();
    let connection = rusqlite::Connection::open(guard.path().join("t.db")).unwrap();
    let plan = |text: &str| {
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}")).unwrap();
        let lines = plan.query_map([], |row| row.get::<_, String>(3)).unwrap();
        lines.collect::<Result<Vec<_>, _>>().unwrap().join("; ")
    };
    let found =
        plan("SELECT key FROM orders WHERE doc ->> '$.o_w_id' = 1 AND doc ->> '$.o_id' = 7");
    assert!(found.contains("USING INDEX orders_by_id (<expr>=? AND <expr>=?)"), "{found}");
    let found = plan("SELECT doc FROM orders WHERE key = '1.1'");
    assert!(found.contains("SEARCH orders USING INDEX"), "{found}");
    let analyzed: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_stat1 WHERE tbl = 'orders'", [], |r| r.get(0))
        .unwrap();
    assert_eq!(analyzed, 3, "statistics of both indexes and the key");
}

/// The mapping itself, as the texts below `queries/` use it.
#[test]
fn documents_are_jsonb_in_a_table_of_their_own() {
    let (target, _guard) = target("");
    load(&target, 3);
    let mut stream = wait(target.analytics().unwrap().session()).unwrap();
    let mut rows = |text: &str| wait(stream.query(text, &[])).unwrap().rows;
    let lines = "SELECT o.key, l.value ->> '$.ol_amount', typeof(o.doc) \
                 FROM orders o, jsonb_each(o.doc, '$.o_orderline') l ORDER BY o.doc ->> '$.o_id'";
    assert_eq!(rows(lines)[2], [json!("1.3"), json!(0.5), json!("blob")]);
    // A JSONB value in an answer is JSON text; any other blob is refused.
    let whole = rows("SELECT jsonb_extract(doc, '$.o_name') FROM orders WHERE key = '1.1'");
    assert_eq!(whole, [[json!(r#"{"first":"Ada","last":"L1"}"#)]]);
    let e = wait(stream.query("SELECT x'ff00ff' AS raw", &[])).unwrap_err();
    assert!(e.to_string().contains("column raw is a blob and no JSONB"), "{e}");
    let e = wait(stream.query("SELECT 9e999 AS huge", &[])).unwrap_err();
    assert!(e.to_string().contains("column huge is inf"), "{e}");
}

#[test]
fn the_stored_size_is_that_of_the_file() {
    let (target, folder) = target("");
    load(&target, 2000);
    let documents = target.documents().unwrap();
    let stored = wait(documents.stored(&["orders"])).unwrap().unwrap();
    let file = std::fs::metadata(folder.path().join("t.db")).unwrap().len();
    assert_eq!(stored.bytes, file);
    // The table with its index is nearly all of the file.
    assert!(stored.collections[0].bytes > file / 2, "{stored:?}, {file}");
}

#[test]
fn a_query_has_the_limit_of_the_url() {
    let (target, _guard) = target("?query_timeout_ms=50");
    a_query_ends_at_its_time_limit(&target);
}
