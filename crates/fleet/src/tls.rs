//! TLS between drivers and `gather`: a certificate of `gather`'s, and authorities that drivers
//! trust.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use hoap_record::{Error, ErrorKind, Result, input};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// In place of a file: the authorities that this machine trusts.
pub const SYSTEM: &str = "system";

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// An error on a file. Its text is one line.
fn unusable(flag: &str, file: &Path, why: impl Display) -> Error {
    let tried = format!("read {} of {flag}", file.display());
    Error::new(ErrorKind::Invalid, tried, why).advise("name a PEM file")
}

fn certificates(flag: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let pem = input::named(file).map_err(|e| unusable(flag, file, e))?;
    let all = CertificateDer::pem_slice_iter(&pem).collect::<std::result::Result<Vec<_>, _>>();
    let all = all.map_err(|e| unusable(flag, file, e))?;
    if all.is_empty() {
        return Err(unusable(flag, file, "it holds no certificate"));
    }
    Ok(all)
}

/// How `gather` shows this certificate, with those of the authorities in between after it.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] for a file that cannot be used.
pub fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor> {
    let chain = certificates("--tls-cert", certificate)?;
    let pem = input::named(key).map_err(|e| unusable("--tls-key", key, e))?;
    let private = PrivateKeyDer::from_pem_slice(&pem).map_err(|e| unusable("--tls-key", key, e))?;
    let config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private))
        .map_err(|e| unusable("--tls-cert", certificate, e))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// How a driver trusts whoever shows a certificate of these authorities, for the host it dials.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] for a file that cannot be used, or a machine without authorities.
pub fn connector(authorities: &str) -> Result<TlsConnector> {
    let file = Path::new(authorities);
    let unusable = |why: String| unusable("--tls-ca", file, why);
    let mut roots = RootCertStore::empty();
    if authorities == SYSTEM {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err(unusable("this machine trusts no authority".into()));
        }
    } else {
        for certificate in certificates("--tls-ca", file)? {
            roots.add(certificate).map_err(|e| unusable(e.to_string()))?;
        }
    }
    let config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|e| unusable(e.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// The name in `HOST:PORT` for which a certificate must be.
///
/// # Errors
/// Says in one line why it is none.
pub fn name(address: &str) -> std::result::Result<ServerName<'static>, String> {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let host = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
    ServerName::try_from(host.to_owned()).map_err(|e| format!("{host:?}: {e}"))
}
