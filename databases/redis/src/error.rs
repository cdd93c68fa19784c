//! What the server's and the driver's errors mean for the caller.

use ErrorKind::{Ambiguous, Broken, Invalid, Timeout, Unavailable};
use hoap_database::failure::Failure;
use hoap_record::ErrorKind;
use redis::RedisError;

/// What was under way when an error came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// Nothing was sent yet.
    Connect,
    /// Something that changes nothing.
    Read,
    /// Something that may have been applied although no answer came.
    Write,
}

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

/// Sorts an error by what the caller may do about it.
pub(super) fn of(error: &RedisError, doing: Doing) -> Failure {
    if let Some(server) = error.clone().into_server_errors().and_then(|all| all.first().cloned()) {
        let (code, message) = (server.1.code(), server.1.details().unwrap_or_default());
        let known = find(CODES, |known| known == code)
            .or_else(|| find(MESSAGES, |part| message.contains(part)));
        let (kind, advice) = known.unwrap_or((Broken, None));
        let failure = Failure::of(kind, format!("{code} {message}"), advice);
        return Failure { code: code.to_owned(), ..failure };
    }
    let message = error.to_string();
    let (kind, advice) = meaning(error, doing, &message);
    Failure::of(kind, message, advice)
}

/// What an error means that no answer of the server is.
fn meaning(error: &RedisError, doing: Doing, message: &str) -> (ErrorKind, Option<&'static str>) {
    if let redis::ErrorKind::Server(_) = error.kind() {
        // The driver's words around the server's, while it connected.
        return find(MESSAGES, |part| message.contains(part)).unwrap_or((Broken, None));
    }
    match error.kind() {
        redis::ErrorKind::AuthenticationFailed => (Unavailable, Some(NAME_AND_PASSWORD)),
        redis::ErrorKind::InvalidClientConfig => (Invalid, None),
        redis::ErrorKind::ClusterConnectionNotFound if doing != Doing::Write => {
            (Unavailable, Some(NO_NODE))
        }
        // The driver may have sent it before, to a node that went away.
        redis::ErrorKind::ClusterConnectionNotFound => (Ambiguous, Some(NO_NODE)),
        redis::ErrorKind::Io if error.is_timeout() && doing == Doing::Connect => {
            (Unavailable, Some("check host, port and firewall, or raise connect_timeout_ms"))
        }
        redis::ErrorKind::Io if error.is_timeout() => {
            // A write that nobody waits for any more may be applied yet.
            let kind = if doing == Doing::Write { Ambiguous } else { Timeout };
            (kind, Some("see what the server is busy with, or raise response_timeout_ms"))
        }
        redis::ErrorKind::Io if error.is_connection_refusal() && doing != Doing::Write => REFUSED,
        redis::ErrorKind::Io => {
            find(TRANSPORT, |part| message.contains(part)).unwrap_or_else(|| lost(doing))
        }
        // The connection ended in the middle of an answer.
        redis::ErrorKind::Parse if message.contains("end of input") => lost(doing),
        _ => (Broken, None),
    }
}

const REFUSED: (ErrorKind, Option<&str>) =
    (Unavailable, Some("check that the server is up and that host and port are its"));

/// What a lost connection means.
fn lost(doing: Doing) -> (ErrorKind, Option<&'static str>) {
    match doing {
        Doing::Connect => REFUSED,
        Doing::Read => (Unavailable, Some("the connection was lost: see the server's log")),
        Doing::Write => {
            (Ambiguous, Some("the connection was lost before the answer: see the server's log"))
        }
    }
}

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
            for doing in [Doing::Connect, Doing::Read, Doing::Write] {
                let e = of(&server(text), doing);
                assert_eq!(e.kind, kind, "{text}");
                assert!(e.answer.starts_with(text), "{e:?}");
                assert!(e.advice.is_some() && text.starts_with(&e.code), "{e:?}");
            }
        }
        let e = of(&server("ERR something new"), Doing::Write);
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
            let kinds = [Doing::Write, Doing::Read].map(|doing| of(&e, doing).kind);
            assert_eq!(kinds, [Ambiguous, Unavailable], "{e}");
        }
        let e = answered(b"?what\r\n");
        assert_eq!(of(&e, Doing::Read).kind, Broken, "{e}");
    }

    /// A write whose answer is missing may have been applied; a read or a connection cannot.
    #[test]
    fn a_lost_connection_is_ambiguous_only_for_a_write() {
        let lost = |kind: io::ErrorKind| RedisError::from(io::Error::from(kind));
        for kind in [io::ErrorKind::BrokenPipe, io::ErrorKind::ConnectionReset] {
            assert_eq!(of(&lost(kind), Doing::Write).kind, Ambiguous);
            assert_eq!(of(&lost(kind), Doing::Read).kind, Unavailable);
            assert_eq!(of(&lost(kind), Doing::Connect).kind, Unavailable);
        }
        let refused = lost(io::ErrorKind::ConnectionRefused);
        assert_eq!(of(&refused, Doing::Connect).kind, Unavailable);
        // Connecting is a step of its own, but for the cluster driver, which repeats a write.
        assert_eq!(of(&refused, Doing::Write).kind, Ambiguous);
        let slow = lost(io::ErrorKind::TimedOut);
        assert_eq!(of(&slow, Doing::Write).kind, Ambiguous);
        assert_eq!(of(&slow, Doing::Read).kind, Timeout);
        assert_eq!(of(&slow, Doing::Connect).kind, Unavailable);
    }
}
