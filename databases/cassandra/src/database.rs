//! The cluster that a URL names.

use std::sync::Arc;

use hoap_database::engine::{
    About, Analytics, BoxedStore, Calls, Documents, Engine, Joins, Offered, Pages, Transactions,
};
use hoap_database::failure::Done;
use hoap_record::Description;
use hoap_record::Result;

use super::parsed_url::ParsedUrl;
use super::runtimes::{RuntimeSession, RuntimeSessions};
use super::{schema, server};

/// Why it has no transactions.
pub(super) const NO_TRANSACTIONS: &str = "a statement here changes one partition, and nothing makes the changes of several one step \
                               that can be undone";

/// Why it has no analytical queries.
pub(super) const NO_ANALYTICS: &str =
    "CQL reads one table by its key, without joins and without grouping by other columns";

/// Why it has no pages.
pub(super) const NO_PAGES: &str =
    "CQL has no OFFSET, and reads by the key of a table, not by a field within a document";

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
            ..About::new(&self.description.name, &self.place.url, &["hoap_"], Calls::Server)
        }
    }

    fn description(&self) -> Description {
        self.description.clone()
    }

    fn documents(&self) -> Offered<&dyn Documents> {
        Ok(self)
    }

    fn transactions(&self) -> Offered<&dyn Transactions> {
        Err(NO_TRANSACTIONS)
    }

    fn analytics(&self) -> Offered<&dyn Analytics> {
        Err(NO_ANALYTICS)
    }

    fn key_value(&self) -> Offered<&dyn BoxedStore> {
        Ok(self)
    }

    fn pages(&self) -> Offered<&dyn Pages> {
        Err(NO_PAGES)
    }

    fn joins(&self) -> Offered<&dyn Joins> {
        Ok(self)
    }
}
