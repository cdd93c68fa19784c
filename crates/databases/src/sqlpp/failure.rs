//! What went wrong, sorted by what the caller may do about it.

use hoap_workload::{Error, ErrorKind};

use super::envelope::Fault;
use crate::failure::{Failure as Meaning, LOAD_FIRST, chain};

/// Whose codes they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    /// AsterixDB: `ASX` and `HYR` codes in the messages.
    AsterixDb,
    /// Couchbase's Analytics service, Capella Columnar, Enterprise Analytics: 20000 to 25999.
    Analytics,
    /// Couchbase's query service: 1000 to 19999.
    Query,
}

/// What the statement does: where the answer to a write was lost, its outcome is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    /// It changes nothing.
    Read,
    /// It changes something, and is not known to have failed where there is no answer.
    Write,
    /// It changes something, and may be done again whatever became of it.
    Repeatable,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
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
pub(crate) struct Loss {
    /// What HTTP's client says.
    pub words: String,
    /// Whether it was to be secured by TLS, and the server had answered nothing yet. In TLS 1.3 a client may send
    /// before the server has looked at its certificate, and hear of the refusal, or only that the connection is gone.
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

impl Failure {
    pub(super) fn of_http(error: reqwest::Error) -> Failure {
        let secured = error.url().is_some_and(|url| url.scheme() == "https");
        let unsent = error.is_connect() || error.is_builder() || unsent(&error);
        let unheard = secured && error.is_request() && !error.is_connect();
        let loss = Loss { words: chain(&error.without_url()), unheard };
        if unsent { Failure::NoConnection(loss) } else { Failure::Lost(loss) }
    }

    /// The first error that the service reported.
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Failure::Refused { faults, .. } => faults.first(),
            _ => None,
        }
    }

    /// What the caller is told.
    pub fn into_error(self, service: Service, doing: Doing, tried: impl Into<String>) -> Error {
        let unknown = |kind| match doing {
            Doing::Write => ErrorKind::Ambiguous,
            Doing::Read | Doing::Repeatable => kind,
        };
        let (kind, answer, advice) = match self {
            Failure::NoConnection(loss) => {
                let advice = loss.of_shown().or_else(|| loss.of_trusted());
                let advice = advice.unwrap_or("check the host and the port, and that it runs");
                (ErrorKind::Unavailable, loss.words, advice)
            }
            Failure::Lost(loss) => {
                let advice = loss.of_shown().unwrap_or("look into the server's log");
                let answer =
                    format!("the connection was lost before the end of the answer: {}", loss.words);
                (unknown(ErrorKind::Unavailable), answer, advice)
            }
            Failure::Late(words) => (unknown(ErrorKind::Timeout), words, ""),
            Failure::Http { status, text } => {
                let kind = match status {
                    408 | 504 => unknown(ErrorKind::Timeout),
                    401 | 403 | 429 | 503 => ErrorKind::Unavailable,
                    500..=599 => unknown(ErrorKind::Unavailable),
                    _ => ErrorKind::Invalid,
                };
                let advice = match status {
                    401 | 403 => "check the user and the password",
                    404 => "check that the port is that of the SQL++ service",
                    503 => "the service is not ready: wait, and look into its log",
                    _ => "",
                };
                (kind, format!("HTTP {status} {text}"), advice)
            }
            Failure::Refused { status, outcome, faults, text } => {
                refused(service, doing, status, &outcome, &faults, &text)
            }
            Failure::TooLarge(bytes) => {
                let answer = format!("the result is larger than {} MB", bytes >> 20);
                (ErrorKind::Unavailable, answer, "raise max_result_mb, or ask for less")
            }
            Failure::Malformed(why) => (ErrorKind::Broken, why, ""),
        };
        Meaning::of(kind, answer, advice).into_error(tried)
    }
}

fn refused(
    service: Service,
    doing: Doing,
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
    let table = match service {
        Service::AsterixDb => ASTERIXDB,
        Service::Analytics => ANALYTICS,
        Service::Query => QUERY,
    };
    let fits = |line: &&Line| line.0 == first.family && (line.1..=line.2).contains(&first.code);
    let (kind, advice) = match table.iter().find(fits) {
        Some(&(_, _, _, kind, advice)) => (kind, advice),
        None if outcome == "timeout" => (ErrorKind::Timeout, ""),
        None if status == 401 || status == 403 => {
            (ErrorKind::Unavailable, "check the user and the password")
        }
        None if status == 503 => (ErrorKind::Unavailable, "the service is not ready: wait"),
        None => (ErrorKind::Unavailable, ""),
    };
    // What ran out of time may have been done.
    let kind = match (kind, doing) {
        (ErrorKind::Timeout, Doing::Write) => ErrorKind::Ambiguous,
        (kind, _) => kind,
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

/// Family, first and last code, kind, advice. The first line that fits counts.
type Line = (&'static str, u64, u64, ErrorKind, &'static str);

const NOT_READY: &str = "wait until all nodes are there, and look into their logs";
const RIGHTS: &str = "check the user, the password and the user's roles";
const FOLDER: &str = "let every node see load_folder under the path that hoap sees, and read it";
const MEMORY: &str = "give the server more memory, or ask for less";

/// The messages of AsterixDB 0.9.8 (`asx_errormsg/en.properties`, Hyracks's `errormsg/en.properties`).
#[rustfmt::skip]
const ASTERIXDB: &[Line] = &[
    ("ASX", 30, 30, ErrorKind::Timeout, "raise query_timeout_ms"),
    ("ASX", 32, 33, ErrorKind::Unavailable, NOT_READY),
    ("ASX", 41, 41, ErrorKind::Cancelled, ""),
    ("ASX", 0, 99, ErrorKind::Invalid, ""),
    ("ASX", 1050, 1050, ErrorKind::Missing, LOAD_FIRST),
    ("ASX", 1063, 1063, ErrorKind::Missing, LOAD_FIRST),
    ("ASX", 1076, 1077, ErrorKind::Missing, LOAD_FIRST),
    ("ASX", 1108, 1108, ErrorKind::Unavailable, FOLDER),
    ("ASX", 1000, 1999, ErrorKind::Invalid, ""),
    ("ASX", 3077, 3077, ErrorKind::Unavailable, FOLDER),
    ("ASX", 3000, 3999, ErrorKind::Invalid, ""),
    ("ASX", 4000, 4999, ErrorKind::Unavailable, NOT_READY),
    ("HYR", 3, 3, ErrorKind::Unavailable, NOT_READY),
    ("HYR", 6, 6, ErrorKind::Unavailable, "use fewer clients"),
    ("HYR", 9, 9, ErrorKind::Unavailable, MEMORY),
    ("HYR", 10, 10, ErrorKind::Unavailable, NOT_READY),
    ("HYR", 25, 25, ErrorKind::Cancelled, ""),
    ("HYR", 26, 26, ErrorKind::Unavailable, NOT_READY),
    ("HYR", 33, 33, ErrorKind::Duplicate, ""),
    ("HYR", 48, 48, ErrorKind::Duplicate, ""),
    ("HYR", 89, 90, ErrorKind::Unavailable, MEMORY),
    ("HYR", 91, 91, ErrorKind::Timeout, ""),
    ("HYR", 0, 9999, ErrorKind::Unavailable, "look into the server's log"),
];

/// Error codes of the Analytics service, by its manual's ranges: 20 access, 21 API, 22 connection to the data
/// service, 23 execution, 24 compilation, 25 internal.
#[rustfmt::skip]
const ANALYTICS: &[Line] = &[
    ("", 20000, 20999, ErrorKind::Unavailable, RIGHTS),
    ("", 21002, 21002, ErrorKind::Timeout, "raise query_timeout_ms"),
    ("", 21007, 21007, ErrorKind::Cancelled, ""),
    ("", 21000, 21999, ErrorKind::Invalid, ""),
    ("", 22000, 22999, ErrorKind::Unavailable, "look at the link to the data service"),
    ("", 23000, 23000, ErrorKind::Unavailable, NOT_READY),
    ("", 23007, 23007, ErrorKind::Unavailable, "use fewer clients"),
    ("", 23008, 23008, ErrorKind::Unavailable, MEMORY),
    ("", 23011, 23011, ErrorKind::Unavailable, MEMORY),
    ("", 23000, 23999, ErrorKind::Unavailable, ""),
    ("", 24006, 24006, ErrorKind::Missing, "make the link, or name another one"),
    ("", 24025, 24025, ErrorKind::Missing, LOAD_FIRST),
    ("", 24034, 24034, ErrorKind::Missing, LOAD_FIRST),
    ("", 24044, 24045, ErrorKind::Missing, LOAD_FIRST),
    ("", 24000, 24999, ErrorKind::Invalid, ""),
    ("", 25000, 25999, ErrorKind::Unavailable, "look into the server's log"),
];

/// Error codes of Couchbase's query service, by its manual.
#[rustfmt::skip]
const QUERY: &[Line] = &[
    ("", 1080, 1080, ErrorKind::Timeout, "raise the time limit"),
    ("", 1191, 1193, ErrorKind::Unavailable, "the service is busy: use fewer clients"),
    ("", 1000, 1999, ErrorKind::Invalid, ""),
    ("", 2000, 2999, ErrorKind::Unavailable, ""),
    ("", 3000, 3999, ErrorKind::Invalid, ""),
    ("", 4040, 4090, ErrorKind::Invalid, "prepare the statement again"),
    ("", 4000, 4000, ErrorKind::Missing, LOAD_FIRST),
    ("", 4000, 4999, ErrorKind::Invalid, ""),
    ("", 5000, 5999, ErrorKind::Unavailable, ""),
    ("", 10000, 10999, ErrorKind::Unavailable, RIGHTS),
    ("", 12003, 12004, ErrorKind::Missing, LOAD_FIRST),
    ("", 12009, 12009, ErrorKind::Conflict, ""),
    ("", 12016, 12016, ErrorKind::Missing, LOAD_FIRST),
    ("", 12021, 12021, ErrorKind::Missing, LOAD_FIRST),
    ("", 12015, 12015, ErrorKind::Unavailable, ""),
    ("", 13014, 13014, ErrorKind::Unavailable, RIGHTS),
    ("", 17007, 17007, ErrorKind::Conflict, ""),
    ("", 17010, 17010, ErrorKind::Timeout, "raise txtimeout"),
    ("", 17012, 17012, ErrorKind::Duplicate, ""),
    ("", 17014, 17014, ErrorKind::NotFound, ""),
    ("", 17015, 17015, ErrorKind::Conflict, ""),
];
