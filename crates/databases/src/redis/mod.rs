//! Redis and Valkey: `redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE][?option=value&…]`, `rediss://`
//! with TLS. The options are in [`OPTIONS`]. A password that the URL does not name is taken from the
//! environment variable `REDISCLI_AUTH`.
//!
//! # Mapping
//! A document is a hash: a string of its object under its own name, as YCSB's binding has it,
//! anything else as JSON text ([`document`]). The keys of a collection are a sorted set of equal
//! scores, which Redis keeps in the order of their bytes: scans go through it. For each value of an
//! indexed field there is such a set too ([`indexes`]). Names of keys are in [`layout`].
//!
//! What must happen in one step is a Lua script ([`script`]): an insert with the key's entry in
//! the set, a batch of a load with its progress.
//!
//! # Durability
//! It is the server's own setting (`appendonly`, `appendfsync`, `save`), read back and recorded in words
//! with each run. With `wait_replicas` a write is acknowledged when so many replicas have it in
//! memory; else it is of unknown outcome.
//!
//! # Clusters
//! The driver finds the nodes and follows redirections. Nothing is atomic among nodes: what that
//! means for loading is said in [`bulk`], for inserts in [`key_value`]. The set of a collection's keys
//! is one key, and so on one node.
//!
//! # Limits
//! * A scan of a whole collection is no snapshot ([`documents`]).
//! * The server runs commands one at a time; a long one, such as a batch of a load, holds up all others.

mod bulk;
mod connection;
mod document;
mod documents;
mod error;
mod indexes;
mod key_value;
mod layout;
mod options;
mod pages;
mod script;
mod server;
mod settle;
mod shop;

use std::sync::Arc;

use hoap_record::Description;
use hoap_workload::capability::{
    Analytics, Applicable, Blocking, Documents, NotApplicable, Target, Transactions,
};
use hoap_workload::{Error, ErrorKind, Result};
use redis::cluster::ClusterClient;
use redis::{
    AsyncConnectionConfig, Client, ClientTlsConfig, ConnectionAddr, ConnectionInfo, RedisResult,
    TlsCertificates, Value,
};

use connection::Server;
use error::{Doing, Done, Failure};
use options::{Options, Place};
use server::Stated;

pub use options::OPTIONS;

/// What it offers.
pub(crate) const CAPABILITIES: &[&str] = &["documents", "key-value", "scans", "pagination", "join"];

/// A Redis or Valkey server, or a cluster. Clones are the same one.
#[derive(Clone)]
pub struct Redis {
    shared: Arc<Shared>,
}

struct Shared {
    server: Arc<Server>,
    description: Description,
}

/// Opens a `redis:` URL and asks the server what it is.
///
/// # Errors
/// [`ErrorKind::Invalid`] where the URL is wrong or does not fit the server;
/// [`ErrorKind::Unavailable`] where the server cannot be reached or refuses.
pub async fn open(url: &str) -> Result<Redis> {
    let place = options::parse(url, std::env::var("REDISCLI_AUTH").ok().as_deref())?;
    let certificates = certificates(&place)?;
    let invalid = |e| error::of(&e, Doing::Connect, format!("open {}", place.url));
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(place.options.connect_timeout))
        .set_response_timeout(Some(place.options.response_timeout));
    let client = client(place.info.clone(), certificates.clone()).map_err(invalid)?;
    let mut server = Server {
        url: place.url.clone(),
        client,
        config,
        cluster: None,
        scripts: Default::default(),
        lanes: Default::default(),
        options: place.options.clone(),
    };
    let stated = Stated::ask(&mut server.connect_one().await?, &server.url).await?;
    stated.check(&server.url, &server.options)?;
    if server.options.cluster {
        server.cluster = Some(cluster(&place, certificates, &stated.nodes).map_err(invalid)?);
    }
    let description = stated.description(&server.url, &server.options);
    Ok(Redis { shared: Arc::new(Shared { server: Arc::new(server), description }) })
}

fn client(info: ConnectionInfo, certificates: Option<TlsCertificates>) -> RedisResult<Client> {
    match certificates {
        Some(certificates) => Client::build_with_tls(info, certificates),
        None => Client::open(info),
    }
}

/// What the driver needs for a cluster. A session can begin as long as one of these nodes answers.
fn cluster(
    place: &Place,
    certificates: Option<TlsCertificates>,
    nodes: &[(String, u16)],
) -> RedisResult<ClusterClient> {
    let others = nodes.iter().map(|(host, port)| {
        let addr = match place.info.addr() {
            ConnectionAddr::TcpTls { insecure, tls_params, .. } => ConnectionAddr::TcpTls {
                host: host.clone(),
                port: *port,
                insecure: *insecure,
                tls_params: tls_params.clone(),
            },
            _ => ConnectionAddr::Tcp(host.clone(), *port),
        };
        place.info.clone().set_addr(addr)
    });
    let timeout = place.options.response_timeout;
    let builder = ClusterClient::builder(std::iter::once(place.info.clone()).chain(others))
        .connection_timeout(place.options.connect_timeout)
        // The limit for an operation with its redirections; were that of an answer reached first, the
        // driver would send the operation again.
        .overall_response_timeout(Some(timeout))
        .response_timeout(timeout * 2);
    match certificates {
        Some(certificates) => builder.certs(certificates).build(),
        None => builder.build(),
    }
}

/// The files that the options name, `None` without TLS.
fn certificates(place: &Place) -> Result<Option<TlsCertificates>> {
    if !matches!(place.info.addr(), ConnectionAddr::TcpTls { .. }) {
        return Ok(None);
    }
    // Another database's driver may have chosen one before: any will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Options { tls_ca, tls_cert, tls_key, .. } = &place.options;
    let read = |option: &str, path: &String| {
        if path.is_empty() {
            return Ok(None);
        }
        std::fs::read(path).map(Some).map_err(|e| {
            let tried = format!("open {}", place.url);
            Error::new(ErrorKind::Invalid, tried, format!("option `{option}`: {path}: {e}"))
        })
    };
    let client_tls = match (read("tls_cert", tls_cert)?, read("tls_key", tls_key)?) {
        (Some(client_cert), Some(client_key)) => Some(ClientTlsConfig { client_cert, client_key }),
        _ => None,
    };
    Ok(Some(TlsCertificates { client_tls, root_cert: read("tls_ca", tls_ca)? }))
}

/// An answer that is a list of texts.
fn texts(answer: Value) -> Done<Vec<String>> {
    let Value::Array(values) = answer else {
        return Err(Failure::Broken(format!("a list was expected, not {answer:?}")));
    };
    let text = |value| match value {
        Value::BulkString(bytes) => String::from_utf8(bytes)
            .map_err(|_| Failure::Broken("a key or value is not UTF-8".to_owned())),
        other => Err(Failure::Broken(format!("a text was expected, not {other:?}"))),
    };
    values.into_iter().map(text).collect()
}

impl Redis {
    fn not_applicable<T>(&self, capability: &'static str, because: &'static str) -> Applicable<T> {
        Err(NotApplicable { capability, database: self.shared.description.name.clone(), because })
    }
}

impl Blocking for Redis {}

impl Target for Redis {
    fn description(&self) -> Description {
        self.shared.description.clone()
    }

    fn documents(&self) -> Applicable<&dyn Documents> {
        Ok(self)
    }

    fn transactions(&self) -> Applicable<&dyn Transactions> {
        self.not_applicable(
            "document transactions",
            "a transaction here is a list of commands fixed beforehand, which is not undone where \
             one of them fails",
        )
    }

    fn analytics(&self) -> Applicable<&dyn Analytics> {
        self.not_applicable("analytical queries", "it has no language to query documents in")
    }
}
