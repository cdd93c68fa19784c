//! The URL of a Redis target: `redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE][?option=value&…]`,
//! `rediss://` with TLS.

use std::time::Duration;

use hoap_workload::{Error, ErrorKind, Result};
use redis::{ConnectionInfo, IntoConnectionInfo};

use crate::OptionHelp;
use crate::options::{number, set_each, unknown};

/// The settings that a URL may change. [`OPTIONS`] says what each means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub prefix: String,
    pub cluster: bool,
    pub pipeline: u32,
    pub wait_replicas: u32,
    pub wait_timeout_ms: u32,
    pub response_timeout: Duration,
    pub connect_timeout: Duration,
    pub tls_ca: String,
    pub tls_cert: String,
    pub tls_key: String,
}

/// The options of a `redis:` URL.
pub const OPTIONS: &[OptionHelp] = &[
    OptionHelp {
        name: "prefix",
        default: "hoap",
        meaning: "what the names of all keys begin with: letters, digits, _ and -, at most 64",
    },
    OptionHelp {
        name: "cluster",
        default: "false",
        meaning: "true: the host is any node of a cluster, the others are found from it",
    },
    OptionHelp {
        name: "pipeline",
        default: "1",
        meaning: "operations under way on a connection: so many clients of a worker thread share \
                  one; 1: each client has its own; 1 to 10000",
    },
    OptionHelp {
        name: "wait_replicas",
        default: "0",
        meaning: "replicas that must have a write before it is acknowledged (WAIT); 0 to 100",
    },
    OptionHelp {
        name: "wait_timeout_ms",
        default: "1000",
        meaning: "milliseconds that WAIT waits, after which the write is of unknown outcome; \
                  1 to 3600000, less than response_timeout_ms",
    },
    OptionHelp {
        name: "response_timeout_ms",
        default: "10000",
        meaning: "milliseconds to wait for an answer before the operation is a timeout; \
                  1 to 3600000",
    },
    OptionHelp {
        name: "connect_timeout_ms",
        default: "10000",
        meaning: "milliseconds to wait for a connection; 1 to 3600000",
    },
    OptionHelp {
        name: "tls_ca",
        default: "",
        meaning: "file with the certificates (PEM) that the server's must be signed by; empty: the \
                  system's",
    },
    OptionHelp {
        name: "tls_cert",
        default: "",
        meaning: "file with the certificate (PEM) that this client shows; wants tls_key",
    },
    OptionHelp {
        name: "tls_key",
        default: "",
        meaning: "file with that certificate's private key (PEM)",
    },
];

impl Options {
    fn set(&mut self, name: &str, value: &str) -> std::result::Result<(), String> {
        let milliseconds = |value| number(value, 1, 3_600_000);
        match name {
            "prefix" => {
                let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
                if value.is_empty() || value.len() > 64 || !value.bytes().all(good) {
                    return Err(format!("`{value}` is not 1 to 64 letters, digits, _ and -"));
                }
                self.prefix = value.to_owned();
            }
            "cluster" => {
                self.cluster =
                    value.parse().map_err(|_| format!("`{value}` is not true or false"))?;
            }
            "pipeline" => self.pipeline = number(value, 1, 10_000)?,
            "wait_replicas" => self.wait_replicas = number(value, 0, 100)?,
            "wait_timeout_ms" => self.wait_timeout_ms = milliseconds(value)?,
            "response_timeout_ms" => {
                self.response_timeout = Duration::from_millis(milliseconds(value)?.into());
            }
            "connect_timeout_ms" => {
                self.connect_timeout = Duration::from_millis(milliseconds(value)?.into());
            }
            "tls_ca" => self.tls_ca = value.to_owned(),
            "tls_cert" => self.tls_cert = value.to_owned(),
            "tls_key" => self.tls_key = value.to_owned(),
            _ => return Err(unknown(OPTIONS)),
        }
        Ok(())
    }

    /// What is wrong with options that do not go together.
    fn check(&self, tls: bool, database: i64) -> std::result::Result<(), &'static str> {
        if self.wait_replicas > 0 {
            if Duration::from_millis(self.wait_timeout_ms.into()) >= self.response_timeout {
                return Err("wait_timeout_ms is not less than response_timeout_ms");
            }
            if self.pipeline > 1 {
                return Err("with wait_replicas each client needs a connection of its own, since \
                            WAIT holds up whoever shares it: leave pipeline out");
            }
        }
        let files = [&self.tls_ca, &self.tls_cert, &self.tls_key];
        if !tls && files.iter().any(|file| !file.is_empty()) {
            return Err("tls_ca, tls_cert and tls_key want rediss://");
        }
        if self.tls_cert.is_empty() != self.tls_key.is_empty() {
            return Err("tls_cert and tls_key go together");
        }
        if self.cluster && database != 0 {
            return Err("a cluster has database 0 alone");
        }
        Ok(())
    }
}

impl Default for Options {
    fn default() -> Self {
        let mut options = Options {
            prefix: String::new(),
            cluster: false,
            pipeline: 0,
            wait_replicas: 0,
            wait_timeout_ms: 0,
            response_timeout: Duration::ZERO,
            connect_timeout: Duration::ZERO,
            tls_ca: String::new(),
            tls_cert: String::new(),
            tls_key: String::new(),
        };
        for option in OPTIONS {
            let set = options.set(option.name, option.default);
            debug_assert_eq!(set, Ok(()), "the default of {} is a good value", option.name);
        }
        options
    }
}

/// Where the server is and how it is to be used.
#[derive(Debug)]
pub(super) struct Place {
    /// The URL without user and password: for errors and the run folder.
    pub url: String,
    /// Address, user, password, database.
    pub info: ConnectionInfo,
    pub options: Options,
}

/// Takes a URL apart. `password` is for one that names none.
pub(super) fn parse(url: &str, password: Option<&str>) -> Result<Place> {
    // As long as it is not clear which part is the password no part is shown.
    let scheme = if url.starts_with("rediss:") { "rediss" } else { "redis" };
    let malformed = |answer: &str| {
        Error::new(ErrorKind::Invalid, format!("open {scheme}:…"), answer).advise(format!(
            "write {scheme}://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE][?option=value&…], with / ? # @ \
             and % in the user's name and password as %2F %3F %23 %40 and %25"
        ))
    };
    let (base, query) = match url.split_once('?') {
        Some((base, query)) => (base, Some(query)),
        None => (url, None),
    };
    if base.contains('#') {
        return Err(malformed("a part after # means nothing here"));
    }
    let rest = base
        .strip_prefix(scheme)
        .and_then(|rest| rest.strip_prefix("://"))
        .ok_or_else(|| malformed("it names no host"))?;
    let info = base.into_connection_info().map_err(|e| malformed(&e.to_string()))?;
    let authority = &rest[..rest.find('/').unwrap_or(rest.len())];
    let after_user = authority.rfind('@').map_or(0, |at| at + 1);
    let shown = match query {
        Some(query) => format!("{scheme}://{}?{query}", &rest[after_user..]),
        None => format!("{scheme}://{}", &rest[after_user..]),
    };
    let mut options = Options::default();
    set_each(&shown, query, |name, value| options.set(name, value))?;
    let mut settings =
        info.redis_settings().clone().set_lib_name("hoap", env!("CARGO_PKG_VERSION"));
    if let (None, Some(password)) = (settings.password(), password) {
        settings = settings.set_password(password);
    }
    options
        .check(scheme == "rediss", settings.db())
        .map_err(|answer| Error::new(ErrorKind::Invalid, format!("open {shown}"), answer))?;
    Ok(Place { url: shown, info: info.set_redis_settings(settings), options })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_a_default_that_parses_and_can_be_given() {
        for option in OPTIONS {
            let mut given = Options::default();
            assert_eq!(given.set(option.name, option.default), Ok(()), "{}", option.name);
            assert_eq!(given, Options::default());
        }
        assert_eq!(Options::default().prefix, "hoap");
    }

    #[test]
    fn user_and_password_are_taken_and_never_shown() {
        let place = parse("redis://us%2Fer:pa%40ss@[::1]:7000/3?prefix=x", Some("other")).unwrap();
        assert_eq!(place.url, "redis://[::1]:7000/3?prefix=x");
        let settings = place.info.redis_settings();
        assert_eq!((settings.username(), settings.password()), (Some("us/er"), Some("pa@ss")));
        assert_eq!((settings.db(), place.options.prefix.as_str()), (3, "x"));
        let place = parse("rediss://user@localhost", Some("from outside")).unwrap();
        assert_eq!(place.url, "rediss://localhost");
        assert_eq!(place.info.redis_settings().password(), Some("from outside"));
        assert_eq!(
            parse("redis://localhost", None).unwrap().info.redis_settings().password(),
            None
        );
    }

    #[test]
    fn a_wrong_url_names_what_is_wrong_and_no_secret() {
        for (url, word) in [
            ("redis:", "names no host"),
            ("redis:localhost", "names no host"),
            ("redis://", "hostname"),
            ("redis://u:sec/ret@h", "%2F"),
            ("redis://u:sec?ret@h", "%3F"),
            ("redis://u:sec#ret@h", "%23"),
            ("redis://u:secret@h:port", "did not parse"),
            ("redis://u:secret@h/x", "database"),
            ("redis://u:secret@h?", "has no value"),
            ("redis://u:secret@h?cash=1", "the options are prefix, cluster"),
            ("redis://u:secret@h?prefix=a:b", "letters, digits, _ and -"),
            ("redis://u:secret@h?prefix=", "letters, digits, _ and -"),
            ("redis://u:secret@h?cluster=yes", "true or false"),
            ("redis://u:secret@h/1?cluster=true", "database 0 alone"),
            ("redis://u:secret@h?pipeline=0", "from 1 to 10000"),
            ("redis://u:secret@h?tls_ca=x", "want rediss://"),
            ("rediss://u:secret@h?tls_cert=x", "go together"),
            ("redis://u:secret@h?wait_replicas=1&pipeline=2", "leave pipeline out"),
            ("redis://u:secret@h?wait_replicas=1&wait_timeout_ms=10000", "is not less than"),
        ] {
            let e = parse(url, None).unwrap_err();
            assert_eq!(e.kind, ErrorKind::Invalid, "{url}");
            let text = e.to_string().to_lowercase();
            assert!(text.contains(&word.to_lowercase()), "{url}: {e}");
            assert!(!text.contains("sec") && !text.contains("ret@"), "{url}: {e}");
        }
    }
}
