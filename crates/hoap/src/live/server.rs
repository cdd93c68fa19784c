//! What a run serves at the address of `--metrics`: its metrics, and its page while it goes on.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hoap_workload::process::Process;
use http_body_util::{Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};

use super::hub::{Events, Hub};
use crate::failure::Failure;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// Connections at a time; others wait until one has ended.
const CONNECTIONS: usize = 64;
/// How long a connection may take, from its request's first byte to its answer's last, unless it
/// listens to the run.
const LONGEST: Duration = Duration::from_secs(5);
/// The largest head of a request, bytes.
const LARGEST_HEAD: usize = 16 << 10;
/// How long a failed accept waits for what it lacked, such as a free file descriptor.
const PAUSE: Duration = Duration::from_millis(100);

type Answer = Response<Either<Full<Bytes>, Events>>;

/// What is served, and as whom.
pub struct Server {
    hub: Arc<Hub>,
    registry: Registry,
    /// Whether only this machine reaches the address.
    local: bool,
    /// The name of this machine.
    host: String,
}

impl Server {
    /// Listens, serves in the background for as long as the process lives, and says where: port 0 is
    /// any free one.
    pub async fn listen(
        address: SocketAddr,
        registry: Registry,
        hub: Arc<Hub>,
    ) -> Result<SocketAddr, Failure> {
        let failed = |e: std::io::Error| {
            Failure::unavailable(format!(
                "listen for Prometheus and browsers on {address}: {e}; give --metrics a free port"
            ))
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (local, host) = (address.ip().is_loopback(), Process::this().host);
        tokio::spawn(Arc::new(Server { hub, registry, local, host }).serve(listener));
        Ok(address)
    }

    /// Answers until the process ends, each connection once and within limits. What goes wrong with
    /// one is its own to notice.
    async fn serve(self: Arc<Server>, listener: TcpListener) {
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        while let Ok(place) = places.clone().acquire_owned().await {
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let server = self.clone();
            tokio::spawn(async move {
                server.one(stream).await;
                drop(place);
            });
        }
    }

    async fn one(self: Arc<Server>, stream: TcpStream) {
        let (end, ended) = oneshot::channel();
        let visit = Arc::new(Visit { end: Mutex::new(Some(end)), ..Visit::default() });
        let (server, of) = (self.clone(), visit.clone());
        let service = service_fn(move |request| {
            let answer = guarded(server.answer(&request, &of));
            async move { Ok::<_, Infallible>(answer) }
        });
        let connection = http1::Builder::new()
            .keep_alive(false)
            .max_buf_size(LARGEST_HEAD)
            .serve_connection(TokioIo::new(stream), service);
        let limit = async {
            tokio::time::sleep(LONGEST).await;
            if visit.listens.load(Ordering::Relaxed) {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            end = connection => {
                if end.is_ok() && visit.reads_report.load(Ordering::Relaxed) {
                    self.hub.fetched();
                }
            }
            _ = ended => {}
            () = limit => {}
        }
    }

    fn answer(&self, request: &Request<Incoming>, visit: &Visit) -> Answer {
        let path = request.uri().path();
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            let mut answer = said(StatusCode::METHOD_NOT_ALLOWED, "this is read only");
            answer.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            return answer;
        }
        // Scrapers of other machines come by any name; nobody else's page comes by that of this one.
        if (self.local || path != "/metrics") && !self.is_meant(request.headers()) {
            return said(
                StatusCode::FORBIDDEN,
                "it answers to its IP address, localhost and the name of this machine alone",
            );
        }
        match path {
            "/" => whole(HTML, self.hub.page()),
            "/metrics" => {
                let mut body = String::new();
                match text::encode(&mut body, &self.registry) {
                    Ok(()) => whole(OPEN_METRICS, body.into()),
                    Err(_) => said(StatusCode::INTERNAL_SERVER_ERROR, "no metrics"),
                }
            }
            "/report" => match self.hub.report() {
                Some(report) => {
                    visit.reads_report.store(request.method() == Method::GET, Ordering::Relaxed);
                    whole(HTML, report)
                }
                None => said(StatusCode::NOT_FOUND, "the run goes on; its page is at /"),
            },
            "/events" => self.events(request, visit),
            _ => said(StatusCode::NOT_FOUND, "the run's page is at /, its metrics at /metrics"),
        }
    }

    /// The news of the run, for a page of its own.
    fn events(&self, request: &Request<Incoming>, visit: &Visit) -> Answer {
        let site = request.headers().get("sec-fetch-site");
        if site.is_some_and(|site| site != "same-origin" && site != "none") {
            return said(StatusCode::FORBIDDEN, "these are for the run's own page");
        }
        let kind = HeaderValue::from_static("text/event-stream");
        let mut answer = match request.method() == Method::HEAD {
            true => Response::new(Either::Left(Full::default())),
            false => {
                let mut end = visit.end.lock().unwrap_or_else(PoisonError::into_inner);
                match end.take().map(|end| self.hub.listen(end)) {
                    Some(Ok(events)) => {
                        visit.listens.store(true, Ordering::Relaxed);
                        Response::new(Either::Right(events))
                    }
                    refused => {
                        *end = refused.and_then(Result::err);
                        let answer = "as many browsers as may listen to the run already";
                        return said(StatusCode::SERVICE_UNAVAILABLE, answer);
                    }
                }
            }
        };
        answer.headers_mut().insert(header::CONTENT_TYPE, kind);
        answer
    }

    /// Whether the request is meant for this address: a page of another site that had its own name
    /// lead here would ask by that name.
    fn is_meant(&self, headers: &HeaderMap) -> bool {
        headers.get_all(header::HOST).iter().all(|host| {
            let name = host.to_str().map_or("", name);
            let name = name.trim_end_matches('.');
            name.parse::<IpAddr>().is_ok()
                || name.eq_ignore_ascii_case("localhost")
                || name.eq_ignore_ascii_case(&self.host)
        })
    }
}

/// The name or address in a `Host`, without its port.
fn name(host: &str) -> &str {
    match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.split_once(':').map_or(host, |(name, _)| name),
    }
}

/// A connection.
#[derive(Default)]
struct Visit {
    /// Dropped, it ends the connection.
    end: Mutex<Option<oneshot::Sender<()>>>,
    listens: AtomicBool,
    reads_report: AtomicBool,
}

fn whole(kind: &'static str, body: Bytes) -> Answer {
    let mut answer = Response::new(Either::Left(Full::from(body)));
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

fn said(status: StatusCode, words: &str) -> Answer {
    let mut answer = whole(TEXT, format!("{words}\n").into());
    *answer.status_mut() = status;
    answer
}

/// Nobody shows the answer in a frame, keeps it, or takes it for what it is not.
fn guarded(mut answer: Answer) -> Answer {
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_or_an_address_and_perhaps_a_port() {
        for (host, is) in [
            ("localhost", "localhost"),
            ("db1:9464", "db1"),
            ("127.0.0.1:80", "127.0.0.1"),
            ("[::1]:80", "::1"),
            ("[::1]", "::1"),
            ("", ""),
            (":80", ""),
        ] {
            assert_eq!(name(host), is);
        }
    }
}
