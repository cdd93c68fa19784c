//! DynamoDB does what every database must do, and what its module promises.
//!
//! The server is that of the lab, Amazon's DynamoDB Local: `eval "$(lab/env)"`. What it does not do
//! (throttling, wrong credentials) is answered by a scripted endpoint, in the words of the
//! service's documentation.

mod on_dynamodb;
mod requests;
mod scripted;

use std::sync::LazyLock;

use conformance::wait;
use hoap_database::Database;
use hoap_suites::conformance;
use hoap_suites::place::Emptied as Guard;
use hoap_testing::errors::{has, missing, unavailable};
use hoap_testing::urls;
use hoap_testing::urls::{own, own_name as prefix, with};
use hoap_workload::Error;

/// A file with credentials that are nobody's, and options that name it.
fn credentials() -> &'static str {
    static OPTIONS: LazyLock<String> = LazyLock::new(|| {
        let name = format!("hoap-test-credentials-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let text = "[default]\naws_access_key_id = AKIDNOBODY\naws_secret_access_key = hunter2\n";
        std::fs::write(&path, text).unwrap();
        format!("credentials_file={}", path.display())
    });
    &OPTIONS
}

/// The URL of the lab's server, with credentials.
fn server() -> String {
    format!("{}&{}", urls::server("HOAP_TEST_DYNAMODB"), credentials())
}

fn open(url: &str) -> Database {
    wait(hoap_dynamodb::open(url)).unwrap()
}

fn refused(url: &str) -> Error {
    let e = wait(hoap_dynamodb::open(url)).map(drop).unwrap_err();
    has(&e, &[]);
    e
}

/// A target with a prefix of its own and these options.
fn fresh_with(options: &str) -> (Database, Guard) {
    let target = open(&with(&own(&server()), options));
    (target.clone(), Guard(target))
}

/// Sends a request without the driver.
fn scripted_call(endpoint: &str, operation: &str, body: &serde_json::Value) {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(endpoint.trim_end_matches('/')).unwrap();
    let body = body.to_string();
    let request = format!(
        "POST / HTTP/1.1\r\nHost: {endpoint}\r\nConnection: close\r\n\
         X-Amz-Target: DynamoDB_20120810.{operation}\r\nContent-Type: application/x-amz-json-1.0\r\n\
         Authorization: AWS4-HMAC-SHA256 Credential=AKIDNOBODY/20260101/us-east-1/dynamodb/aws4_request, \
         SignedHeaders=host, Signature=0\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}
