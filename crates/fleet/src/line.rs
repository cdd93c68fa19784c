//! A driver's connection to `gather`.

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, HOST};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio_rustls::TlsConnector;

use crate::message::{HERE, MOST, Word};
use crate::secret::{Token, plain};
use crate::tls;

/// What is said of an answer that `gather` does not give.
const OTHER: &str = "no `hoap gather` of this version answers there: give --meet its address";

/// Why there was no answer.
pub enum Fault {
    /// It may come later.
    Again(String),
    /// None will.
    Last(String),
}

/// What protects a connection beyond this machine.
#[derive(Clone)]
pub enum Protection {
    /// Nothing, and whether that is said to be right.
    None {
        /// Whether the token may cross a network in plain text.
        insecure: bool,
    },
    /// TLS.
    Tls(TlsConnector),
}

/// A connection to `gather`, made when it is needed.
pub struct Line {
    address: String,
    token: Token,
    protection: Protection,
    sender: Option<SendRequest<Full<Bytes>>>,
}

impl Line {
    /// None yet.
    pub fn new(address: &str, token: &Token, protection: Protection) -> Line {
        Line { address: address.into(), token: token.clone(), protection, sender: None }
    }

    /// Where it goes.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Lets the next request connect again.
    pub fn close(&mut self) {
        self.sender = None;
    }

    /// Says what is in `body`, and hears a word.
    pub async fn say(&mut self, body: Bytes) -> std::result::Result<Word, Fault> {
        let (status, text) = self.ask(Method::POST, HERE, &[], body).await?;
        if status == StatusCode::OK {
            return Word::read(&text).map_err(|why| Fault::Last(format!("{OTHER} ({why})")));
        }
        let text: String = String::from_utf8_lossy(&text).chars().take(500).collect();
        let why = format!("{status}: {}", text.trim());
        Err(match status {
            StatusCode::CONFLICT => Fault::Again(why),
            // `gather` says what is wrong.
            StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED | StatusCode::UPGRADE_REQUIRED => {
                Fault::Last(why)
            }
            _ => Fault::Last(format!("{OTHER} ({why})")),
        })
    }

    /// Sends a request, and reads its answer whole.
    pub async fn ask(
        &mut self,
        method: Method,
        path: &str,
        headers: &[(&str, String)],
        body: Bytes,
    ) -> std::result::Result<(StatusCode, Bytes), Fault> {
        let again = |e: &dyn std::fmt::Display| Fault::Again(e.to_string());
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, &self.address)
            .header(AUTHORIZATION, self.token.bearer());
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let request = request.body(Full::new(body)).map_err(|e| Fault::Last(e.to_string()))?;
        let sender = match self.sender.take().filter(|sender| !sender.is_closed()) {
            Some(sender) => sender,
            None => self.connect().await?,
        };
        let sender = self.sender.insert(sender);
        sender.ready().await.map_err(|e| again(&e))?;
        let answer = sender.send_request(request).await.map_err(|e| match e.is_parse() {
            true => Fault::Last(format!("{OTHER} ({e})")),
            false => again(&e),
        })?;
        let (status, body) = (answer.status(), Limited::new(answer.into_body(), MOST));
        let body = body.collect().await.map_err(|e| again(&e))?;
        Ok((status, body.to_bytes()))
    }

    async fn connect(&self) -> std::result::Result<SendRequest<Full<Bytes>>, Fault> {
        let again = |e: &dyn std::fmt::Display| Fault::Again(e.to_string());
        let addresses: Vec<_> = lookup_host(&self.address).await.map_err(|e| again(&e))?.collect();
        if let Protection::None { insecure } = self.protection {
            plain("send the token", &addresses, insecure)
                .map_err(|e| Fault::Last(e.to_string()))?;
        }
        let stream = TcpStream::connect(&addresses[..]).await.map_err(|e| again(&e))?;
        stream.set_nodelay(true).map_err(|e| again(&e))?;
        let Protection::Tls(connector) = &self.protection else { return http(stream).await };
        let name = tls::name(&self.address).map_err(Fault::Last)?;
        match connector.connect(name, stream).await {
            Ok(stream) => http(stream).await,
            // It is no TLS, or a certificate that is not trusted: the next time it is the same.
            Err(e) if e.kind() == std::io::ErrorKind::InvalidData => {
                Err(Fault::Last(format!("TLS: {e} (--tls-ca names who is trusted)")))
            }
            Err(e) => Err(again(&e)),
        }
    }
}

/// Speaks HTTP over a stream.
async fn http(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
) -> std::result::Result<SendRequest<Full<Bytes>>, Fault> {
    let (sender, connection) =
        handshake(TokioIo::new(stream)).await.map_err(|e| Fault::Again(e.to_string()))?;
    tokio::spawn(connection);
    Ok(sender)
}
