//! Certificates for services in scripts: `make.sh` made them.

use std::sync::Arc;

use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

/// The path of one of the files.
pub fn path(name: &str) -> String {
    format!("{}/src/certificates/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A server with the certificate of this name; where it is `mutual`, clients must show one of the
/// authority's.
pub fn server(name: &str, mutual: bool) -> Arc<ServerConfig> {
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let certificate = |name: &str| CertificateDer::from_pem_file(path(name)).unwrap();
    let builder = ServerConfig::builder_with_provider(provider.clone());
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    let builder = match mutual {
        false => builder.with_no_client_auth(),
        true => {
            let mut roots = RootCertStore::empty();
            roots.add(certificate("authority.pem")).unwrap();
            let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(clients.build().unwrap())
        }
    };
    let key = PrivateKeyDer::from_pem_file(path(&format!("{name}.key"))).unwrap();
    let chain = vec![certificate(&format!("{name}.pem"))];
    Arc::new(builder.with_single_cert(chain, key).unwrap())
}
