//! The layer between the driver and the socket: TLS or none, and what the server sends, looked at
//! message by message.
//!
//! The driver takes a message of any length, up to 4 GiB, into memory before it looks at it, and
//! gives a server its password in clear without a word to the caller. It takes any stream for one
//! of TLS. Where nothing is encrypted, this layer is that stream, with nothing negotiated
//! (`sslnegotiation=direct`).

use std::error::Error;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use hoap_database::failure::Failure;
use hoap_database::url::is_this_machine;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The longest message of a server, bytes. PostgreSQL's jsonb holds less.
const LONGEST: u32 = 256 << 20;

/// Why nothing more was read of what a server sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// A message of so many bytes.
    TooLong(u32),
    /// It wants the password in clear, on a connection to another host that is not encrypted.
    InClear,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::TooLong(bytes) => {
                write!(f, "the server sends a message of {bytes} bytes, and {LONGEST} are read")
            }
            Stopped::InClear => f.write_str(
                "the server declines TLS and asks for the password in clear: it was not sent",
            ),
        }
    }
}

impl Error for Stopped {}

/// What was seen of a connection.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The process that the server says serves the connection.
    pub process: OnceLock<i32>,
    /// Why the connection was ended here.
    pub stopped: OnceLock<Stopped>,
    /// With which words the server ended the session, or why the driver did, where nobody waited for
    /// an answer.
    pub ended: OnceLock<Failure>,
}

/// Makes the layer of one connection, and of the request to cancel what runs on it.
#[derive(Clone)]
pub(super) struct Layer {
    tls: Option<MakeRustlsConnect>,
    /// Whether a password may go to another host in clear.
    in_clear: bool,
    pub seen: Arc<Seen>,
}

impl Layer {
    /// With TLS.
    pub fn encrypted(tls: MakeRustlsConnect) -> Self {
        Layer { tls: Some(tls), in_clear: true, seen: Arc::default() }
    }

    /// Without. `in_clear` says whether a password may go to another host in clear.
    pub fn plain(in_clear: bool) -> Self {
        Layer { tls: None, in_clear, seen: Arc::default() }
    }
}

type Encrypted = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream;
type Encrypting = <MakeRustlsConnect as MakeTlsConnect<Socket>>::TlsConnect;
type AnyError = Box<dyn Error + Send + Sync>;

impl MakeTlsConnect<Socket> for Layer {
    type Stream = Watched;
    type TlsConnect = Connecting;
    type Error = AnyError;

    fn make_tls_connect(&mut self, host: &str) -> Result<Connecting, AnyError> {
        let encrypting = |tls: &mut _| {
            <MakeRustlsConnect as MakeTlsConnect<Socket>>::make_tls_connect(tls, host)
        };
        let tls = self.tls.as_mut().map(encrypting).transpose()?;
        let messages = Messages::new(self.in_clear || is_this_machine(host));
        Ok(Connecting { tls, messages, seen: self.seen.clone() })
    }
}

/// Puts the layer on a socket.
pub(super) struct Connecting {
    tls: Option<Encrypting>,
    messages: Messages,
    seen: Arc<Seen>,
}

impl TlsConnect<Socket> for Connecting {
    type Stream = Watched;
    type Error = AnyError;
    type Future = Pin<Box<dyn Future<Output = Result<Watched, AnyError>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let inner = match self.tls {
                Some(tls) => Inner::Encrypted(Box::new(tls.connect(socket).await?)),
                None => Inner::Plain(socket),
            };
            Ok(Watched { inner, messages: self.messages, seen: self.seen })
        })
    }
}

enum Inner {
    Plain(Socket),
    Encrypted(Box<Encrypted>),
}

/// A stream whose messages are looked at as they come.
pub(super) struct Watched {
    inner: Inner,
    messages: Messages,
    seen: Arc<Seen>,
}

/// Calls a method of the stream within.
macro_rules! inner {
    ($self:ident, $method:ident($($argument:expr),*)) => {
        match &mut $self.get_mut().inner {
            Inner::Plain(socket) => Pin::new(socket).$method($($argument),*),
            Inner::Encrypted(stream) => Pin::new(&mut **stream).$method($($argument),*),
        }
    };
}

impl AsyncRead for Watched {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = match &mut this.inner {
            Inner::Plain(socket) => Pin::new(socket).poll_read(cx, buffer),
            Inner::Encrypted(stream) => Pin::new(&mut **stream).poll_read(cx, buffer),
        };
        ready!(read)?;
        let looked = this.messages.look_at(&buffer.filled()[before..], &this.seen);
        Poll::Ready(looked.map_err(|stopped| {
            let _ = this.seen.stopped.set(stopped);
            io::Error::new(io::ErrorKind::InvalidData, stopped)
        }))
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        inner!(self, poll_write(cx, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        inner!(self, poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        inner!(self, poll_shutdown(cx))
    }
}

impl TlsStream for Watched {
    fn channel_binding(&self) -> ChannelBinding {
        match &self.inner {
            Inner::Plain(_) => ChannelBinding::none(),
            Inner::Encrypted(stream) => stream.channel_binding(),
        }
    }
}

/// Where one is in what the server sends: messages of a type (a byte), a length (four bytes, which
/// counts itself) and the rest.
struct Messages {
    in_clear: bool,
    /// Type, length and the first four bytes of the rest, as far as they have come.
    head: [u8; 9],
    have: usize,
    /// Bytes of the message that have not come.
    left: usize,
}

/// Bytes of a message before its rest.
const HEADER: usize = 5;

impl Messages {
    fn new(in_clear: bool) -> Self {
        Messages { in_clear, head: [0; 9], have: 0, left: 0 }
    }

    /// Looks at the next bytes.
    fn look_at(&mut self, mut bytes: &[u8], seen: &Seen) -> Result<(), Stopped> {
        while let [first, rest @ ..] = bytes {
            if self.have < HEADER {
                self.head[self.have] = *first;
                self.have += 1;
                if self.have == HEADER {
                    self.left = rest_of(self.number(1))?;
                }
                bytes = rest;
            } else if self.have < self.head.len() {
                self.head[self.have] = *first;
                (self.have, self.left) = (self.have + 1, self.left - 1);
                if self.have == self.head.len() {
                    self.first_number(seen)?;
                }
                bytes = rest;
            } else {
                let skipped = self.left.min(bytes.len());
                self.left -= skipped;
                bytes = &bytes[skipped..];
            }
            if self.have >= HEADER && self.left == 0 {
                self.have = 0;
            }
        }
        Ok(())
    }

    /// Four bytes of the head as a number.
    fn number(&self, at: usize) -> u32 {
        let four: [u8; 4] = self.head[at..at + 4].try_into().expect("four bytes");
        u32::from_be_bytes(four)
    }

    /// What the rest of a message begins with.
    fn first_number(&self, seen: &Seen) -> Result<(), Stopped> {
        match (self.head[0], self.number(HEADER)) {
            // AuthenticationCleartextPassword
            (b'R', 3) if !self.in_clear => Err(Stopped::InClear),
            // BackendKeyData
            (b'K', process) => {
                let _ = seen.process.set(process.cast_signed());
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The bytes that follow the length of a message.
fn rest_of(length: u32) -> Result<usize, Stopped> {
    match length <= LONGEST {
        true => Ok((length as usize).saturating_sub(4)),
        false => Err(Stopped::TooLong(length)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u8, rest: &[u8]) -> Vec<u8> {
        let length = u32::try_from(rest.len() + 4).unwrap();
        [&[kind][..], &length.to_be_bytes(), rest].concat()
    }

    /// However the bytes are cut.
    #[test]
    fn messages_are_told_apart_wherever_a_read_ends() {
        let key = [&77i32.to_be_bytes()[..], &[1, 2, 3, 4]].concat();
        let good = [
            message(b'R', &[0, 0, 0, 0]),
            message(b'S', b"R\0\0\0\x08\0\0\0\x03"),
            message(b'1', b""),
            message(b'Z', b"I"),
            message(b'K', &key),
            message(b'D', &[9; 300]),
            message(b'Z', b"I"),
        ]
        .concat();
        let long = [&b"D"[..], &(2u32 << 30).to_be_bytes()].concat();
        let clear = message(b'R', &[0, 0, 0, 3]);
        for piece in 1..good.len() {
            let look = |in_clear, end: &[u8]| {
                let (mut messages, seen) = (Messages::new(in_clear), Seen::default());
                let all = [&good[..], end].concat();
                let looked = all.chunks(piece).try_for_each(|part| messages.look_at(part, &seen));
                (looked, seen.process.get().copied())
            };
            assert_eq!(look(false, b""), (Ok(()), Some(77)), "{piece}");
            assert_eq!(look(true, &long).0, Err(Stopped::TooLong(2 << 30)), "{piece}");
            assert_eq!(look(false, &clear).0, Err(Stopped::InClear), "{piece}");
            assert_eq!(look(true, &clear).0, Ok(()), "{piece}");
        }
    }
}
