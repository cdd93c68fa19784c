//! TLS as libpq's `sslmode` means it, with rustls.
//!
//! | sslmode | encrypted | server's certificate |
//! |---|---|---|
//! | disable | no | |
//! | prefer | where the server offers it | as with require |
//! | require | yes | not looked at; as with verify-ca where there is a root certificate |
//! | verify-ca | yes | signed by a trusted authority |
//! | verify-full | yes | and made for the host's name |

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hoap_record::{Error, ErrorKind, Result, input};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::options::{Options, SslMode};

/// How to encrypt; `None` without TLS.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] where a file is missing that the mode needs, or cannot be
/// used.
pub(super) fn connector(
    options: &Options,
    shown: &str,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<MakeRustlsConnect>> {
    if options.sslmode == SslMode::Disable {
        return Ok(None);
    }
    let unusable = |file: &Path, answer: String| {
        Error::new(
            ErrorKind::Unavailable,
            format!("open {shown}"),
            format!("{}: {answer}", file.display()),
        )
    };
    let home = environment("HOME").map(|home| PathBuf::from(home).join(".postgresql"));
    // What is given, else the default file.
    let file = |given: &str, name: &str| match given {
        "" => home.as_ref().map(|home| home.join(name)),
        given => Some(PathBuf::from(given)),
    };
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|e| Error::new(ErrorKind::Broken, format!("open {shown}"), e))?;

    let root = file(&options.sslrootcert, "root.crt");
    let verify = matches!(options.sslmode, SslMode::VerifyCa | SslMode::VerifyFull);
    let chain = match root.filter(|root| root.exists()) {
        Some(root) => {
            let roots = read_roots(&root).map_err(|e| unusable(&root, e))?;
            let verifier =
                WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone());
            Some(verifier.build().map_err(|e| unusable(&root, e.to_string()))?)
        }
        None if verify => {
            let named = file(&options.sslrootcert, "root.crt").unwrap_or_default();
            return Err(unusable(&named, "no such file with root certificates".into())
                .advise("name it by sslrootcert, or choose another sslmode"));
        }
        None => None,
    };
    let name = options.sslmode == SslMode::VerifyFull;
    let verifier = Arc::new(Verifier { chain, name, provider });
    let builder = builder.dangerous().with_custom_certificate_verifier(verifier);

    let certificate = file(&options.sslcert, "postgresql.crt").filter(|file| file.exists());
    let config = match certificate {
        None if options.sslcert.is_empty() => builder.with_no_client_auth(),
        None => {
            let named = Path::new(&options.sslcert);
            return Err(unusable(named, "no such file with the client's certificate".into()));
        }
        Some(certificate) => {
            let pem = input::named(&certificate);
            let pem = pem.map_err(|e| unusable(&certificate, e.to_string()))?;
            let chain = CertificateDer::pem_slice_iter(&pem)
                .collect::<std::result::Result<_, _>>()
                .map_err(|e| unusable(&certificate, e.to_string()))?;
            let key = file(&options.sslkey, "postgresql.key").unwrap_or_default();
            let private = read_key(&key).map_err(|e| unusable(&key, e))?;
            builder
                .with_client_auth_cert(chain, private)
                .map_err(|e| unusable(&certificate, e.to_string()))?
        }
    };
    Ok(Some(MakeRustlsConnect::new(config)))
}

fn read_roots(file: &Path) -> std::result::Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let pem = input::named(file).map_err(|e| e.to_string())?;
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        roots.add(certificate.map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
    }
    if roots.is_empty() { Err("it holds no certificate".into()) } else { Ok(roots) }
}

/// libpq refuses a key that others may read.
fn read_key(file: &Path) -> std::result::Result<PrivateKeyDer<'static>, String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let there = std::fs::metadata(file).map_err(|e| e.to_string())?;
        let allowed = if there.uid() == 0 { 0o640 } else { 0o600 };
        if there.mode() & 0o777 & !allowed != 0 {
            return Err("group or others have access to this key: chmod 0600".into());
        }
    }
    let pem = input::named(file).map_err(|e| e.to_string())?;
    PrivateKeyDer::from_pem_slice(&pem).map_err(|e| e.to_string())
}

/// Verifies the server's certificate as far as the mode requires. Signatures of the handshake are
/// verified in every mode.
#[derive(Debug)]
struct Verifier {
    /// `None`: any certificate is accepted.
    chain: Option<Arc<WebPkiServerVerifier>>,
    /// Whether the certificate must be for the host's name.
    name: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        // The name is checked last: where only that fails, the chain is valid.
        match chain.verify_server_cert(end_entity, intermediates, server_name, ocsp, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.name => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
