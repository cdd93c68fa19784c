//! The handle that [`super::open`] returns.

use std::sync::Arc;
use std::time::Duration;

use hoap_database::{Applicable, NotApplicable};
use hoap_record::Description;
use hoap_record::Result;

use super::options::ParsedUrl;
use super::server::Server;
use super::{describe, layout};
use crate::front::Front;
use crate::front::engine::Engine;
use crate::remote::{Remote, RemoteKeyValue};

/// DynamoDB in a region. Clones are the same one.
pub type DynamoDb = Front<DynamoDbEngine>;

/// What is DynamoDB's of it.
pub struct DynamoDbEngine {
    pub(super) server: Arc<Server>,
    pub(super) description: Description,
}

impl DynamoDbEngine {
    /// Asks the service which tables of the prefix there are.
    pub(super) async fn open(place: ParsedUrl) -> Result<DynamoDbEngine> {
        let server = Arc::new(Server::new(place).await);
        let description = describe::describe(&server).await;
        let description =
            description.map_err(|failure| failure.into_error(format!("open {}", server.url)))?;
        Ok(DynamoDbEngine { server, description })
    }
}

// No session has to abandon a connection: the driver closes the one on which an answer is given up,
// and the service has no transaction that a client leaves open.
impl Engine for DynamoDbEngine {
    const RESERVED: &'static [&'static str] = &["hoap_"];

    fn url(&self) -> &str {
        &self.server.url
    }

    fn longest_name(&self) -> usize {
        let before = layout::table(&self.server.options.prefix, "");
        layout::LONGEST_TABLE - before.len()
    }

    fn longest_index(&self) -> usize {
        let before = layout::index(&self.server.options.prefix, "");
        layout::LONGEST_TABLE - before.len()
    }

    fn answer_timeout(&self) -> Option<Duration> {
        Some(self.server.options.answer_timeout)
    }
}

pub(super) const NO_SHOP: &str =
    "its indexes hold no nested field such as address.country, and it has no join";

impl DynamoDb {
    /// With what it lacks, and why.
    pub(crate) fn remote(self) -> Remote {
        let because = NO_SHOP;
        let target = Arc::new(self);
        Remote {
            key_value: Ok(RemoteKeyValue::new(target.clone())),
            target,
            pages: not_applicable("pagination and join", because),
            joins: not_applicable("pagination and join", because),
        }
    }
}

pub(super) fn not_applicable<T>(capability: &'static str, because: &'static str) -> Applicable<T> {
    Err(NotApplicable { capability, database: describe::NAME.to_owned(), because })
}
