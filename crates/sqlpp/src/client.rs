//! The HTTP client, which sends statements.

use std::fmt;
use std::time::Duration;

use hoap_database::failure::{Done, Failure, chain};
use reqwest::{Method, Response};

use super::codes::Service;
use super::envelope::Envelope;
use super::error::{Cause, Error};
use super::request::Request;
use super::stream::{Splitter, start};
use super::tls::Tls;

/// User and password of HTTP's basic authentication.
#[derive(Clone)]
pub struct Credentials {
    /// The user.
    pub user: String,
    /// The password, which no message shows.
    pub password: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials({}, ***)", self.user)
    }
}

/// A service and how to connect to it.
#[derive(Clone, Debug)]
pub struct ServiceAddress {
    /// Whose error codes it has.
    pub service: Service,
    /// `http://host:port` or `https://host:port`, without a slash at the end.
    pub base: String,
    /// The path of the statements' endpoint, such as `/query/service`.
    pub path: &'static str,
    /// The user, where the service requires one.
    pub credentials: Option<Credentials>,
    /// The authorities to trust, and the certificate to show.
    pub tls: Tls,
    /// The time limit of connecting.
    pub connect_timeout: Duration,
    /// The limit for the rows of a result, bytes.
    pub largest_result: u64,
}

/// The limit for an answer that is read whole, bytes: those of endpoints beside the statements'.
const LARGEST_ANSWER: usize = 64 << 20;

/// Sends statements. Clones share connections.
#[derive(Clone, Debug)]
pub struct StatementClient {
    http: reqwest::Client,
    address: ServiceAddress,
}

impl StatementClient {
    /// A client; nothing is sent yet.
    ///
    /// # Errors
    /// [`hoap_record::ErrorKind::Invalid`] where the file of certificates cannot be used.
    pub fn new(address: ServiceAddress) -> Done<StatementClient> {
        // Another driver may have installed a provider before: any will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(address.connect_timeout)
            .tcp_nodelay(true);
        let builder = address.tls.apply(builder).map_err(Failure::invalid)?;
        let http = builder.build().map_err(|e| Failure::invalid(chain(&e)))?;
        Ok(StatementClient { http, address })
    }

    /// Runs a statement, calls `each` with the text of every row as it arrives, and returns the
    /// rest of the answer. `each` may have been called before a failure.
    ///
    /// # Errors
    /// Every error that the service reports, whatever its HTTP status, and what `each` returned.
    pub async fn run(
        &self,
        request: &Request,
        each: &mut (dyn FnMut(&[u8]) -> Result<(), String> + Send),
    ) -> Result<Envelope, Error> {
        let patience = request.patience();
        let asked = async {
            let post = self.http.post(format!("{}{}", self.address.base, self.address.path));
            let post = post.header("content-type", "application/json").body(request.body());
            let response = self.signed(post).send().await.map_err(Cause::of_http)?;
            self.answer(response, each).await
        };
        let done = match patience {
            None => asked.await,
            Some(limit) => {
                tokio::time::timeout(limit, asked).await.unwrap_or_else(|_| Err(late(limit)))
            }
        };
        done.map_err(|cause| self.error(cause))
    }

    /// Runs a statement and ignores its rows.
    ///
    /// # Errors
    /// Those of [`StatementClient::run`].
    pub async fn execute(&self, request: &Request) -> Result<Envelope, Error> {
        self.run(request, &mut |_| Ok(())).await
    }

    /// Calls another endpoint of the same host, `path` with its query; returns HTTP's status and
    /// the text, which may have [`LARGEST_ANSWER`] bytes.
    ///
    /// # Errors
    /// No connection, or it was lost, or `limit` is over, or the text is longer.
    pub async fn call(
        &self,
        method: Method,
        path: &str,
        limit: Duration,
    ) -> Result<(u16, String), Error> {
        let call = self.http.request(method, format!("{}{path}", self.address.base));
        let call = async {
            let mut response = self.signed(call).send().await.map_err(Cause::of_http)?;
            let status = response.status().as_u16();
            let mut text = Vec::new();
            while let Some(part) = response.chunk().await.map_err(Cause::of_http)? {
                if text.len() + part.len() > LARGEST_ANSWER {
                    return Err(Cause::Malformed("the answer is larger than 64 MB".to_owned()));
                }
                text.extend_from_slice(&part);
            }
            Ok((status, String::from_utf8_lossy(&text).into_owned()))
        };
        let done = tokio::time::timeout(limit, call).await.unwrap_or_else(|_| Err(late(limit)));
        done.map_err(|cause| self.error(cause))
    }

    /// An error of this service.
    pub fn error(&self, cause: Cause) -> Error {
        Error { service: self.address.service, cause }
    }

    fn signed(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match &self.address.credentials {
            Some(c) => request.basic_auth(&c.user, Some(&c.password)),
            None => request,
        }
    }

    async fn answer(
        &self,
        mut response: Response,
        each: &mut (dyn FnMut(&[u8]) -> Result<(), String> + Send),
    ) -> Result<Envelope, Cause> {
        let status = response.status().as_u16();
        let mut splitter = Splitter::default();
        let mut beginning = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(Cause::of_http)? {
            if beginning.len() < 200 {
                beginning.extend_from_slice(&piece[..piece.len().min(200)]);
            }
            splitter.push(&piece, each).map_err(Cause::Malformed)?;
            if splitter.bytes() > self.address.largest_result {
                return Err(Cause::TooLarge(self.address.largest_result));
            }
        }
        let envelope = match splitter.end() {
            Ok(envelope) => envelope,
            // A page of a proxy, or an empty answer.
            Err(_) if status >= 400 => {
                return Err(Cause::Http { status, text: start(&beginning) });
            }
            Err(why) => return Err(Cause::Malformed(why)),
        };
        let faults = envelope.errors();
        let done = matches!(envelope.status(), "success" | "running" | "completed");
        match faults.is_empty() && done && status < 400 {
            true => Ok(envelope),
            false => Err(Cause::Refused {
                status,
                outcome: envelope.status().to_owned(),
                faults,
                text: start(&beginning),
            }),
        }
    }
}

/// No answer came in time.
fn late(limit: Duration) -> Cause {
    Cause::Late(format!("no answer within {:.1} s", limit.as_secs_f64()))
}
