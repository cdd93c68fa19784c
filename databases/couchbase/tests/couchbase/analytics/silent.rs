//! A service that says nothing for longer than an operation may take.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hoap_database::shop::Ask;
use hoap_workload::Error;

use super::*;

/// A service that gives no answer to a statement with these words.
fn service(words: &'static str) -> (Service, Arc<Mutex<bool>>) {
    let silent = Arc::new(Mutex::new(false));
    let hangs = silent.clone();
    let service = Service::new(move |asked| {
        if asked.statement().contains(words) && *hangs.lock().unwrap() {
            std::thread::sleep(Duration::from_secs(120));
        }
        match asked.statement() {
            s if s.contains("Metadata.`Index`") => rows(json!([COUNTRY_INDEX, ZIP_INDEX])),
            s if s.contains("Metadata.`Dataset`") => rows(json!(["hoap_note", "hoap_load"])),
            s if s.contains("ORDER BY n.number") => rows(json!([[1, "{}"]])),
            s if s.contains("shop_customer") => rows(json!(["a key"])),
            _ => rows(json!([])),
        }
    });
    (service, silent)
}

fn told(kind: ErrorKind, e: &Error, words: &str) {
    assert_eq!(e.kind, kind, "{e}");
    let line = e.to_string();
    assert!(line.starts_with(words) && line.contains("answer_timeout_ms"), "{line}");
}

#[test]
fn a_note_without_an_answer_is_a_timeout_and_its_write_is_ambiguous() {
    let (service, silent) = service("hoap_note");
    let target = at(&service, "bench?answer_timeout_ms=1500");
    let documents = target.documents().unwrap();
    *silent.lock().unwrap() = true;
    let e = wait(documents.note()).unwrap_err();
    told(ErrorKind::Timeout, &e, "read the note in couchbase-analytics:");
    let e = wait(documents.set_note(Some(&json!({})), &json!({"n": 1}))).unwrap_err();
    told(ErrorKind::Ambiguous, &e, "write the note in couchbase-analytics:");
    *silent.lock().unwrap() = false;
    assert_eq!(wait(documents.note()).unwrap(), Some(json!({})));
}

/// The service is asked to end what nobody waits for any more.
#[test]
fn a_page_without_an_answer_is_cancelled_and_the_next_one_is_there() {
    let (service, silent) = service("shop_customer");
    let target = at(&service, "bench?answer_timeout_ms=1500");
    let mut pager = wait(target.pages().unwrap().session(Ask::Pages)).unwrap();
    let mut keys = Vec::new();
    *silent.lock().unwrap() = true;
    let e = wait(pager.page("x", 0, 1, &mut keys)).unwrap_err();
    told(ErrorKind::Timeout, &e, "page through x in couchbase-analytics:");
    *silent.lock().unwrap() = false;
    wait(pager.page("x", 0, 1, &mut keys)).unwrap();
    assert_eq!(keys, ["a key"]);
    let begun = Instant::now();
    while !service.asked().iter().any(|asked| asked.line.starts_with(&format!("DELETE {CANCEL}"))) {
        assert!(begun.elapsed() < Duration::from_secs(60), "nobody asked to cancel");
        std::thread::sleep(Duration::from_millis(10));
    }
}
