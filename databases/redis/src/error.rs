//! What the server's and the driver's errors mean for the caller.

use ErrorKind::{Broken, Invalid, Timeout, Unavailable};
use hoap_database::failure::Failure;
use hoap_record::ErrorKind;
use redis::RedisError;

const NAME_AND_PASSWORD: &str =
    "name the user in the URL and put the password into the environment variable REDISCLI_AUTH";
const NO_NODE: &str = "no node of the cluster answers: bring them up";
const PERMISSIONS: &str = "let the user run scripts, transactions and commands on hashes and sorted \
                           sets, on the keys of the prefix: ACL SETUSER … ~PREFIX* +@read +@write \
                           +@scripting +@transaction +@connection +info +config|get";

/// The server's error codes: kind and advice.
const CODES: &[(&str, ErrorKind, Option<&str>)] = &[
    ("NOAUTH", Unavailable, Some(NAME_AND_PASSWORD)),
    ("WRONGPASS", Unavailable, Some(NAME_AND_PASSWORD)),
    ("NOPERM", Unavailable, Some(PERMISSIONS)),
    ("LOADING", Unavailable, Some("wait until the server has read its data from the disk")),
    ("READONLY", Unavailable, Some("name the primary: this server is a replica")),
    ("MASTERDOWN", Unavailable, Some("the replica has lost its primary: bring that up")),
    ("CLUSTERDOWN", Unavailable, Some("bring the cluster's missing nodes up (CLUSTER INFO)")),
    ("TRYAGAIN", Unavailable, Some("keys are moving between nodes: wait for the end of it")),
    ("OOM", Unavailable, Some("raise the server's maxmemory, or load less")),
    ("MISCONF", Unavailable, Some("the server cannot save to its disk: see its log")),
    ("NOREPLICAS", Unavailable, Some("bring replicas up, or lower min-replicas-to-write")),
    ("BUSY", Unavailable, Some("somebody's script blocks the server: SCRIPT KILL ends it")),
    ("WRONGTYPE", Broken, Some("somebody else uses keys of this prefix: choose another one")),
    ("MOVED", Invalid, Some("the server is a node of a cluster: add cluster=on")),
    ("CROSSSLOT", Invalid, Some("the server is a node of a cluster: add cluster=on")),
];

/// What the messages of errors without a code of their own contain: kind and advice.
const MESSAGES: &[(&str, ErrorKind, Option<&str>)] = &[
    ("max number of clients", Unavailable, Some("raise the server's maxclients")),
    ("can't run this command", Unavailable, Some(PERMISSIONS)),
    ("can't access at least one of the keys", Unavailable, Some(PERMISSIONS)),
    ("without any password configured", Unavailable, Some("leave user and password out")),
    ("DB index is out of range", Invalid, Some("name a database that the server has")),
    ("cluster support disabled", Invalid, Some("leave cluster=on out")),
    ("unknown command", Unavailable, Some("the server is too old, or forbids the command")),
];

/// What failed connections say: kind and advice.
const TRANSPORT: &[(&str, ErrorKind, Option<&str>)] = &[
    (
        "certificate",
        Unavailable,
        Some(
            "name the authority's certificate with tls_ca, and the host \
                                       as the server's certificate does",
        ),
    ),
    (
        "Too many open files",
        Unavailable,
        Some(
            "raise the limit with `ulimit -n`, or share \
                                               connections with pipeline",
        ),
    ),
    ("lookup", Unavailable, Some("check the host's name")),
];

fn find(
    table: &[(&str, ErrorKind, Option<&'static str>)],
    fits: impl Fn(&str) -> bool,
) -> Option<(ErrorKind, Option<&'static str>)> {
    table.iter().find(|(text, ..)| fits(text)).map(|&(_, kind, advice)| (kind, advice))
}

/// The failure of an attempt to connect, of which nothing was sent.
pub(super) fn connecting(error: &RedisError) -> Failure {
    let failure = Failure { may_be_applied: false, ..of(error) };
    let advice = match failure.advice.as_deref() {
        Some(SLOW) => "check host, port and firewall, or raise connect_timeout_ms",
        Some(LOST) => REFUSED,
        _ => return failure,
    };
    Failure { kind: Unavailable, advice: Some(advice.into()), ..failure }
}

/// Sorts an error by what the caller may do about it.
pub(super) fn of(error: &RedisError) -> Failure {
    if let Some(server) = error.clone().into_server_errors().and_then(|all| all.first().cloned()) {
        let (code, message) = (server.1.code(), server.1.details().unwrap_or_default());
        let known = find(CODES, |known| known == code)
            .or_else(|| find(MESSAGES, |part| message.contains(part)));
        let (kind, advice) = known.unwrap_or((Broken, None));
        let failure = Failure::of(kind, format!("{code} {message}"), advice);
        return Failure { code: code.to_owned(), ..failure };
    }
    let message = error.to_string();
    let (kind, advice) = meaning(error, &message);
    // The driver of a cluster may have sent it before, to a node that went away.
    let unsure = advice.is_some_and(|advice| [LOST, REFUSED, NO_NODE].contains(&advice));
    let failure = Failure::of(kind, message, advice);
    if unsure { failure.unsure() } else { failure }
}

/// What an error means that no answer of the server is.
fn meaning(error: &RedisError, message: &str) -> (ErrorKind, Option<&'static str>) {
    if let redis::ErrorKind::Server(_) = error.kind() {
        // The driver's words around the server's, while it connected.
        return find(MESSAGES, |part| message.contains(part)).unwrap_or((Broken, None));
    }
    match error.kind() {
        redis::ErrorKind::AuthenticationFailed => (Unavailable, Some(NAME_AND_PASSWORD)),
        redis::ErrorKind::InvalidClientConfig => (Invalid, None),
        redis::ErrorKind::ClusterConnectionNotFound => (Unavailable, Some(NO_NODE)),
        redis::ErrorKind::Io if error.is_timeout() => (Timeout, Some(SLOW)),
        redis::ErrorKind::Io if error.is_connection_refusal() => (Unavailable, Some(REFUSED)),
        redis::ErrorKind::Io => {
            find(TRANSPORT, |part| message.contains(part)).unwrap_or((Unavailable, Some(LOST)))
        }
        // The connection ended in the middle of an answer.
        redis::ErrorKind::Parse if message.contains("end of input") => (Unavailable, Some(LOST)),
        _ => (Broken, None),
    }
}

const SLOW: &str = "see what the server is busy with, or raise response_timeout_ms";
const LOST: &str = "the connection was lost before the answer: see the server's log";
const REFUSED: &str = "check that the server is up and that host and port are its";

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn server(text: &str) -> RedisError {
        let value = redis::parse_redis_value(format!("-{text}\r\n").as_bytes()).unwrap();
        value.extract_error().unwrap_err()
    }

    #[test]
    fn every_answer_of_the_server_has_its_kind_and_advice() {
        for (text, kind) in [
            ("NOAUTH Authentication required.", Unavailable),
            ("WRONGPASS invalid username-password pair or user is disabled.", Unavailable),
            ("NOPERM this user has no permissions to run the 'hset' command", Unavailable),
            ("ERR The user executing the script can't run this command or subcommand", Unavailable),
            ("LOADING Redis is loading the dataset in memory", Unavailable),
            ("READONLY You can't write against a read only replica.", Unavailable),
            ("MASTERDOWN Link with MASTER is down", Unavailable),
            ("CLUSTERDOWN The cluster is down", Unavailable),
            ("OOM command not allowed when used memory > 'maxmemory'.", Unavailable),
            ("MISCONF Redis is configured to save RDB snapshots", Unavailable),
            ("BUSY Redis is busy running a script.", Unavailable),
            ("ERR max number of clients reached", Unavailable),
            ("ERR DB index is out of range", Invalid),
            ("MOVED 3999 127.0.0.1:6381", Invalid),
            ("WRONGTYPE Operation against a key holding the wrong kind of value", Broken),
        ] {
            for e in [of(&server(text)), connecting(&server(text))] {
                assert_eq!((e.kind, e.may_be_applied), (kind, false), "{text}");
                assert!(e.answer.starts_with(text), "{e:?}");
                assert!(e.advice.is_some() && text.starts_with(&e.code), "{e:?}");
            }
        }
        let e = of(&server("ERR something new"));
        assert_eq!((e.kind, e.answer.as_str()), (Broken, "ERR something new"));
    }

    /// What the driver says of a server that answers GET with these bytes and ends the connection.
    fn answered(answer: &'static [u8]) -> RedisError {
        use std::io::{Read, Write};
        let server = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let client = redis::Client::open(format!("redis://{}", server.local_addr().unwrap()));
        std::thread::spawn(move || {
            let (mut stream, mut piece) = (server.accept().unwrap().0, [0; 4096]);
            while let Ok(length @ 1..) = stream.read(&mut piece) {
                let asked = String::from_utf8_lossy(&piece[..length]);
                if asked.contains("GET") {
                    return stream.write_all(answer).unwrap();
                }
                let commands = asked.split("\r\n").filter(|line| line.starts_with('*')).count();
                stream.write_all("+OK\r\n".repeat(commands).as_bytes()).unwrap();
            }
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut connection = client.unwrap().get_multiplexed_async_connection().await.unwrap();
            redis::cmd("GET")
                .arg("k")
                .query_async::<redis::Value>(&mut connection)
                .await
                .unwrap_err()
        })
    }

    #[test]
    fn a_connection_that_ends_in_the_middle_of_an_answer_is_lost_and_a_wrong_answer_is_broken() {
        for cut in [&b"$10\r\nabc"[..], b"*2\r\n$1\r\na\r\n", b"*2\r\n$1", b""] {
            let e = answered(cut);
            assert_eq!(meant(&of(&e)), (Unavailable, true), "{e}");
        }
        let e = answered(b"?what\r\n");
        assert_eq!(meant(&of(&e)), (Broken, false), "{e}");
    }

    fn meant(failure: &Failure) -> (ErrorKind, bool) {
        (failure.kind, failure.may_be_applied)
    }

    /// What was sent on a connection that is lost may have been applied; connecting cannot.
    #[test]
    fn a_lost_connection_leaves_a_write_unsure() {
        use io::ErrorKind::{BrokenPipe, ConnectionRefused, ConnectionReset, TimedOut};
        for (lost, kind) in [
            (BrokenPipe, Unavailable),
            (ConnectionReset, Unavailable),
            // Connecting is a step of its own, but for the cluster driver, which repeats a write.
            (ConnectionRefused, Unavailable),
            (TimedOut, Timeout),
        ] {
            let e = RedisError::from(io::Error::from(lost));
            assert_eq!(meant(&of(&e)), (kind, true), "{lost}");
            let e = connecting(&e);
            assert_eq!(meant(&e), (Unavailable, false), "{lost}");
            let advice = if lost == TimedOut { "connect_timeout_ms" } else { "is up" };
            assert!(e.advice.as_deref().is_some_and(|a| a.contains(advice)), "{e:?}");
        }
    }
}
