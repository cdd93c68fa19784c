//! The handle that [`super::open`] returns.

use std::sync::Arc;
use std::time::Duration;

use super::link::Pools;
use super::server::Server;
use crate::front::Front;
use crate::front::engine::Engine;

/// A PostgreSQL database. Clones share the pools of connections, if there are any.
pub type Postgres = Front<PostgresEngine>;

/// What is PostgreSQL's of it.
pub struct PostgresEngine {
    pub(super) pools: Arc<Pools>,
}

impl PostgresEngine {
    pub(super) fn server(&self) -> &Server {
        &self.pools.server
    }
}

impl Engine for PostgresEngine {
    const RESERVED: &'static [&'static str] = &["pg_", "hoap_"];

    fn url(&self) -> &str {
        &self.server().url
    }

    fn longest_name(&self) -> usize {
        // The server truncates a longer name silently (NAMEDATALEN).
        63
    }

    fn answer_timeout(&self) -> Option<Duration> {
        Some(self.server().options.answer_timeout)
    }
}
