//! An endpoint that answers as a test says, in the service's own words.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};

/// What is answered to an operation with this body: HTTP status and body.
type Script = dyn Fn(&str, &Value) -> (u16, Value) + Send + Sync;

/// An error as the service answers it.
pub fn error(code: &str, message: &str) -> (u16, Value) {
    let code = format!("com.amazonaws.dynamodb.v20120810#{code}");
    (400, json!({"__type": code, "message": message}))
}

/// What the service says of a table that can be used.
pub fn table() -> (u16, Value) {
    let key = json!([{"AttributeName": "_key", "KeyType": "HASH"}]);
    (200, json!({"Table": {"TableStatus": "ACTIVE", "KeySchema": key}}))
}

/// Starts an endpoint and gives the URL of it.
pub fn endpoint(
    script: impl Fn(&str, &Value) -> (u16, Value) + Send + Sync + 'static,
    options: &str,
) -> String {
    connecting(script, options, Arc::default())
}

/// The same, which counts the connections that are made.
pub fn connecting(
    script: impl Fn(&str, &Value) -> (u16, Value) + Send + Sync + 'static,
    options: &str,
    connections: Arc<AtomicUsize>,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let script: Arc<Script> = Arc::new(script);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            connections.fetch_add(1, Ordering::SeqCst);
            let script = script.clone();
            thread::spawn(move || serve(&stream, &*script));
        }
    });
    let credentials = crate::credentials();
    let joint = if options.is_empty() { "" } else { "&" };
    format!("dynamodb://us-east-1?endpoint=http://{address}&{credentials}{joint}{options}")
}

fn serve(stream: &TcpStream, script: &Script) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut operation, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            match name.to_ascii_lowercase().as_str() {
                "x-amz-target" => operation = value.rsplit('.').next()?.trim().to_owned(),
                "content-length" => length = value.trim().parse().ok()?,
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let (status, answer) = script(&operation, &serde_json::from_slice(&body).ok()?);
        let answer = answer.to_string();
        let head = format!(
            "HTTP/1.1 {status} Said\r\nContent-Type: application/x-amz-json-1.0\r\n\
             Content-Length: {}\r\n\r\n",
            answer.len()
        );
        let mut stream = stream;
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(answer.as_bytes()).ok()?;
    }
}

mod tests {
    use std::sync::Mutex;
    use std::time::{Duration, Instant};

    use hoap_database::Index;
    use hoap_database::key_value::{Fields, Record};
    use hoap_workload::ErrorKind;

    use super::*;
    use crate::conformance::{COLLECTION, batch, client, record, session, wait};
    use crate::{has, open, refused, unavailable};

    const EXCEEDED: &str = "The level of configured provisioned throughput for the table was \
                            exceeded. Consider increasing your provisioning level with the \
                            UpdateTable API.";

    /// Refuses so many of the first operations on items, and answers the others.
    fn throttles(first: usize, options: &str) -> String {
        let seen = AtomicUsize::new(0);
        let script = move |operation: &str, _: &Value| match operation {
            "ListTables" => (200, json!({"TableNames": []})),
            "DescribeTable" => table(),
            _ if seen.fetch_add(1, Ordering::SeqCst) < first => {
                error("ProvisionedThroughputExceededException", EXCEEDED)
            }
            "GetItem" => {
                let item = json!({"_key": {"S": "user1"}, "field0": {"S": "there"}});
                (200, json!({"Item": item, "ConsumedCapacity": {"CapacityUnits": 0.5}}))
            }
            _ => (200, json!({"ConsumedCapacity": {"CapacityUnits": 1.0}})),
        };
        endpoint(script, options)
    }

    #[test]
    fn a_throttled_operation_fails_as_such_and_is_not_sent_again() {
        let target = open(&throttles(3, ""));
        let mut client = client(&target);
        let (mut there, new) = (Record::default(), record([(0, "x")]));
        let before = target.usage();
        for n in 0..6 {
            let done = match n % 3 {
                0 => wait(client.read("user1", Fields::All, &mut there)).map(drop),
                1 => wait(client.update("user1", &new)).map(drop),
                _ => wait(client.insert("user1", &new)),
            };
            if n < 3 {
                let e = done.unwrap_err();
                assert_eq!((e.kind, e.kind.name()), (ErrorKind::Throttled, "throttled"));
                has(&e, &[]);
                assert!(e.to_string().contains("more capacity"), "{e}");
            } else {
                done.unwrap();
            }
        }
        let after = target.usage();
        let count = |name: &str| after[name] - before[name];
        assert_eq!((count("requests"), count("requests-throttled")), (6.0, 3.0));
        assert_eq!((count("requests-retried"), count("requests-failed")), (0.0, 0.0));
        assert_eq!(count("read-capacity-units"), 0.5);
        assert_eq!(count("write-capacity-units"), 2.0);
    }

    /// Clients read as the option says; the one who checks after a run reads what was acknowledged
    /// last, and so do scans of whole collections.
    #[test]
    fn checks_read_consistently_whatever_the_option_says() {
        use hoap_database::key_value::Scanned;

        for (options, asked) in
            [("", false), ("consistency=eventual", false), ("consistency=strong", true)]
        {
            let seen = Arc::new(Mutex::new(Vec::new()));
            let noted = seen.clone();
            let script = move |operation: &str, body: &Value| match operation {
                "ListTables" => (200, json!({"TableNames": []})),
                "DescribeTable" => table(),
                _ => {
                    let strong = body["ConsistentRead"].as_bool().unwrap_or(false);
                    noted.lock().unwrap().push((operation.to_owned(), strong));
                    (200, json!({"Items": []}))
                }
            };
            let target = open(&endpoint(script, options));
            let requests = || std::mem::take(&mut *seen.lock().unwrap());
            let table = crate::conformance::table(2);
            let (mut there, mut scanned) = (Record::default(), Scanned::default());
            let mut read = async |session: &mut crate::conformance::Client| {
                session.read("user1", Fields::All, &mut there).await.unwrap();
                session.scan("user1", 2, Fields::All, &mut scanned).await.unwrap();
            };
            let both = |strong| {
                ["GetItem", "GetItem", "Scan"].map(|operation| (operation.to_owned(), strong))
            };
            requests();
            wait(async {
                read(&mut target.key_value().unwrap().session(&table).await.unwrap()).await
            });
            assert_eq!(requests(), both(asked), "{options}: a client");
            wait(async {
                read(&mut target.key_value().unwrap().checking_session(&table).await.unwrap()).await
            });
            assert_eq!(requests(), both(true), "{options}: a check");
            let count = &mut |_: &str, _| Ok(());
            wait(target.documents().unwrap().scan("usertable", &[], count)).unwrap();
            assert_eq!(requests(), [("Scan".to_owned(), true)], "{options}: a count");
        }
    }

    #[test]
    fn where_an_option_says_so_the_driver_tries_again_and_that_is_counted() {
        let target = open(&throttles(2, "retries=3"));
        let mut client = client(&target);
        let before = target.usage();
        let mut there = Record::default();
        assert!(wait(client.read("user1", Fields::All, &mut there)).unwrap());
        let after = target.usage();
        let count = |name: &str| after[name] - before[name];
        assert_eq!((count("requests"), count("requests-retried")), (1.0, 2.0));
        assert_eq!(count("requests-throttled"), 0.0, "the operation was not");
    }

    /// A write that the driver sent several times, of which the last was throttled, may be applied.
    #[test]
    fn a_write_that_was_sent_several_times_and_failed_is_ambiguous() {
        let target = open(&throttles(usize::MAX, "retries=1"));
        let mut client = client(&target);
        let e = wait(client.update("user1", &record([(0, "x")]))).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Ambiguous, "{e}");
        assert_eq!(target.usage()["requests-throttled"], 1.0);
    }

    /// A load has time: it tries again what is refused, and no limit on an answer ends that.
    #[test]
    fn a_batch_that_is_refused_for_longer_than_an_answer_may_take_is_loaded() {
        const LIMIT: Duration = Duration::from_secs(2);
        let first = Mutex::new(None);
        let script = move |operation: &str, _: &Value| match operation {
            "ListTables" => (200, json!({"TableNames": []})),
            "DescribeTable" => table(),
            "BatchWriteItem" => {
                let first = *first.lock().unwrap().get_or_insert_with(Instant::now);
                match first.elapsed() > LIMIT * 3 / 2 {
                    true => (200, json!({"UnprocessedItems": {}})),
                    false => error("ProvisionedThroughputExceededException", EXCEEDED),
                }
            }
            _ => (200, json!({})),
        };
        let target = open(&endpoint(script, &format!("answer_timeout_ms={}", LIMIT.as_millis())));
        wait(async {
            let mut bulk = target.documents().unwrap().bulk("1/1").await.unwrap();
            bulk.write(COLLECTION, &batch(1, 1..=60), 60).await.unwrap();
        });
        assert!(target.usage()["requests-throttled"] > 2.0);
    }

    /// Every request leaves items undone, until one is left.
    #[test]
    fn what_a_batch_left_undone_is_sent_again_until_it_is_done() {
        let put: Arc<Mutex<Vec<String>>> = Arc::default();
        let written = put.clone();
        let script = move |operation: &str, body: &Value| match operation {
            "ListTables" => (200, json!({"TableNames": []})),
            "DescribeTable" => table(),
            "BatchWriteItem" => {
                let (name, items) =
                    body["RequestItems"].as_object().unwrap().iter().next().unwrap();
                let items = items.as_array().unwrap();
                let done = items.len().div_ceil(2);
                let mut put = written.lock().unwrap();
                for item in &items[..done] {
                    let key = &item["PutRequest"]["Item"]["_key"]["S"];
                    put.push(key.as_str().unwrap().to_owned());
                }
                let left = match &items[done..] {
                    [] => json!({}),
                    left => json!({ name: left }),
                };
                (200, json!({"UnprocessedItems": left}))
            }
            _ => (200, json!({})),
        };
        let target = open(&endpoint(script, ""));
        wait(async {
            let mut bulk = target.documents().unwrap().bulk("1/1").await.unwrap();
            bulk.write(COLLECTION, &batch(1, 1..=60), 60).await.unwrap();
        });
        let mut put = put.lock().unwrap().clone();
        assert_eq!(put.len(), 60, "each once");
        put.sort();
        put.dedup();
        assert_eq!(put.len(), 60);
        assert!(target.usage()["items-unprocessed"] > 30.0);
    }

    #[test]
    fn credentials_that_the_service_refuses_are_said_to_be_so() {
        for (code, words) in [
            (
                "UnrecognizedClientException",
                "The security token included in the request is invalid.",
            ),
            ("InvalidSignatureException", "The request signature we calculated does not match."),
            ("MissingAuthenticationTokenException", "Request is missing Authentication Token"),
        ] {
            let url = endpoint(move |_, _| error(code, words), "");
            unavailable(refused(&url), &["open dynamodb://us-east-1", words, "AWS_ACCESS_KEY_ID"]);
        }
    }

    /// An identity that may use its tables and not list them.
    #[test]
    fn what_may_not_be_asked_is_unknown() {
        let words = "User: arn:aws:iam::1:user/x is not authorized to perform: dynamodb:ListTables";
        let url = endpoint(move |_, _| error("AccessDeniedException", words), "");
        let description = open(&url).description();
        assert_eq!(description.settings["tables"], "unknown: AccessDeniedException");
        let e = wait(open(&url).documents().unwrap().note()).unwrap_err();
        unavailable(&e, &["read the note", "not authorized", "dynamodb:GetItem"]);
    }

    #[test]
    fn what_is_not_dynamodb_is_no_success() {
        let other = "check that the endpoint is DynamoDB's";
        for (status, body, words) in [
            (200, json!([]), other),
            (404, json!({}), other),
            (502, json!("Bad Gateway"), "HTTP status 502"),
        ] {
            let url = endpoint(move |_, _| (status, body.clone()), "");
            let e = refused(&url);
            has(&e, &[]);
            assert!(e.to_string().contains(words), "{status}: {e}");
        }
    }

    /// The service's names have 255 letters, the prefix and its points among them.
    #[test]
    fn a_name_without_room_is_refused_before_anything_is_sent() {
        let asked = Arc::new(AtomicUsize::new(0));
        let seen = asked.clone();
        let script = move |operation: &str, _: &Value| match operation {
            "ListTables" => (200, json!({"TableNames": []})),
            _ => {
                seen.fetch_add(1, Ordering::SeqCst);
                table()
            }
        };
        let target = open(&endpoint(script, "prefix=x-y"));
        let documents = target.documents().unwrap();
        let (fits, long) = ("a".repeat(251), "a".repeat(252));
        assert!(wait(documents.any_exists(&[&fits])).unwrap());
        assert_eq!(asked.swap(0, Ordering::SeqCst), 1);
        let refused = |done: hoap_workload::Result<()>, room: &str| {
            let e = done.unwrap_err();
            has(&e, &[]);
            assert!(e.kind == ErrorKind::Invalid && e.to_string().contains(room), "{e}");
        };
        refused(
            wait(documents.create(&[&long])),
            "252 letters, and the database leaves room for 251",
        );
        let index = |name: &str| Index::new(name, COLLECTION, &["a"]);
        refused(wait(documents.settle(&[index(&long[..246])])), "leaves room for 245");
        assert_eq!(asked.load(Ordering::SeqCst), 0);
    }

    /// What the service's failure made of a write nobody knows.
    #[test]
    fn a_failure_of_the_service_is_ambiguous_for_a_commit() {
        let script = |operation: &str, _: &Value| match operation {
            "ListTables" => (200, json!({"TableNames": []})),
            "Scan" => (200, json!({"Items": []})),
            "TransactWriteItems" => (500, error("InternalServerError", "try again").1),
            _ => (200, json!({})),
        };
        let target = open(&endpoint(script, ""));
        let mut session = session(&target);
        let e = wait(async {
            let mut t = session.begin(hoap_database::Access::Write).await.unwrap();
            t.insert(COLLECTION, "1.1", &json!({})).await.unwrap();
            t.commit().await.unwrap_err()
        });
        assert_eq!(e.kind, ErrorKind::Ambiguous, "{e}");
    }

    /// Requests about tables may be repeated: one that the service fails at now and then is sent
    /// again, and one that it always fails at is told.
    #[test]
    fn a_failure_of_the_service_at_a_table_is_no_end_of_it() {
        let outcome = |failing: usize| {
            let asked = Arc::new(AtomicUsize::new(0));
            let asking = asked.clone();
            let script = move |operation: &str, _: &Value| match operation {
                "CreateTable" if asking.fetch_add(1, Ordering::SeqCst) < failing => {
                    (500, error("InternalFailure", "unknown").1)
                }
                "DescribeTable" => table(),
                "ListTables" => (200, json!({"TableNames": []})),
                _ => (200, json!({})),
            };
            let target = open(&endpoint(script, ""));
            let made = wait(target.documents().unwrap().create(&[COLLECTION]));
            (made, asked.load(Ordering::SeqCst))
        };
        // Of the notes and of the collection, and two failures.
        assert_eq!(outcome(2), (Ok(()), 4));
        let (made, asked) = outcome(100);
        assert_eq!((made.unwrap_err().kind, asked), (ErrorKind::Unavailable, 5));
    }
}
