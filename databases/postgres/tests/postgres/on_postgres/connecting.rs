//! Connecting: what is wrong is said with what to do, and no secret is.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use hoap_database::Database;
use hoap_workload::{Error, ErrorKind};

use super::{Schema, raw, server};
use crate::conformance::{COLLECTION, load, session, wait};

/// The host and port, and the name of the database.
fn place() -> (String, String) {
    let url = server();
    let hosts = url.rsplit('@').next().unwrap().split('?').next().unwrap().to_owned();
    let (host, database) = hosts.split_once('/').unwrap();
    (host.to_owned(), database.to_owned())
}

fn open(url: &str) -> Result<Database, Error> {
    wait(hoap_postgres::open(url))
}

/// What a first connection says.
fn refused(url: &str) -> Error {
    let session = open(url).and_then(|t| wait(t.transactions().unwrap().session()).map(drop));
    let e = session.unwrap_err();
    assert!(!e.to_string().contains('\n'), "{e}");
    assert!(!e.to_string().contains("hoap secret"), "{e}");
    assert!(!e.to_string().contains("wrong-secret"), "{e}");
    e
}

fn unavailable(url: &str, words: &[&str]) {
    of_kind(ErrorKind::Unavailable, url, words);
}

fn of_kind(kind: ErrorKind, url: &str, words: &[&str]) {
    let e = refused(url);
    assert_eq!(e.kind, kind, "{e}");
    for word in words {
        assert!(e.to_string().contains(word), "{url}: {e}");
    }
}

/// The encryption of the session, "no" without.
fn encrypted(url: &str) -> String {
    open(url).unwrap().description().settings["encrypted"].clone()
}

fn authority() -> PathBuf {
    std::env::var_os("HOAP_TEST_POSTGRES_CA").expect("set HOAP_TEST_POSTGRES_CA").into()
}

#[test]
fn what_stands_in_the_way_is_said_with_what_to_do() {
    let (host, database) = place();
    unavailable("postgres://hoap@127.0.0.1:1/hoap", &["connect to postgres://127.0.0.1:1/hoap"]);
    unavailable("postgres://hoap@127.0.0.1:1/hoap", &["refused", "check the host and the port"]);
    unavailable("postgres://hoap@no.such.host.invalid/hoap", &["error connecting"]);
    of_kind(
        ErrorKind::Missing,
        &format!("postgres://hoap@{host}/no_such"),
        &["database \"no_such\" does not exist", "create the database"],
    );
    unavailable(
        &format!("postgres://hoap_password:wrong-secret@{host}/{database}"),
        &["password authentication failed", "PGPASSWORD"],
    );
    unavailable(
        &format!("postgres://hoap_nothing@{host}/{database}"),
        &["permission denied", "grant this user"],
    );
    unavailable("postgres:///hoap?host=/no/such/folder", &["error connecting"]);
    // The description of what cannot be reached says so.
    let description = open("postgres://hoap@127.0.0.1:1/hoap").unwrap().description();
    assert_eq!(description.version, "unknown");
    assert!(description.settings["settings"].contains("refused"));
}

#[test]
fn a_server_that_does_not_answer_is_given_up() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let url = format!("postgres://hoap@{address}/hoap?connect_timeout=1");
    unavailable(&url, &["no answer within 1 s", "connect_timeout"]);
}

#[test]
fn a_password_opens_and_is_shown_nowhere() {
    let (host, database) = place();
    let url = format!("postgres://hoap_password:hoap%20secret@{host}/{database}");
    let target = open(&url).unwrap();
    wait(target.transactions().unwrap().session()).unwrap();
    let description = format!("{:?}", target.description());
    assert!(!description.contains("secret"), "{description}");
    assert!(description.contains(&host), "{description}");
}

#[test]
fn each_sslmode_looks_at_as_much_as_libpq_does() {
    let (host, database) = place();
    let port = host.rsplit(':').next().unwrap().to_owned();
    let ca = authority().display().to_string();
    let url = |host: &str, more: &str| format!("postgres://hoap@{host}:{port}/{database}?{more}");
    assert_eq!(encrypted(&url("127.0.0.1", "sslmode=disable")), "no");
    for mode in ["prefer", "require"] {
        let encrypted = encrypted(&url("127.0.0.1", &format!("sslmode={mode}")));
        assert!(encrypted.starts_with("TLSv1."), "{mode}: {encrypted}");
    }
    for host in ["127.0.0.1", "localhost"] {
        for mode in ["require", "verify-ca", "verify-full"] {
            let url = url(host, &format!("sslmode={mode}&sslrootcert={ca}"));
            assert!(encrypted(&url).starts_with("TLSv1."), "{mode}");
        }
    }
    // Another name of the same host, which the certificate is not made for.
    let other = "localhost.localdomain";
    if std::net::ToSocketAddrs::to_socket_addrs(&format!("{other}:1")).is_ok() {
        let chain = url(other, &format!("sslmode=verify-ca&sslrootcert={ca}"));
        assert!(encrypted(&chain).starts_with("TLSv1."));
        let full = url(other, &format!("sslmode=verify-full&sslrootcert={ca}"));
        unavailable(&full, &["not valid for name", "sslmode"]);
    }
    // An authority that did not sign it.
    let directory = tempfile::tempdir().unwrap();
    let strange = directory.path().join("other.crt");
    std::fs::write(&strange, OTHER_CA).unwrap();
    let strange = strange.display();
    for mode in ["require", "verify-ca", "verify-full"] {
        let url = url("127.0.0.1", &format!("sslmode={mode}&sslrootcert={strange}"));
        unavailable(&url, &["TLS", "invalid peer certificate"]);
    }
    // As libpq: without the file, `require` asks for no more than encryption, and the others
    // refuse.
    let absent = url("127.0.0.1", "sslmode=require&sslrootcert=/no/such");
    assert!(encrypted(&absent).starts_with("TLSv1."));
    for mode in ["verify-ca", "verify-full"] {
        let url = url("127.0.0.1", &format!("sslmode={mode}&sslrootcert=/no/such"));
        unavailable(&url, &["/no/such", "no such file with root certificates"]);
    }
    let no_text = url("127.0.0.1", "sslmode=require&sslrootcert=/dev/null");
    unavailable(&no_text, &["it holds no certificate"]);
    unavailable(&url("127.0.0.1", "sslcert=/no/such"), &["/no/such"]);
}

/// A server without TLS.
#[test]
fn encryption_that_is_asked_for_is_never_done_without() {
    let plain = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = plain.local_addr().unwrap();
    std::thread::spawn(move || {
        use std::io::{Read, Write};
        // Others come and ask what kind of server it is.
        for mut stream in plain.incoming().flatten() {
            let mut request = [0; 8];
            if stream.read_exact(&mut request).is_ok() {
                let _ = stream.write_all(b"N");
            }
        }
    });
    for mode in ["require", "verify-full"] {
        let ca = authority().display().to_string();
        let url = format!("postgres://hoap@{address}/hoap?sslmode={mode}&sslrootcert={ca}");
        unavailable(&url, &["server does not support TLS"]);
    }
}

/// Cancelling goes over TLS as well.
#[test]
fn a_query_over_tls_can_be_cancelled() {
    let schema = Schema::new();
    let ca = authority().display().to_string();
    let target = schema.open(&format!("&sslmode=verify-full&sslrootcert={ca}"));
    crate::conformance::a_query_can_be_cancelled(&target);
}

/// An authority of nobody, made for this test.
const OTHER_CA: &str = include_str!("other_ca.crt");

/// Another client looks which sessions the server has.
#[test]
fn readers_of_collections_go_on_with_one_connection_until_clients_come() {
    let schema = Schema::new();
    let target = schema.open(&format!("&application_name={}", schema.name));
    load(&target, 3);
    let observer = raw();
    let sessions = || -> Vec<i32> {
        let text = "SELECT pid FROM pg_stat_activity WHERE application_name = $1 ORDER BY pid";
        let rows = wait(observer.query(text, &[&schema.name])).unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    let until = |wanted: &dyn Fn(&[i32]) -> bool| {
        let start = Instant::now();
        while !wanted(&sessions()) {
            assert!(start.elapsed() < Duration::from_secs(20), "{:?}", sessions());
            std::thread::sleep(Duration::from_millis(10));
        }
        sessions()
    };
    let read = || {
        let documents = target.documents().unwrap();
        wait(documents.note()).unwrap();
        let mut count = 0;
        let scanned = wait(documents.scan(COLLECTION, &["o_id"], &mut |_, _| {
            count += 1;
            Ok(())
        }));
        scanned.unwrap();
        assert_eq!(count, 3);
    };
    read();
    // Those of the load end by themselves.
    let first = until(&|sessions| sessions.len() == 1);
    read();
    assert_eq!(sessions(), first);
    // What the server has ended is not used.
    let ended = wait(observer.execute("SELECT pg_terminate_backend($1)", &[&first[0]]));
    assert_eq!(ended.unwrap(), 1);
    until(&|sessions| sessions.is_empty());
    // The driver hears of it in a moment.
    std::thread::sleep(Duration::from_millis(200));
    read();
    let second = sessions();
    assert_eq!(second.len(), 1);
    // Nor is what nothing was said on for a while.
    std::thread::sleep(Duration::from_millis(5_100));
    read();
    let third = until(&|sessions| sessions.len() == 1 && sessions != second);
    let _client = session(&target);
    until(&|sessions| sessions.len() == 1 && sessions != third);
}
