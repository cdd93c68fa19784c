//! A session of the driver, and the statements that run once.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use hoap_database::failure::Done;
use hoap_database::patience::patiently;
use scylla::client::PoolSize;
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::{Session, TlsContext};
use scylla::client::session_builder::SessionBuilder;
use scylla::errors::ExecutionError;
use scylla::policies::load_balancing::{
    DefaultPolicy, LoadBalancingPolicy, NodeIdentifier, SingleTargetLoadBalancingPolicy,
};
use scylla::policies::retry::FallthroughRetryPolicy;
use scylla::response::query_result::QueryResult;
use scylla::serialize::row::SerializeRow;
use scylla::statement::prepared::PreparedStatement;
use scylla::statement::{Consistency, SerialConsistency, Statement};

use super::error::is_missing;
use super::options::Options;
use super::parsed_url::ParsedUrl;
use crate::error;
use crate::error::OrFail;

/// The attempts at a repeatable write that times out, and the first pause between them, which then
/// doubles.
pub(super) const ATTEMPTS: u32 = 6;
const REST: Duration = Duration::from_millis(100);

/// The limit for a change of the schema and for the nodes to agree on it.
pub(super) const SCHEMA: Duration = Duration::from_secs(120);

/// A session of the driver, which keeps connections to every node.
pub(super) struct Connection {
    pub place: Arc<ParsedUrl>,
    pub session: Session,
    /// Held while a table gets columns: one change of the schema at a time.
    pub altering: Arc<tokio::sync::Mutex<()>>,
}

impl Connection {
    /// Connects to the cluster.
    ///
    /// # Errors
    /// Returns the errors of the driver, with advice where a file of credentials was ignored.
    pub async fn open(
        place: Arc<ParsedUrl>,
        tls: Option<TlsContext>,
        altering: Arc<tokio::sync::Mutex<()>>,
    ) -> Done<Connection> {
        let ParsedUrl { url, hosts, keyspace, credentials, options } = &*place;
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
            // Only what token-aware routing needs.
            .keyspaces_to_fetch([keyspace])
            .fetch_full_schema_metadata(false)
            .schema_agreement_timeout(SCHEMA)
            .tls_context(tls);
        if let Some(user) = &credentials.user {
            builder = builder.user(user, credentials.password.as_deref().unwrap_or_default());
        }
        // The driver has a limit of its own for the first answer, a minute for each connection.
        let nodes = u32::try_from(hosts.len()).unwrap_or(u32::MAX);
        let limit =
            options.connect_timeout.saturating_mul(nodes).saturating_add(options.request_timeout);
        let built = match tokio::time::timeout(limit, builder.build()).await {
            Ok(built) => built.map_err(error::connecting),
            Err(_) => Err(error::silent(limit)),
        };
        let session = built.map_err(|failure| {
            let mut failure = failure.trying(format!("connect to {url}"));
            if let (Some(why), None) = (&credentials.ignored, &credentials.password) {
                let advice = failure.advice.map_or(why.clone(), |a| format!("{a}; {why}"));
                failure.advice = Some(advice.into());
            }
            failure
        })?;
        Ok(Connection { place, session, altering })
    }

    pub fn options(&self) -> &Options {
        &self.place.options
    }

    /// A table of the keyspace as statements name it.
    pub fn table(&self, name: &str) -> String {
        format!("\"{}\".\"{name}\"", self.place.keyspace)
    }

    /// The consistency of a read that sees the outcome of lightweight transactions.
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
        self.session.query_unpaged(statement, values).await.or_fail()
    }

    /// Writes a row that may be written twice; writes it again where it times out, or a node takes
    /// no more.
    pub async fn write_repeatable(
        &self,
        statement: &PreparedStatement,
        row: impl SerializeRow,
    ) -> Done<()> {
        let mut rest = REST;
        for left in (0..ATTEMPTS).rev() {
            let insert = || async {
                self.session.execute_unpaged(statement, &row).await.map_err(error::executing)
            };
            match patiently(insert).await {
                Ok(_) => break,
                Err(e) if left > 0 && e.may_be_applied => tokio::time::sleep(rest).await,
                Err(e) => return Err(e),
            }
            rest *= 2;
        }
        Ok(())
    }

    /// Changes the schema; returns when all nodes that are up have it. A node may not know yet what
    /// another client has just made through another node: it is asked again once the nodes agree.
    ///
    /// All clients ask the same node, which makes one change after the other. Two nodes that create
    /// a table at the same time give it two ids, even with IF NOT EXISTS: one of the two tables
    /// goes, with the rows that were acknowledged in it (CASSANDRA-9424, CASSANDRA-10699).
    pub async fn alter(&self, text: impl Into<String>) -> Done<()> {
        let mut statement = Statement::new(text);
        statement.set_request_timeout(Some(SCHEMA));
        statement.set_load_balancing_policy(self.schema_node());
        for _ in 0..5 {
            match self.session.query_unpaged(statement.clone(), ()).await.map_err(error::executing)
            {
                Err(e) if is_missing(&e) => self.agree().await?,
                done => return done.map(drop),
            }
        }
        self.session.query_unpaged(statement, ()).await.or_fail()?;
        Ok(())
    }

    /// The node for changes of the schema: the one with the smallest id of those that are up.
    fn schema_node(&self) -> Option<Arc<dyn LoadBalancingPolicy>> {
        let cluster = self.session.get_cluster_state();
        let nodes = cluster.get_nodes_info().iter().filter(|node| node.is_connected());
        let node = nodes.min_by_key(|node| node.host_id)?;
        Some(SingleTargetLoadBalancingPolicy::new(NodeIdentifier::Node(node.clone()), None))
    }

    /// Waits until all nodes that are up have the same schema. A node applies what is in its tables
    /// of the schema a moment later, hence the pause.
    pub async fn agree(&self) -> Done<()> {
        tokio::time::sleep(Duration::from_millis(200)).await;
        self.session.await_schema_agreement().await.map_err(ExecutionError::from).or_fail()?;
        Ok(())
    }
}
