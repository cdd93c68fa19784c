//! The link of a client to the server: a connection of its own, or one of a pool for each
//! operation.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hoap_database::failure::{Done, Failure};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connection::Connection;
use super::server::{Role, Server};

/// The server, and a pool of connections for each role, which clients share.
pub(super) struct Pools {
    pub server: Server,
    pools: Mutex<HashMap<Role, Arc<Pool>>>,
    /// Connections that readers of whole collections and writers of a load have left, and when, for
    /// the next ones.
    left: Mutex<Vec<(Instant, Connection)>>,
}

/// How long what was left may be taken: from one reader or writer to the next. What is between
/// driver and server forgets connections on which nothing is said.
const LEFT: Duration = Duration::from_secs(5);

/// The connections of a role: a limited number, in use or idle.
struct Pool {
    permits: Arc<Semaphore>,
    #[allow(clippy::vec_box)] // They are moved in and out all the time.
    idle: Mutex<Vec<Box<Connection>>>,
}

impl Pools {
    pub fn new(server: Server) -> Self {
        Pools { server, pools: Mutex::default(), left: Mutex::default() }
    }

    /// A connection to read collections and what is noted of them: one that was left, or a new one.
    /// It is closed at once unless the reader comes to its end ([`Pools::leave`]).
    ///
    /// # Errors
    /// Those of [`Server::connect`].
    pub async fn reading(&self) -> Done<Connection> {
        match self.left() {
            Some(mut left) => {
                left.ask();
                Ok(left)
            }
            None => self.server.maintain().await,
        }
    }

    /// Takes a connection that was just left.
    fn left(&self) -> Option<Connection> {
        let mut left = lock(&self.left);
        let (_, connection) = std::iter::from_fn(|| left.pop())
            .find(|(at, connection)| at.elapsed() < LEFT && connection.is_at_rest())?;
        Some(connection)
    }

    /// Leaves a connection, of which every answer has come, to the next reader or writer.
    pub fn leave(&self, mut connection: Connection) {
        connection.rest();
        if !connection.is_lost() {
            lock(&self.left).push((Instant::now(), connection));
        }
    }

    /// Closes what was left.
    pub fn close_left(&self) {
        lock(&self.left).clear();
    }

    fn pool(&self, role: Role) -> Arc<Pool> {
        let mut pools = lock(&self.pools);
        let new = || {
            let permits = Arc::new(Semaphore::new(self.server.options.pool as usize));
            Arc::new(Pool { permits, idle: Mutex::default() })
        };
        pools.entry(role).or_insert_with(new).clone()
    }
}

/// The guarded values are consistent wherever a thread could panic.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The link of a client to the server. A lost connection is replaced at the next use.
pub(super) struct Link {
    pub pools: Arc<Pools>,
    role: Role,
    /// Its own connection, where there is no pool.
    own: Option<Connection>,
    /// Whether the present operation has a connection, and may have sent something.
    sent: bool,
}

impl Link {
    /// Connects, so that a wrong URL fails before the first operation.
    pub async fn new(pools: Arc<Pools>, role: Role) -> Done<Self> {
        if role != Role::Maintenance {
            // The server may have no more connections than the clients need.
            pools.close_left();
        }
        let mut link = Link { pools, role, own: None, sent: false };
        link.hold().await?.rest();
        Ok(link)
    }

    /// For a writer of a load: with a connection that was just left, or connects.
    pub async fn of_writer(pools: Arc<Pools>) -> Done<Self> {
        match pools.left() {
            Some(own) => Ok(Link { pools, role: Role::Maintenance, own: Some(own), sent: false }),
            None => Link::new(pools, Role::Maintenance).await,
        }
    }

    /// Leaves its own connection to the next reader or writer.
    pub fn leave(&mut self) {
        if let Some(own) = self.own.take().filter(Connection::is_at_rest) {
            self.pools.leave(own);
        }
    }

    /// A connection for one transaction or operation, which says when it has its answer
    /// ([`Connection::answered`]): otherwise nobody uses the connection again.
    ///
    /// # Errors
    /// Returns [`hoap_record::ErrorKind::Unavailable`] where there is none and one attempt to
    /// connect failed.
    pub async fn hold(&mut self) -> Done<HeldConnection<'_>> {
        self.sent = false;
        // In boxes: the future of connecting is large, and would be part of every operation's.
        let server = &self.pools.server;
        let mut held = if server.options.pool > 0 {
            HeldConnection::Leased(Box::pin(lease(&self.pools, self.role)).await?)
        } else {
            if !self.own.as_ref().is_some_and(Connection::is_at_rest) {
                self.own = None;
                self.own = Some(Box::pin(server.connect(self.role)).await?);
            }
            HeldConnection::Own(self.own.as_mut().expect("it was made above"))
        };
        held.ask();
        self.sent = true;
        Ok(held)
    }

    /// Gives up the connection of an operation that was dropped before its answer came. One of a
    /// pool was given up when it was dropped. Returns whether the operation may have sent anything.
    pub fn abandon(&mut self) -> bool {
        self.own = None;
        self.sent
    }
}

async fn lease(pools: &Arc<Pools>, role: Role) -> Done<Lease> {
    let pool = pools.pool(role);
    let tried = || format!("take a pooled connection to {}", pools.server.url);
    let permit = pool.permits.clone().acquire_owned().await;
    let permit = permit.map_err(|e| Failure::broken(e).trying(tried()))?;
    let idle = {
        let mut idle = lock(&pool.idle);
        std::iter::from_fn(|| idle.pop()).find(|connection| connection.is_at_rest())
    };
    let connection = match (idle, pools.server.runtime()) {
        (Some(connection), _) => connection,
        // The connection may outlive the client that makes it, and so must the task that serves it.
        (None, Some(runtime)) => {
            let pools = pools.clone();
            let connecting = runtime.spawn(async move { pools.server.connect(role).await });
            Box::new(connecting.await.map_err(|e| Failure::broken(e).trying(tried()))??)
        }
        (None, None) => Box::new(pools.server.connect(role).await?),
    };
    Ok(Lease { connection: Some(connection), pool, _permit: permit })
}

/// A connection in use.
pub(super) enum HeldConnection<'a> {
    Own(&'a mut Connection),
    Leased(Lease),
}

impl Deref for HeldConnection<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        match self {
            HeldConnection::Own(connection) => connection,
            HeldConnection::Leased(lease) => lease.connection.as_ref().expect(LEASED),
        }
    }
}

impl DerefMut for HeldConnection<'_> {
    fn deref_mut(&mut self) -> &mut Connection {
        match self {
            HeldConnection::Own(connection) => connection,
            HeldConnection::Leased(lease) => lease.connection.as_mut().expect(LEASED),
        }
    }
}

const LEASED: &str = "a lease has its connection until it is dropped";

/// A connection of a pool, returned when this is dropped.
pub(super) struct Lease {
    connection: Option<Box<Connection>>,
    pool: Arc<Pool>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Before the permit is released: the next client finds the connection.
        if let Some(connection) = self.connection.take().filter(|c| c.is_at_rest()) {
            lock(&self.pool.idle).push(connection);
        }
    }
}
