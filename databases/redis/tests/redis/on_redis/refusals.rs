//! What the server refuses or does not do in time is said in one line, with what to do.

use hoap_database::key_value::{Fields, Record};
use hoap_workload::ErrorKind;

use super::fresh;
use crate::conformance::{client, load_records, record, wait};
use crate::{Guard, as_user, open, prefix, refused, server, unavailable, with};

#[test]
fn the_description_says_what_an_acknowledged_write_survives() {
    let url = server("HOAP_TEST_REDIS");
    let description = open(&as_user(&url, "default:any")).description();
    assert_eq!((description.name.as_str(), description.url.as_str()), ("Redis", url.as_str()));
    assert_eq!(description.settings["appendonly"], "yes");
    assert_eq!(description.settings["appendfsync"], "everysec");
    assert!(description.settings["durability"].contains("the last second or two"));
    assert_eq!(description.settings["memory"], "no limit");
    assert_eq!(description.settings["cluster"], "no");
}

#[test]
fn who_may_not_enter_is_told_what_to_do() {
    let url = server("HOAP_TEST_REDIS");
    open(&as_user(&url, "hoap_password:hoap%20secret"));
    let e = refused(&as_user(&url, "hoap_password:secret"));
    unavailable(&e, &["authentication failed", "REDISCLI_AUTH"]);
    unavailable(refused(&as_user(&url, "nobody:secret")), &["authentication failed"]);
    unavailable(refused(&as_user(&url, "hoap_nothing:x")), &["NOPERM", "ACL SETUSER"]);
    let e = refused("redis://user:secret@127.0.0.1:1");
    unavailable(&e, &["connect to redis://127.0.0.1:1", "refused", "server is up"]);
    let e = refused("redis://no-such-host.invalid");
    unavailable(&e, &["no-such-host.invalid", "host"]);
    let e = refused(&with(&url, "cluster=true"));
    assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    assert!(e.to_string().contains("leave cluster=on out"), "{e}");
    let e = refused(&format!("{url}/9999"));
    assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
}

/// A user who may read, and may not write.
#[test]
fn an_operation_without_permission_is_refused() {
    let (target, _guard) = fresh();
    load_records(&target, &["user1"]);
    let prefix = target.description().url.split("prefix=").nth(1).unwrap().to_owned();
    let prefix = prefix.split('&').next().unwrap();
    let url = server("HOAP_TEST_REDIS");
    let mut admin = redis::Client::open(url.clone()).unwrap().get_connection().unwrap();
    let user = format!("reader-{prefix}");
    let rules = ["on", "nopass", &format!("~{prefix}*"), "+@read", "+@connection", "+info"];
    let (): () =
        redis::cmd("ACL").arg("SETUSER").arg(&user).arg(&rules[..]).query(&mut admin).unwrap();
    let reader = open(&with(&as_user(&url, &format!("{user}:x")), &format!("prefix={prefix}")));
    assert_eq!(reader.description().settings["appendonly"], "unknown");
    let mut session = client(&reader);
    let mut there = Record::default();
    assert!(wait(session.read("user1", Fields::All, &mut there)).unwrap());
    let e = wait(session.update("user1", &record([(0, "x")]))).unwrap_err();
    unavailable(&e, &["NOPERM", "ACL SETUSER"]);
    assert!(wait(session.read("user1", Fields::One(0), &mut there)).unwrap());
    let (): () = redis::cmd("ACL").arg("DELUSER").arg(&user).query(&mut admin).unwrap();
}

#[test]
fn tls_is_verified_against_the_authority_and_the_name() {
    let (url, ca) = (server("HOAP_TEST_REDIS_TLS"), server("HOAP_TEST_REDIS_CA"));
    let good = format!("tls_ca={ca}&prefix={}", prefix());
    let target = open(&with(&url, &good));
    let _guard = Guard(target.clone());
    load_records(&target, &["user1"]);
    let mut there = Record::default();
    assert!(wait(client(&target).read("user1", Fields::All, &mut there)).unwrap());
    // The system's authorities have not signed it.
    unavailable(refused(&url), &["certificate", "tls_ca"]);
    // Somebody else's authority.
    let other = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/redis/other_ca.crt");
    unavailable(refused(&with(&url, &format!("tls_ca={other}"))), &["certificate", "tls_ca"]);
    // The right authority, and a name that the certificate is not for.
    let named = url.replace("127.0.0.1", "127.0.0.2");
    let e = refused(&with(&named, &format!("tls_ca={ca}&connect_timeout_ms=2000")));
    unavailable(&e, &["connect to"]);
    let e = refused(&with(&url, "tls_ca=/nowhere/ca.crt"));
    assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    assert!(e.to_string().contains("option `tls_ca`: /nowhere/ca.crt"), "{e}");
    // TLS to a port that does not speak it.
    let plain = server("HOAP_TEST_REDIS").replace("redis:", "rediss:");
    let e = refused(&with(&plain, &format!("tls_ca={ca}&connect_timeout_ms=2000")));
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
}

/// Replicas that are not there cannot have a write: it is neither done nor undone.
#[test]
fn a_write_that_too_few_replicas_have_is_ambiguous() {
    let (target, _guard) = fresh();
    load_records(&target, &["user1"]);
    let url = with(&target.description().url, "wait_replicas=1&wait_timeout_ms=50");
    let waiting = open(&url);
    let mut session = client(&waiting);
    let e = wait(session.update("user1", &record([(0, "new")]))).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Ambiguous, "{e}");
    assert!(e.to_string().contains("after 50 ms 0 of 1 replicas"), "{e}");
    let e = wait(session.insert("user2", &record([(0, "new")]))).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Ambiguous, "{e}");
    let mut there = Record::default();
    assert!(wait(session.read("user2", Fields::One(0), &mut there)).unwrap());
    let e = wait(session.insert("user2", &record([(0, "newer")]))).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Duplicate, "{e}");
}

/// A server that forgot the scripts, as one that was started anew.
#[test]
fn scripts_that_the_server_forgot_are_sent_again() {
    let (target, _guard) = fresh();
    load_records(&target, &["user1"]);
    let mut session = client(&target);
    let mut admin =
        redis::Client::open(server("HOAP_TEST_REDIS")).unwrap().get_connection().unwrap();
    for n in 0..3 {
        assert!(wait(session.update("user1", &record([(0, n.to_string())]))).unwrap());
        let (): () = redis::cmd("SCRIPT").arg("FLUSH").query(&mut admin).unwrap();
    }
    wait(session.insert("user2", &record([(0, "x")]))).unwrap();
}

/// The server is paused: a write whose answer does not come in time may be applied later, and the
/// session is of use again afterwards.
#[test]
fn a_slow_answer_to_a_write_is_ambiguous_and_no_end() {
    let (target, _guard) = fresh();
    load_records(&target, &["user1"]);
    let fast = open(&target.description().url.replace("20000", "150"));
    let mut session = client(&fast);
    let mut admin =
        redis::Client::open(server("HOAP_TEST_REDIS")).unwrap().get_connection().unwrap();
    let (): () = redis::cmd("CLIENT").arg("PAUSE").arg(500).arg("WRITE").query(&mut admin).unwrap();
    let e = wait(session.update("user1", &record([(0, "x")]))).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Ambiguous, "{e}");
    assert!(e.to_string().contains("response_timeout_ms"), "{e}");
    let (): () = redis::cmd("CLIENT").arg("UNPAUSE").query(&mut admin).unwrap();
    assert!(wait(session.update("user1", &record([(0, "y")]))).unwrap());
    let mut there = Record::default();
    assert!(wait(session.read("user1", Fields::One(0), &mut there)).unwrap());
    assert_eq!(there, record([(0, "y")]));
}
