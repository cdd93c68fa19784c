//! Answers cut into pieces, codes, names.

use hoap_database::failure::Failure;
use hoap_record::ErrorKind;
use serde_json::json;

use super::error::Loss;
use super::stream::Splitter;
use super::*;

/// Rows and the rest of an answer that arrives in pieces of this many bytes.
fn split(answer: &str, size: usize) -> Result<(Vec<String>, Envelope), String> {
    let (rows, envelope) = fuzz::split(answer.as_bytes(), size)?;
    Ok((rows.into_iter().map(|row| String::from_utf8(row).unwrap()).collect(), envelope))
}

const ANSWER: &str = r#"{ "a": "results", "b": {"results": [9]},
    "results": [ { "x": "],\"}\\", "y": [1, {"z": 2}] }
, null , 7,"s,]" , [ ] ]
    , "status": "success", "metrics": {"n": 5} }"#;

#[test]
fn rows_are_the_same_however_the_answer_is_cut() {
    for size in 1..ANSWER.len() {
        let (rows, envelope) = split(ANSWER, size).unwrap();
        let first = r#"{ "x": "],\"}\\", "y": [1, {"z": 2}] }"#;
        assert_eq!(rows, [first, "null", "7", "\"s,]\"", "[ ]"], "pieces of {size}");
        assert_eq!(envelope.status(), "success");
        assert_eq!(envelope.get("b"), &json!({"results": [9]}));
        assert_eq!(envelope.get("results"), &json!([]));
    }
}

#[test]
fn an_answer_without_rows_or_without_an_end_is_told_apart() {
    let (rows, envelope) = split(r#"{"results": [ ], "status":"fatal"}"#, 3).unwrap();
    assert!(rows.is_empty());
    assert_eq!(envelope.status(), "fatal");
    let (rows, _) = split(r#"{"results": null, "results-0": [1], "status":"x"}"#, 3).unwrap();
    assert!(rows.is_empty());
    for end in 0..ANSWER.len() {
        assert!(split(&ANSWER[..end], 7).is_err(), "{}", &ANSWER[..end]);
    }
    for other in ["[]", "<html>", "7", ""] {
        assert!(split(other, 7).is_err(), "{other}");
    }
}

/// Its bytes count before its end: one that never ends is given up.
#[test]
fn a_row_that_has_begun_counts() {
    let mut splitter = Splitter::default();
    splitter.push(br#"{"results": [[1], ""#, &mut |_| Ok(())).unwrap();
    for _ in 0..10 {
        splitter.push(&[b'x'; 1000], &mut |_| Ok(())).unwrap();
    }
    assert_eq!(splitter.bytes(), 10_004);
}

#[test]
fn what_a_row_is_refused_for_ends_the_answer() {
    let mut splitter = Splitter::default();
    let e = splitter.push(ANSWER.as_bytes(), &mut |_| Err("no".to_owned())).unwrap_err();
    assert_eq!(e, "no");
}

#[test]
fn codes_decide_the_kind_of_error() {
    let error = |service, errors: serde_json::Value| {
        let envelope = Envelope::new(json!({"status": "fatal", "errors": errors}));
        let cause = Cause::Refused {
            status: 400,
            outcome: "fatal".into(),
            faults: envelope.errors(),
            text: String::new(),
        };
        Failure::from(Error { service, cause })
    };
    let asterixdb = |message: &str| {
        let e = error(Service::AsterixDb, json!([{"code": 1, "msg": message}]));
        assert!(message.starts_with(&e.code), "{e:?}");
        e.kind
    };
    assert_eq!(asterixdb("ASX1001: Syntax error: In line 1"), ErrorKind::Invalid);
    assert_eq!(asterixdb("ASX1077: Cannot find dataset"), ErrorKind::Missing);
    assert_eq!(asterixdb("ASX0030: Request timed out"), ErrorKind::Timeout);
    assert_eq!(asterixdb("ASX0041: Request x has been cancelled"), ErrorKind::Cancelled);
    assert_eq!(asterixdb("HYR0033: Inserting duplicate keys"), ErrorKind::Duplicate);
    assert_eq!(asterixdb("HYR0003: Failure on node nc2"), ErrorKind::Unavailable);
    assert_eq!(asterixdb("anything else"), ErrorKind::Unavailable);
    let coded = |service, code: u64| {
        error(service, json!([{"code": code, "msg": "m"}, {"code": 1, "msg": "n"}]))
    };
    for (service, code, kind) in [
        (Service::Analytics, 24000, ErrorKind::Invalid),
        (Service::Analytics, 24025, ErrorKind::Missing),
        (Service::Analytics, 20000, ErrorKind::Unavailable),
        (Service::Analytics, 21002, ErrorKind::Timeout),
        (Service::Query, 3000, ErrorKind::Invalid),
        (Service::Query, 1080, ErrorKind::Timeout),
        (Service::Query, 4000, ErrorKind::Missing),
        (Service::Query, 12003, ErrorKind::Missing),
        (Service::Query, 12016, ErrorKind::Missing),
        (Service::Query, 12021, ErrorKind::Missing),
        (Service::Query, 12009, ErrorKind::Unavailable),
        (Service::Query, 12020, ErrorKind::Missing),
        (Service::Query, 13014, ErrorKind::Unavailable),
        (Service::Query, 1180, ErrorKind::Unavailable),
        (Service::Query, 1182, ErrorKind::Unavailable),
        (Service::Query, 1192, ErrorKind::Throttled),
        (Service::Query, 1193, ErrorKind::Unavailable),
        (Service::Query, 1196, ErrorKind::Throttled),
        (Service::Query, 1197, ErrorKind::Unavailable),
        (Service::Query, 1201, ErrorKind::Throttled),
        (Service::Query, 1204, ErrorKind::Unavailable),
        (Service::Query, 1205, ErrorKind::Invalid),
        (Service::Query, 17013, ErrorKind::Unavailable),
        (Service::Query, 17021, ErrorKind::Throttled),
        (Service::Query, 17097, ErrorKind::Unavailable),
    ] {
        let e = coded(service, code);
        assert_eq!((e.kind, e.code), (kind, code.to_string()));
        assert_eq!(e.answer, format!("m (code {code}), and 1 more"));
    }
    for (reason, kind) in [(12033, ErrorKind::Conflict), (17012, ErrorKind::Duplicate)] {
        let failed = json!([{"code": 12009, "msg": "DML Error", "reason": {"code": reason}}]);
        assert_eq!(error(Service::Query, failed).kind, kind, "{reason}");
    }
    let advice = |code| coded(Service::Query, code).advice.unwrap_or_default();
    assert!(advice(12003).contains("bucket") && advice(12003).contains("hoap load"));
    assert!(advice(1193).contains("limit") && !advice(1193).contains("fewer clients"));
    for code in [4000, 12016, 12021] {
        assert!(advice(code).contains("hoap load"), "{code}");
    }
}

/// Also what the service says without an error of its own.
#[test]
fn a_write_may_be_applied_where_its_answer_is_lost_or_late() {
    use ErrorKind::{Invalid, Timeout, Unavailable};
    let loss = |words: &str| Loss { words: words.to_owned(), unheard: false };
    let http = |status| Cause::Http { status, text: String::new() };
    let refused = |outcome: &str, code| {
        let outcome = outcome.to_owned();
        let fault = Fault { code, ..Fault::default() };
        let faults = if code == 0 { Vec::new() } else { vec![fault] };
        Cause::Refused { status: 200, outcome, faults, text: String::new() }
    };
    for (cause, kind, may_be_applied) in [
        (Cause::Lost(loss("reset")), Unavailable, true),
        (Cause::NoConnection(loss("refused")), Unavailable, false),
        (Cause::Late("no answer".to_owned()), Timeout, true),
        (http(504), Timeout, true),
        (http(502), Unavailable, true),
        (http(503), Unavailable, false),
        (http(404), Invalid, false),
        (refused("timeout", 0), Timeout, true),
        (refused("timeout", 9), Timeout, true),
        (refused("fatal", 1080), Timeout, true),
        (refused("fatal", 3000), Invalid, false),
    ] {
        let words = format!("{cause:?}");
        let failure = Failure::from(Error { service: Service::Query, cause });
        assert_eq!((failure.kind, failure.may_be_applied), (kind, may_be_applied), "{words}");
    }
}

#[test]
fn names_are_quoted_or_refused() {
    let quoted = |name: &str| {
        let mut out = String::new();
        quote(name, &mut out).map(|()| out)
    };
    assert_eq!(quoted("a b-c.d\"é;--").unwrap(), "`a b-c.d\"é;--`");
    for bad in ["", "a`b", "a\\b", "a\nb", "\0", &"x".repeat(257)] {
        assert_eq!(quoted(bad).unwrap_err().kind, ErrorKind::Invalid, "{bad}");
    }
}

/// An answer of any length to a call beside the statements' endpoint.
#[test]
fn an_answer_that_does_not_end_is_refused_at_its_limit() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]);
        let mut sent = 0_u64;
        let piece = vec![b'x'; 1 << 20];
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while sent < 1 << 30 && stream.write_all(&piece).is_ok() {
            sent += piece.len() as u64;
        }
        sent
    });
    let limit = std::time::Duration::from_secs(60);
    let address = ServiceAddress {
        service: Service::AsterixDb,
        base,
        path: "/",
        credentials: None,
        tls: Tls::default(),
        connect_timeout: limit,
        largest_result: 1,
    };
    let client = StatementClient::new(address).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let why = runtime.block_on(client.call(reqwest::Method::GET, "/", limit)).unwrap_err();
    drop((client, runtime));
    assert_eq!(why.cause, Cause::Malformed("the answer is larger than 64 MB".to_owned()));
    assert!(server.join().unwrap() < 1 << 30);
}
