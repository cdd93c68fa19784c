//! Couchbase's analytical services: every statement as their manuals have it, against a service
//! that is scripted, and the suite against a real one where `HOAP_TEST_COUCHBASE_ANALYTICS` names
//! it.

mod on_couchbase_analytics;
mod silent;

use std::sync::atomic::{AtomicU64, Ordering};

use conformance::{COLLECTION, batch, wait};
use hoap_couchbase_analytics::open;
use hoap_database::shop::{Ask, COUNTRY_INDEX, JoinVariant, ZIP_INDEX};
use hoap_database::{AnalyticalSession, Database, Index};
use hoap_suites::conformance;
use hoap_testing::certificates;
use hoap_testing::couchbase_analytics as service;
use hoap_workload::ErrorKind;
use serde_json::json;
use service::{Service, error, rows, table};

/// Where requests are cancelled.
const CANCEL: &str = "/api/v1/active_requests";

/// Opens a URL at the service; the user comes with it, as a file with URLs would have it.
fn at(service: &Service, rest: &str) -> Database {
    let url = format!("couchbase-analytics://ada:top%20secret@{}/{rest}", service.place);
    wait(open(&url)).unwrap()
}

fn session(target: &Database) -> AnalyticalSession {
    wait(target.analytics().unwrap().session()).unwrap()
}

#[test]
fn standalone_collections_are_defined_loaded_and_sampled() {
    let service = Service::new(|asked| match asked.statement() {
        s if s.contains("Metadata.`Index`") => rows(json!([])),
        s if s.contains("SELECT VALUE p.hoap_key") => rows(json!(["1/1 orders"])),
        s if s.contains("SELECT VALUE [d.`c_w_id`") => rows(json!([[1, "BAR", 2.5]])),
        s if s.contains("Metadata.`Dataset`")
            && asked.body["$names"].as_array().unwrap().len() == 2 =>
        {
            rows(json!(["hoap_note", "hoap_load"]))
        }
        _ => rows(json!([])),
    });
    let target = at(&service, "bench.ch2pp?storage=column&indexes=all&analyze=high");
    let documents = target.documents().unwrap();
    wait(async {
        documents.create(&["orders"]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write(COLLECTION, &batch(1, [1]), 1).await.unwrap();
        let index = Index::new("by_name", "customer", &["c_w_id", "c_name.c_last", "c_balance"]);
        documents.settle(&[index]).await.unwrap();
    });
    let here = "d.DatabaseName = \"bench\" AND d.DataverseName = \"ch2pp\"";
    let look = format!(
        "SELECT VALUE d.DatasetName FROM Metadata.`Dataset` AS d WHERE {here} AND d.DatasetName IN $names"
    );
    let column = "WITH {\"storage-format\": {\"format\": \"column\"}}";
    let create = |name: &str| {
        format!(
            "CREATE COLLECTION IF NOT EXISTS `bench`.`ch2pp`.`{name}` \
             PRIMARY KEY (hoap_key: string) {column}"
        )
    };
    let save = "UPSERT INTO `bench`.`ch2pp`.`hoap_load` ({\"hoap_key\": $k, \"position\": $p})";
    let expected = [
        look.clone(),
        "CREATE DATABASE `bench` IF NOT EXISTS".to_owned(),
        "CREATE SCOPE `bench`.`ch2pp` IF NOT EXISTS".to_owned(),
        create("hoap_note"),
        create("hoap_load"),
        create("orders"),
        look.clone(),
        "CREATE DATABASE `bench` IF NOT EXISTS".to_owned(),
        "CREATE SCOPE `bench`.`ch2pp` IF NOT EXISTS".to_owned(),
        create("hoap_load"),
        "UPSERT INTO `bench`.`ch2pp`.`orders` (SELECT VALUE r FROM $d AS r)".to_owned(),
        save.to_owned(),
        "SELECT VALUE [d.`c_w_id`, d.`c_name`.`c_last`, d.`c_balance`] \
         FROM `bench`.`ch2pp`.`customer` AS d LIMIT 1"
            .to_owned(),
        "CREATE ANALYTICS INDEX `by_name` IF NOT EXISTS ON `bench`.`ch2pp`.`customer`\
         (`c_w_id`: bigint, `c_name`.`c_last`: string, `c_balance`: double)"
            .to_owned(),
        look,
        "SELECT VALUE p.hoap_key FROM `bench`.`ch2pp`.`hoap_load` AS p".to_owned(),
        "ANALYZE ANALYTICS COLLECTION `bench`.`ch2pp`.`orders` WITH {\"sample\": \"high\"}"
            .to_owned(),
    ];
    assert_eq!(service.statements(), expected);
    for asked in service.asked() {
        assert_eq!(asked.line, "POST /api/v1/request");
        assert!(asked.authorization.starts_with("Basic "), "{}", asked.authorization);
    }
    let loaded = service.asked().into_iter().find(|a| a.statement().starts_with("UPSERT")).unwrap();
    assert_eq!(loaded.body["$d"][0]["hoap_key"], "1.1");
    assert_eq!(loaded.body["$d"][0]["o_total"], 12.3);
    assert!(!target.description().url.contains("secret"), "{}", target.description().url);
}

#[test]
fn shadows_are_made_followed_and_sampled_once() {
    let asked_before = AtomicU64::new(0);
    let service = Service::new(move |asked| {
        if asked.line == "GET /analytics/status/ingestion" {
            let late = match asked_before.fetch_add(1, Ordering::SeqCst) {
                0 => vec![],
                1 => vec![("orders", 0.98219), ("item", 0.5), ("other", 0.1)],
                2 => vec![("orders", 0.99999)],
                _ => vec![("other", 0.1)],
            };
            return (200, ingestion("healthy", &late));
        }
        match asked.statement() {
            s if s.contains("meta(n).id") => rows(json!([{"benchmark": "ch2pp"}])),
            _ => rows(json!([])),
        }
    });
    let target = at(&service, "bench.ch2pp?service=server&analyze=low");
    let documents = target.documents().unwrap();
    let statements = {
        let mut first = Vec::new();
        for says in [
            "0 % of customer are taken in, and 11 more collections are behind",
            "50 % of item are taken in, and 1 more collection is behind",
            "99.9 % of orders are taken in",
        ] {
            let e = wait(documents.note()).unwrap_err();
            assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
            assert!(e.to_string().contains(says), "{e}");
            if first.is_empty() {
                first = service.statements();
            }
        }
        first
    };
    assert_eq!(statements[1], "CREATE ANALYTICS SCOPE `bench`.`ch2pp` IF NOT EXISTS");
    assert_eq!(
        statements[2],
        "CREATE ANALYTICS COLLECTION IF NOT EXISTS `bench`.`ch2pp`.`customer` \
         ON `bench`.`ch2pp`.`customer` AT `Local`"
    );
    assert_eq!(statements.len(), 1 + 1 + 12 + 1 + 1);
    assert_eq!(statements[14], "CONNECT LINK `bench`.`ch2pp`.`Local`");
    assert!(!statements.iter().any(|s| s.starts_with("ANALYZE")));
    let note = wait(documents.note()).unwrap();
    assert_eq!(note, Some(json!({"benchmark": "ch2pp"})));
    let analyzed = |s: &[String]| s.iter().filter(|s| s.starts_with("ANALYZE")).count();
    let statements = service.statements();
    let last = statements.last().unwrap();
    assert_eq!(
        last,
        "ANALYZE ANALYTICS COLLECTION `bench`.`ch2pp`.`warehouse` WITH {\"sample\": \"low\"}"
    );
    assert_eq!(analyzed(&statements), 11);
    wait(documents.note()).unwrap();
    assert_eq!(analyzed(&service.statements()), 11, "once");
    assert!(service.asked().iter().all(|a| a.line != "POST /api/v1/request"));
    for e in [
        wait(documents.create(&["orders"])).unwrap_err(),
        wait(documents.bulk("1/1")).map(drop).unwrap_err(),
        wait(documents.set_note(None, &json!(1))).unwrap_err(),
    ] {
        assert!(e.to_string().contains("shadows") && e.kind == ErrorKind::Unavailable, "{e}");
    }
    let counters = wait(session(&target).counters("district", "d_next_o_id")).unwrap();
    assert!(counters.is_empty());
    assert_eq!(
        service.statements().last().unwrap(),
        "SELECT VALUE [meta(c).id, c.`d_next_o_id`] FROM `bench`.`ch2pp`.`district` AS c"
    );
}

/// Data definition 1.4 of the CH2++ paper, whose order of definitions and ingestion the paper
/// leaves open.
#[test]
fn shadows_get_the_published_indexes_after_the_ingestion_or_before_it() {
    for (option, before) in [("after", false), ("before", true)] {
        let service = Service::new(move |asked| {
            if asked.line == "GET /analytics/status/ingestion" {
                return (200, ingestion("healthy", &[("other", 0.1)]));
            }
            match asked.statement() {
                s if s.contains("meta(n).id") => rows(json!([{"benchmark": "ch2pp"}])),
                _ => rows(json!([])),
            }
        });
        let options = format!("service=server&indexes=published&shadow_indexes={option}");
        let target = at(&service, &format!("bench.ch2pp?{options}"));
        assert!(wait(target.documents().unwrap().note()).unwrap().is_some());
        let statements = service.statements();
        let at = |words: &str| {
            let all = statements.iter().enumerate().filter(|(_, s)| s.contains(words));
            all.map(|(at, _)| at).collect::<Vec<_>>()
        };
        let (made, connected) = (at("CREATE ANALYTICS INDEX"), at("CONNECT LINK"));
        let balance = "CREATE ANALYTICS INDEX customer_c_balance IF NOT EXISTS \
                       ON `bench`.`ch2pp`.`customer`(c_balance: double)";
        assert!(!at(balance).is_empty(), "{statements:#?}");
        assert_eq!(made.first() < connected.first(), before, "{option}: {statements:#?}");
        let early = made.iter().filter(|at| **at < connected[0]).count();
        assert_eq!(early, if before { 4 } else { 0 }, "{option}");
        assert!(made.last() > connected.last(), "what was missing is made once they caught up");
    }
}

/// The report of a service on the scope `bench.ch2pp`: these collections have these shares, the
/// others all.
fn ingestion(status: &str, late: &[(&str, f64)]) -> String {
    let names = ["customer", "district", "history", "item", "nation", "neworder", "orders"];
    let more = ["region", "stock", "supplier", "warehouse", "hoap_notes"];
    let state = |progress: f64, scope: &str, names: &[&str]| {
        let collections: Vec<_> = names.iter().map(|name| json!({"name": name})).collect();
        let scopes = json!([{"name": scope, "collections": collections}]);
        json!({"timestamp": 1631107234921u64, "progress": progress, "scopes": scopes})
    };
    let done: Vec<&str> = names.into_iter().chain(more).collect();
    let done: Vec<&str> =
        done.into_iter().filter(|name| late.iter().all(|(other, _)| other != name)).collect();
    let mut states: Vec<_> =
        late.iter().map(|(name, share)| state(*share, "bench/ch2pp", &[*name])).collect();
    if !late.is_empty() {
        states.push(state(1.0, "bench/ch2pp", &done));
    }
    // Another link's and another scope's are not waited for.
    let elsewhere = state(0.0, "bench/ch2pp", &["orders"]);
    let other = state(0.0, "x/y", &["orders"]);
    json!({"links": [
        {"name": "Local", "scope": "bench/ch2pp", "status": status, "state": states},
        {"name": "Local", "scope": "x/y", "status": "stopped", "state": [other]},
        {"name": "Remote", "scope": "bench/ch2pp", "status": "stopped", "state": [elsewhere]},
    ]})
    .to_string()
}

#[test]
fn a_link_that_does_not_work_and_a_report_that_is_none_are_told() {
    for (report, kind, says) in [
        ((200, ingestion("stopped", &[])), ErrorKind::Unavailable, "the link Local is \"stopped\""),
        ((200, "[]".to_owned()), ErrorKind::Broken, "lists no links"),
        ((200, "no JSON".to_owned()), ErrorKind::Broken, "/analytics/status/ingestion"),
        ((404, String::new()), ErrorKind::Invalid, "HTTP 404"),
        ((403, String::new()), ErrorKind::Unavailable, "check the user"),
    ] {
        let service = Service::new(move |asked| match asked.line.as_str() {
            "GET /analytics/status/ingestion" => report.clone(),
            _ if asked.statement().contains("meta(n).id") => rows(json!([{"benchmark": "ch2"}])),
            _ => rows(json!([])),
        });
        let target = at(&service, "bench.ch2pp?service=server");
        let e = wait(target.documents().unwrap().note()).unwrap_err();
        assert_eq!(e.kind, kind, "{e}");
        assert!(e.to_string().contains(says), "{e}");
    }
}

/// The counters of freshness are made by a run, and shadowed only then.
#[test]
fn counters_are_shadowed_when_they_are_first_asked_for() {
    let service = Service::new(move |asked| match asked.statement() {
        s if s.contains("meta(c).id") => rows(json!([["client-0", 3], ["client-1", 7.0]])),
        s if s.contains("Metadata") && asked.body["$names"] == json!(["district"]) => {
            rows(json!(["district"]))
        }
        _ => rows(json!([])),
    });
    let target = at(&service, "bench.ch2pp?service=server&storage=column");
    let mut session = session(&target);
    for _ in 0..2 {
        let counters = wait(session.counters("freshness", "committed")).unwrap();
        assert_eq!(counters, [("client-0".to_owned(), 3), ("client-1".to_owned(), 7)]);
    }
    wait(session.counters("district", "d_next_o_id")).unwrap();
    let all = service.statements();
    let look = |name: &str, field: &str| {
        format!("SELECT VALUE [meta(c).id, c.`{field}`] FROM `bench`.`ch2pp`.`{name}` AS c")
    };
    let expected = [
        "CREATE ANALYTICS SCOPE `bench`.`ch2pp` IF NOT EXISTS".to_owned(),
        "CREATE ANALYTICS COLLECTION IF NOT EXISTS `bench`.`ch2pp`.`freshness` ON \
         `bench`.`ch2pp`.`freshness` AT `Local` WITH {\"storage-format\": {\"format\": \"column\"}}"
            .to_owned(),
        "CONNECT LINK `bench`.`ch2pp`.`Local`".to_owned(),
        look("freshness", "committed"),
        look("freshness", "committed"),
        look("district", "d_next_o_id"),
    ];
    let but_metadata: Vec<_> = all.into_iter().filter(|s| !s.contains("Metadata")).collect();
    assert_eq!(but_metadata, expected);
}

#[test]
fn a_result_that_is_too_large_is_not_read_to_its_end() {
    let service = Service::new(|asked| match asked.statement() {
        "SELECT VALUE 1" => rows(json!([1])),
        _ => table(&["a"], (0..2000).map(|_| json!({"a": "x".repeat(1000)})).collect()),
    });
    let target = at(&service, "bench.ch2?max_result_mb=1");
    let e = wait(session(&target).query("SELECT a FROM t", &[])).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(e.to_string().contains("larger than 1 MB; raise max_result_mb"), "{e}");
    let target = at(&service, "bench.ch2?max_result_mb=2");
    let answer = wait(session(&target).query("SELECT a FROM t", &[])).unwrap();
    assert_eq!(answer.rows.len(), 2000);
}

#[test]
fn users_and_passwords_of_a_url_are_decoded() {
    let service = Service::new(|_| rows(json!([1])));
    let url = format!("couchbase-analytics://a%2Fda:top%20secret%25%40@{}/d", service.place);
    let target = wait(open(&url)).unwrap();
    assert!(!target.description().url.contains("secret"), "{}", target.description().url);
    // a/da:top secret%@
    assert_eq!(service.asked()[0].authorization, "Basic YS9kYTp0b3Agc2VjcmV0JUA=");
    let url = format!("couchbase-analytics://ada:topsecret%zz@{}/d", service.place);
    let e = wait(open(&url)).map(drop).unwrap_err();
    let line = e.to_string();
    assert!(line.contains("does not decode") && !line.contains("topsecret"), "{line}");
}

/// Servers that the authority signed, and others; clients that show a certificate, and others.
#[test]
fn certificates_are_verified_on_both_sides() {
    use certificates::{path, server};
    let serve = |name: &str, mutual: bool| {
        let service = Service::secured(Some(server(name, mutual)), |_| rows(json!([1])));
        let url =
            format!("couchbases-analytics://{}/d?tls_ca={}", service.place, path("authority.pem"));
        (service, url)
    };
    let refused = |url: &str| {
        let e = wait(open(url)).map(drop).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
        e.to_string()
    };
    let (_plain, url) = serve("server", false);
    assert_eq!(wait(open(&url)).unwrap().description().settings["tls"], "true");
    for other in [url.replace("authority", "stranger"), url.split('?').next().unwrap().to_owned()] {
        let line = refused(&other);
        assert!(line.contains("check tls_ca"), "{line}");
    }
    let (_elsewhere, url) = serve("elsewhere", false);
    let line = refused(&url);
    assert!(line.contains("certificate names the host"), "{line}");
    let (service, url) = serve("server", true);
    let shows = |name: &str| {
        let file = |kind: &str| path(&format!("{name}.{kind}"));
        format!("{url}&tls_cert={}&tls_key={}", file("pem"), file("key"))
    };
    let target = wait(open(&shows("client"))).unwrap();
    assert_eq!(target.description().settings["client_certificate"], "true");
    assert_eq!(service.asked()[0].authorization, "", "the certificate says who asks");
    for other in [url.clone(), shows("stranger")] {
        let line = refused(&other);
        assert!(line.contains("tls_cert and tls_key"), "{line}");
    }
}

/// TLS 1.3 lets a client begin before the server has looked at its certificate: a refusal may be no
/// more than the end of the connection.
#[test]
fn a_server_that_hangs_up_without_a_word_may_not_trust_the_certificate() {
    use certificates::{path, server};
    let files = ["authority.pem", "client.pem", "client.key"].map(path);
    let files = format!("?tls_ca={}&tls_cert={}&tls_key={}", files[0], files[1], files[2]);
    for secured in [true, false] {
        let tls = secured.then(|| server("server", true));
        let service = Service::secured(tls, |_| panic!("it says nothing"));
        let url = match secured {
            true => format!("couchbases-analytics://{}/d{files}", service.place),
            false => format!("couchbase-analytics://{}/d", service.place),
        };
        let e = wait(open(&url)).map(drop).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
        let advice = e.advice.as_deref().unwrap_or_default();
        assert!(advice.contains("look into the server's log"), "{e}");
        assert_eq!(advice.contains("tls_cert and tls_key"), secured, "{e}");
    }
}

#[test]
fn a_remote_link_has_a_source_of_its_own() {
    let service = Service::new(|asked| match asked.line.as_str() {
        "GET /api/v1/status/ingestion" => panic!("there is no note yet"),
        _ => rows(json!([])),
    });
    let target = at(&service, "columnar.ch2?link=RemoteLink&source=bench.ch2&storage=row");
    assert_eq!(wait(target.documents().unwrap().note()).unwrap(), None);
    let statements = service.statements();
    assert!(statements.contains(&"CONNECT LINK `RemoteLink`".to_owned()), "{statements:?}");
    assert_eq!(
        statements[3],
        "CREATE ANALYTICS COLLECTION IF NOT EXISTS `columnar`.`ch2`.`customer` \
         ON `bench`.`ch2`.`customer` AT `RemoteLink` WITH {\"storage-format\": {\"format\": \"row\"}}"
    );
}

#[test]
fn a_query_names_its_context_and_its_columns() {
    let service = Service::new(|asked| match asked.statement() {
        "SELECT VALUE 1" => rows(json!([1])),
        _ => table(&["b", "a"], json!([{"a": 1, "b": {"c": [true]}}, {"a": true}])),
    });
    let target = at(&service, "bench.ch2?query_timeout_ms=60000");
    let given = [("x".to_owned(), json!("it's"))];
    let answer =
        wait(session(&target).query("SELECT o.b, o.a FROM orders AS o WHERE o.x = $x", &given));
    let answer = answer.unwrap();
    assert_eq!(answer.columns, ["b", "a"]);
    assert_eq!(answer.rows[0], [json!("{\"c\":[true]}"), json!(1)]);
    assert_eq!(answer.rows[1], [json!(null), json!(1)]);
    let body = service.asked().pop().unwrap().body;
    assert_eq!(body["query_context"], "default:`bench`.`ch2`");
    assert_eq!(body["$x"], "it's");
    assert_eq!(body["readonly"], true);
    assert_eq!(body["timeout"], "60000ms");
    assert!(body["client_context_id"].as_str().unwrap().starts_with("hoap-"));
    assert_eq!(body["max-warnings"], 10);
}

#[test]
fn what_is_given_up_is_cancelled_by_its_context() {
    let service = Service::new(|asked| match asked.statement() {
        "SELECT VALUE 1" => rows(json!([1])),
        s if s.contains("Metadata.`Index`") => rows(json!([COUNTRY_INDEX, ZIP_INDEX])),
        "" => (200, String::new()),
        _ => {
            std::thread::sleep(std::time::Duration::from_secs(1));
            rows(json!([]))
        }
    });
    let target = at(&service, "bench.ch2");
    let soon = std::time::Duration::from_millis(100);
    let mut session = session(&target);
    wait(async {
        tokio::time::timeout(soon, session.query("SELECT endless", &[])).await.unwrap_err();
        let mut pages = target.pages().unwrap().session(Ask::Pages).await.unwrap();
        let (mut keys, mut rows) = (Vec::new(), Vec::new());
        let page = pages.page("Norway", 0, 10, &mut keys);
        tokio::time::timeout(soon, page).await.unwrap_err();
        let mut joins =
            target.joins().unwrap().session(Ask::Joins(JoinVariant::Ansi)).await.unwrap();
        let join = joins.join("12345", "2026-01", &mut rows);
        tokio::time::timeout(soon, join).await.unwrap_err();
        tokio::time::sleep(3 * soon).await;
    });
    let asked = service.asked();
    let given_up = ["SELECT endless", "LIMIT $limit", "GROUP BY"];
    for words in given_up {
        let query = asked.iter().find(|a| a.statement().contains(words)).unwrap();
        let context = query.body["client_context_id"].as_str().unwrap();
        let cancelled = format!("DELETE {CANCEL}?client_context_id={context}");
        assert!(asked.iter().any(|a| a.line == cancelled), "{words}");
    }
    let cancelled = asked.iter().filter(|a| a.line.starts_with("DELETE ")).count();
    assert_eq!(cancelled, given_up.len(), "what was answered is not cancelled");
}

#[test]
fn what_goes_wrong_is_told_by_its_code() {
    let service = Service::new(|asked| match asked.statement() {
        "SELECT VALUE 1" => rows(json!([1])),
        "SELECT syntax" => error(400, 24000, "Syntax error: x"),
        "SELECT absent" => error(404, 24025, "Cannot find analytics collection orders"),
        "SELECT rights" => error(403, 20001, "User must have permission"),
        "SELECT late" => error(200, 21002, "Request timed out and will be cancelled"),
        "SELECT down" => error(503, 23000, "Analytics Service is temporarily unavailable"),
        "SELECT lost" => (0, String::new()),
        "SELECT page" => (502, "<html>Bad\nGateway</html>".to_owned()),
        "SELECT wrong" => (200, "{\"results\": [1".to_owned()),
        "SELECT status" => (200, json!({"results": [], "status": "fatal"}).to_string()),
        other => panic!("{other}"),
    });
    let target = at(&service, "bench.ch2");
    let mut session = session(&target);
    for (text, kind, word) in [
        ("SELECT syntax", ErrorKind::Invalid, "code 24000"),
        ("SELECT absent", ErrorKind::Missing, "hoap load"),
        ("SELECT rights", ErrorKind::Unavailable, "roles"),
        ("SELECT late", ErrorKind::Timeout, "query_timeout_ms"),
        ("SELECT down", ErrorKind::Unavailable, "wait"),
        ("SELECT lost", ErrorKind::Unavailable, "connection was lost"),
        ("SELECT page", ErrorKind::Unavailable, "HTTP 502 <html>Bad Gateway"),
        ("SELECT wrong", ErrorKind::Broken, "no JSON"),
        ("SELECT status", ErrorKind::Broken, "status `fatal`"),
    ] {
        let e = wait(session.query(text, &[])).unwrap_err();
        assert_eq!(e.kind, kind, "{e}");
        let line = e.to_string();
        assert!(line.contains(word) && !line.contains('\n') && !line.contains("secret"), "{line}");
    }
}

#[test]
fn a_wrong_password_is_told_without_it() {
    let service = Service::new(|_| error(401, 20000, "Unauthorized user."));
    let url = format!("couchbase-analytics://ada:topsecret@{}/d", service.place);
    let e = wait(open(&url)).map(drop).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(e.to_string().contains("Unauthorized") && !e.to_string().contains("topsecret"), "{e}");
}

/// A service that speaks no TLS, and authorities that are none.
#[test]
fn certificates_are_told_apart_from_hosts() {
    let service = Service::new(|_| rows(json!([])));
    let url = format!("couchbases-analytics://{}/d", service.place);
    let e = wait(open(&url)).map(drop).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ca.pem");
    for (text, word) in [("", "no certificate"), ("-----BEGIN CERTIFICATE-----\nx\n", "ca.pem")] {
        std::fs::write(&path, text).unwrap();
        let e = wait(open(&format!("{url}?tls_ca={}", path.display()))).map(drop).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        assert!(e.to_string().contains(word), "{e}");
    }
    let e = wait(open(&format!("{url}?tls_ca=/nowhere/ca.pem"))).map(drop).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
}

#[test]
fn a_query_is_cancelled_by_its_context() {
    let service = Service::new(|asked| match asked.statement() {
        "SELECT endless" => {
            std::thread::sleep(std::time::Duration::from_millis(700));
            error(500, 23027, "Request has been cancelled")
        }
        _ => rows(json!([1])),
    });
    let target = at(&service, "bench.ch2");
    let mut session = session(&target);
    let cancel = session.canceller().unwrap();
    let e = std::thread::scope(|scope| {
        let running = scope.spawn(move || wait(session.query("SELECT endless", &[])));
        while !running.is_finished() {
            std::thread::sleep(std::time::Duration::from_millis(50));
            cancel();
        }
        running.join().unwrap().unwrap_err()
    });
    assert_eq!(e.kind, ErrorKind::Cancelled, "{e}");
    let asked = service.asked();
    let query = asked.iter().find(|a| a.statement() == "SELECT endless").unwrap();
    let context = query.body["client_context_id"].as_str().unwrap();
    let deleted = format!("DELETE {CANCEL}?client_context_id={context}");
    assert!(asked.iter().any(|a| a.line == deleted), "{asked:?}");
}
