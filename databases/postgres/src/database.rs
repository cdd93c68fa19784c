//! The handle that [`super::open`] returns.

use std::sync::Arc;

use hoap_database::engine::{About, Calls, Engine};
use hoap_record::Description;

use super::link::Pools;
use super::server::Server;
use super::settings;

/// A PostgreSQL database. Clients share the pools of connections, if there are any.
pub struct PostgresEngine {
    pub(super) pools: Arc<Pools>,
}

impl PostgresEngine {
    pub(super) fn server(&self) -> &Server {
        &self.pools.server
    }
}

impl Engine for PostgresEngine {
    fn about(&self) -> About {
        About {
            // The server truncates a longer name silently (NAMEDATALEN).
            longest_name: 63,
            longest_index: 63,
            answer_timeout: Some(self.server().options.answer_timeout),
            ..About::new("PostgreSQL", &self.server().url, &["pg_", "hoap_"], Calls::Server)
        }
    }

    fn description(&self) -> Description {
        settings::description(self.server())
    }

    hoap_database::gives!(documents, export, transactions, analytics, key_value, shop);
}
