//! TLS to the nodes, with rustls. The driver compares each node's certificate with the node's IP
//! address.

use std::sync::Arc;

use hoap_record::{Error, ErrorKind, Result, input};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use scylla::client::session::TlsContext;

use super::parsed_url::ParsedUrl;

/// How to encrypt; `None` without TLS.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] for a file that cannot be used.
pub(super) fn context(place: &ParsedUrl) -> Result<Option<TlsContext>> {
    let options = &place.options;
    if !options.tls {
        return Ok(None);
    }
    let tried = || format!("open {}", place.url);
    let unusable = |option: &str, file: &str, answer: String| {
        Error::new(ErrorKind::Invalid, tried(), format!("option `{option}`: {file}: {answer}"))
    };
    let pem = |option: &str, file: &str| {
        input::named(file.as_ref()).map_err(|e| unusable(option, file, e.to_string()))
    };
    let chain = |option: &str, file: &String| {
        CertificateDer::pem_slice_iter(&pem(option, file)?)
            .collect::<std::result::Result<Vec<_>, _>>()
            .map_err(|e| unusable(option, file, e.to_string()))
    };
    let mut roots = RootCertStore::empty();
    let no_root = |answer: String| unusable("tls_ca", &options.tls_ca, answer);
    for certificate in chain("tls_ca", &options.tls_ca)? {
        roots.add(certificate).map_err(|e| no_root(e.to_string()))?;
    }
    if roots.is_empty() {
        return Err(no_root("it holds no certificate".to_owned()));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| Error::new(ErrorKind::Broken, tried(), e))?
        .with_root_certificates(roots);
    let config = if options.tls_cert.is_empty() {
        builder.with_no_client_auth()
    } else {
        let key = PrivateKeyDer::from_pem_slice(&pem("tls_key", &options.tls_key)?)
            .map_err(|e| unusable("tls_key", &options.tls_key, e.to_string()))?;
        builder
            .with_client_auth_cert(chain("tls_cert", &options.tls_cert)?, key)
            .map_err(|e| unusable("tls_cert", &options.tls_cert, e.to_string()))?
    };
    Ok(Some(TlsContext::from(Arc::new(config))))
}
