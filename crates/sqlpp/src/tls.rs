//! TLS between the client and a service.

use hoap_database::failure::chain;
use reqwest::{Certificate, ClientBuilder, Identity};

/// Files in PEM; empty where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// The authorities' certificates to trust, and no others; without it the system's.
    pub ca: String,
    /// The certificate that the client shows, with those that lead to its authority.
    pub cert: String,
    /// That certificate's private key.
    pub key: String,
}

impl Tls {
    /// Makes a client trust these authorities, and show this certificate.
    ///
    /// # Errors
    /// Which file cannot be used, and why.
    pub fn apply(&self, mut builder: ClientBuilder) -> Result<ClientBuilder, String> {
        let Tls { ca, cert, key } = self;
        if !ca.is_empty() {
            let authorities = Certificate::from_pem_bundle(&read(ca)?);
            let authorities = authorities.map_err(|e| format!("{ca}: {}", chain(&e)))?;
            if authorities.is_empty() {
                return Err(format!("{ca}: there is no certificate in it"));
            }
            builder = builder.tls_certs_only(authorities);
        }
        if !cert.is_empty() {
            let both = [read(cert)?, read(key)?].join(&b'\n');
            let identity = Identity::from_pem(&both);
            builder =
                builder.identity(identity.map_err(|e| format!("{cert} and {key}: {}", chain(&e)))?);
        }
        Ok(builder)
    }
}

fn read(path: &str) -> Result<Vec<u8>, String> {
    hoap_record::input::named(path.as_ref()).map_err(|e| format!("{path}: {e}"))
}
