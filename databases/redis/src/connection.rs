//! Connections to the server: how clients share them, and replace lost ones.

use std::collections::HashMap;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, ThreadId};

use futures_util::FutureExt;
use futures_util::future::join_all;
use hoap_database::failure::{Done, Failure};
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::cluster::ClusterClient;
use redis::cluster_async::ClusterConnection;
use redis::{
    Arg, AsyncConnectionConfig, Cmd, ConnectionAddr, Pipeline, RedisError, RedisResult, Value,
};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};

use super::answers::Written;
use super::bounded::Bounded;
use super::error;
use super::options::Options;
use super::script::{Script, Scripts};

/// A server or a cluster, and how to reach it.
pub(super) struct Server {
    /// The URL without user and password.
    pub url: String,
    pub options: Options,
    pub client: redis::Client,
    pub config: AsyncConnectionConfig,
    pub cluster: Option<ClusterClient>,
    pub scripts: Scripts,
    /// Where clients of a thread share connections: those with room for another client.
    pub connections: Mutex<HashMap<ThreadId, Vec<Weak<SharedConnection>>>>,
}

impl Server {
    /// Connects to the server, or to all nodes of the cluster.
    async fn connect(&self) -> Done<DriverConnection> {
        let connection = match &self.cluster {
            None => self.one().await.map(DriverConnection::Server),
            Some(cluster) => {
                let connected = cluster.get_async_connection().await;
                connected.map(ToNodes::new).map(DriverConnection::Cluster)
            }
        };
        connection.map_err(|e| self.not_connected(&e))
    }

    /// A connection to the node that the URL names, in a cluster too.
    pub async fn connect_one(&self) -> Done<ToServer> {
        self.one().await.map_err(|e| self.not_connected(&e))
    }

    /// A connection whose answers are bounded. One over TLS is the driver's own, without a bound.
    async fn one(&self) -> RedisResult<ToServer> {
        let info = self.client.get_connection_info();
        let ConnectionAddr::Tcp(host, port) = info.addr() else {
            let config = &self.config;
            let connected = self.client.get_multiplexed_async_connection_with_config(config).await;
            return connected.map(|connection| ToServer { connection, task: None });
        };
        let connecting = async {
            let stream = TcpStream::connect((&**host, *port)).await?;
            stream.set_nodelay(info.tcp_settings().nodelay())?;
            let (settings, stream) = (info.redis_settings(), Bounded::new(stream));
            let (connection, driver) =
                MultiplexedConnection::new_with_config(settings, stream, self.config.clone())
                    .await?;
            // It ends with the last clone of the connection.
            let (goes_on, task) = watch::channel(());
            tokio::spawn(driver.map(|()| drop(goes_on)));
            Ok(ToServer { connection, task: Some(task) })
        };
        let connected = tokio::time::timeout(self.options.connect_timeout, connecting).await;
        connected.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))
    }

    fn not_connected(&self, e: &RedisError) -> Failure {
        error::connecting(e).trying(format!("connect to {}", self.url))
    }

    /// A connection that no other client uses.
    pub async fn own_connection(self: &Arc<Self>) -> Done<ClientConnection> {
        let current = tokio::sync::Mutex::new(None);
        ClientConnection::on(Arc::new(SharedConnection { server: self.clone(), current })).await
    }

    /// The connection of a client, which other clients of the thread share as far as the options
    /// say so.
    pub async fn client_connection(self: &Arc<Self>) -> Done<ClientConnection> {
        if self.options.pipeline == 1 {
            return self.own_connection().await;
        }
        let shared = {
            let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
            // A thread ends with its step, and its connections with it.
            for of_thread in connections.values_mut() {
                of_thread.retain(|shared| shared.strong_count() > 0);
            }
            connections.retain(|_, of_thread| !of_thread.is_empty());
            let of_thread = connections.entry(thread::current().id()).or_default();
            let room = |shared: &&Weak<SharedConnection>| {
                shared.strong_count() < self.options.pipeline as usize
            };
            match of_thread.iter().find(room).and_then(Weak::upgrade) {
                Some(shared) => shared,
                None => {
                    let current = tokio::sync::Mutex::new(None);
                    let shared = Arc::new(SharedConnection { server: self.clone(), current });
                    of_thread.push(Arc::downgrade(&shared));
                    shared
                }
            }
        };
        ClientConnection::on(shared).await
    }
}

/// A connection of the driver.
#[derive(Clone)]
enum DriverConnection {
    /// It ends with the server.
    Server(ToServer),
    /// To the nodes of a cluster. The driver repairs it and follows redirections.
    Cluster(ToNodes),
}

/// The driver's connection to one server.
#[derive(Clone)]
pub(super) struct ToServer {
    connection: MultiplexedConnection,
    /// Closed when the driver's task has ended. `None` with TLS: the driver keeps that task to
    /// itself.
    task: Option<watch::Receiver<()>>,
}

impl ToServer {
    pub async fn send(&mut self, command: &Cmd) -> RedisResult<Value> {
        unless_over(&mut self.task, self.connection.send_packed_command(command)).await
    }

    async fn send_pipeline(
        &mut self,
        commands: &Pipeline,
        count: usize,
    ) -> RedisResult<Vec<Value>> {
        let answers = self.connection.send_packed_commands(commands, 0, count);
        unless_over(&mut self.task, answers).await
    }
}

/// An answer of the driver, or that the connection is lost.
///
/// A command that another thread hands over while the driver's task ends stays in the channel
/// between them, unseen (<https://github.com/tokio-rs/tokio/issues/7714>), and would wait for the
/// time limit.
async fn unless_over<T>(
    task: &mut Option<watch::Receiver<()>>,
    answer: impl Future<Output = RedisResult<T>>,
) -> RedisResult<T> {
    let Some(task) = task else { return answer.await };
    let mut answer = pin!(answer);
    tokio::select! {
        biased;
        answer = &mut answer => answer,
        // An answer that came before the end is there.
        _ = task.changed() => answer
            .now_or_never()
            .unwrap_or_else(|| Err(io::Error::from(io::ErrorKind::BrokenPipe).into())),
    }
}

/// Commands that are under way on a connection to a cluster at most.
///
/// When a slot has moved, the driver goes on with no command before it has locked its map of the
/// slots. A command that has looked into the map keeps it locked where its turn ended at that point
/// (<https://github.com/tokio-rs/tokio/pull/8371>), and then nothing on the connection ever goes
/// on. A turn has 128 steps of the runtime; a command takes four at most, received, looked up, sent
/// and answered, and more only where it is redirected.
const UNDER_WAY: usize = 32;

/// The driver's connection to a cluster, with the limit of [`UNDER_WAY`].
#[derive(Clone)]
struct ToNodes {
    connection: ClusterConnection,
    under_way: Arc<Semaphore>,
}

impl ToNodes {
    fn new(connection: ClusterConnection) -> Self {
        ToNodes { connection, under_way: Arc::new(Semaphore::new(UNDER_WAY)) }
    }

    async fn send(&mut self, command: &Cmd) -> RedisResult<Value> {
        let _place = self.under_way.acquire().await;
        self.connection.req_packed_command(command).await
    }

    async fn send_pipeline(
        &mut self,
        commands: &Pipeline,
        count: usize,
    ) -> RedisResult<Vec<Value>> {
        let _place = self.under_way.acquire().await;
        self.connection.req_packed_commands(commands, 0, count).await
    }

    /// Sends the commands, which may be for different nodes, and returns the answers in their order.
    async fn send_all(&self, commands: Vec<Cmd>) -> RedisResult<Vec<Value>> {
        let each = commands.into_iter().map(|command| {
            let mut nodes = self.clone();
            async move { nodes.send(&command).await }
        });
        join_all(each).await.into_iter().collect()
    }
}

/// A connection for one client or several.
pub(super) struct SharedConnection {
    server: Arc<Server>,
    /// The last connection that was made, open or lost.
    current: tokio::sync::Mutex<Option<Generation>>,
}

#[derive(Clone)]
struct Generation {
    connection: DriverConnection,
    /// The number of connections that were made before it.
    number: u64,
}

/// One client's use of a [`SharedConnection`]. After a loss the next operation of any of its
/// clients connects again, for all of them. A session needs nothing to abandon an answer: the
/// driver counts those that nobody waits for any more, and throws them away when they come.
pub(super) struct ClientConnection {
    shared: Arc<SharedConnection>,
    held: Option<Generation>,
    /// The number of the last lost connection.
    lost: Option<u64>,
    /// Recycled: the command of [`ClientConnection::run`].
    command: Cmd,
}

impl ClientConnection {
    async fn on(shared: Arc<SharedConnection>) -> Done<ClientConnection> {
        let held = Some(hold(&shared, None).await?);
        Ok(ClientConnection { shared, held, lost: None, command: Cmd::new() })
    }

    /// The server.
    pub fn server(&self) -> &Arc<Server> {
        &self.shared.server
    }

    async fn held(&mut self) -> Done<&mut DriverConnection> {
        let held = match self.held.take() {
            Some(held) => held,
            None => hold(&self.shared, self.lost).await?,
        };
        Ok(&mut self.held.insert(held).connection)
    }

    /// Notes an error; gives up a lost connection.
    fn failed(&mut self, e: RedisError) -> Failure {
        let ended = match &self.held {
            // The driver repairs it.
            Some(Generation { connection: DriverConnection::Cluster(_), .. }) => false,
            _ => e.is_unrecoverable_error(),
        };
        if ended && let Some(held) = self.held.take() {
            self.lost = Some(held.number);
        }
        error::of(&e)
    }

    /// Sends one command and waits for its answer.
    pub async fn send(&mut self, command: &Cmd) -> Done<Value> {
        let answer = match self.held().await? {
            DriverConnection::Server(server) => server.send(command).await,
            DriverConnection::Cluster(nodes) => nodes.send(command).await,
        };
        answer.and_then(no_error).map_err(|e| self.failed(e))
    }

    /// Sends commands without waiting in between, and returns the answers in their order, or the
    /// first error.
    pub async fn send_all(&mut self, commands: Vec<Cmd>) -> Done<Vec<Value>> {
        let count = commands.len();
        if count == 0 {
            return Ok(Vec::new());
        }
        let answers = match self.held().await? {
            DriverConnection::Server(server) => {
                let mut all = Pipeline::with_capacity(count);
                for command in commands {
                    all.add_command(command);
                }
                server.send_pipeline(&all, count).await
            }
            DriverConnection::Cluster(nodes) => nodes.send_all(commands).await,
        };
        let checked = answers.and_then(|all| all.into_iter().map(no_error).collect());
        checked.map_err(|e| self.failed(e))
    }

    /// Runs a script that writes, on a number of keys; `fill` adds keys and arguments. Waits for
    /// replicas where the options say so.
    pub async fn run(
        &mut self,
        script: impl Fn(&Scripts) -> &Script,
        keys: usize,
        fill: impl FnOnce(&mut Cmd),
    ) -> Done<Written> {
        let server = self.shared.server.clone();
        let script = script(&server.scripts);
        let hash = match script.hash.get() {
            Some(hash) => hash,
            None => script.hash.get_or_try_init(|| self.load(script)).await?,
        };
        self.command.clear();
        self.command.arg("EVALSHA").arg(hash).arg(keys);
        fill(&mut self.command);
        let command = std::mem::take(&mut self.command);
        let mut written = self.write_and_wait(&command).await;
        // A restarted server, or a replica that took over, does not know the script.
        if written.as_ref().is_err_and(|e| e.code == "NOSCRIPT") {
            let mut whole = Cmd::new();
            whole.arg("EVAL").arg(script.text);
            for argument in command.args_iter().skip(2) {
                if let Arg::Simple(argument) = argument {
                    whole.arg(argument);
                }
            }
            written = self.write_and_wait(&whole).await;
        }
        self.command = command;
        written
    }

    async fn load(&mut self, script: &Script) -> Done<String> {
        let mut command = redis::cmd("SCRIPT");
        command.arg("LOAD").arg(script.text);
        match self.send(&command).await? {
            Value::BulkString(hash) => String::from_utf8(hash)
                .map_err(|_| Failure::broken("the hash of a script is not text")),
            other => Err(Failure::broken(format!("SCRIPT LOAD answered {other:?}"))),
        }
    }

    /// Sends a command that writes and, where the options say so, waits for replicas.
    pub async fn write(&mut self, command: &Cmd) -> Done<Value> {
        self.write_and_wait(command).await?.by_replicas()
    }

    async fn write_and_wait(&mut self, command: &Cmd) -> Done<Written> {
        let Options { wait_replicas: wanted, wait_timeout_ms: milliseconds, .. } =
            self.shared.server.options;
        if wanted == 0 {
            let answer = self.send(command).await?;
            return Ok(Written { answer, replicated: Ok(()) });
        }
        // Both on the same connection: WAIT asks for what this connection wrote.
        let mut both = Pipeline::with_capacity(2);
        both.add_command(command.clone());
        both.cmd("WAIT").arg(wanted).arg(milliseconds);
        let answers = match self.held().await? {
            DriverConnection::Server(server) => server.send_pipeline(&both, 2).await,
            DriverConnection::Cluster(nodes) => nodes.send_pipeline(&both, 2).await,
        };
        let answers = answers.and_then(|all| all.into_iter().map(no_error).collect());
        let answers: Vec<Value> = answers.map_err(|e| self.failed(e))?;
        Written::of(answers, wanted, milliseconds)
    }
}

/// The current connection, replaced if it is the lost one.
async fn hold(shared: &Arc<SharedConnection>, lost: Option<u64>) -> Done<Generation> {
    let mut current = shared.current.lock().await;
    let number = match &*current {
        Some(held) if lost.is_none_or(|lost| held.number > lost) => return Ok(held.clone()),
        Some(held) => held.number + 1,
        None => 0,
    };
    let held = Generation { connection: shared.server.connect().await?, number };
    *current = Some(held.clone());
    Ok(held)
}

/// Turns an error in an answer into an error.
#[inline]
fn no_error(value: Value) -> RedisResult<Value> {
    match value {
        Value::ServerError(e) => Err(e.into()),
        value => Ok(value),
    }
}

#[cfg(test)]
mod tests;
