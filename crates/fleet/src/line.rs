//! A driver's connection to `gather`.

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, HOST};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpStream, lookup_host};

use crate::message::{HERE, MOST, Word};
use crate::secret::{Token, plain};

/// Why there was no answer.
pub enum Fault {
    /// It may come later.
    Again(String),
    /// None will.
    Last(String),
}

/// A connection to `gather`, made when it is needed.
pub struct Line {
    address: String,
    token: Token,
    insecure: bool,
    sender: Option<SendRequest<Full<Bytes>>>,
}

impl Line {
    /// None yet.
    pub fn new(address: &str, token: &Token, insecure: bool) -> Line {
        Line { address: address.into(), token: token.clone(), insecure, sender: None }
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
            return Word::read(&text).map_err(Fault::Last);
        }
        let text: String = String::from_utf8_lossy(&text).chars().take(500).collect();
        Err(Fault::Last(format!("{status}: {}", text.trim())))
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
        let answer = sender.send_request(request).await.map_err(|e| again(&e))?;
        let (status, body) = (answer.status(), Limited::new(answer.into_body(), MOST));
        let body = body.collect().await.map_err(|e| again(&e))?;
        Ok((status, body.to_bytes()))
    }

    async fn connect(&self) -> std::result::Result<SendRequest<Full<Bytes>>, Fault> {
        let again = |e: &dyn std::fmt::Display| Fault::Again(e.to_string());
        let addresses: Vec<_> = lookup_host(&self.address).await.map_err(|e| again(&e))?.collect();
        plain("send the token", &addresses, self.insecure)
            .map_err(|e| Fault::Last(e.to_string()))?;
        let stream = TcpStream::connect(&addresses[..]).await.map_err(|e| again(&e))?;
        stream.set_nodelay(true).map_err(|e| again(&e))?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(|e| again(&e))?;
        tokio::spawn(connection);
        Ok(sender)
    }
}
