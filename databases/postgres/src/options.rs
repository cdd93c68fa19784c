//! The URL of a PostgreSQL target, as libpq names things.

use std::time::Duration;

use hoap_database::names;
use hoap_database::options::{
    Read, encoded, meant, milliseconds, number, seconds, set_each, switch, text, words,
};
use hoap_database::url::{self, Parts};
use hoap_record::witness::Level;
use hoap_record::{Error, ErrorKind, Result};
use tokio_postgres::Config;
use tokio_postgres::config::Host;

hoap_database::options! {
    /// The settings that a URL may change. Those from `host` on are the driver's, as the URL has
    /// them.
    pub(super) struct Options {
        schema: String = ("schema", "public", schema,
            "the schema that holds the collections; a load makes it where it is missing"),
        isolation: &'static str = ("isolation", "read-committed",
            words(&["read-committed", "repeatable-read", "serializable"]),
            "read-committed, repeatable-read or serializable, of transactions that write; those \
             that only read see one snapshot in each, at serializable one that fits in"),
        synchronous_commit: &'static str = ("synchronous_commit", SERVER,
            words(&[SERVER, "on", "off", "local", "remote_write", "remote_apply"]),
            "server: as the server is set (usually on); on: every acknowledged commit survives a \
             power loss; off: the last ones may be lost; local, remote_write, remote_apply: see \
             PostgreSQL's manual"),
        statement_timeout: Duration = ("statement_timeout_ms", "0", milliseconds(0..=86_400_000),
            "limit of a statement in milliseconds, except while loading; 0: as the server is set; to \
             86400000"),
        answer_timeout: Duration = ("answer_timeout_ms", "30000", milliseconds(1..=86_400_000),
            "milliseconds that an answer may take before the operation is a timeout (a commit: \
             ambiguous), except of queries; 1 to 86400000"),
        pool: u32 = ("pool", "0", number(0..=10_000),
            "connections that all clients share, each for a transaction or an operation at a \
             time; 0: a connection for each client; to 10000"),
        unlogged: bool = ("unlogged", "off", switch,
            "on: a load makes unlogged tables, which a crash of the server empties"),
        sslmode: SslMode = ("sslmode", "prefer", meant(SSL_MODES),
            "disable, prefer, require, verify-ca or verify-full, as libpq has it (PGSSLMODE)"),
        /// This and the next two: as given or from the environment; empty: the default file, if it
        /// is there.
        sslrootcert: String = ("sslrootcert", "", text,
            "file with the certificate authorities to trust (PGSSLROOTCERT; else \
             ~/.postgresql/root.crt)"),
        sslcert: String = ("sslcert", "", text,
            "file with the client's certificate (PGSSLCERT; else ~/.postgresql/postgresql.crt)"),
        sslkey: String = ("sslkey", "", text,
            "file with its key (PGSSLKEY; else ~/.postgresql/postgresql.key)"),
        connect_timeout: Duration = ("connect_timeout", "10", seconds(0..=3600),
            "seconds to wait for a connection; 0: without limit; to 3600"),
        host: String = ("host", "", encoded, "a host, or the folder of a Unix socket: /run/…"),
        port: String = ("port", "", encoded, "the port of that host; else 5432"),
        dbname: String = ("dbname", "", encoded, "the database, instead of the URL's path"),
        user: String = ("user", "", encoded, "the user; else the one of the system"),
        application_name: String = ("application_name", "hoap", encoded,
            "what the server's activity and log show"),
        target_session_attrs: String = ("target_session_attrs", "any", encoded,
            "any, read-write or read-only: which of several hosts to take"),
        options: String = ("options", "", encoded, "settings of the sessions, such as -c%20jit=off"),
    }
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

fn schema(value: &str) -> Read<String> {
    names::collection(value, &["pg_"], usize::MAX)
        .map(str::to_owned)
        .map_err(|e| e.into_parts().answer)
}

impl Options {
    /// Those of the driver that the URL gives, as it has them.
    fn of_driver(&self) -> String {
        let all = [
            ("host", &self.host),
            ("port", &self.port),
            ("dbname", &self.dbname),
            ("user", &self.user),
            ("application_name", &self.application_name),
            ("target_session_attrs", &self.target_session_attrs),
            ("options", &self.options),
        ];
        let given = all.iter().filter(|(_, value)| !value.is_empty());
        given.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
    }

    /// The isolation level in SQL's words.
    pub fn isolation_level(&self) -> String {
        self.isolation.replace('-', " ").to_uppercase()
    }

    /// What the isolation level promises. PostgreSQL's repeatable read is snapshot isolation.
    pub fn promised(&self) -> Level {
        match self.isolation {
            "serializable" => Level::Serializable,
            "repeatable-read" => Level::Snapshot,
            _ => Level::ReadCommitted,
        }
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

/// What a URL names.
#[derive(Debug)]
pub(super) struct ParsedUrl {
    /// The URL without user and password.
    pub shown: String,
    pub config: Config,
    pub options: Options,
}

/// Reads a URL; `environment` gives libpq's variables.
///
/// # Errors
/// [`ErrorKind::Invalid`], which repeats no secret.
pub(super) fn parse(url: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<ParsedUrl> {
    let malformed =
        |answer: &str| url::malformed("postgres", "postgres://[USER@]HOST[:PORT]/DATABASE", answer);
    let parts = Parts::of(url).map_err(malformed)?;
    let public = |pair: &&str| !pair.starts_with("user=") || *pair == "user=";
    let query = parts.query.map(|q| q.split('&').filter(public).collect::<Vec<_>>().join("&"));
    let query = query.as_deref().filter(|q| !q.is_empty());
    let shown = Parts { query, user: String::new(), password: String::new(), ..parts }.shown();
    let invalid = |answer: String| Error::new(ErrorKind::Invalid, format!("open {shown}"), answer);
    let mut options = Options::default();
    for (variable, name) in [
        ("PGSSLMODE", "sslmode"),
        ("PGSSLROOTCERT", "sslrootcert"),
        ("PGSSLCERT", "sslcert"),
        ("PGSSLKEY", "sslkey"),
    ] {
        if let Some(value) = environment(variable).filter(|value| !value.is_empty())
            && let Err(why) = options.set(name, &value.replace('%', "%25"))
        {
            return Err(invalid(format!("the variable {variable}: {why}")));
        }
    }
    set_each(&shown, parts.query, |name, value| match name {
        "password" => {
            Err("it would be seen by others: set PGPASSWORD or write ~/.pgpass".to_owned())
        }
        // An empty value is no value, as in libpq.
        _ if value.is_empty() && OPTIONS.iter().any(|o| o.name == name) => Ok(()),
        _ => options.set(name, value),
    })?;
    // The driver takes a second host for one more to try, libpq for one instead of the first.
    let given = !(options.host.is_empty() && options.port.is_empty());
    if given && !parts.hosts.is_empty() {
        return Err(invalid("host or port is given twice".into())
            .advise("write it either before the path or as an option"));
    }
    let login = match (url::encode(&parts.user), url::encode(&parts.password)) {
        (user, password) if !password.is_empty() => format!("{user}:{password}@"),
        (user, _) if !user.is_empty() => format!("{user}@"),
        _ => String::new(),
    };
    let path = if parts.path.is_empty() { String::new() } else { format!("/{}", parts.path) };
    let plain = format!("postgres://{login}{}{path}?{}", parts.hosts, options.of_driver());
    let mut config: Config = plain.parse().map_err(|e| {
        let cause = std::error::Error::source(&e).map(|e| format!(": {e}")).unwrap_or_default();
        invalid(format!("{e}{cause}"))
    })?;
    if config.get_hosts().is_empty() {
        match std::path::Path::new(SOCKETS) {
            there if there.is_dir() => config.host_path(there),
            _ => config.host("localhost"),
        };
    }
    Ok(ParsedUrl { shown, config, options })
}

/// Where Debian's and Red Hat's servers have their Unix socket.
const SOCKETS: &str = "/var/run/postgresql";

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

    fn read(url: &str) -> ParsedUrl {
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
        let odd = read("postgres://u:p@s%25s@h").config;
        assert_eq!(odd.get_password(), Some(&b"p@s%s"[..]));
        assert_eq!((odd.get_hosts(), odd.get_dbname()), (&[Host::Tcp("h".into())][..], None));
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
            ("postgres://u:secret", "port"),
            ("postgres:/u:secret@h", "names no host"),
            ("postgres://u:secr?et/secret@h/d", "%2F"),
            ("postgres://u:secret/secret@h/d", "an @ after"),
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
