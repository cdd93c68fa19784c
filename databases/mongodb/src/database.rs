//! The handle that [`super::open`] returns.

use std::sync::Arc;

use hoap_database::engine::{
    About, Analytics, BoxedStore, Calls, Documents, Engine, Joins, Offered, Pages, Transactions,
};
use hoap_record::Description;

use super::layout::RESERVED;
use super::server::Server;
use super::settings;

/// A MongoDB database. Clients share the driver's client and its connections.
pub struct MongoDbEngine {
    pub(super) server: Arc<Server>,
}

impl Engine for MongoDbEngine {
    fn about(&self) -> About {
        About {
            answer_timeout: Some(self.server.options.answer_timeout),
            ..About::new("MongoDB", &self.server.shown, RESERVED, Calls::Server)
        }
    }

    fn description(&self) -> Description {
        settings::description(&self.server)
    }

    fn documents(&self) -> Offered<&dyn Documents> {
        Ok(self)
    }

    fn transactions(&self) -> Offered<&dyn Transactions> {
        match self.server.facts.transactions() {
            true => Ok(self),
            false => {
                Err("they want a replica set or a sharded cluster, and this server is neither")
            }
        }
    }

    fn analytics(&self) -> Offered<&dyn Analytics> {
        Ok(self)
    }

    fn key_value(&self) -> Offered<&dyn BoxedStore> {
        Ok(self)
    }

    fn pages(&self) -> Offered<&dyn Pages> {
        Ok(self)
    }

    fn joins(&self) -> Offered<&dyn Joins> {
        Ok(self)
    }
}
