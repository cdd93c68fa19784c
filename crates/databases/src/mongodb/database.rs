//! The handle that [`super::open`] returns.

use std::sync::Arc;
use std::time::Duration;

use super::layout::RESERVED;
use super::server::Server;
use crate::front::Front;
use crate::front::engine::Engine;

/// A MongoDB database. Clones share the driver's client and its connections.
pub type MongoDb = Front<MongoDbEngine>;

/// What is MongoDB's of it.
pub struct MongoDbEngine {
    pub(super) server: Arc<Server>,
}

impl Engine for MongoDbEngine {
    const RESERVED: &'static [&'static str] = RESERVED;

    fn url(&self) -> &str {
        &self.server.shown
    }

    fn answer_timeout(&self) -> Option<Duration> {
        Some(self.server.options.answer_timeout)
    }
}
