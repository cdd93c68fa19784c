//! A server that is killed in the middle of work and started again.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hoap_workload::ErrorKind;
use hoap_workload::capability::key_value::{Fields, KeyValueSession, Record, Scanned};

use crate::conformance::{client, load_records, record, wait};
use crate::{count_of, open, unavailable};

/// A server of a test's own. Killed when dropped.
pub(super) struct Own {
    port: u16,
    directory: tempfile::TempDir,
    process: Child,
}

impl Own {
    pub fn start() -> Own {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let directory = tempfile::tempdir().unwrap();
        let process = spawn(port, &directory);
        let own = Own { port, directory, process };
        own.wait_until_it_answers();
        own
    }

    fn kill(&mut self) {
        // SIGKILL on Unix.
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    fn start_again(&mut self) {
        self.process = spawn(self.port, &self.directory);
        self.wait_until_it_answers();
    }

    /// Sends it a signal, such as STOP.
    pub fn signal(&self, name: &str) {
        let mut kill = Command::new("kill");
        kill.arg(format!("-{name}")).arg(self.process.id().to_string());
        assert!(kill.status().unwrap().success());
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub fn admin(&self) -> redis::Connection {
        redis::Client::open(self.url()).unwrap().get_connection().unwrap()
    }

    fn wait_until_it_answers(&self) {
        let client = redis::Client::open(self.url()).unwrap();
        let start = Instant::now();
        let answers = || {
            let mut connection = client.get_connection().ok()?;
            redis::cmd("PING").query::<String>(&mut connection).ok()
        };
        while answers().is_none() {
            assert!(start.elapsed() < Duration::from_secs(20), "redis-server does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// It syncs before it answers. With `everysec` an acknowledged write may wait in the server's
/// memory as long as a sync of the one before goes on, and be lost with the process.
fn spawn(port: u16, directory: &tempfile::TempDir) -> Child {
    let port = port.to_string();
    Command::new("redis-server")
        .args(["--bind", "127.0.0.1", "--port", &port])
        .args(["--appendonly", "yes", "--appendfsync", "always", "--dir"])
        .arg(directory.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("redis-server is there where the lab's redis is")
}

/// Sets what it holds at the end of its scope, a panic included, so that nobody waits for ever.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Clients insert and update until the server is killed and started again, and then for a while
/// longer: every acknowledged write is there, and keys and records agree.
#[test]
fn acknowledged_writes_survive_the_end_of_the_process() {
    const CLIENTS: usize = 4;
    let mut server = Own::start();
    let target = open(&server.url());
    load_records(&target, &["user1"]);
    let (over, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (target_of, over_of, done_of) = (&target, &over, &done);
    let until_done = |inserts: usize| {
        let (start, wanted) = (Instant::now(), done.load(Ordering::Relaxed) + inserts);
        while done.load(Ordering::Relaxed) < wanted {
            assert!(start.elapsed() < Duration::from_secs(60), "the writers stand still");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let written: Vec<(Vec<String>, u32, usize)> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..CLIENTS)
            .map(|writer| {
                scope.spawn(move || {
                    let mut session = client(target_of);
                    let (mut inserted, mut updates, mut failed) = (Vec::new(), 0u32, 0);
                    for n in 0u32.. {
                        if over_of.load(Ordering::Relaxed) {
                            break;
                        }
                        let key = format!("w{writer}.{n}");
                        match wait(session.insert(&key, &record([(0, &key)]))) {
                            Ok(()) => {
                                inserted.push(key);
                                done_of.fetch_add(1, Ordering::Relaxed);
                            }
                            Err(e) => {
                                let kinds = [ErrorKind::Ambiguous, ErrorKind::Unavailable];
                                assert!(kinds.contains(&e.kind), "{e}");
                                failed += 1;
                                std::thread::sleep(Duration::from_millis(5));
                            }
                        }
                        let field = writer as u16;
                        match wait(session.update("user1", &record([(field, n.to_string())]))) {
                            Ok(there) => {
                                assert!(there);
                                updates = n;
                            }
                            Err(_) => failed += 1,
                        }
                    }
                    (inserted, updates, failed)
                })
            })
            .collect();
        let stop = SetOnDrop(&over);
        until_done(100);
        server.kill();
        std::thread::sleep(Duration::from_millis(100));
        server.start_again();
        until_done(100);
        drop(stop);
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let mut session = client(&target);
    let mut there = Record::default();
    for (inserted, ..) in &written {
        for key in inserted {
            assert!(wait(session.read(key, Fields::One(0), &mut there)).unwrap(), "{key} is lost");
            assert_eq!(there, record([(0, key)]));
        }
    }
    assert!(written.iter().any(|(.., failed)| *failed > 0), "nobody met the end of the server");
    assert!(wait(session.read("user1", Fields::All, &mut there)).unwrap());
    for ((_, updates, _), (_, value)) in written.iter().zip(there.iter()) {
        let value: u32 = std::str::from_utf8(value).unwrap().parse().unwrap();
        // An update that was not acknowledged may have been applied.
        assert!(value >= *updates, "{value} is older than {updates}");
    }
    // Whatever was inserted without an answer has its key as well, or nothing.
    let acknowledged: usize = written.iter().map(|(inserted, ..)| inserted.len()).sum();
    let counted = count_of(&target, "usertable");
    assert!((acknowledged + 1..=acknowledged + 1 + 2 * CLIENTS).contains(&counted));
    let mut scanned = Scanned::default();
    wait(session.scan("", usize::MAX, Fields::None, &mut scanned)).unwrap();
    assert_eq!(scanned.len(), counted);
}

/// Without a server each operation says so, and the first one after its return works.
#[test]
fn a_session_outlives_the_server() {
    for options in ["", "?pipeline=4"] {
        let mut server = Own::start();
        let target = open(&format!("{}{options}", server.url()));
        load_records(&target, &["user1"]);
        let mut sessions: Vec<_> = (0..3).map(|_| client(&target)).collect();
        let mut there = Record::default();
        server.kill();
        for session in &mut sessions {
            let e = wait(session.update("user1", &record([(0, "x")]))).unwrap_err();
            // The first one finds the connection lost; where it is shared the others find none.
            assert!(matches!(e.kind, ErrorKind::Ambiguous | ErrorKind::Unavailable), "{e}");
            for _ in 0..2 {
                let e = wait(session.read("user1", Fields::All, &mut there)).unwrap_err();
                unavailable(&e, &["connect to redis://127.0.0.1:", "server is up"]);
            }
        }
        server.start_again();
        for session in &mut sessions {
            assert!(wait(session.read("user1", Fields::All, &mut there)).unwrap());
            assert_eq!(there.len(), 4);
        }
    }
}

/// A client whose connection an administrator ends goes on with a new one.
#[test]
fn a_lost_connection_is_made_anew() {
    let server = Own::start();
    for options in ["", "?pipeline=2"] {
        let target = open(&format!("{}{options}", server.url()));
        wait(hoap_workload::capability::Target::documents(&target).unwrap().drop(&["usertable"]))
            .unwrap();
        load_records(&target, &["user1"]);
        let mut sessions: Vec<_> = (0..3).map(|_| client(&target)).collect();
        let mut kill = redis::cmd("CLIENT");
        kill.arg("KILL").arg("TYPE").arg("normal");
        let ended: i64 = kill.query(&mut server.admin()).unwrap();
        assert!(ended >= 2, "{ended}");
        let mut there = Record::default();
        for session in &mut sessions {
            if let Err(e) = wait(session.read("user1", Fields::All, &mut there)) {
                unavailable(&e, &["connection was lost"]);
                assert!(wait(session.read("user1", Fields::All, &mut there)).unwrap());
            }
        }
    }
}

/// A server without memory refuses writes, keeps what it has, and takes writes again later.
#[test]
fn a_full_server_refuses_and_loses_nothing() {
    let server = Own::start();
    let target = open(&server.url());
    load_records(&target, &["user1"]);
    let mut session = client(&target);
    let limit = |bytes: &str| {
        let mut set = redis::cmd("CONFIG");
        set.arg("SET").arg("maxmemory").arg(bytes);
        let (): () = set.query(&mut server.admin()).unwrap();
    };
    limit("1");
    for refused in [
        wait(session.insert("user2", &record([(0, "x")]))),
        wait(session.update("user1", &record([(0, "x")]))).map(drop),
    ] {
        unavailable(refused.unwrap_err(), &["OOM", "maxmemory"]);
    }
    limit("0");
    let mut there = Record::default();
    assert!(!wait(session.read("user2", Fields::All, &mut there)).unwrap());
    assert!(wait(session.update("user1", &record([(0, "x")]))).unwrap());
    wait(session.insert("user2", &record([(0, "x")]))).unwrap();
    assert_eq!(count_of(&target, "usertable"), 2);
}
