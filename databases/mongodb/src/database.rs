//! The handle that [`super::open`] returns.

use std::sync::Arc;

use hoap_database::engine::{About, Calls, Engine, Offers, What};
use hoap_record::Description;

use super::layout::RESERVED;
use super::server::Server;
use super::settings;

/// A MongoDB database. Clients share the driver's client and its connections.
pub struct MongoDbEngine {
    pub(super) server: Arc<Server>,
}

/// What a server that is neither a replica set nor a sharded cluster offers.
const ALONE: Offers = Offers(&[(
    What::Transactions,
    "they want a replica set or a sharded cluster, and this server is neither",
)]);

impl Engine for MongoDbEngine {
    fn about(&self) -> About {
        About {
            offers: if self.server.facts.transactions() { Offers(&[]) } else { ALONE },
            answer_timeout: Some(self.server.options.answer_timeout),
            ..About::new("MongoDB", &self.server.shown, RESERVED, Calls::Server)
        }
    }

    fn description(&self) -> Description {
        settings::description(&self.server)
    }

    hoap_database::gives!(documents, export, transactions, analytics, key_value, shop);
}
