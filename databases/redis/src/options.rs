//! The URL of a Redis target: `redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE][?option=value&…]`,
//! `rediss://` with TLS.

use std::time::Duration;

use hoap_database::options::{milliseconds, number, prefix, set_each, switch, text};
use hoap_database::url::{self, Parts};
use hoap_record::{Error, ErrorKind, Result};
use redis::{ConnectionInfo, IntoConnectionInfo};

hoap_database::options! {
    /// The settings that a URL may change.
    pub(super) struct Options {
        prefix: String = ("prefix", "hoap", prefix,
            "what the names of all keys begin with: letters, digits, _ and -, at most 64"),
        cluster: bool = ("cluster", "off", switch,
            "on: the host is any node of a cluster, the others are found from it"),
        pipeline: u32 = ("pipeline", "1", number(1..=10_000),
            "operations under way on a connection: so many clients of a worker thread share one; \
             1: each client has its own; 1 to 10000"),
        wait_replicas: u32 = ("wait_replicas", "0", number(0..=100),
            "replicas that must have a write before it is acknowledged (WAIT); 0 to 100"),
        wait_timeout_ms: u32 = ("wait_timeout_ms", "1000", number(1..=3_600_000),
            "milliseconds that WAIT waits, after which the write is of unknown outcome; 1 to \
             3600000, less than response_timeout_ms"),
        response_timeout: Duration = ("response_timeout_ms", "10000", milliseconds(1..=3_600_000),
            "milliseconds to wait for an answer before the operation is a timeout; 1 to 3600000"),
        answer_timeout: Duration = ("answer_timeout_ms", "30000", milliseconds(1..=86_400_000),
            "milliseconds that the answers to all commands of an operation may take before it is a \
             timeout (a write: ambiguous); 1 to 86400000; for one command response_timeout_ms \
             comes first"),
        connect_timeout: Duration = ("connect_timeout_ms", "10000", milliseconds(1..=3_600_000),
            "milliseconds to wait for a connection; 1 to 3600000"),
        tls_ca: String = ("tls_ca", "", text,
            "file with the certificates (PEM) that the server's must be signed by; empty: the \
             system's"),
        tls_cert: String = ("tls_cert", "", text,
            "file with the certificate (PEM) that this client shows; wants tls_key"),
        tls_key: String = ("tls_key", "", text,
            "file with that certificate's private key (PEM)"),
    }
}

impl Options {
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

/// Where the server is and how it is to be used.
#[derive(Debug)]
pub(super) struct ParsedUrl {
    /// The URL without user and password: for errors and the run folder.
    pub url: String,
    /// Address, user, password, database.
    pub info: ConnectionInfo,
    pub options: Options,
}

/// Takes a URL apart. `password` is for one that names none.
pub(super) fn parse(url: &str, password: Option<&str>) -> Result<ParsedUrl> {
    let scheme = if url.starts_with("rediss:") { "rediss" } else { "redis" };
    let malformed = |answer: &str| {
        let form = format!("{scheme}://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]");
        url::malformed(scheme, &form, answer)
    };
    let parts = Parts::of(url).map_err(malformed)?;
    // The driver's own parser reads what is neither user nor password.
    let base = format!("{scheme}://{}/{}", parts.hosts, parts.path);
    let info = base.into_connection_info().map_err(|e| malformed(&e.to_string()))?;
    let shown = parts.shown();
    let mut options = Options::default();
    set_each(&shown, parts.query, |name, value| options.set(name, value))?;
    let mut settings =
        info.redis_settings().clone().set_lib_name("hoap", env!("CARGO_PKG_VERSION"));
    if !parts.user.is_empty() {
        settings = settings.set_username(&parts.user);
    }
    let given = Some(&*parts.password).filter(|password| !password.is_empty());
    if let Some(password) = given.or(password) {
        settings = settings.set_password(password);
    }
    options
        .check(scheme == "rediss", settings.db())
        .map_err(|answer| Error::new(ErrorKind::Invalid, format!("open {shown}"), answer))?;
    Ok(ParsedUrl { url: shown, info: info.set_redis_settings(settings), options })
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("redis://u:secret@h:port", "a port is not"),
            ("redis://u:secret@h/x", "database"),
            ("redis://u:secret@h?", "has no value"),
            ("redis://u:secret@h?cash=1", "the options are prefix, cluster"),
            ("redis://u:secret@h?prefix=a:b", "letters, digits, _ and -"),
            ("redis://u:secret@h?prefix=", "letters, digits, _ and -"),
            ("redis://u:secret@h?cluster=maybe", "on, off"),
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
