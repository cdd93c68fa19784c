//! The cluster that a URL names.

use std::sync::Arc;

use hoap_database::engine::{About, Calls, Engine, Offers, What};
use hoap_database::failure::Done;
use hoap_record::Description;
use hoap_record::Result;

use super::parsed_url::ParsedUrl;
use super::runtimes::{RuntimeSession, RuntimeSessions};
use super::{schema, server};

const NO_TRANSACTIONS: &str = "a statement here changes one partition, and nothing makes the changes of several one step \
                               that can be undone";
const NO_ANALYTICS: &str =
    "CQL reads one table by its key, without joins and without grouping by other columns";
const NO_PAGES: &str =
    "CQL has no OFFSET, and reads by the key of a table, not by a field within a document";

pub(super) const NO_PATCHES: &str =
    "a document is JSON text in one column, of which CQL changes all or nothing";
pub(super) const NO_FINDS: &str = "its indexes on JSON text would be tables of hoap's own, which no statement keeps up to date \
     together with the document";

const NO_LEARN: &str = "its rows are no documents: export them as NDJSON (dsbulk unload --connector.name \
                        json) and learn from that file";

/// What it offers, and why not the rest.
pub const OFFERS: Offers = Offers(&[
    (What::Transactions, NO_TRANSACTIONS),
    (What::Analytics, NO_ANALYTICS),
    (What::Pagination, NO_PAGES),
    (What::Patches, NO_PATCHES),
    (What::NestedPatches, NO_PATCHES),
    (What::Finds, NO_FINDS),
    (What::Learn, NO_LEARN),
    (What::Ranges, "its rows are in the order of a hash of their keys"),
]);

/// A cluster.
pub struct CassandraEngine {
    place: Arc<ParsedUrl>,
    pub(super) description: Description,
    sessions: Arc<RuntimeSessions>,
    /// Keeps the session of the runtime in which the cluster was opened, for later calls there.
    _home: Arc<RuntimeSession>,
}

impl CassandraEngine {
    /// Connects, and asks the cluster for its description.
    pub(super) async fn open(place: ParsedUrl) -> Result<CassandraEngine> {
        let place = Arc::new(place);
        let tried = || format!("open {}", place.url);
        let sessions = Arc::new(RuntimeSessions::new(place.clone())?);
        let home = sessions.get().await.map_err(|e| e.into_error(tried()))?;
        let description = server::describe(&home).await.map_err(|e| e.into_error(tried()))?;
        Ok(CassandraEngine { place, description, sessions, _home: home })
    }

    /// The driver's session of the current runtime.
    pub(super) async fn connection(&self) -> Done<Arc<RuntimeSession>> {
        self.sessions.get().await
    }
}

// No session has to abandon a connection: the driver tells the answers on one apart by the numbers
// of their requests and throws away those that come late.
impl Engine for CassandraEngine {
    fn about(&self) -> About {
        About {
            longest_name: schema::LONGEST_NAME,
            longest_index: schema::LONGEST_NAME,
            answer_timeout: Some(self.place.options.answer_timeout),
            offers: OFFERS,
            ..About::new(&self.description.name, &self.place.url, &["hoap_"], Calls::Server)
        }
    }

    fn description(&self) -> Description {
        self.description.clone()
    }

    hoap_database::gives!(documents, operations, key_value, shop);
}
