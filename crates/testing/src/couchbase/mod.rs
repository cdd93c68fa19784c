//! A Couchbase cluster in a script: a data node and two query nodes over one store in memory. It
//! speaks the data service's binary protocol and the query service's REST API, and runs the
//! statements that the module under test writes, no others. It is an imitation made from
//! Couchbase's documentation and drivers: what passes here is what the module and these documents
//! agree on.

mod account;
mod eval;
mod faults;
mod http;
mod kv;
mod parse;
mod run;
mod scram;
mod shared;
mod store;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

pub use account::{BUCKET, PASSWORD, USER};
pub use faults::{Act, Fault};
pub use shared::{Shared, Stream};

/// How a node is reached.
#[derive(Clone)]
pub enum Way {
    Plain,
    /// With TLS; whether a client shows a certificate in place of its password.
    Tls(Arc<ServerConfig>, bool),
}

impl Way {
    /// Serves a connection once it is secured; `serve` is told whether the client is known.
    async fn serve<F: Future<Output = ()>>(
        self,
        stream: TcpStream,
        serve: impl Fn(Box<dyn Stream>, bool) -> F,
    ) {
        match self {
            Way::Plain => serve(Box::new(stream), false).await,
            Way::Tls(config, mutual) => {
                match TlsAcceptor::from(config).accept(stream).into_fallible().await {
                    Ok(secured) => serve(Box::new(secured), mutual).await,
                    // Who is not let in is told by TLS, unless the connection goes before that is
                    // read.
                    Err((_, mut stream)) => {
                        let mut nowhere = tokio::io::sink();
                        let drained = tokio::io::copy(&mut stream, &mut nowhere);
                        let _ = tokio::time::timeout(Duration::from_secs(2), drained).await;
                    }
                }
            }
        }
    }
}

/// A running cluster.
pub struct Service(pub Arc<Shared>);

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

impl Service {
    pub fn start() -> Service {
        Service::reached(Way::Plain)
    }

    pub fn reached(way: Way) -> Service {
        RUNTIME.block_on(async {
            let listen = async || TcpListener::bind("127.0.0.1:0").await.unwrap();
            let (kv, query) = (listen().await, [listen().await, listen().await]);
            let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
            let shared = Arc::new(Shared {
                tls: matches!(way, Way::Tls(..)),
                kv_port: port(&kv),
                query_ports: query.iter().map(port).collect(),
                store: Mutex::default(),
                faults: Mutex::default(),
                seen: Mutex::default(),
                durabilities: Mutex::default(),
                writes: Mutex::default(),
                expiries: Mutex::default(),
                kv_refuses: Mutex::default(),
                kv_hangs: AtomicBool::new(false),
            });
            let (data, to_data) = (shared.clone(), way.clone());
            tokio::spawn(async move {
                while let Ok((stream, _)) = kv.accept().await {
                    let data = data.clone();
                    let serve = move |stream, known| kv::serve(stream, known, data.clone());
                    tokio::spawn(to_data.clone().serve(stream, serve));
                }
            });
            for (node, listener) in query.into_iter().enumerate() {
                let (shared, way) = (shared.clone(), way.clone());
                tokio::spawn(async move {
                    while let Ok((stream, _)) = listener.accept().await {
                        let shared = shared.clone();
                        let serve =
                            move |stream, known| http::serve(stream, known, node, shared.clone());
                        tokio::spawn(way.clone().serve(stream, serve));
                    }
                });
            }
            Service(shared)
        })
    }

    /// Its URL, with a password as it would be in a file.
    pub fn url(&self) -> String {
        self.url_as(USER, PASSWORD)
    }

    pub fn url_as(&self, user: &str, password: &str) -> String {
        let password = password.replace(' ', "%20");
        self.place().replace("://", &format!("://{user}:{password}@"))
    }

    /// Its URL without user and password.
    pub fn place(&self) -> String {
        let scheme = if self.0.tls { "couchbases" } else { "couchbase" };
        format!("{scheme}://127.0.0.1:{}/{BUCKET}", self.0.kv_port)
    }

    /// The next statement with these words meets this.
    pub fn fault(&self, words: &str, act: Act) {
        self.0.faults.lock().unwrap().push(Fault { words: words.to_owned(), act });
    }

    /// Node, text and body of every statement so far that has these words.
    pub fn seen(&self, words: &str) -> Vec<(usize, String, Value)> {
        let seen = self.0.seen.lock().unwrap();
        seen.iter().filter(|(_, text, _)| text.contains(words)).cloned().collect()
    }

    pub fn query_ports(&self) -> &[u16] {
        &self.0.query_ports
    }
}
