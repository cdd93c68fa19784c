//! Servers that speak PostgreSQL's protocol, made to answer what no good one does.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

use hoap_workload::{Error, ErrorKind};

use crate::conformance::wait;

/// The host as another one: only its address says that it is this machine.
const ELSEWHERE: &str = "127.1";
const SSL_REQUEST: [u8; 4] = [4, 210, 22, 47];

/// The next message of a client; the first ones have no type.
fn read(stream: &mut TcpStream, typed: bool) -> Option<(u8, Vec<u8>)> {
    let mut kind = [0; 1];
    if typed {
        stream.read_exact(&mut kind).ok()?;
    }
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    // Whoever asks which kind of server answers says something else.
    let length = u32::from_be_bytes(length).checked_sub(4).filter(|length| *length < 1 << 20)?;
    let mut rest = vec![0; length as usize];
    stream.read_exact(&mut rest).ok()?;
    Some((kind[0], rest))
}

fn message(kind: u8, rest: &[u8]) -> Vec<u8> {
    let length = u32::try_from(rest.len() + 4).unwrap().to_be_bytes();
    [&[kind][..], &length, rest].concat()
}

/// A server that declines TLS, answers the startup with `hello`, and whatever follows with what
/// `answer` makes of it. Its port, and what was sent to it after the startup.
fn serve(hello: Vec<u8>, answer: fn(u8, &[u8]) -> Vec<u8>) -> (u16, Receiver<(u8, Vec<u8>)>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let (told, heard) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, hello, told) = (stream.unwrap(), hello.clone(), told.clone());
            std::thread::spawn(move || {
                loop {
                    let (_, first) = read(&mut stream, false)?;
                    if first != SSL_REQUEST {
                        break;
                    }
                    stream.write_all(b"N").ok()?;
                }
                stream.write_all(&hello).ok()?;
                while let Some((kind, rest)) = read(&mut stream, true) {
                    let said = answer(kind, &rest);
                    told.send((kind, rest)).ok()?;
                    stream.write_all(&said).ok()?;
                }
                Some(())
            });
        }
    });
    (port, heard)
}

fn refused(url: &str) -> Error {
    let target = wait(hoap_postgres::open(url)).unwrap();
    wait(target.documents().unwrap().note()).unwrap_err()
}

/// AuthenticationCleartextPassword.
fn in_clear() -> Vec<u8> {
    message(b'R', &3u32.to_be_bytes())
}

#[test]
fn a_password_goes_in_clear_to_another_host_only_where_the_url_says_so() {
    for (host, sslmode, sent) in [
        (ELSEWHERE, "", false),
        (ELSEWHERE, "?sslmode=prefer", false),
        (ELSEWHERE, "?sslmode=disable", true),
        ("127.0.0.1", "", true),
        ("localhost", "?sslmode=prefer", true),
    ] {
        let (port, heard) = serve(in_clear(), |_, _| message(b'E', b"SFATAL\0C28P01\0Mno\0\0"));
        let e = refused(&format!("postgres://me:secret@{host}:{port}/d{sslmode}"));
        assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
        assert!(!e.to_string().contains("secret"), "{e}");
        let password = heard.try_iter().find(|(kind, _)| *kind == b'p');
        assert_eq!(password.is_some(), sent, "{host}{sslmode}: {e}");
        if !sent {
            assert!(e.answer.contains("asks for the password in clear"), "{e}");
            assert!(e.advice.as_ref().unwrap().contains("sslmode=disable"), "{e:?}");
        }
    }
}

/// Login without a password, and the number of a process.
fn welcome() -> Vec<u8> {
    let key = [7u32.to_be_bytes(), 8u32.to_be_bytes()].concat();
    [message(b'R', &[0; 4]), message(b'K', &key), message(b'Z', b"I")].concat()
}

/// The header of a row of 2 GiB.
fn long_row() -> Vec<u8> {
    [&b"D"[..], &(2u32 << 30).to_be_bytes(), &[0; 5000]].concat()
}

#[test]
fn a_message_of_two_gigabytes_ends_the_connection_before_it_is_read() {
    // To the first statement, and to the first that is prepared.
    let to_any: fn(u8, &[u8]) -> Vec<u8> = |_, _| long_row();
    let to_prepared: fn(u8, &[u8]) -> Vec<u8> = |kind, _| match kind {
        b'Q' => [message(b'C', b"SET\0"), message(b'Z', b"I")].concat(),
        _ => long_row(),
    };
    for answer in [to_any, to_prepared] {
        let (port, _heard) = serve(welcome(), answer);
        let e = refused(&format!("postgres://me@127.0.0.1:{port}/d"));
        assert!(e.answer.contains("a message of 2147483648 bytes"), "{e}");
    }
}
