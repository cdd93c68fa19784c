//! Servers that speak Redis' protocol, made to answer what no good one does.

use std::io::{Read, Write};
use std::net::TcpListener;

use hoap_workload::Error;

use crate::conformance::wait;

/// Opens a server that answers INFO with `answer`, and all else as a good one.
fn opened(answer: Vec<u8>) -> Error {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, answer) = (stream.unwrap(), answer.clone());
            std::thread::spawn(move || {
                let mut piece = [0; 4096];
                while let Ok(length @ 1..) = stream.read(&mut piece) {
                    let asked = String::from_utf8_lossy(&piece[..length]).into_owned();
                    let commands = asked.split("\r\n").filter(|line| line.starts_with('*')).count();
                    let said = match asked.contains("INFO\r\n") && !asked.contains("SETINFO") {
                        true => answer.clone(),
                        false => "+OK\r\n".repeat(commands).into_bytes(),
                    };
                    if stream.write_all(&said).is_err() {
                        return;
                    }
                }
            });
        }
    });
    wait(hoap_redis::open(&format!("redis://127.0.0.1:{port}"))).map(drop).unwrap_err()
}

#[test]
fn an_answer_that_is_too_long_ends_the_connection_before_it_is_kept() {
    for (answer, words) in [
        (b"$2147483647\r\n".to_vec(), "an answer of more than"),
        (b"*2147483647\r\n".to_vec(), "an answer of more than"),
        ([&b"+"[..], &[b'a'; 100_000]].concat(), "a line of more than"),
    ] {
        let e = opened(answer);
        assert!(e.answer.contains(words), "{e}");
    }
}
