//! Databases that accept a connection and then say nothing.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{End, Place};

/// What Ctrl-C may take: two seconds, and as much again for a busy machine.
pub const SOON: Duration = Duration::from_secs(4);

/// A server on a port of its own that accepts every connection and never answers.
fn silent() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || listener.incoming().collect::<Vec<_>>());
    port
}

/// URLs of the network databases of this build, on that port.
fn urls(port: u16) -> Vec<String> {
    let built_in = |name: &str| {
        let mut known = hoap_databases::known().iter();
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

/// Asks for the end as Ctrl-C does, by the signal that no shell had the tests ignore, and waits: the
/// code, and how long it took.
pub fn interrupt(mut child: Child) -> (End, Duration) {
    let pid = child.id().to_string();
    let begun = Instant::now();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    while begun.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let took = begun.elapsed();
    let _ = child.kill();
    (End::of(child.wait_with_output().unwrap()), took)
}

#[test]
fn ctrl_c_ends_every_command_whose_database_says_nothing() {
    let p = Place::new();
    let urls = urls(silent());
    for url in &urls {
        for line in [
            format!("load ycsb -p recordcount=10 --target {url}"),
            format!("verify ch2pp --target {url}"),
            format!("run ycsb-c --duration 1s --target {url}"),
            format!("query ch2pp --analytical {url}"),
        ] {
            let mut command = p.command(&line);
            command.env("AWS_ACCESS_KEY_ID", "k").env("AWS_SECRET_ACCESS_KEY", "s");
            command.env("COUCHBASE_PASSWORD", "p").env("PGPASSWORD", "p");
            let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(700));
            let (end, took) = interrupt(child);
            assert!(took < SOON, "{line} took {took:?}: {end:#?}");
            // What cannot be asked of this database was refused before the signal.
            assert!([130, 2, 3].contains(&end.code), "{line}: {end:#?}");
        }
    }
}
