//! A client's way to the server: a connection of its own, or one of a pool for a while.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

use hoap_workload::{Error, ErrorKind, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connection::Connection;
use super::server::{Role, Server};

/// The server with the pools that clients share, one a role.
pub(super) struct Shared {
    pub server: Server,
    pools: Mutex<HashMap<Role, Arc<Pool>>>,
}

/// At most so many connections, in the hands of clients or idle.
struct Pool {
    permits: Arc<Semaphore>,
    #[allow(clippy::vec_box)] // They are moved in and out all the time.
    idle: Mutex<Vec<Box<Connection>>>,
}

impl Shared {
    pub fn new(server: Server) -> Self {
        Shared { server, pools: Mutex::default() }
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

/// What a mutex guards here is whole at every point where a thread could panic.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A client's way to the server. A connection that was lost is made anew at the next use.
pub(super) struct Link {
    pub shared: Arc<Shared>,
    role: Role,
    /// Its own connection, where there is no pool.
    own: Option<Connection>,
}

impl Link {
    /// Connects, so that what is wrong shows itself before the first operation.
    pub async fn new(shared: Arc<Shared>, role: Role) -> Result<Self> {
        let mut link = Link { shared, role, own: None };
        link.hold().await?;
        Ok(link)
    }

    /// The URL without user and password.
    pub fn url(&self) -> &str {
        &self.shared.server.url
    }

    /// A connection for one transaction or operation.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] where there is none and one attempt to connect failed.
    pub async fn hold(&mut self) -> Result<Held<'_>> {
        // In boxes: what connects is large, and this is part of the future of every operation.
        let server = &self.shared.server;
        if server.options.pool > 0 {
            return Box::pin(lease(&self.shared, self.role)).await.map(Held::Leased);
        }
        if self.own.as_ref().is_none_or(Connection::is_lost) {
            self.own = None;
            self.own = Some(Box::pin(server.connect(self.role)).await?);
        }
        Ok(Held::Own(self.own.as_mut().expect("it was made above")))
    }
}

async fn lease(shared: &Arc<Shared>, role: Role) -> Result<Lease> {
    let pool = shared.pool(role);
    let tried = || format!("take a pooled connection to {}", shared.server.url);
    let permit = pool.permits.clone().acquire_owned().await;
    let permit = permit.map_err(|e| Error::new(ErrorKind::Broken, tried(), e))?;
    let idle = {
        let mut idle = lock(&pool.idle);
        std::iter::from_fn(|| idle.pop()).find(|connection| !connection.is_lost())
    };
    let connection = match (idle, shared.server.runtime()) {
        (Some(connection), _) => connection,
        // It outlives the client that makes it, and so must what serves it.
        (None, Some(runtime)) => {
            let shared = shared.clone();
            let connecting = runtime.spawn(async move { shared.server.connect(role).await });
            Box::new(connecting.await.map_err(|e| Error::new(ErrorKind::Broken, tried(), e))??)
        }
        (None, None) => Box::new(shared.server.connect(role).await?),
    };
    Ok(Lease { connection: Some(connection), pool, _permit: permit })
}

/// A connection in use.
pub(super) enum Held<'a> {
    Own(&'a mut Connection),
    Leased(Lease),
}

impl Deref for Held<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        match self {
            Held::Own(connection) => connection,
            Held::Leased(lease) => lease.connection.as_ref().expect(LEASED),
        }
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut Connection {
        match self {
            Held::Own(connection) => connection,
            Held::Leased(lease) => lease.connection.as_mut().expect(LEASED),
        }
    }
}

const LEASED: &str = "a lease has its connection until it is dropped";

/// A connection of a pool. Dropping it gives it back.
pub(super) struct Lease {
    connection: Option<Box<Connection>>,
    pool: Arc<Pool>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Before the permit goes: whoever gets that finds the connection.
        if let Some(connection) = self.connection.take().filter(|c| !c.is_lost()) {
            lock(&self.pool.idle).push(connection);
        }
    }
}
