//! What kind of server answers at a port, where another one was expected.
//!
//! A driver at the wrong kind of server waits for its time to be up, or says which byte it did not
//! expect. So where an attempt to connect fails or takes long, each kind is asked in its own
//! protocol, on connections of its own, what it would answer.

use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::future::{Either, join_all, select};
use hoap_record::ErrorKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::failure::{Done, Failure};
use crate::url::{Parts, host};

/// How long an attempt may take before somebody looks what is there.
const PATIENCE: Duration = Duration::from_millis(700);
/// How long a server may take to answer what its kind is asked. Together less than two seconds.
const ANSWER: Duration = Duration::from_millis(700);

/// How many connections are timed, at how many places.
const CONNECTIONS: usize = 3;
const MOST_PLACES: usize = 4;

/// A kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// PostgreSQL, and poolers in front of it.
    Postgres,
    /// MongoDB and what speaks its protocol.
    MongoDb,
    /// Couchbase's key-value service.
    Couchbase,
    /// Cassandra and ScyllaDB.
    Cassandra,
    /// Redis and Valkey.
    Redis,
    /// Whatever speaks HTTP.
    Http,
    /// MySQL and MariaDB.
    MySql,
    /// A login.
    Ssh,
    /// Mail or files.
    Mail,
    /// Something that wants TLS first.
    Tls,
}

/// What is asked, what answers it, and how its URLs begin.
struct Question {
    kind: Kind,
    words: &'static str,
    /// What is sent; empty: nothing, it speaks first.
    sent: &'static [u8],
    answers: fn(&[u8]) -> bool,
    urls: &'static str,
}

/// OP_QUERY on `admin.$cmd` of `{isMaster: 1}`, which every version answers.
const IS_MASTER: &[u8] = b"\x3a\0\0\0\x01\0\0\0\0\0\0\0\xd4\x07\0\0\0\0\0\0admin.$cmd\0\
    \0\0\0\0\xff\xff\xff\xff\x13\0\0\0\x10isMaster\0\x01\0\0\0\0";
/// A header with opcode 0x0a, NOOP.
const NOOP: &[u8] = b"\x80\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
/// MongoDB's answer to HTTP.
const OVER_HTTP: &[u8] = b"MongoDB over HTTP";

const fn asks(
    kind: Kind,
    words: &'static str,
    urls: &'static str,
    sent: &'static [u8],
    answers: fn(&[u8]) -> bool,
) -> Question {
    Question { kind, words, sent, answers, urls }
}

/// The first that fits counts.
static QUESTIONS: [Question; 10] = [
    // SSLRequest: one byte says whether it is willing.
    asks(
        Kind::Postgres,
        "a PostgreSQL server",
        "postgres://",
        b"\0\0\0\x08\x04\xd2\x16\x2f",
        |a| matches!(a, b"S" | b"N"),
    ),
    asks(Kind::MongoDb, "a MongoDB server", "mongodb://", IS_MASTER, |a| {
        a.get(8..16) == Some(b"\x01\0\0\0\x01\0\0\0")
    }),
    asks(Kind::Couchbase, "a Couchbase server", "couchbase://", NOOP, |a| {
        a.starts_with(b"\x81\x0a")
    }),
    // OPTIONS: SUPPORTED, or an error that names the versions it has.
    asks(Kind::Cassandra, "a Cassandra server", "cassandra://", b"\x04\0\0\0\x05\0\0\0\0", |a| {
        matches!(a, [0x83..=0x86, _, _, _, 0 | 6, ..])
    }),
    asks(Kind::Redis, "a Redis server", "redis://", b"PING\r\n", |a| {
        a.starts_with(b"+PONG") || a.starts_with(b"-")
    }),
    asks(Kind::MySql, "a MySQL server", "", b"", |a| matches!(a, [_, _, 0, 0, 0x0a | 0xff, ..])),
    asks(Kind::Ssh, "an SSH server", "", b"", |a| a.starts_with(b"SSH-")),
    asks(Kind::Mail, "a mail or FTP server", "", b"", |a| a.starts_with(b"220")),
    asks(Kind::Http, "an HTTP server", "", b"GET / HTTP/1.0\r\n\r\n", |a| {
        a.starts_with(b"HTTP/") && memchr::memmem::find(a, OVER_HTTP).is_none()
    }),
    // An alert.
    asks(Kind::Tls, "a server that wants TLS", "", b"GET / HTTP/1.0\r\n\r\n", |a| {
        a.starts_with(b"\x15\x03")
    }),
];

/// Kind and default port of the servers that the URLs of a scheme are for.
const SCHEMES: [(&str, Kind, u16); 10] = [
    ("asterixdb", Kind::Http, 19002),
    ("cassandra", Kind::Cassandra, 9042),
    ("couchbase", Kind::Couchbase, 11210),
    ("couchbases", Kind::Couchbase, 11207),
    ("couchbase-analytics", Kind::Http, 8095),
    ("couchbases-analytics", Kind::Http, 18095),
    ("mongodb", Kind::MongoDb, 27017),
    ("postgres", Kind::Postgres, 5432),
    ("redis", Kind::Redis, 6379),
    ("rediss", Kind::Redis, 6379),
];

/// Where servers of a kind are expected.
#[derive(Debug, PartialEq, Eq)]
pub struct Expected {
    kind: Kind,
    /// Whether they are spoken to over TLS from the first byte on.
    tls: bool,
    places: Vec<(String, u16)>,
}

impl Expected {
    /// Servers of a kind at these hosts and ports, whose protocol begins without TLS.
    pub fn new(kind: Kind, places: Vec<(String, u16)>) -> Expected {
        Expected { kind, tls: false, places }
    }

    /// What a URL expects; `None` where it names no place or its scheme no kind.
    pub fn of(url: &str) -> Option<Expected> {
        let parts = Parts::of(url).ok()?;
        let query = parts.query.unwrap_or_default();
        let switches = ["tls=true", "tls=on", "ssl=true"];
        let switched = query.split('&').any(|option| switches.contains(&option));
        if parts.scheme == "dynamodb" {
            let endpoint = query.split('&').find_map(|option| option.strip_prefix("endpoint="))?;
            let (name, port) = host(endpoint.strip_prefix("http://")?.split('/').next()?).ok()?;
            return Some(Expected::new(Kind::Http, vec![(bare(name), port.unwrap_or(80))]));
        }
        let &(scheme, kind, usual) = SCHEMES.iter().find(|(name, ..)| *name == parts.scheme)?;
        let tls = switched || matches!(scheme, "rediss" | "couchbases" | "couchbases-analytics");
        let hosts = parts.hosts().ok()?;
        let places = hosts.into_iter().map(|(name, port)| (bare(name), port.unwrap_or(usual)));
        Some(Expected { kind, tls, places: places.collect() })
    }

    /// The shortest of a few times that it takes to connect to one of the places: a round trip and
    /// what both ends do for it. `None` where no one answers in time.
    pub async fn round_trip(&self) -> Option<Duration> {
        let mut shortest = None;
        for (host, port) in self.places.iter().take(MOST_PLACES) {
            // A name is looked up once, and not timed.
            let Ok(mut at) = tokio::net::lookup_host((host.as_str(), *port)).await else {
                continue;
            };
            let Some(at) = at.next() else { continue };
            // By a thread that does nothing else: a runtime at work would be part of the time.
            let timed = tokio::task::spawn_blocking(move || {
                let once = |_| {
                    let begun = Instant::now();
                    std::net::TcpStream::connect_timeout(&at, ANSWER).ok().map(|_| begun.elapsed())
                };
                // The first failure ends it: a server that is away is not waited for again.
                (0..CONNECTIONS).map_while(once).min()
            });
            shortest = timed.await.ok().flatten().into_iter().chain(shortest).min();
        }
        shortest
    }

    /// What is wrong with who answers there, if something is.
    async fn wrong(&self) -> Option<Failure> {
        for (host, port) in &self.places {
            if let Some(found) = who_answers(self.kind, self.tls, (host, *port)).await {
                return Some(self.failure(found, host, *port));
            }
        }
        None
    }

    fn failure(&self, found: &Question, host: &str, port: u16) -> Failure {
        let wanted = QUESTIONS.iter().find(|question| question.kind == self.kind);
        let wanted = wanted.map_or("", |question| question.words);
        let (answer, advice) = match found.kind == self.kind {
            true => (
                format!("{} without TLS answers at {host}:{port}", found.words),
                "leave TLS out of the URL, or name the port that has it".to_owned(),
            ),
            false => (
                format!("{} answers at {host}:{port}, not {wanted}", found.words),
                match found.urls {
                    "" => "check the host and the port".to_owned(),
                    urls => format!("check the host and the port, or write a URL of {urls}…"),
                },
            ),
        };
        let failure = Failure::new(ErrorKind::Unavailable, answer);
        Failure { advice: Some(advice.into()), ..failure }
    }
}

/// A host as sockets take it.
fn bare(host: &str) -> String {
    host.trim_matches(['[', ']']).to_owned()
}

/// Who answers at a port, if it is not who is expected. Over TLS, nothing is asked of who is: a
/// server of the kind that answers without TLS is another.
async fn who_answers(kind: Kind, tls: bool, at: (&str, u16)) -> Option<&'static Question> {
    let ask = async |question: &'static Question| {
        let answered = timeout(ANSWER, answer(at, question.sent)).await;
        matches!(answered, Ok(Some(answer)) if (question.answers)(&answer)).then_some(question)
    };
    let skipped = |question: &Question| question.kind == Kind::Tls && tls;
    let questions = || QUESTIONS.iter().filter(|question| !skipped(question));
    let own = async {
        let own = questions().find(|question| question.kind == kind && !tls);
        match own {
            Some(own) => ask(own).await.is_some(),
            None => false,
        }
    };
    let others = join_all(questions().filter(|q| tls || q.kind != kind).map(ask));
    let found = match select(pin!(own), pin!(others)).await {
        Either::Left((true, _)) => return None,
        Either::Left((false, others)) => others.await,
        Either::Right((found, own)) => match own.await {
            true => return None,
            false => found,
        },
    };
    found.into_iter().flatten().next()
}

/// The beginning of what a server says after this was sent; `None` where it says nothing.
async fn answer(at: (&str, u16), sent: &[u8]) -> Option<Vec<u8>> {
    let mut stream = TcpStream::connect(at).await.ok()?;
    stream.write_all(sent).await.ok()?;
    let mut answer = vec![0; 512];
    let length = stream.read(&mut answer).await.ok()?;
    answer.truncate(length);
    (length > 0).then_some(answer)
}

/// An attempt to connect, which fails with the words for who answers instead where it fails or
/// takes long and that is another kind of server.
///
/// # Errors
/// Those of the attempt; [`ErrorKind::Unavailable`] where another kind of server answers.
pub async fn unless_another<T>(
    expected: Option<Expected>,
    attempt: impl Future<Output = Done<T>>,
) -> Done<T> {
    let Some(expected) = expected else { return attempt.await };
    let mut attempt = pin!(attempt);
    let early = timeout(PATIENCE, attempt.as_mut()).await;
    let another = pin!(expected.wrong());
    let done = match early {
        Ok(done) => done,
        Err(_) => match select(attempt, another).await {
            Either::Left((Ok(opened), _)) => return Ok(opened),
            Either::Left((Err(e), another)) => return Err(another.await.unwrap_or(e)),
            Either::Right((Some(failure), _)) => return Err(failure),
            Either::Right((None, attempt)) => return attempt.await,
        },
    };
    match done {
        Err(e) if says_little(&e) => Err(another.await.unwrap_or(e)),
        done => done,
    }
}

/// Whether a failure may be that of a driver at the wrong kind of server.
fn says_little(failure: &Failure) -> bool {
    matches!(failure.kind, ErrorKind::Unavailable | ErrorKind::Timeout | ErrorKind::Broken)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    /// What a server says to the bytes that it gets.
    type Says = fn(&[u8]) -> &'static [u8];

    /// What each kind of server answers to what it is asked first: of Redis 7.0, PostgreSQL 18,
    /// MongoDB 7, Cassandra 5, Couchbase 7, MySQL 8 and others.
    const SERVERS: [(Kind, Says); 10] = [
        (Kind::Redis, |asked| match asked {
            b"PING\r\n" => b"-NOAUTH Authentication required.\r\n",
            asked if asked.starts_with(b"GET") => b"-ERR wrong number of arguments\r\n",
            _ => b"",
        }),
        (Kind::Postgres, |asked| if asked == QUESTIONS[0].sent { b"N" } else { b"" }),
        (Kind::MongoDb, |asked| match asked {
            IS_MASTER => b"\x30\0\0\0\x07\0\0\0\x01\0\0\0\x01\0\0\0",
            asked if asked.starts_with(b"GET") => {
                b"HTTP/1.0 200 OK\r\n\r\nIt looks like you are trying to access MongoDB over HTTP"
            }
            _ => b"",
        }),
        (Kind::Cassandra, |asked| match asked {
            [4, ..] => b"\x84\0\0\0\x06\0\0\0\x02\0\0",
            _ => b"\x84\0\0\0\0\0\0\0\x0a\0\0\0\x0a\0\x04what",
        }),
        (Kind::Couchbase, |asked| if asked == NOOP { b"\x81\x0a\0\0" } else { b"" }),
        (Kind::Http, |_| b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        (Kind::MySql, |_| b"\x4a\0\0\0\x0a8.0.36\0"),
        (Kind::Ssh, |_| b"SSH-2.0-OpenSSH_9.2\r\n"),
        (Kind::Mail, |_| b"220 mail.example ESMTP\r\n"),
        (Kind::Tls, |_| b"\x15\x03\x03\0\x02\x02\x32"),
    ];

    /// A server, for as long as the runtime is there.
    async fn serve(answers: fn(&[u8]) -> &'static [u8]) -> u16 {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let mut asked = vec![0; 512];
                    let read = timeout(ANSWER / 7, stream.read(&mut asked)).await;
                    asked.truncate(read.map_or(0, |length| length.unwrap_or(0)));
                    match answers(&asked) {
                        // It waits for more.
                        b"" => drop(stream.read(&mut [0]).await),
                        said => stream.write_all(said).await.unwrap_or_default(),
                    }
                });
            }
        });
        port
    }

    fn run<T>(what: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(what)
    }

    /// A driver that waits.
    async fn wait() -> Done<()> {
        std::future::pending().await
    }

    fn url(scheme: &str, port: u16) -> String {
        match scheme {
            "dynamodb" => format!("dynamodb://local?endpoint=http://127.0.0.1:{port}"),
            scheme => format!("{scheme}://u@127.0.0.1:{port}/d"),
        }
    }

    #[test]
    fn every_scheme_at_every_other_kind_of_server_is_told_who_answers() {
        run(async {
            for (found, answers) in SERVERS {
                let port = serve(answers).await;
                let words = QUESTIONS.iter().find(|q| q.kind == found).unwrap().words;
                let schemes = SCHEMES.map(|(scheme, kind, _)| (scheme, kind));
                let schemes = schemes.into_iter().chain([("dynamodb", Kind::Http)]);
                let each = schemes.map(async |(scheme, kind)| {
                    let expected = Expected::of(&url(scheme, port)).unwrap();
                    let tls = expected.tls;
                    // Over TLS a server that wants it is nobody's mistake.
                    if (found == Kind::Tls && tls) || (kind == found && !tls) {
                        assert_eq!(expected.wrong().await, None, "{scheme} at {found:?}");
                        return;
                    }
                    let e = unless_another(Some(expected), wait()).await.unwrap_err();
                    let (kind, said) = (e.kind, e.answer);
                    assert_eq!(kind, ErrorKind::Unavailable, "{scheme} at {found:?}: {said}");
                    assert!(said.starts_with(words), "{scheme} at {found:?}: {said}");
                    assert!(said.contains(&format!("127.0.0.1:{port}")), "{said}");
                    assert!(e.advice.is_some());
                });
                join_all(each).await;
            }
        });
    }

    #[test]
    fn who_is_expected_or_silent_changes_nothing() {
        run(async {
            let port = serve(|_| b"").await;
            let expected = || Expected::of(&url("postgres", port));
            let slow = async {
                tokio::time::sleep(PATIENCE + ANSWER * 2).await;
                Ok(7)
            };
            assert_eq!(unless_another(expected(), slow).await, Ok(7));
            let failed = async { Err::<(), _>(Failure::new(ErrorKind::Unavailable, "mine")) };
            assert_eq!(unless_another(expected(), failed).await.unwrap_err().answer, "mine");
            let invalid = async { Err::<(), _>(Failure::invalid("mine")) };
            let redis = serve(SERVERS[0].1).await;
            let expected = Expected::of(&url("postgres", redis));
            assert_eq!(unless_another(expected, invalid).await.unwrap_err().answer, "mine");
        });
    }

    #[test]
    fn places_are_those_of_the_url() {
        let of = |url| Expected::of(url).unwrap().places;
        assert_eq!(of("redis://h"), [("h".to_owned(), 6379)]);
        assert_eq!(of("mongodb://u:p@a:1,[::1]/d"), [("a".to_owned(), 1), ("::1".into(), 27017)]);
        for none in ["sqlite:x.db", "mongodb+srv://h/d", "dynamodb://eu-west-1", "null:"] {
            assert_eq!(Expected::of(none), None, "{none}");
        }
        assert!(Expected::of("mongodb://h/d?tls=true").unwrap().tls);
    }
}
