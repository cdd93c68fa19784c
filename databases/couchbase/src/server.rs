//! The cluster: the driver, the query nodes, and their description.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use couchbase::authenticator::{Authenticator, CertificateAuthenticator, PasswordAuthenticator};
use couchbase::cluster::Cluster;
use couchbase::collection::Collection;
use couchbase::options::cluster_options::{
    ClusterOptions, KvOptions, OrphanReporterOptions, TlsOptions,
};
use couchbase::options::diagnostic_options::PingOptions;
use couchbase::retry::{RetryAction, RetryReason, RetryRequest, RetryStrategy};
use couchbase::scope::Scope;
use couchbase::service_type::ServiceType;
use hoap_database::failure::{Done, Failure};
use hoap_record::Description;
use hoap_record::ErrorKind;
use hoap_sqlpp::{self, Service, ServiceAddress, StatementClient};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::error;
use super::options::ParsedUrl;

/// The largest result that is read, bytes: pages and lists of documents, far from it.
const LARGEST_RESULT: u64 = 1 << 30;

/// A scope of a cluster, which all clients share.
pub(super) struct Server {
    pub place: ParsedUrl,
    /// The scope, as statements name their keyspaces in it.
    pub context: String,
    /// Addresses of the query nodes.
    nodes: Vec<String>,
    /// The number of clients so far: they take the nodes in turn.
    next: AtomicUsize,
    /// The driver, which disconnects when this is dropped.
    _cluster: Cluster,
    scope: Scope,
    version: String,
}

/// Sends nothing again that reached a server. An operation that waits for the driver itself goes on
/// waiting, up to its time limit.
#[derive(Debug)]
struct Once;

impl RetryStrategy for Once {
    fn retry_after(&self, _: &RetryRequest, reason: &RetryReason) -> Option<RetryAction> {
        let waiting = matches!(reason, RetryReason::NotReady);
        waiting.then(|| RetryAction::new(std::time::Duration::from_millis(5)))
    }
}

impl Server {
    /// Connects the driver and asks a query node for its version.
    pub async fn open(place: ParsedUrl) -> Done<Arc<Server>> {
        let cluster = connect(&place).await?;
        let nodes = match place.options.query_nodes.is_empty() {
            false => addresses(&place, &place.options.query_nodes),
            true => {
                let nodes = query_nodes(&cluster, &place).await;
                let tried = || format!("ask {} for its query nodes", place.url);
                nodes.map_err(|e| e.trying(tried()))?
            }
        };
        let scope = cluster.bucket(place.bucket.as_str()).scope(place.options.scope.as_str());
        let context = format!("default:`{}`.`{}`", place.bucket, place.options.scope);
        let mut server = Server {
            place,
            context,
            nodes,
            next: AtomicUsize::new(0),
            _cluster: cluster,
            scope,
            version: String::new(),
        };
        let version = server.ask_version().await;
        let tried = || format!("ask for the version of {}", server.place.url);
        server.version = version.map_err(|e| e.trying(tried()))?;
        Ok(Arc::new(server))
    }

    async fn ask_version(&self) -> Done<String> {
        let client = self.client()?;
        let request = hoap_sqlpp::Request::new("SELECT RAW DS_VERSION()")
            .timeout(self.place.options.connect_timeout);
        let mut version = String::new();
        let mut each = |row: &[u8]| {
            version = serde_json::from_slice(row).map_err(|e| format!("a row is no text: {e}"))?;
            Ok(())
        };
        client.run(&request, &mut each).await?;
        Ok(version)
    }

    /// A client of the next query node.
    pub fn client(&self) -> Done<StatementClient> {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        query_client(&self.place, &self.nodes[turn % self.nodes.len()])
    }

    /// A collection of the scope.
    pub fn collection(&self, name: &str) -> Collection {
        self.scope.collection(name)
    }

    /// The name under which a statement is prepared: the same for the same text in the same scope.
    pub fn statement_name(&self, text: &str) -> String {
        let parts = [self.context.as_bytes(), text.as_bytes()];
        let hash = parts.into_iter().flatten().fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("hoap_{hash:016x}")
    }

    /// The description for the run folder.
    pub fn description(&self) -> Description {
        let options = &self.place.options;
        let expiry =
            options.expiry.map_or_else(|| "never".into(), |e| format!("{} s", e.as_secs()));
        let settings = [
            ("durability", options.durability.name().to_owned()),
            ("tx_durability", options.tx_durability.name().to_owned()),
            ("txtimeout_ms", options.tx_timeout.as_millis().to_string()),
            ("scan_consistency", options.scan_consistency.to_owned()),
            ("expiry", expiry),
            ("kv_connections", options.kv_connections.to_string()),
            ("query_nodes", self.nodes.len().to_string()),
            ("tls", self.place.tls.to_string()),
            ("client_certificate", (!options.tls_cert.is_empty()).to_string()),
        ];
        Description {
            url: self.place.url.clone(),
            name: "Couchbase Server".to_owned(),
            version: self.version.clone(),
            settings: BTreeMap::from(settings.map(|(name, value)| (name.to_owned(), value))),
        }
    }
}

fn query_client(place: &ParsedUrl, base: &str) -> Done<StatementClient> {
    let options = &place.options;
    StatementClient::new(ServiceAddress {
        service: Service::Query,
        base: base.to_owned(),
        path: "/query/service",
        credentials: place.credentials.clone(),
        tls: options.tls(),
        connect_timeout: options.connect_timeout,
        largest_result: LARGEST_RESULT,
    })
}

fn addresses(place: &ParsedUrl, nodes: &[String]) -> Vec<String> {
    let scheme = if place.tls { "https" } else { "http" };
    nodes.iter().map(|node| format!("{scheme}://{node}")).collect()
}

/// Connects the driver. While the nodes refuse it the driver tries again and reports nothing: the
/// query service tells the reason.
async fn connect(place: &ParsedUrl) -> Done<Cluster> {
    let options = &place.options;
    let kv = KvOptions::new()
        .num_connections(options.kv_connections as usize)
        .connect_timeout(options.connect_timeout);
    let mut given = ClusterOptions::new(authenticator(place)?)
        .kv_options(kv)
        .orphan_reporter_options(OrphanReporterOptions::new().enabled(false))
        .default_retry_strategy(Arc::new(Once));
    if !options.tls_ca.is_empty() {
        let authorities = certificates(&options.tls_ca)?;
        given = given.tls_options(TlsOptions::new().add_ca_certificates(authorities));
    }
    let driver = async {
        let cluster = Cluster::connect(place.connection_string(), given).await?;
        let bucket = cluster.bucket(place.bucket.as_str());
        bucket.wait_until_ready(None).await?;
        Ok::<_, couchbase::error::Error>(cluster)
    };
    match tokio::time::timeout(options.connect_timeout, driver).await {
        Ok(Ok(cluster)) => Ok(cluster),
        Ok(Err(e)) => Err(error::key_value(&e)),
        Err(_) => Err(why_not(place).await),
    }
}

/// The driver's credentials: user and password, or a certificate.
fn authenticator(place: &ParsedUrl) -> Done<Authenticator> {
    if let Some(login) = &place.credentials {
        return Ok(PasswordAuthenticator::new(&login.user, &login.password).into());
    }
    let tls = place.options.tls();
    let chain = certificates(&tls.cert)?;
    let key = PrivateKeyDer::from_pem_slice(&pem(&tls.key)?)
        .map_err(|e| Failure::invalid(format!("{}: {e}", tls.key)))?;
    Ok(CertificateAuthenticator::new(chain, key).into())
}

fn pem(path: &str) -> Done<Vec<u8>> {
    hoap_record::input::named(path.as_ref()).map_err(|e| Failure::invalid(format!("{path}: {e}")))
}

fn certificates(path: &str) -> Done<Vec<CertificateDer<'static>>> {
    let invalid = |answer: String| Failure::invalid(format!("{path}: {answer}"));
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(&pem(path)?)
        .collect::<Result<_, _>>()
        .map_err(|e| invalid(e.to_string()))?;
    match certificates.is_empty() {
        false => Ok(certificates),
        true => Err(invalid("there is no certificate in it".to_owned())),
    }
}

/// The reason why the driver did not connect.
async fn why_not(place: &ParsedUrl) -> Failure {
    let seconds = place.options.connect_timeout.as_secs_f64();
    let given = &place.options.query_nodes;
    let port = if place.tls { 18093 } else { 8093 };
    let host = |host: &String| match host.rsplit_once(':') {
        Some((name, _)) if !host.ends_with(']') => format!("{name}:{port}"),
        _ => format!("{host}:{port}"),
    };
    let at = given.first().cloned().unwrap_or_else(|| host(&place.hosts[0]));
    let base = addresses(place, &[at]).remove(0);
    let text = "SELECT RAW b.name FROM system:buckets AS b WHERE b.name = $1";
    let request = hoap_sqlpp::Request::new(text)
        .set("args", vec![place.bucket.as_str()])
        .timeout(place.options.connect_timeout);
    let mut found = false;
    let asked = match query_client(place, &base) {
        Ok(client) => {
            let mut each = |_: &[u8]| {
                found = true;
                Ok(())
            };
            client.run(&request, &mut each).await
        }
        Err(e) => return e,
    };
    match asked {
        Ok(_) if !found => {
            let answer = format!("there is no bucket {}", place.bucket);
            let advice = "make the bucket, or name another one";
            Failure::of(ErrorKind::Unavailable, answer, advice)
        }
        Ok(_) => {
            let answer = format!("its data service was not ready within {seconds:.1} s");
            let advice = "check the port of the data service, or raise connect_timeout_ms";
            Failure::of(ErrorKind::Unavailable, answer, advice)
        }
        Err(e) => {
            let failure = Failure::from(e);
            let answer =
                format!("no answer within {seconds:.1} s; its query service: {}", failure.answer);
            Failure { kind: ErrorKind::Unavailable, answer, ..failure }
        }
    }
}

/// The query nodes in the cluster's own map.
async fn query_nodes(cluster: &Cluster, place: &ParsedUrl) -> Done<Vec<String>> {
    let limit = place.options.connect_timeout;
    let options = PingOptions::new().service_types(vec![ServiceType::QUERY]).query_timeout(limit);
    let report = tokio::time::timeout(limit, cluster.ping(options)).await;
    let report = report.map_err(|_| error::late(limit.as_millis()))?;
    let report = report.map_err(|e| error::key_value(&e))?;
    let mut nodes: Vec<String> = report
        .services
        .get(&ServiceType::QUERY)
        .into_iter()
        .flatten()
        .map(|node| match node.remote.contains("://") {
            true => node.remote.trim_end_matches('/').to_owned(),
            false => addresses(place, std::slice::from_ref(&node.remote)).remove(0),
        })
        .collect();
    // Every process begins at the same node: the clients of one are spread.
    nodes.sort();
    match nodes.is_empty() {
        false => Ok(nodes),
        true => Err(Failure::of(
            ErrorKind::Unavailable,
            "it has none",
            "add the query service to a node, or name them: query_nodes=HOST:8093",
        )),
    }
}
