//! The handle that [`super::open`] returns.

use std::collections::BTreeMap;
use std::sync::Arc;

use hoap_database::engine::{About, Calls, Engine, Offers, What};
use hoap_record::Description;
use hoap_record::Result;

use super::options::ParsedUrl;
use super::server::Server;
use super::{describe, files, layout};

const NO_ANALYTICS: &str =
    "it has neither joins nor aggregates: they run on what is exported from it";

const NO_LEARN: &str = "a scan of a table takes capacity that its users pay for: export the \
                        documents as plain NDJSON and learn from that file";

const NO_RANGES: &str = "its tables are in the order of a hash of their keys";

/// What it offers, and why not the rest.
pub const OFFERS: Offers =
    Offers(&[(What::Analytics, NO_ANALYTICS), (What::Learn, NO_LEARN), (What::Ranges, NO_RANGES)]);

/// DynamoDB in a region.
pub struct DynamoDbEngine {
    pub(super) server: Arc<Server>,
    pub(super) description: Description,
}

impl DynamoDbEngine {
    /// Asks the service which tables of the prefix there are.
    pub(super) async fn open(place: ParsedUrl) -> Result<DynamoDbEngine> {
        files::look(&place.options.credentials_file)?;
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
    fn about(&self) -> About {
        let longest = |named: fn(&str, &str) -> String| {
            layout::LONGEST_TABLE - named(&self.server.options.prefix, "").len()
        };
        About {
            longest_name: longest(layout::table),
            longest_index: longest(layout::index),
            answer_timeout: Some(self.server.options.answer_timeout),
            offers: OFFERS,
            ..About::new(describe::NAME, &self.server.url, &["hoap_"], Calls::Server)
        }
    }

    fn description(&self) -> Description {
        self.description.clone()
    }

    fn usage(&self) -> BTreeMap<String, f64> {
        self.server.counters.all()
    }

    hoap_database::gives!(documents, transactions, key_value, shop);
}
