//! The URL of a PostgreSQL target, as libpq names things.

use std::time::Duration;

use hoap_workload::{Error, ErrorKind, Result};
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use crate::OptionHelp;
use crate::names;
use crate::options::{number, set_each, unknown};

/// What a URL says, beyond what the driver's own configuration holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub schema: String,
    pub isolation: &'static str,
    pub synchronous_commit: &'static str,
    pub statement_timeout: Duration,
    pub pool: u32,
    pub unlogged: bool,
    pub connect_timeout: Duration,
    pub sslmode: SslMode,
    /// As given or from the environment; empty: the default file, if it is there.
    pub sslrootcert: String,
    pub sslcert: String,
    pub sslkey: String,
}

/// What libpq's `sslmode` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SslMode {
    Disable,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

impl SslMode {
    /// libpq's word.
    pub fn word(self) -> &'static str {
        SSL_MODES.iter().find(|(_, mode)| *mode == self).map_or("", |(word, _)| word)
    }
}

const SSL_MODES: &[(&str, SslMode)] = &[
    ("disable", SslMode::Disable),
    ("prefer", SslMode::Prefer),
    ("require", SslMode::Require),
    ("verify-ca", SslMode::VerifyCa),
    ("verify-full", SslMode::VerifyFull),
];

/// The word for "as the server is set".
const SERVER: &str = "server";

/// The options of a `postgres:` URL.
pub const OPTIONS: &[OptionHelp] = &[
    OptionHelp {
        name: "schema",
        default: "public",
        meaning: "the schema that holds the collections; a load makes it where it is missing",
    },
    OptionHelp {
        name: "isolation",
        default: "read-committed",
        meaning: "read-committed, repeatable-read or serializable, of transactions that write; \
                  those that only read see one snapshot in each",
    },
    OptionHelp {
        name: "synchronous_commit",
        default: SERVER,
        meaning: "server: as the server is set (usually on); on: every acknowledged commit \
                  survives a power loss; off: the last ones may be lost; local, remote_write, \
                  remote_apply: see PostgreSQL's manual",
    },
    OptionHelp {
        name: "statement_timeout_ms",
        default: "0",
        meaning: "milliseconds that a statement may take, of loading none; 0: as the server is set",
    },
    OptionHelp {
        name: "pool",
        default: "0",
        meaning: "connections that all clients share, each for a transaction or an operation at a \
                  time; 0: a connection for each client; to 10000",
    },
    OptionHelp {
        name: "unlogged",
        default: "off",
        meaning: "on: a load makes unlogged tables, which a crash of the server empties",
    },
    OptionHelp {
        name: "sslmode",
        default: "prefer",
        meaning: "disable, prefer, require, verify-ca or verify-full, as libpq has it (PGSSLMODE)",
    },
    OptionHelp {
        name: "sslrootcert",
        default: "",
        meaning: "file with the certificate authorities to trust (PGSSLROOTCERT; else \
                  ~/.postgresql/root.crt)",
    },
    OptionHelp {
        name: "sslcert",
        default: "",
        meaning: "file with the client's certificate (PGSSLCERT; else \
                  ~/.postgresql/postgresql.crt)",
    },
    OptionHelp {
        name: "sslkey",
        default: "",
        meaning: "file with its key (PGSSLKEY; else ~/.postgresql/postgresql.key)",
    },
    OptionHelp {
        name: "connect_timeout",
        default: "10",
        meaning: "seconds to wait for a connection; 0: without limit",
    },
    OptionHelp {
        name: "host",
        default: "",
        meaning: "a host, or the folder of a Unix socket: /run/…",
    },
    OptionHelp { name: "port", default: "", meaning: "the port of that host; else 5432" },
    OptionHelp { name: "dbname", default: "", meaning: "the database, instead of the URL's path" },
    OptionHelp { name: "user", default: "", meaning: "the user; else the one of the system" },
    OptionHelp {
        name: "application_name",
        default: "hoap",
        meaning: "what the server's activity and log show",
    },
    OptionHelp {
        name: "target_session_attrs",
        default: "any",
        meaning: "any, read-write or read-only: which of several hosts to take",
    },
    OptionHelp {
        name: "options",
        default: "",
        meaning: "settings of the sessions, such as -c%20jit=off",
    },
];

impl Options {
    /// Sets one of our own; `None` where it is the driver's.
    fn set(&mut self, name: &str, value: &str) -> Option<std::result::Result<(), String>> {
        let word = |words: &[&'static str]| {
            let found = words.iter().find(|w| **w == value).copied();
            found.ok_or_else(|| format!("`{value}` is not one of {}", words.join(", ")))
        };
        let set = match name {
            "schema" => names::collection(value, &["pg_"])
                .map(|name| self.schema = name.to_owned())
                .map_err(|e| e.answer),
            "isolation" => word(&["read-committed", "repeatable-read", "serializable"])
                .map(|isolation| self.isolation = isolation),
            "synchronous_commit" => {
                word(&[SERVER, "on", "off", "local", "remote_write", "remote_apply"])
                    .map(|level| self.synchronous_commit = level)
            }
            "statement_timeout_ms" => number(value, 0, 86_400_000)
                .map(|n| self.statement_timeout = Duration::from_millis(n.into())),
            "pool" => number(value, 0, 10_000).map(|n| self.pool = n),
            "unlogged" => word(&["off", "on"]).map(|on| self.unlogged = on == "on"),
            "connect_timeout" => {
                number(value, 0, 3600).map(|n| self.connect_timeout = Duration::from_secs(n.into()))
            }
            "sslmode" => match SSL_MODES.iter().find(|(name, _)| *name == value) {
                Some((_, mode)) => {
                    self.sslmode = *mode;
                    Ok(())
                }
                None => {
                    let all: Vec<_> = SSL_MODES.iter().map(|(name, _)| *name).collect();
                    Err(format!("`{value}` is not one of {}", all.join(", ")))
                }
            },
            "sslrootcert" | "sslcert" | "sslkey" => decode(value).map(|file| match name {
                "sslrootcert" => self.sslrootcert = file,
                "sslcert" => self.sslcert = file,
                _ => self.sslkey = file,
            }),
            _ => return None,
        };
        Some(set)
    }

    /// The isolation level in SQL's words.
    pub fn isolation_level(&self) -> String {
        self.isolation.replace('-', " ").to_uppercase()
    }

    /// Whether transactions that write are serializable.
    pub fn serializable(&self) -> bool {
        self.isolation == "serializable"
    }

    /// The level of synchronous commit, if it is not left to the server.
    pub fn synchronous_commit(&self) -> Option<&'static str> {
        (self.synchronous_commit != SERVER).then_some(self.synchronous_commit)
    }
}

impl Default for Options {
    fn default() -> Self {
        let mut options = Options {
            schema: String::new(),
            isolation: "",
            synchronous_commit: "",
            statement_timeout: Duration::ZERO,
            pool: 0,
            unlogged: false,
            connect_timeout: Duration::ZERO,
            sslmode: SslMode::Prefer,
            sslrootcert: String::new(),
            sslcert: String::new(),
            sslkey: String::new(),
        };
        for option in OPTIONS {
            let set = options.set(option.name, option.default);
            debug_assert_ne!(set.map(|s| s.is_ok()), Some(false), "{}", option.name);
        }
        options
    }
}

/// The characters that %-escapes stand for.
fn decode(text: &str) -> std::result::Result<String, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = |at: usize| after.get(at).and_then(|&b| char::from(b).to_digit(16));
        rest = match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                &after[2..]
            }
            (b'%', ..) => return Err("a % is not followed by two digits".to_owned()),
            _ => {
                out.push(first);
                after
            }
        };
    }
    String::from_utf8(out).map_err(|_| "its escapes are not UTF-8".to_owned())
}

/// What a URL names.
#[derive(Debug)]
pub(super) struct Parsed {
    /// The URL without user and password.
    pub shown: String,
    pub config: Config,
    pub options: Options,
}

/// Reads a URL; `environment` gives libpq's variables.
///
/// # Errors
/// [`ErrorKind::Invalid`], which repeats no secret.
pub(super) fn parse(url: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Parsed> {
    let shown = without_user(url);
    let invalid = |answer: String| Error::new(ErrorKind::Invalid, format!("open {shown}"), answer);
    if shown.ends_with("://…") {
        return Err(invalid("a port is not a number".into())
            .advise("write characters such as / ? # @ in a password as %-escapes"));
    }
    let (place, query) = match url.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (url, None),
    };
    if !place.split_once(':').is_some_and(|(_, rest)| rest.starts_with("//")) {
        return Err(
            invalid("it names no host".into()).advise("write postgres://USER@HOST:PORT/DATABASE")
        );
    }
    let mut options = Options::default();
    for (variable, name) in [
        ("PGSSLMODE", "sslmode"),
        ("PGSSLROOTCERT", "sslrootcert"),
        ("PGSSLCERT", "sslcert"),
        ("PGSSLKEY", "sslkey"),
    ] {
        if let Some(value) = environment(variable).filter(|value| !value.is_empty())
            && let Some(Err(why)) = options.set(name, &value.replace('%', "%25"))
        {
            return Err(invalid(format!("the variable {variable}: {why}")));
        }
    }
    let mut theirs = Vec::new();
    set_each(&shown, query, |name, value| {
        if name == "password" {
            return Err("it would be seen by others: set PGPASSWORD or write ~/.pgpass".to_owned());
        }
        if !OPTIONS.iter().any(|o| o.name == name) {
            return Err(unknown(OPTIONS));
        }
        // An empty value is no value, as in libpq.
        if value.is_empty() {
            return Ok(());
        }
        options.set(name, value).unwrap_or_else(|| {
            theirs.push(format!("{name}={value}"));
            Ok(())
        })
    })?;
    let rest = place.split_once("//").map_or("", |(_, rest)| rest);
    // The driver takes a second host for one more to try, libpq for one instead of the first.
    let hosts = rest.rsplit_once('@').map_or(rest, |(_, hosts)| hosts);
    let second = theirs.iter().any(|o| o.starts_with("host=") || o.starts_with("port="));
    if second && !hosts.is_empty() && !hosts.starts_with('/') {
        return Err(invalid("host or port is given twice".into())
            .advise("write it either before the path or as an option"));
    }
    let plain = format!("postgres://{rest}?{}", theirs.join("&"));
    let mut config: Config = plain.trim_end_matches('?').parse().map_err(|e| {
        let cause = std::error::Error::source(&e).map(|e| format!(": {e}")).unwrap_or_default();
        invalid(format!("{e}{cause}"))
    })?;
    if config.get_hosts().is_empty() {
        match std::path::Path::new(SOCKETS) {
            there if there.is_dir() => config.host_path(there),
            _ => config.host("localhost"),
        };
    }
    if config.get_application_name().is_none() {
        config.application_name("hoap");
    }
    Ok(Parsed { shown, config, options })
}

/// Where Debian's and Red Hat's servers have their Unix socket.
const SOCKETS: &str = "/var/run/postgresql";

/// The URL without user and password. Where it is so malformed that a password may hide in it, it is
/// not repeated.
fn without_user(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        let scheme = url.split(':').next().unwrap_or_default();
        return format!("{scheme}:…");
    };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let hosts = authority.rsplit_once('@').map_or(authority, |(_, hosts)| hosts);
    let sound = |host: &str| {
        let port = host.rsplit_once(']').map_or(host, |(_, port)| port).split_once(':');
        port.is_none_or(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()))
    };
    if !hosts.split(',').all(sound) {
        return format!("{scheme}://…");
    }
    let Some((path, query)) = tail.split_once('?') else {
        return format!("{scheme}://{hosts}{tail}");
    };
    let secret = |pair: &str| match pair.split_once('=') {
        Some((name, value)) => matches!(name, "password" | "user") && !value.is_empty(),
        None => false,
    };
    let kept: Vec<_> = query.split('&').filter(|pair| !secret(pair)).collect();
    let mark = if kept.is_empty() { "" } else { "?" };
    format!("{scheme}://{hosts}{path}{mark}{}", kept.join("&"))
}

/// The host whose name a password file has: of a Unix socket in its usual place, "localhost".
pub(super) fn host_name(config: &Config) -> String {
    match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        Some(Host::Unix(path)) if path.as_os_str() != SOCKETS => path.display().to_string(),
        _ => "localhost".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none(_: &str) -> Option<String> {
        None
    }

    fn read(url: &str) -> Parsed {
        parse(url, &none).unwrap()
    }

    #[test]
    fn every_option_has_a_default_that_can_be_given() {
        let given: Vec<_> = OPTIONS.iter().map(|o| format!("{}={}", o.name, o.default)).collect();
        for place in ["postgres://h/d", "postgres:///d", "postgresql://u@h:7/d"] {
            let parsed = read(&format!("{place}?{}", given.join("&")));
            assert_eq!(parsed.options, Options::default(), "{place}");
            assert_eq!(parsed.config.get_application_name(), Some("hoap"));
            assert_eq!(parsed.config.get_dbname(), Some("d"));
            assert_eq!(parsed.config.get_hosts().len(), 1);
        }
    }

    #[test]
    fn a_url_names_things_as_libpq_does() {
        let parsed = read("postgresql://me:s%40cret@[::1]:5433/the%20db?options=-c%20jit%3Doff");
        assert_eq!(parsed.shown, "postgresql://[::1]:5433/the%20db?options=-c%20jit%3Doff");
        let config = parsed.config;
        assert_eq!(config.get_user(), Some("me"));
        assert_eq!(config.get_password(), Some(&b"s@cret"[..]));
        assert_eq!(config.get_hosts(), [Host::Tcp("::1".into())]);
        assert_eq!(config.get_ports(), [5433]);
        assert_eq!(config.get_dbname(), Some("the db"));
        assert_eq!(config.get_options(), Some("-c jit=off"));
        let socket = read("postgres:///db?host=/tmp/a%20b&port=7&user=me&sslrootcert=%2Fa").config;
        assert_eq!(socket.get_hosts(), [Host::Unix("/tmp/a b".into())]);
        assert_eq!((socket.get_ports(), socket.get_user()), (&[7][..], Some("me")));
        assert_eq!(host_name(&socket), "/tmp/a b");
    }

    #[test]
    fn the_environment_counts_where_the_url_says_nothing() {
        let environment = |name: &str| match name {
            "PGSSLMODE" => Some("verify-full".to_owned()),
            "PGSSLROOTCERT" => Some("/50%/ca.crt".to_owned()),
            _ => None,
        };
        let options = parse("postgres://h/d", &environment).unwrap().options;
        assert_eq!(options.sslmode, SslMode::VerifyFull);
        assert_eq!(options.sslrootcert, "/50%/ca.crt");
        let options = parse("postgres://h/d?sslmode=disable", &environment).unwrap().options;
        assert_eq!(options.sslmode, SslMode::Disable);
        let bad = |_: &str| Some("maybe".to_owned());
        let e = parse("postgres://h/d", &bad).unwrap_err();
        assert!(e.to_string().contains("PGSSLMODE: `maybe` is not one of disable"), "{e}");
    }

    #[test]
    fn a_wrong_url_names_what_is_wrong_and_no_secret() {
        for (url, word) in [
            ("postgres:db", "names no host"),
            ("postgres://u:secret@h/d?", "has no value"),
            ("postgres://u:secret@h/d?pool=-1", "`pool`: `-1` is not a whole number"),
            ("postgres://u:secret@h/d?pull=1", "the options are schema, isolation"),
            ("postgres://u:secret@h/d?isolation=none", "read-committed, repeatable-read"),
            ("postgres://u:secret@h/d?schema=a'b", "letters, digits"),
            ("postgres://u:secret@h/d?schema=pg_x", "does not begin with pg_"),
            ("postgres://u:secret@h/d?sslmode=allow", "disable, prefer, require"),
            ("postgres://u:secret@h:port/d", "port"),
            ("postgres://u:secr?et/secret@h/d", "%-escapes"),
            ("postgres://u:secret/secret@h/d", "port"),
            ("postgres://h/d?password=secret", "PGPASSWORD"),
            ("postgres://h/d?target_session_attrs=some", "target_session_attrs"),
            ("postgres://h/d?port=7", "given twice"),
        ] {
            let e = parse(url, &none).unwrap_err();
            assert_eq!(e.kind, ErrorKind::Invalid, "{url}");
            assert!(e.to_string().contains(word), "{url}: {e}");
            assert!(!e.to_string().contains("secret"), "{url}: {e}");
        }
    }
}
