//! PostgreSQL, and its replica.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};

use hoap_testing::urls::server;

use super::{BOTH_SIDES, broken, sound};

const SERVER: &str = "HOAP_TEST_POSTGRES";

fn schema(name: &str) -> String {
    format!("{}?schema=doctor_{name}_{}", server(SERVER), std::process::id())
}

#[test]
fn a_sound_server_is_proved() {
    sound(&[&schema("sound")], &[], &BOTH_SIDES, &[]);
}

#[test]
fn who_may_not_connect_is_told_so() {
    let url = schema("nobody").replacen("//hoap@", "//hoap_nothing@", 1);
    broken(&[&url], &[], "connects", &["permission denied", "grant"]);
}

#[test]
fn a_wrong_password_is_told_and_not_shown() {
    let url = schema("password").replacen("//hoap@", "//hoap_password@", 1);
    broken(&[&url], &[("PGPASSWORD", "a wrong secret")], "connects", &["password", "PGPASSWORD"]);
}

/// Forwards so many bytes of what the server says, and drops the connection.
fn proxy(to: String, bytes: usize) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let to = to.clone();
            std::thread::spawn(move || {
                let server = TcpStream::connect(&to).unwrap();
                let (mut from, mut back) =
                    (client.try_clone().unwrap(), server.try_clone().unwrap());
                std::thread::spawn(move || {
                    let _ = std::io::copy(&mut from, &mut &server);
                });
                let (mut left, mut buffer) = (bytes, [0; 4096]);
                while let Ok(count @ 1..) = back.read(&mut buffer) {
                    left = left.saturating_sub(count);
                    if left == 0 || (&client).write_all(&buffer[..count]).is_err() {
                        break;
                    }
                }
                let _ = (client.shutdown(Shutdown::Both), back.shutdown(Shutdown::Both));
            });
        }
    });
    port
}

#[test]
fn a_proxy_that_drops_connections_is_told() {
    let url = schema("proxy");
    let (_, rest) = url.split_once('@').unwrap();
    let place = rest.split('/').next().unwrap().to_owned();
    let through = url.replacen(&place, &format!("127.0.0.1:{}", proxy(place.clone(), 30_000)), 1);
    let end = super::hoap(&[&through], &[]);
    assert_eq!(end.code, 1, "{end:#?}");
    assert!(end.err.contains("connection") || end.err.contains("closed"), "{end:#?}");
    // What it left, as it could not be removed.
    let documents = tokio::runtime::Runtime::new().unwrap();
    documents.block_on(async {
        let target = hoap_databases::open(&url).await.unwrap();
        let all: Vec<_> = hoap_data::Collection::ALL.iter().map(|c| c.name()).collect();
        target.documents().unwrap().drop(&all).await.unwrap();
    });
}

mod on_postgres_replica {
    use super::*;

    #[test]
    fn a_replica_alone_is_read_only() {
        let url = format!(
            "{}?schema=doctor_alone_{}",
            server("HOAP_TEST_POSTGRES_REPLICA"),
            std::process::id()
        );
        broken(&[&url], &[], "loads", &["read-only"]);
    }

    #[test]
    fn a_pair_is_proved_together() {
        let primary = schema("pair");
        let replica = primary.replacen(&server(SERVER), &server("HOAP_TEST_POSTGRES_REPLICA"), 1);
        let passed = [&BOTH_SIDES[..], &["second database"]].concat();
        sound(&[&primary, "--analytical", &replica], &[], &passed, &[]);
    }
}
