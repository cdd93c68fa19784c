//! A metrics endpoint, asked over HTTP/1.1.

use std::sync::Arc;

use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{ACCEPT, AUTHORIZATION, HOST, LOCATION, USER_AGENT};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::source::Endpoint;

/// The most bytes of an answer.
const LARGEST: usize = 16 << 20;

/// The most bytes that are read, and looked at, at a time.
const BUFFER: usize = 64 << 10;

/// A connection to an endpoint, made when it is needed.
pub struct Connection {
    endpoint: Endpoint,
    tls: Option<TlsConnector>,
    sender: Option<SendRequest<Empty<Bytes>>>,
}

impl Connection {
    /// None yet.
    pub fn new(endpoint: Endpoint) -> Result<Connection, String> {
        let tls = endpoint.tls.then(connector).transpose()?;
        Ok(Connection { endpoint, tls, sender: None })
    }

    /// Asks for the metrics.
    pub async fn ask(&mut self) -> Result<String, String> {
        let sender = match self.sender.take().filter(|sender| !sender.is_closed()) {
            Some(sender) => sender,
            None => self.connect().await?,
        };
        let (text, sender) = self.with(sender).await?;
        self.sender = Some(sender);
        Ok(text)
    }

    async fn with(
        &self,
        mut sender: SendRequest<Empty<Bytes>>,
    ) -> Result<(String, SendRequest<Empty<Bytes>>), String> {
        let mut request = Request::get(&self.endpoint.path)
            .header(HOST, self.endpoint.place())
            .header(ACCEPT, "text/plain;version=0.0.4")
            .header(USER_AGENT, concat!("hoap/", env!("CARGO_PKG_VERSION")));
        if let Some(authorization) = &self.endpoint.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let request = request.body(Empty::new()).map_err(|e| e.to_string())?;
        let answer = sender.send_request(request).await.map_err(|e| e.to_string())?;
        let status = answer.status();
        if status != StatusCode::OK {
            let to = answer.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let to = to.map(|to| format!(", to {to}")).unwrap_or_default();
            return Err(format!("the answer is {status}{to}"));
        }
        let body = Limited::new(answer.into_body(), LARGEST).collect().await;
        let body = body.map_err(|e| e.to_string())?.to_bytes();
        let text = String::from_utf8(body.into()).map_err(|_| "the answer is no text")?;
        Ok((text, sender))
    }

    async fn connect(&self) -> Result<SendRequest<Empty<Bytes>>, String> {
        let Endpoint { host, port, .. } = &self.endpoint;
        let stream = TcpStream::connect((&**host, *port)).await.map_err(|e| e.to_string())?;
        let Some(tls) = &self.tls else { return http(stream).await };
        let name = ServerName::try_from(host.clone()).map_err(|e| e.to_string())?;
        http(tls.connect(name, stream).await.map_err(|e| format!("TLS: {e}"))?).await
    }
}

/// Trusts the authorities that this machine trusts, or those of the file that `SSL_CERT_FILE`
/// names.
fn connector() -> Result<TlsConnector, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err("this machine trusts no authority; SSL_CERT_FILE names a file of them".into());
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|e| e.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

async fn http(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
) -> Result<SendRequest<Empty<Bytes>>, String> {
    let mut http = http1::Builder::new();
    let connection = http.max_buf_size(BUFFER).handshake(TokioIo::new(stream)).await;
    let (sender, connection) = connection.map_err(|e| e.to_string())?;
    tokio::spawn(connection);
    Ok(sender)
}
