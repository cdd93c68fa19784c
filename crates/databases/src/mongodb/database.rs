//! The handle that [`super::open`] returns.

use std::sync::Arc;

use super::server::Server;

/// A MongoDB database. Clones share the driver's client and its connections.
#[derive(Clone)]
pub struct MongoDb {
    pub(super) server: Arc<Server>,
}
