//! What went wrong, sorted by what the caller may do about it.

use hoap_database::failure::{Failure, chain};
use hoap_record::ErrorKind;

use super::codes::{self, Line, Service};
use super::envelope::Fault;

/// Why a statement has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub(super) service: Service,
    /// Why.
    pub cause: Cause,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// No connection: nothing was sent.
    NoConnection(Loss),
    /// The connection was lost before the end of the answer.
    Lost(Loss),
    /// The client waited long enough.
    Late(String),
    /// An answer of HTTP without one of the service.
    Http {
        /// HTTP's status.
        status: u16,
        /// The beginning of its text.
        text: String,
    },
    /// The service reports errors.
    Refused {
        /// HTTP's status.
        status: u16,
        /// The statement's.
        outcome: String,
        /// The errors.
        faults: Vec<Fault>,
        /// The beginning of the answer, for where there is no error in it.
        text: String,
    },
    /// The rows are larger than this many bytes.
    TooLarge(u64),
    /// What came back is not what it should be.
    Malformed(String),
}

/// What is known of a connection that is not there, or no longer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// What HTTP's client says.
    pub words: String,
    /// Whether it was to be secured by TLS, and the server had answered nothing yet. In TLS 1.3 a
    /// client may send before the server has looked at its certificate, and hear of the refusal, or
    /// only that the connection is gone.
    pub unheard: bool,
}

impl Loss {
    /// What to do where the server may not trust the client's certificate.
    fn of_shown(&self) -> Option<&'static str> {
        let alerts = ["CertificateRequired", "BadCertificate", "UnknownCA", "CertificateUnknown"];
        // An alert is what the server says of the certificate that it is shown.
        if self.words.contains("alert") && alerts.iter().any(|a| self.words.contains(a)) {
            return Some("show a certificate that the server trusts: tls_cert and tls_key");
        }
        self.unheard.then_some(
            "look into the server's log; where it asks for a client's certificate, show one that it trusts: tls_cert \
             and tls_key",
        )
    }

    /// What to do where the client does not trust the server's.
    fn of_trusted(&self) -> Option<&'static str> {
        let words = ["certificate", "UnknownIssuer", "tls", "TLS", "handshake"];
        let advice = "check tls_ca, and that the certificate names the host";
        words.iter().any(|word| self.words.contains(word)).then_some(advice)
    }
}

impl Cause {
    pub(super) fn of_http(error: reqwest::Error) -> Cause {
        let secured = error.url().is_some_and(|url| url.scheme() == "https");
        let unsent = error.is_connect() || error.is_builder() || unsent(&error);
        let unheard = secured && error.is_request() && !error.is_connect();
        let loss = Loss { words: chain(&error.without_url()), unheard };
        if unsent { Cause::NoConnection(loss) } else { Cause::Lost(loss) }
    }
}

impl Error {
    /// The first error that the service reported.
    pub fn fault(&self) -> Option<&Fault> {
        match &self.cause {
            Cause::Refused { faults, .. } => faults.first(),
            _ => None,
        }
    }

    /// Whether the service's answer has these words, which are in small letters.
    pub fn says(&self, words: &str) -> bool {
        self.fault().is_some_and(|fault| fault.message.to_lowercase().contains(words))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let code = error.fault().map_or_else(String::new, Fault::name);
        let Error { service, cause } = error;
        let (kind, answer, advice, unsure) = match cause {
            Cause::NoConnection(loss) => {
                let advice = loss.of_shown().or_else(|| loss.of_trusted());
                let advice = advice.unwrap_or("check the host and the port, and that it runs");
                (ErrorKind::Unavailable, loss.words, advice, false)
            }
            Cause::Lost(loss) => {
                let advice = loss.of_shown().unwrap_or("look into the server's log");
                let answer =
                    format!("the connection was lost before the end of the answer: {}", loss.words);
                (ErrorKind::Unavailable, answer, advice, true)
            }
            Cause::Late(words) => (ErrorKind::Timeout, words, "", true),
            Cause::Http { status, text } => {
                let (kind, unsure) = match status {
                    408 | 504 => (ErrorKind::Timeout, true),
                    401 | 403 | 429 | 503 => (ErrorKind::Unavailable, false),
                    500..=599 => (ErrorKind::Unavailable, true),
                    _ => (ErrorKind::Invalid, false),
                };
                let advice = match status {
                    401 | 403 => "check the user and the password",
                    404 => "check that the port is that of the SQL++ service",
                    503 => "the service is not ready: wait, and look into its log",
                    _ => "",
                };
                (kind, format!("HTTP {status} {text}"), advice, unsure)
            }
            Cause::Refused { status, outcome, faults, text } => {
                let (kind, answer, advice) = refused(service, status, &outcome, &faults, &text);
                (kind, answer, advice, false)
            }
            Cause::TooLarge(bytes) => {
                let answer = format!("the result is larger than {} MB", bytes >> 20);
                (ErrorKind::Unavailable, answer, "raise max_result_mb, or ask for less", false)
            }
            Cause::Malformed(why) => (ErrorKind::Broken, why, "", false),
        };
        let failure = Failure { code, ..Failure::of(kind, answer, advice) };
        if unsure { failure.unsure() } else { failure }
    }
}

fn refused(
    service: Service,
    status: u16,
    outcome: &str,
    faults: &[Fault],
    text: &str,
) -> (ErrorKind, String, &'static str) {
    let Some(first) = faults.first() else {
        let kind = match (status, outcome) {
            (_, "timeout") => ErrorKind::Timeout,
            (401 | 403 | 503, _) => ErrorKind::Unavailable,
            (_, "stopped" | "aborted" | "closed") => ErrorKind::Cancelled,
            _ => ErrorKind::Broken,
        };
        return (kind, format!("HTTP {status}, status `{outcome}`: {text}"), "");
    };
    // A code for every failed change has the one that matters as its reason.
    let code = if first.code == codes::DML && first.reason > 0 { first.reason } else { first.code };
    let fits = |line: &&Line| line.0 == first.family && (line.1..=line.2).contains(&code);
    let (kind, advice) = match codes::of(service).iter().find(fits) {
        Some(&(_, _, _, kind, advice)) => (kind, advice),
        None if outcome == "timeout" => (ErrorKind::Timeout, ""),
        None if status == 401 || status == 403 => {
            (ErrorKind::Unavailable, "check the user and the password")
        }
        None if status == 503 => (ErrorKind::Unavailable, "the service is not ready: wait"),
        None => (ErrorKind::Unavailable, ""),
    };
    let mut answer = first.message.clone();
    if first.family.is_empty() && first.code > 0 {
        answer.push_str(&format!(" (code {})", first.code));
    }
    if faults.len() > 1 {
        answer.push_str(&format!(", and {} more", faults.len() - 1));
    }
    (kind, answer, advice)
}

/// Whether the connection ended before any of the request was sent on it.
fn unsent(error: &(dyn std::error::Error + 'static)) -> bool {
    let causes = std::iter::successors(Some(error), |e| e.source());
    causes.filter_map(|e| e.downcast_ref::<hyper::Error>()).any(hyper::Error::is_canceled)
}
