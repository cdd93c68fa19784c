//! The handle that [`super::open`] returns.

use std::sync::Arc;

use super::link::Pools;
use super::server::Server;

/// A PostgreSQL database. Clones share the pools of connections, if there are any.
#[derive(Clone)]
pub struct Postgres {
    pub(super) pools: Arc<Pools>,
}

impl Postgres {
    pub(super) fn server(&self) -> &Server {
        &self.pools.server
    }
}
