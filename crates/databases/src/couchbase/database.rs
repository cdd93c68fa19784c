//! The handle that [`super::open`] returns.

use std::sync::Arc;

use hoap_workload::Result;

use super::error;
use super::query::Node;
use super::server::Server;
use crate::sqlpp::Doing;

/// A scope of a bucket. Clones share the driver.
#[derive(Clone)]
pub struct Couchbase {
    pub(super) server: Arc<Server>,
}

impl Couchbase {
    /// A client of the next query node.
    pub(super) fn node(&self) -> Result<Node> {
        Node::new(self.server.clone())
    }

    pub(super) fn url(&self) -> &str {
        &self.server.place.url
    }

    /// Runs an operation of the driver within its time limit.
    pub(super) async fn limited<T>(
        &self,
        operation: impl Future<Output = couchbase::error::Result<T>>,
        doing: Doing,
        tried: impl Fn() -> String,
    ) -> Result<couchbase::error::Result<T>> {
        let limit = self.server.place.options.kv_timeout;
        match tokio::time::timeout(limit, operation).await {
            Ok(done) => Ok(done),
            Err(_) => Err(error::late(doing, limit.as_millis(), tried())),
        }
    }
}
