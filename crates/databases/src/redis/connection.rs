//! Connections: made, shared, lost and made again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, ThreadId};

use futures_util::future::join_all;
use hoap_workload::{Error, Result};
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::cluster::ClusterClient;
use redis::cluster_async::ClusterConnection;
use redis::{
    Arg, AsyncConnectionConfig, Cmd, Pipeline, RedisError, RedisResult, ServerErrorKind, Value,
};

use super::error::{self, Doing, Done, Failure};
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
    /// Where several clients of a thread share connections: those that have room.
    pub lanes: Mutex<HashMap<ThreadId, Vec<Weak<Lane>>>>,
}

impl Server {
    /// Connects to the server, or to all nodes of the cluster.
    async fn connect(&self) -> Result<Connection> {
        let connection = match &self.cluster {
            None => self
                .client
                .get_multiplexed_async_connection_with_config(&self.config)
                .await
                .map(Connection::One),
            Some(cluster) => cluster.get_async_connection().await.map(Connection::Cluster),
        };
        connection.map_err(|e| self.not_connected(&e))
    }

    /// A connection to the node that the URL names, in a cluster too.
    pub async fn connect_one(&self) -> Result<MultiplexedConnection> {
        let connecting = self.client.get_multiplexed_async_connection_with_config(&self.config);
        connecting.await.map_err(|e| self.not_connected(&e))
    }

    fn not_connected(&self, e: &RedisError) -> Error {
        error::of(e, Doing::Connect, format!("connect to {}", self.url))
    }

    /// A line of its own.
    pub async fn line(self: &Arc<Self>) -> Result<Line> {
        let current = tokio::sync::Mutex::new(None);
        Line::on(Arc::new(Lane { server: self.clone(), current })).await
    }

    /// A line for a client: on a connection that other clients of this thread use as well, as far
    /// as the options say so.
    pub async fn client_line(self: &Arc<Self>) -> Result<Line> {
        if self.options.pipeline == 1 {
            return self.line().await;
        }
        let lane = {
            let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
            // Threads end with their step, and their lanes with them.
            for shared in lanes.values_mut() {
                shared.retain(|lane| lane.strong_count() > 0);
            }
            lanes.retain(|_, shared| !shared.is_empty());
            let shared = lanes.entry(thread::current().id()).or_default();
            let room = |lane: &&Weak<Lane>| lane.strong_count() < self.options.pipeline as usize;
            match shared.iter().find(room).and_then(Weak::upgrade) {
                Some(lane) => lane,
                None => {
                    let current = tokio::sync::Mutex::new(None);
                    let lane = Arc::new(Lane { server: self.clone(), current });
                    shared.push(Arc::downgrade(&lane));
                    lane
                }
            }
        };
        Line::on(lane).await
    }
}

/// What commands go over.
#[derive(Clone)]
enum Connection {
    /// To a server. It ends when the server goes away.
    One(MultiplexedConnection),
    /// To the nodes of a cluster. The driver repairs it and follows redirections.
    Cluster(ClusterConnection),
}

/// A connection for one client or several.
pub(super) struct Lane {
    server: Arc<Server>,
    /// The connection that was made last, whatever became of it.
    current: tokio::sync::Mutex<Option<Held>>,
}

#[derive(Clone)]
struct Held {
    connection: Connection,
    /// How many were made on this lane before.
    turn: u64,
}

/// One client's use of a [`Lane`]. After its connection was lost the next operation makes a new
/// one, or takes the one that another client of the lane has made meanwhile.
pub(super) struct Line {
    lane: Arc<Lane>,
    held: Option<Held>,
    /// The turn of the connection that was lost last.
    lost: Option<u64>,
    /// Recycled: the command of [`Line::run`].
    command: Cmd,
}

impl Line {
    async fn on(lane: Arc<Lane>) -> Result<Line> {
        let held = Some(hold(&lane, None).await?);
        Ok(Line { lane, held, lost: None, command: Cmd::new() })
    }

    /// The server.
    pub fn server(&self) -> &Arc<Server> {
        &self.lane.server
    }

    async fn held(&mut self) -> Done<&mut Connection> {
        let held = match self.held.take() {
            Some(held) => held,
            None => hold(&self.lane, self.lost).await.map_err(Failure::NotConnected)?,
        };
        Ok(&mut self.held.insert(held).connection)
    }

    /// After an error: gives up a connection that is of no use any more.
    fn failed(&mut self, e: RedisError) -> Failure {
        let ended = match &self.held {
            // The driver repairs it.
            Some(Held { connection: Connection::Cluster(_), .. }) => false,
            _ => e.is_unrecoverable_error(),
        };
        if ended && let Some(held) = self.held.take() {
            self.lost = Some(held.turn);
        }
        Failure::Redis(e)
    }

    /// Sends one command and waits for its answer.
    pub async fn send(&mut self, command: &Cmd) -> Done<Value> {
        let answer = match self.held().await? {
            Connection::One(connection) => connection.send_packed_command(command).await,
            Connection::Cluster(connection) => connection.req_packed_command(command).await,
        };
        answer.and_then(no_error).map_err(|e| self.failed(e))
    }

    /// Sends commands without waiting in between; the answers, in their order. The first error is
    /// that of all.
    pub async fn send_all(&mut self, commands: Vec<Cmd>) -> Done<Vec<Value>> {
        let count = commands.len();
        if count == 0 {
            return Ok(Vec::new());
        }
        let answers = match self.held().await? {
            Connection::One(connection) => {
                let mut all = Pipeline::with_capacity(count);
                for command in commands {
                    all.add_command(command);
                }
                connection.send_packed_commands(&all, 0, count).await
            }
            Connection::Cluster(connection) => {
                let each = commands.into_iter().map(|command| {
                    let mut connection = connection.clone();
                    async move { connection.req_packed_command(&command).await }
                });
                join_all(each).await.into_iter().collect()
            }
        };
        let checked = answers.and_then(|all| all.into_iter().map(no_error).collect());
        checked.map_err(|e| self.failed(e))
    }

    /// Runs a script that writes, on so many keys; `fill` adds keys and arguments. Where the options
    /// say so, it waits for replicas as well.
    pub async fn run(
        &mut self,
        script: impl Fn(&Scripts) -> &Script,
        keys: usize,
        fill: impl FnOnce(&mut Cmd),
    ) -> Done<Value> {
        let server = self.lane.server.clone();
        let script = script(&server.scripts);
        let hash = match script.hash.get() {
            Some(hash) => hash,
            None => script.hash.get_or_try_init(|| self.load(script)).await?,
        };
        self.command.clear();
        self.command.arg("EVALSHA").arg(hash).arg(keys);
        fill(&mut self.command);
        let command = std::mem::take(&mut self.command);
        let mut answer = self.write(&command).await;
        // A server that was started anew, or took over from another, does not know the script.
        if let Err(Failure::Redis(e)) = &answer
            && e.kind() == redis::ErrorKind::Server(ServerErrorKind::NoScript)
        {
            let mut whole = Cmd::new();
            whole.arg("EVAL").arg(script.text);
            for argument in command.args_iter().skip(2) {
                if let Arg::Simple(argument) = argument {
                    whole.arg(argument);
                }
            }
            answer = self.write(&whole).await;
        }
        self.command = command;
        answer
    }

    async fn load(&mut self, script: &Script) -> Done<String> {
        let mut command = redis::cmd("SCRIPT");
        command.arg("LOAD").arg(script.text);
        match self.send(&command).await? {
            Value::BulkString(hash) => String::from_utf8(hash)
                .map_err(|_| Failure::Broken("the hash of a script is not text".to_owned())),
            other => Err(Failure::Broken(format!("SCRIPT LOAD answered {other:?}"))),
        }
    }

    /// Sends a command that writes and, where the options say so, waits for replicas.
    pub async fn write(&mut self, command: &Cmd) -> Done<Value> {
        let Options { wait_replicas: wanted, wait_timeout_ms: milliseconds, .. } =
            self.lane.server.options;
        if wanted == 0 {
            return self.send(command).await;
        }
        // Both on the same connection: WAIT asks for what this connection wrote.
        let mut both = Pipeline::with_capacity(2);
        both.add_command(command.clone());
        both.cmd("WAIT").arg(wanted).arg(milliseconds);
        let answers = match self.held().await? {
            Connection::One(connection) => connection.send_packed_commands(&both, 0, 2).await,
            Connection::Cluster(connection) => connection.req_packed_commands(&both, 0, 2).await,
        };
        let mut answers = answers.map_err(|e| self.failed(e))?.into_iter();
        let written = answers.next().unwrap_or_default();
        let written = no_error(written).map_err(|e| self.failed(e))?;
        match no_error(answers.next().unwrap_or_default()).map_err(|e| self.failed(e))? {
            Value::Int(replicas) if replicas >= i64::from(wanted) => Ok(written),
            Value::Int(replicas) => {
                Err(Failure::NotReplicated { answer: written, replicas, wanted, milliseconds })
            }
            other => Err(Failure::Broken(format!("WAIT answered {other:?}"))),
        }
    }
}

/// The lane's connection, made anew if it is the one that was lost.
async fn hold(lane: &Arc<Lane>, lost: Option<u64>) -> Result<Held> {
    let mut current = lane.current.lock().await;
    let turn = match &*current {
        Some(held) if lost.is_none_or(|lost| held.turn > lost) => return Ok(held.clone()),
        Some(held) => held.turn + 1,
        None => 0,
    };
    let held = Held { connection: lane.server.connect().await?, turn };
    *current = Some(held.clone());
    Ok(held)
}

/// An error that the server answered is an error.
#[inline]
fn no_error(value: Value) -> RedisResult<Value> {
    match value {
        Value::ServerError(e) => Err(e.into()),
        value => Ok(value),
    }
}
