//! A server and how to connect to it.

use std::fmt::Write;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hoap_database::answering::{Expected, Kind, unless_another};
use hoap_database::failure::{Done, Failure};
use hoap_database::limited;
use hoap_record::{ErrorKind, Result};
use tokio::runtime::Handle;
use tokio::sync::OnceCell;
use tokio::task::AbortHandle;
use tokio_postgres::config::{Host, SslMode as DriverSslMode, SslNegotiation};
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::connection::{Cancel, Connection};
use super::layer::Layer;
use super::options::{self, Options, SslMode};
use super::{error, password, pooler, tls};

/// A server, a database in it, and the settings of the sessions.
pub(super) struct Server {
    /// The URL without user and password.
    pub url: String,
    pub options: Options,
    config: Config,
    /// The same without TLS.
    plain: Config,
    tls: Option<MakeRustlsConnect>,
    /// Whether the server has declined TLS.
    declined: AtomicBool,
    /// Whether it was asked if a pooler is in front of it that shares sessions.
    pooled: OnceCell<()>,
    /// Why the password file was not read.
    ignored: Option<String>,
    /// The runtime in which the target was opened: pooled connections live there.
    runtime: Option<Handle>,
}

/// The purpose of a connection, which decides the settings of its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    /// Transactions, records by key, and joins that the planner chooses.
    Client,
    /// Queries: read-only, and planned for their values.
    Queries,
    /// Loading and maintenance: without a time limit.
    Maintenance,
    /// Pages of customers, along an index.
    Pages,
    /// A join along an index.
    IndexJoin,
    /// A join with a hash table.
    HashJoin,
}

impl Role {
    fn settings(self) -> &'static str {
        match self {
            Role::Client => "",
            Role::Queries => "SET default_transaction_read_only = on;",
            Role::Maintenance => "SET statement_timeout = 0;",
            // A sequential scan would mean a missing index, which a session refuses. A disabled
            // plan is not forbidden but priced so high that the query would be compiled: no JIT.
            Role::Pages => "SET jit = off; SET enable_seqscan = off;",
            Role::IndexJoin => {
                "SET jit = off; SET enable_seqscan = off; SET enable_hashjoin = off;
                 SET enable_mergejoin = off;"
            }
            Role::HashJoin => {
                "SET jit = off; SET enable_nestloop = off; SET enable_mergejoin = off;"
            }
        }
    }
}

impl Server {
    /// Reads a URL, the environment and the files they name.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where the URL is wrong; [`ErrorKind::Unavailable`] where a
    /// certificate cannot be read.
    pub fn new(url: &str) -> Result<Self> {
        let environment = |name: &str| std::env::var(name).ok();
        let options::ParsedUrl { shown, mut config, options } = options::parse(url, &environment)?;
        if config.get_user().is_none() {
            // As libpq; the driver asks the system where neither is set.
            if let Some(user) = ["PGUSER", "USER"].iter().find_map(|name| environment(name)) {
                config.user(user);
            }
        }
        let mut ignored = None;
        if config.get_password().is_none() {
            let user = config.get_user().unwrap_or_default().to_owned();
            let port = config.get_ports().first().copied().unwrap_or(5432);
            let database = config.get_dbname().unwrap_or(&user).to_owned();
            let host = options::host_name(&config);
            let found = password::find(&host, port, &database, &user, &environment);
            ignored = found.ignored;
            if let Some(password) = found.password {
                config.password(password);
            }
        }
        // Over a Unix socket nothing is encrypted.
        let local = config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_)));
        let tls = if local { None } else { tls::connector(&options, &shown, &environment)? };
        let mut plain = config.clone();
        config.ssl_mode(DriverSslMode::Require);
        match config.get_hosts().iter().any(|host| matches!(host, Host::Unix(_))) {
            // The driver puts no layer on a Unix socket.
            true => plain.ssl_mode(DriverSslMode::Disable),
            false => plain.ssl_mode(DriverSslMode::Require).ssl_negotiation(SslNegotiation::Direct),
        };
        let runtime = Handle::try_current().ok();
        let (declined, pooled) = (AtomicBool::new(false), OnceCell::new());
        Ok(Server { url: shown, options, config, plain, tls, declined, pooled, ignored, runtime })
    }

    /// The runtime of connections that outlive the client that made them.
    pub fn runtime(&self) -> Option<&Handle> {
        self.runtime.as_ref()
    }

    /// Connects and sets the session. The connection's task runs in the caller's runtime.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] with the reason and what to do.
    pub async fn connect(&self, role: Role) -> Done<Connection> {
        // In a box, as each attempt below: together they are larger than a thread's stack bears.
        let connecting = Box::pin(async {
            let link = self.connect_plainly().await?;
            let named = link.layer.seen.process.get().copied();
            let other = async { self.connect_plainly().await.map(|other| other.client) };
            self.pooled.get_or_try_init(|| pooler::refuse(&link.client, named, other)).await?;
            let Link { client, task, layer } = link;
            let set = client.batch_execute(&self.settings(role)).await;
            set.map_err(|e| match layer.seen.stopped.get() {
                Some(why) => error::stopped(*why),
                None => error::connect(&e),
            })?;
            let (token, limit) = (client.cancel_token(), self.options.answer_timeout);
            Ok(Connection::new(client, task, Cancel { token, layer, limit }))
        });
        // Who has answered once is no other kind of server.
        let expected = (!self.pooled.initialized()).then(|| self.expected());
        let connecting = unless_another(expected, connecting);
        let limit = self.options.connect_timeout;
        let connecting = async {
            match limit {
                Duration::ZERO => connecting.await,
                _ => tokio::time::timeout(limit, connecting).await.unwrap_or_else(|_| {
                    Err(Failure::of(
                        ErrorKind::Unavailable,
                        format!("no answer within {} s", limit.as_secs()),
                        "check the host and the port, or raise connect_timeout",
                    ))
                }),
            }
        };
        let connected = limited(&self.url, None, connecting).await;
        connected.map_err(|failure| failure.trying(format!("connect to {}", self.url)))
    }

    /// A connection for a piece of work on whole collections, which is closed at once unless the
    /// work comes to its end ([`Connection::rest`]).
    ///
    /// # Errors
    /// Those of [`Server::connect`].
    pub async fn maintain(&self) -> Done<Connection> {
        let mut connection = self.connect(Role::Maintenance).await?;
        connection.ask();
        Ok(connection)
    }

    /// Waits for an answer where the layer in front does not: while a session is opened.
    pub async fn limited<T>(&self, answer: impl Future<Output = Done<T>>) -> Done<T> {
        limited(&self.url, Some(self.options.answer_timeout), answer).await
    }

    /// Where PostgreSQL servers are expected.
    fn expected(&self) -> Expected {
        let ports = self.config.get_ports();
        let hosts = self.config.get_hosts().iter().enumerate();
        let places = hosts.filter_map(|(at, host)| match host {
            Host::Tcp(name) => {
                let port = ports.get(at).or(ports.first()).copied();
                Some((name.clone(), port.unwrap_or(5432)))
            }
            Host::Unix(_) => None,
        });
        Expected::new(Kind::Postgres, places.collect())
    }

    /// Connects; the session is as the server has it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] with the reason and what to do.
    async fn connect_plainly(&self) -> Done<Link> {
        self.connect_once().await.map_err(|e| match &self.ignored {
            Some(ignored) if error::wants_password(&e) => {
                Failure { advice: Some(ignored.clone().into()), ..error::connect(&e) }
            }
            _ => error::connect(&e),
        })
    }

    async fn connect_once(&self) -> std::result::Result<Link, tokio_postgres::Error> {
        let prefer = self.options.sslmode == SslMode::Prefer;
        let plain = || connect(&self.plain, Layer::plain(!prefer));
        let Some(tls) = self.tls.as_ref().filter(|_| !self.declined.load(Ordering::Relaxed)) else {
            return plain().await;
        };
        let first = match connect(&self.config, Layer::encrypted(tls.clone())).await {
            Err(e) if prefer => e,
            connected => return connected,
        };
        // As libpq: where TLS or the rules for it fail, `prefer` tries without.
        let declined = first.to_string().contains(DECLINED);
        let by_rules = first.code().is_some_and(|code| code.code() == "28000");
        if !declined && !by_rules && !first.to_string().contains("TLS") {
            return Err(first);
        }
        let second = plain().await;
        self.declined.fetch_or(declined && second.is_ok(), Ordering::Relaxed);
        match second {
            // The first error tells more than the refusal of a connection without TLS.
            Err(e) if !declined && error::why_stopped(&e).is_none() => Err(first),
            second => second,
        }
    }

    fn settings(&self, role: Role) -> String {
        let options = &self.options;
        let mut text = format!("SET search_path = \"{}\";", options.schema);
        if role == Role::Client {
            let level = options.isolation_level();
            let _ = write!(text, "SET default_transaction_isolation = '{level}';");
            if options.serializable() {
                // A sequential scan reads the whole table, so that every writer conflicts with it.
                // The planner prefers one where the table is small.
                text.push_str("SET enable_seqscan = off;");
            }
        }
        if let Some(level) = options.synchronous_commit() {
            let _ = write!(text, "SET synchronous_commit = {level};");
        }
        if options.statement_timeout > Duration::ZERO {
            let limit = options.statement_timeout.as_millis();
            let _ = write!(text, "SET statement_timeout = {limit};");
        }
        text.push_str(role.settings());
        text
    }
}

/// What the driver says of a server without TLS.
const DECLINED: &str = "server does not support TLS";

/// The driver's client, the task that serves it, and what is between it and the socket.
struct Link {
    client: Client,
    task: AbortHandle,
    layer: Layer,
}

async fn connect(
    config: &Config,
    layer: Layer,
) -> std::result::Result<Link, tokio_postgres::Error> {
    let (client, connection) = Box::pin(config.connect(layer.clone())).await?;
    let seen = layer.seen.clone();
    let task = tokio::spawn(async move {
        let mut connection = pin!(connection);
        // Errors are those of the statements in flight; this one of none, before it is closed.
        if let Err(e) = connection.as_mut().await {
            let _ = seen.ended.set(error::failure(e));
        }
    });
    Ok(Link { client, task: task.abort_handle(), layer })
}
