//! A server and how to connect to it.

use std::fmt::Write;
use std::time::Duration;

use hoap_database::failure::{Done, Failure};
use hoap_database::limited;
use hoap_record::{ErrorKind, Result};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio_postgres::config::{Host, SslMode as DriverSslMode};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::connection::{Cancel, Connection};
use super::options::{self, Options, SslMode};
use super::{error, password, tls};

/// A server, a database in it, and the settings of the sessions.
pub(super) struct Server {
    /// The URL without user and password.
    pub url: String,
    pub options: Options,
    config: Config,
    tls: Option<MakeRustlsConnect>,
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
        let tls = match local {
            true => None,
            false => tls::connector(&options, &shown, &environment)?,
        };
        config.ssl_mode(match (&tls, options.sslmode) {
            (None, _) => DriverSslMode::Disable,
            (Some(_), SslMode::Prefer) => DriverSslMode::Prefer,
            (Some(_), _) => DriverSslMode::Require,
        });
        let runtime = Handle::try_current().ok();
        Ok(Server { url: shown, options, config, tls, ignored, runtime })
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
        let connecting = async {
            let (client, task) = self.connect_once().await.map_err(|e| {
                let failure = error::connect(&e);
                match &self.ignored {
                    Some(ignored) if error::wants_password(&e) => {
                        Failure { advice: Some(ignored.clone().into()), ..failure }
                    }
                    _ => failure,
                }
            })?;
            let set = client.batch_execute(&self.settings(role)).await;
            set.map_err(|e| error::connect(&e))?;
            let (token, tls) = (client.cancel_token(), self.tls.clone());
            let cancel = Cancel { token, tls, limit: self.options.answer_timeout };
            Ok(Connection::new(client, task, cancel))
        };
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

    async fn connect_once(&self) -> std::result::Result<Link, tokio_postgres::Error> {
        let Some(tls) = &self.tls else { return connect(&self.config, NoTls).await };
        let connected = connect(&self.config, tls.clone()).await;
        match connected {
            // As libpq: where TLS or the rules for it fail, `prefer` tries without.
            Err(e)
                if self.options.sslmode == SslMode::Prefer
                    && (e.to_string().contains("TLS")
                        || e.code().is_some_and(|code| code.code() == "28000")) =>
            {
                let mut plain = self.config.clone();
                plain.ssl_mode(DriverSslMode::Disable);
                // The first error tells more than the refusal of a connection without TLS.
                connect(&plain, NoTls).await.map_err(|_| e)
            }
            connected => connected,
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

/// The driver's client, and the task that serves it.
type Link = (Client, AbortHandle);

async fn connect<T>(config: &Config, tls: T) -> std::result::Result<Link, tokio_postgres::Error>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
{
    let (client, connection) = config.connect(tls).await?;
    // Its errors are those of the statements in flight.
    let task = tokio::spawn(async move { drop(connection.await) });
    Ok((client, task.abort_handle()))
}
