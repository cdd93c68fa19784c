//! The cluster that a URL names.

use std::sync::Arc;

use hoap_record::Description;
use hoap_workload::Result;
use hoap_workload::capability::{Applicable, NotApplicable};

use super::place::Place;
use super::runtimes::{RuntimeSession, RuntimeSessions};
use super::server;
use crate::{Remote, RemoteJoins, RemoteKeyValue};

/// A cluster. Clones are the same one.
#[derive(Clone)]
pub struct Cassandra {
    pub(super) description: Arc<Description>,
    sessions: Arc<RuntimeSessions>,
    /// Keeps the session of the runtime in which the cluster was opened, for later calls there.
    _home: Arc<RuntimeSession>,
}

impl Cassandra {
    /// Connects, and asks the cluster for its description.
    pub(super) async fn open(place: Place) -> Result<Cassandra> {
        let sessions = Arc::new(RuntimeSessions::new(Arc::new(place))?);
        let home = sessions.get().await?;
        let description = Arc::new(server::describe(&home).await?);
        Ok(Cassandra { description, sessions, _home: home })
    }

    /// With what it lacks, and why.
    pub(crate) fn remote(self) -> Remote {
        let pages = self.not_applicable(
            "pagination",
            "CQL has no OFFSET, and reads by the key of a table, not by a field within a document",
        );
        let target = Arc::new(self);
        Remote {
            key_value: Ok(RemoteKeyValue::new(target.clone())),
            joins: Ok(RemoteJoins::new(target.clone())),
            target,
            pages,
        }
    }

    /// The driver's session of the current runtime.
    pub(super) async fn connection(&self) -> Result<Arc<RuntimeSession>> {
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
