//! The handle that [`super::open`] returns.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::error;
use super::query::Node;
use super::server::Server;
use crate::failure::Done;
use crate::front::Front;
use crate::front::engine::Engine;
use crate::sqlpp::Doing;

/// A scope of a bucket. Clones share the driver.
pub type Couchbase = Front<CouchbaseEngine>;

/// What is Couchbase's of it.
pub struct CouchbaseEngine {
    pub(super) server: Arc<Server>,
}

impl Engine for CouchbaseEngine {
    const RESERVED: &'static [&'static str] = &["_", "hoap_"];

    fn url(&self) -> &str {
        &self.server.place.url
    }

    fn answer_timeout(&self) -> Option<Duration> {
        Some(self.server.place.options.answer_timeout)
    }
}

impl CouchbaseEngine {
    /// A client of the next query node.
    pub(super) fn node(&self) -> Done<Node> {
        Node::new(self.server.clone())
    }
}

/// An operation of the driver. In a box, since the compiler limits how deep futures are in others.
pub(super) type Operation<'a, T> = BoxFuture<'a, couchbase::error::Result<T>>;

impl Server {
    /// Runs a key-value operation of the driver within its time limit.
    pub async fn key_value<T>(&self, operation: Operation<'_, T>, doing: Doing) -> Done<T> {
        self.limited(operation, doing).await?.map_err(|e| error::key_value(&e, doing))
    }

    /// The same, with the driver's own error.
    pub async fn limited<T>(
        &self,
        operation: Operation<'_, T>,
        doing: Doing,
    ) -> Done<couchbase::error::Result<T>> {
        let limit = self.place.options.kv_timeout;
        let done = tokio::time::timeout(limit, operation).await;
        done.map_err(|_| error::late(doing, limit.as_millis()))
    }
}
