//! Bytes through the proxy.

use super::*;
use tokio::time::{Instant, timeout};

/// A server that answers every byte with itself.
async fn echo() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let (mut from, mut to) = stream.split();
                let _ = tokio::io::copy(&mut from, &mut to).await;
            });
        }
    });
    address
}

async fn proxied() -> (Proxy, TcpStream) {
    let proxy = Proxy::start(echo().await).await.unwrap();
    let mut client = TcpStream::connect(proxy.address()).await.unwrap();
    assert_eq!(asked(&mut client, b"hello").await, b"hello");
    (proxy, client)
}

async fn asked(client: &mut TcpStream, bytes: &[u8]) -> Vec<u8> {
    client.write_all(bytes).await.unwrap();
    let mut answer = vec![0; bytes.len()];
    client.read_exact(&mut answer).await.unwrap();
    answer
}

/// Everything that comes until the connection ends, and whether that was a reset.
async fn rest(client: &mut TcpStream) -> (Vec<u8>, bool) {
    let mut all = Vec::new();
    let end = timeout(Duration::from_secs(30), client.read_to_end(&mut all)).await.unwrap();
    (all, end.is_err())
}

/// Whether a new connection is reset. That may come before the client knows that it is connected.
async fn is_refused(proxy: &Proxy) -> bool {
    match TcpStream::connect(proxy.address()).await {
        Ok(mut client) => rest(&mut client).await.1,
        Err(e) => e.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_is_cut_at_the_very_byte_in_either_direction() {
    for bytes in [0, 1, 7, 40_000] {
        for way in [Way::ToServer, Way::FromServer] {
            let (proxy, mut client) = proxied().await;
            assert_eq!(proxy.cut(Cut { way, bytes, reset: false }, None), 1);
            let sent = vec![b'x'; 100_000];
            // The connection may end while this is written.
            let (mut from, mut to) = client.split();
            let (got, _) = tokio::join!(
                async {
                    let mut all = Vec::new();
                    let _ = timeout(Duration::from_secs(30), from.read_to_end(&mut all)).await;
                    all
                },
                to.write_all(&sent)
            );
            match way {
                Way::FromServer => assert_eq!(got.len() as u64, bytes, "{way:?}"),
                // What the server answers may be lost with the connection.
                Way::ToServer => assert!(got.len() as u64 <= bytes, "{} of {bytes}", got.len()),
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_is_a_reset_or_an_orderly_end_and_of_one_connection_or_all() {
    let (proxy, mut first) = proxied().await;
    let mut second = TcpStream::connect(proxy.address()).await.unwrap();
    asked(&mut second, b"too").await;
    assert_eq!(proxy.open(), 2);
    assert_eq!(proxy.cut(Cut { way: Way::ToServer, bytes: 0, reset: true }, Some(2)), 1);
    assert_eq!(rest(&mut first).await, (Vec::new(), true));
    assert_eq!(asked(&mut second, b"there").await, b"there");
    proxy.cut(Cut { way: Way::ToServer, bytes: 0, reset: false }, None);
    assert_eq!(rest(&mut second).await, (Vec::new(), false));
    let mut third = TcpStream::connect(proxy.address()).await.unwrap();
    assert_eq!(asked(&mut third, b"new ones pass").await, b"new ones pass");
}

#[tokio::test(flavor = "multi_thread")]
async fn data_is_delayed_and_nothing_is_lost_of_it() {
    let (proxy, mut client) = proxied().await;
    proxy.set(Mode::Delay(Duration::from_millis(150)));
    let begun = Instant::now();
    assert_eq!(asked(&mut client, b"slowly").await, b"slowly");
    assert!(begun.elapsed() >= Duration::from_millis(300), "{:?}", begun.elapsed());
    proxy.set(Mode::Pass);
    assert_eq!(asked(&mut client, &[7; 50_000]).await, [7; 50_000]);
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_silence_nothing_comes_and_new_connections_wait() {
    let (proxy, mut client) = proxied().await;
    proxy.set(Mode::Silence);
    client.write_all(b"anybody").await.unwrap();
    let mut new = TcpStream::connect(proxy.address()).await.unwrap();
    new.write_all(b"?").await.unwrap();
    let mut answer = [0; 7];
    let silent = timeout(Duration::from_millis(300), client.read_exact(&mut answer)).await;
    assert!(silent.is_err());
    proxy.set(Mode::Pass);
    client.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"anybody");
    new.read_exact(&mut answer[..1]).await.unwrap();
    assert_eq!(answer[0], b'?');
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_is_reset_old_connections_and_new_ones_and_so_is_a_server_that_is_gone() {
    let (proxy, mut client) = proxied().await;
    proxy.set(Mode::Refuse);
    assert_eq!(rest(&mut client).await, (Vec::new(), true));
    assert!(is_refused(&proxy).await);
    proxy.set(Mode::Pass);
    let mut new = TcpStream::connect(proxy.address()).await.unwrap();
    assert_eq!(asked(&mut new, b"again").await, b"again");
    drop(proxy);
    assert!(rest(&mut new).await.1);

    let nobody = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap().local_addr().unwrap();
    let proxy = Proxy::start(nobody).await.unwrap();
    assert!(is_refused(&proxy).await);
}
