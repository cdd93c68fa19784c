//! The cluster that a URL names.

use std::sync::Arc;
use std::time::Duration;

use hoap_database::{Applicable, NotApplicable};
use hoap_record::Description;
use hoap_record::Result;

use super::parsed_url::ParsedUrl;
use super::runtimes::{RuntimeSession, RuntimeSessions};
use super::{schema, server};
use crate::failure::Done;
use crate::front::Front;
use crate::front::engine::Engine;
use crate::remote::{Remote, RemoteJoins, RemoteKeyValue};

/// Why it has no pages.
pub(super) const NO_PAGES: &str =
    "CQL has no OFFSET, and reads by the key of a table, not by a field within a document";

/// A cluster. Clones are the same one.
pub type Cassandra = Front<CassandraEngine>;

/// The engine behind [`Front`].
pub struct CassandraEngine {
    place: Arc<ParsedUrl>,
    pub(super) description: Description,
    sessions: Arc<RuntimeSessions>,
    /// Keeps the session of the runtime in which the cluster was opened, for later calls there.
    _home: Arc<RuntimeSession>,
}

// No session has to abandon a connection: the driver tells the answers on one apart by the numbers
// of their requests and throws away those that come late.
impl Engine for CassandraEngine {
    const RESERVED: &'static [&'static str] = &["hoap_"];

    fn url(&self) -> &str {
        &self.place.url
    }

    fn longest_name(&self) -> usize {
        schema::LONGEST_NAME
    }

    fn answer_timeout(&self) -> Option<Duration> {
        Some(self.place.options.answer_timeout)
    }
}

impl Cassandra {
    /// With what it lacks, and why.
    pub(crate) fn remote(self) -> Remote {
        let pages = self.0.not_applicable("pagination", NO_PAGES);
        let target = Arc::new(self);
        Remote {
            key_value: Ok(RemoteKeyValue::new(target.clone())),
            joins: Ok(RemoteJoins::new(target.clone())),
            target,
            pages,
        }
    }
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

    pub(super) fn not_applicable<T>(
        &self,
        capability: &'static str,
        because: &'static str,
    ) -> Applicable<T> {
        Err(NotApplicable { capability, database: self.description.name.clone(), because })
    }
}
