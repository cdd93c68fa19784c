//! Databases that accept a connection and then say nothing.

use std::io::Read;
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::{End, Place, interrupted};

/// What Ctrl-C may take: two seconds, and as much again for a busy machine.
pub const SOON: Duration = Duration::from_secs(4);

/// A server on a port of its own that accepts every connection and never answers. It tells when it
/// was asked something.
fn silent() -> (u16, Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, asked) = channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let sender = sender.clone();
            std::thread::spawn(move || {
                let mut first = [0; 4096];
                while let Ok(1..) = stream.read(&mut first) {
                    let _ = sender.send(());
                }
            });
        }
    });
    (port, asked)
}

/// URLs of the network databases of this build, on that port.
fn urls(port: u16) -> Vec<String> {
    let built_in = |name: &str| {
        let mut known = hoap_databases::known();
        known.any(|scheme| scheme.names.contains(&name) && scheme.built_in())
    };
    [
        ("postgres", format!("postgres://u@127.0.0.1:{port}/d?connect_timeout=60")),
        ("mongodb", format!("mongodb://127.0.0.1:{port}/d")),
        ("couchbase", format!("couchbase://u@127.0.0.1:{port}/b?connect_timeout_ms=60000")),
        (
            "couchbase-analytics",
            format!("couchbase-analytics://u@127.0.0.1:{port}/d?connect_timeout_ms=60000"),
        ),
        ("asterixdb", format!("asterixdb://127.0.0.1:{port}/d?connect_timeout_ms=60000")),
        ("cassandra", format!("cassandra://127.0.0.1:{port}/k?connect_timeout_ms=60000")),
        ("dynamodb", format!("dynamodb://eu-west-1?endpoint=http://127.0.0.1:{port}")),
        ("redis", format!("redis://127.0.0.1:{port}?connect_timeout_ms=60000")),
    ]
    .into_iter()
    .filter(|(name, _)| built_in(name))
    .map(|(_, url)| url)
    .collect()
}

#[test]
fn cassandra_that_says_nothing_is_given_up_in_its_time_to_connect() {
    let (port, _asked) = silent();
    let limits = "connect_timeout_ms=300&request_timeout_ms=200";
    let line = format!("verify ch2pp --target cassandra://127.0.0.1:{port}/k?{limits}");
    let end = Place::new().run(&line);
    assert_eq!(end.code, 3, "{end:#?}");
    assert!(end.err.contains("no answer within 500 ms; check that the cluster is up"), "{end:#?}");
}

#[test]
fn ctrl_c_ends_every_command_whose_database_says_nothing() {
    let p = Place::new();
    std::thread::scope(|scope| {
        for n in 0..urls(0).len() {
            let p = &p;
            scope.spawn(move || ends_at_ctrl_c(p, n));
        }
    });
}

/// Every command on the database of this number.
fn ends_at_ctrl_c(p: &Place, number: usize) {
    let mut waited = 0;
    for line in [
        "load ycsb -p recordcount=10 --target",
        "verify ch2pp --target",
        "run ycsb-c --duration 1s --target",
        "query ch2pp --analytical",
    ] {
        let (port, asked) = silent();
        let line = format!("{line} {}", urls(port)[number]);
        let mut command = p.command(&line);
        command.env("AWS_ACCESS_KEY_ID", "k").env("AWS_SECRET_ACCESS_KEY", "s");
        command.env("CB_PASSWORD", "p").env("PGPASSWORD", "p");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // It waits for an answer, or has refused what cannot be asked of this database.
        let begun = Instant::now();
        let asks = loop {
            if asked.recv_timeout(Duration::from_millis(20)).is_ok() {
                break true;
            }
            if child.try_wait().unwrap().is_some() {
                break false;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{line} asks nothing");
        };
        if !asks {
            let end = End::of(child.wait_with_output().unwrap());
            assert!([2, 3].contains(&end.code), "{line}: {end:#?}");
            continue;
        }
        let (end, took) = interrupted(child);
        assert!(took < SOON, "{line} took {took:?}: {end:#?}");
        waited += 1;
    }
    assert!(waited > 0, "{}: nothing was asked", urls(0)[number]);
}
