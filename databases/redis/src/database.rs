//! The handle that [`super::open`] returns, and opening it.

use std::sync::Arc;

use hoap_database::engine::{About, Calls, Engine, Offers, What};
use hoap_database::failure::{Done, Failure};
use hoap_record::Description;
use redis::cluster::ClusterClient;
use redis::{
    AsyncConnectionConfig, Client, ClientTlsConfig, ConnectionAddr, ConnectionInfo, RedisResult,
    TlsCertificates,
};

use super::connection::Server;
use super::error;
use super::options::{Options, ParsedUrl};
use super::server::Stated;

const NO_TRANSACTIONS: &str = "a transaction here is a list of commands fixed beforehand, which is \
                               not undone where one of them fails";
const NO_ANALYTICS: &str = "it has no language to query documents in";

pub(super) const NO_NESTED: &str = "a field within another one is part of a JSON text, which its scripts cannot change without \
     changing numbers and empty arrays in it";
pub(super) const NO_FINDS: &str =
    "its indexes are sets that a load makes at its end, and later writes do not change them";

const NO_LEARN: &str = "it has no collections, and each program has documents in its own form: \
                        export them as NDJSON and learn from that file";

/// What it offers, and why not the rest.
pub const OFFERS: Offers = Offers(&[
    (What::Transactions, NO_TRANSACTIONS),
    (What::Analytics, NO_ANALYTICS),
    (What::NestedPatches, NO_NESTED),
    (What::Finds, NO_FINDS),
    (What::Learn, NO_LEARN),
]);

/// A Redis or Valkey server, or a cluster.
pub struct RedisEngine {
    pub(super) server: Arc<Server>,
    pub(super) description: Description,
}

impl RedisEngine {
    /// Connects once, and asks the server for its version and settings.
    pub(super) async fn open(place: ParsedUrl) -> Done<RedisEngine> {
        let certificates = certificates(&place)?;
        let invalid = |e| error::connecting(&e);
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
            connections: Default::default(),
            options: place.options.clone(),
        };
        let stated = Stated::ask(&mut server.connect_one().await?).await;
        let stated = stated.map_err(|e| e.trying(format!("ask {} what it is", server.url)))?;
        stated.check(&server.options)?;
        if server.options.cluster {
            server.cluster = Some(cluster(&place, certificates, &stated.nodes).map_err(invalid)?);
        }
        let description = stated.description(&server.url, &server.options);
        Ok(RedisEngine { server: Arc::new(server), description })
    }
}

fn client(info: ConnectionInfo, certificates: Option<TlsCertificates>) -> RedisResult<Client> {
    match certificates {
        Some(certificates) => Client::build_with_tls(info, certificates),
        None => Client::open(info),
    }
}

/// The driver's client of a cluster. It connects as long as one of these nodes answers.
fn cluster(
    place: &ParsedUrl,
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
        // The limit of an operation with its redirections. The limit of an answer is longer: at
        // that one the driver would send the operation again.
        .overall_response_timeout(Some(timeout))
        .response_timeout(timeout * 2);
    match certificates {
        Some(certificates) => builder.certs(certificates).build(),
        None => builder.build(),
    }
}

/// The files that the options name, `None` without TLS.
fn certificates(place: &ParsedUrl) -> Done<Option<TlsCertificates>> {
    if !matches!(place.info.addr(), ConnectionAddr::TcpTls { .. }) {
        return Ok(None);
    }
    // Another driver may have installed a provider before: any will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Options { tls_ca, tls_cert, tls_key, .. } = &place.options;
    let read = |option: &str, path: &String| {
        if path.is_empty() {
            return Ok(None);
        }
        hoap_record::input::named(path.as_ref())
            .map(Some)
            .map_err(|e| Failure::invalid(format!("option `{option}`: {path}: {e}")))
    };
    let client_tls = match (read("tls_cert", tls_cert)?, read("tls_key", tls_key)?) {
        (Some(client_cert), Some(client_key)) => Some(ClientTlsConfig { client_cert, client_key }),
        _ => None,
    };
    Ok(Some(TlsCertificates { client_tls, root_cert: read("tls_ca", tls_ca)? }))
}

impl Engine for RedisEngine {
    fn about(&self) -> About {
        About {
            answer_timeout: Some(self.server.options.answer_timeout),
            offers: OFFERS,
            ..About::new(&self.description.name, &self.server.url, &["hoap_"], Calls::Server)
        }
    }

    fn description(&self) -> Description {
        self.description.clone()
    }

    hoap_database::gives!(documents, operations, key_value, shop);
}
