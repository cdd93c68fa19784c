//! The handle that [`super::open`] returns.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use hoap_database::engine::{About, Calls, Engine, Offers, What};
use hoap_database::failure::Done;
use hoap_record::Description;

use super::error;
use super::query::Node;
use super::server::Server;

/// What names of collections must not begin with.
pub(super) const RESERVED: &[&str] = &["_", "hoap_"];

const NO_ANALYTICS: &str = "its queries are for transactions: analytical ones run on its Analytics \
                            service or Capella Columnar, which --analytical \
                            couchbase-analytics://… names";

const NO_LEARN: &str = "a collection is read by its keys, which only its own tools list: export it \
                        (cbexport json --format lines) and learn from that file";

/// What it offers, and why not the rest.
pub const OFFERS: Offers = Offers(&[(What::Analytics, NO_ANALYTICS), (What::Learn, NO_LEARN)]);

/// A scope of a bucket. Clients share the driver.
pub struct CouchbaseEngine {
    pub(super) server: Arc<Server>,
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
    pub async fn key_value<T>(&self, operation: Operation<'_, T>) -> Done<T> {
        self.limited(operation).await?.map_err(|e| error::key_value(&e))
    }

    /// The same, with the driver's own error.
    pub async fn limited<T>(
        &self,
        operation: Operation<'_, T>,
    ) -> Done<couchbase::error::Result<T>> {
        let limit = self.place.options.kv_timeout;
        let done = tokio::time::timeout(limit, operation).await;
        done.map_err(|_| error::late(limit.as_millis()))
    }
}

impl Engine for CouchbaseEngine {
    fn about(&self) -> About {
        About {
            answer_timeout: Some(self.server.place.options.answer_timeout),
            offers: OFFERS,
            ..About::new("Couchbase Server", &self.server.place.url, RESERVED, Calls::Server)
        }
    }

    fn description(&self) -> Description {
        self.server.description()
    }

    hoap_database::gives!(documents, transactions, key_value, shop);
}
