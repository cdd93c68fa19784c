//! The driver's sessions, one for each runtime.
//!
//! A session of the driver keeps a connection to each node, and tasks that read and write them. These run
//! in the runtime in which the session was made, and end with it: so each worker thread of a run, which has a
//! runtime of its own, gets a session of its own, and its clients share that.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use hoap_workload::Result;
use hoap_workload::capability::key_value::Table;
use scylla::client::PoolSize;
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::{Session, TlsContext};
use scylla::client::session_builder::SessionBuilder;
use scylla::errors::ExecutionError;
use scylla::policies::load_balancing::DefaultPolicy;
use scylla::policies::retry::FallthroughRetryPolicy;
use scylla::response::query_result::QueryResult;
use scylla::serialize::row::SerializeRow;
use scylla::statement::{Consistency, SerialConsistency, Statement};
use tokio::runtime::{Handle, Id};

use super::error::{self, Done, Failure};
use super::lookups::Lookup;
use super::options::Options;
use super::place::Place;
use super::rows::Rows;
use super::statements::Statements;
use super::tls;

/// How long the nodes may take to change the schema and agree on it.
const SCHEMA: Duration = Duration::from_secs(120);

/// A session of the driver and what its clients share.
pub(super) struct Lane {
    pub place: Arc<Place>,
    pub session: Session,
    /// The statements of tables that have clients.
    pub tables: tokio::sync::Mutex<Vec<(Table, Weak<Statements>)>>,
    /// The statements of collections and look-ups that transactions use, by their names.
    pub rows: tokio::sync::Mutex<HashMap<String, Arc<Rows>>>,
    pub lookups: tokio::sync::Mutex<HashMap<String, Arc<Lookup>>>,
    /// Held while a table gets columns: one change of the schema at a time.
    pub altering: Arc<tokio::sync::Mutex<()>>,
}

impl Lane {
    pub fn options(&self) -> &Options {
        &self.place.options
    }

    /// A table of the keyspace as statements name it.
    pub fn table(&self, name: &str) -> String {
        format!("\"{}\".\"{name}\"", self.place.keyspace)
    }

    /// The consistency of a read that sees what lightweight transactions have agreed on.
    pub fn serial(&self) -> Consistency {
        match self.options().serial_consistency {
            SerialConsistency::Serial => Consistency::Serial,
            SerialConsistency::LocalSerial => Consistency::LocalSerial,
        }
    }

    /// Runs a statement once.
    pub async fn run(
        &self,
        text: impl Into<String>,
        consistency: Consistency,
        values: impl SerializeRow,
    ) -> Done<QueryResult> {
        let mut statement = Statement::new(text);
        statement.set_consistency(consistency);
        Ok(self.session.query_unpaged(statement, values).await?)
    }

    /// Changes the schema; returns when all nodes that are up have it. A node that does not know yet what
    /// somebody else has just made by way of another one is asked again once they agree.
    pub async fn alter(&self, text: impl Into<String>) -> Done<()> {
        let mut statement = Statement::new(text);
        statement.set_request_timeout(Some(SCHEMA));
        for _ in 0..5 {
            match self.session.query_unpaged(statement.clone(), ()).await.map_err(Failure::from) {
                Err(e) if e.is_missing() => self.agree().await?,
                done => return done.map(drop),
            }
        }
        self.session.query_unpaged(statement, ()).await.map(drop).map_err(Failure::from)
    }

    /// Waits until all nodes that are up have the same schema. What is in a node's tables of the schema it
    /// knows a moment later.
    pub async fn agree(&self) -> Done<()> {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let agreed = self.session.await_schema_agreement().await;
        agreed.map(drop).map_err(|e| Failure::from(ExecutionError::from(e)))
    }
}

/// The session of each runtime.
pub(super) struct Lanes {
    place: Arc<Place>,
    tls: Option<TlsContext>,
    altering: Arc<tokio::sync::Mutex<()>>,
    made: Mutex<HashMap<Id, Arc<tokio::sync::Mutex<Weak<Lane>>>>>,
}

impl Lanes {
    pub fn new(place: Arc<Place>) -> Result<Lanes> {
        let tls = tls::context(&place)?;
        Ok(Lanes { place, tls, altering: Default::default(), made: Default::default() })
    }

    /// The session of this runtime, made where there is none.
    pub async fn get(&self) -> Result<Arc<Lane>> {
        let slot = {
            let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            // Runtimes end with their step, and their sessions with them.
            made.retain(|_, slot| {
                Arc::strong_count(slot) > 1
                    || slot.try_lock().is_ok_and(|lane| lane.strong_count() > 0)
            });
            made.entry(Handle::current().id()).or_default().clone()
        };
        let mut slot = slot.lock().await;
        if let Some(lane) = slot.upgrade() {
            return Ok(lane);
        }
        let lane = Arc::new(Lane {
            session: self.connect().await?,
            place: self.place.clone(),
            tables: Default::default(),
            rows: Default::default(),
            lookups: Default::default(),
            altering: self.altering.clone(),
        });
        *slot = Arc::downgrade(&lane);
        Ok(lane)
    }

    async fn connect(&self) -> Result<Session> {
        let Place { url, hosts, keyspace, credentials, options } = &*self.place;
        let mut policy = DefaultPolicy::builder().token_aware(options.token_aware);
        if !options.datacenter.is_empty() {
            policy = policy.prefer_datacenter(options.datacenter.clone());
        }
        let profile = ExecutionProfile::builder()
            .consistency(options.read_consistency)
            .serial_consistency(Some(options.serial_consistency))
            .request_timeout(Some(options.request_timeout))
            .load_balancing_policy(policy.build())
            .retry_policy(Arc::new(FallthroughRetryPolicy::new()))
            .speculative_execution_policy(None)
            .build();
        let connections =
            NonZeroUsize::new(options.connections as usize).unwrap_or(NonZeroUsize::MIN);
        let mut builder = SessionBuilder::new()
            .known_nodes(hosts)
            .default_execution_profile_handle(profile.into_handle())
            .connection_timeout(options.connect_timeout)
            .pool_size(PoolSize::PerShard(connections))
            // What token-aware routing needs, and no more.
            .keyspaces_to_fetch([keyspace])
            .fetch_full_schema_metadata(false)
            .schema_agreement_timeout(SCHEMA)
            .tls_context(self.tls.clone());
        if let Some(user) = &credentials.user {
            builder = builder.user(user, credentials.password.as_deref().unwrap_or_default());
        }
        builder.build().await.map_err(|e| {
            let e = error::connecting(&e, format!("connect to {url}"));
            match &credentials.ignored {
                Some(why) if credentials.password.is_none() => {
                    let advice = e.advice.clone().map_or(why.clone(), |a| format!("{a}; {why}"));
                    e.advise(advice)
                }
                _ => e,
            }
        })
    }
}
