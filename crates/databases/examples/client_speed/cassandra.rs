//! Cassandra: the driver set as a session's is, with one connection to each node. Clients share it.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::deserialize::row::ColumnIterator;
use scylla::policies::retry::FallthroughRetryPolicy;
use scylla::statement::Consistency;
use scylla::statement::prepared::PreparedStatement;

use super::beside::{Client, Kind, Plan, SCAN, Settings, Work, records};
use super::common::{Any, FIELDS};

const WORKS: &[Work] = &[
    ("read", Kind::Read, 20_000),
    ("read one field", Kind::ReadOne, 20_000),
    ("scan", Kind::Scan, 1_000),
    ("update", Kind::Update, 20_000),
];

#[derive(Clone)]
struct Bare(Arc<Statements>);

struct Statements {
    session: Session,
    read_all: PreparedStatement,
    read_one: PreparedStatement,
    scan: PreparedStatement,
    update: PreparedStatement,
}

impl Bare {
    async fn new(url: &str) -> Result<Bare, Any> {
        let (hosts, keyspace) = url
            .trim_start_matches("cassandra://")
            .split_once('/')
            .ok_or("write cassandra://HOST/KEYSPACE, without user and options")?;
        let profile = ExecutionProfile::builder()
            .consistency(Consistency::Quorum)
            .request_timeout(Some(Duration::from_secs(12)))
            .retry_policy(Arc::new(FallthroughRetryPolicy::new()))
            .build();
        let session = SessionBuilder::new()
            .known_nodes(hosts.split(','))
            .default_execution_profile_handle(profile.into_handle())
            .build()
            .await?;
        let table = format!("\"{keyspace}\".\"usertable\"");
        let names: Vec<String> = (0..FIELDS).map(|n| format!("\"field{n}\"")).collect();
        let read = async |text: String| {
            let mut statement = session.prepare(text).await?;
            statement.set_use_cached_result_metadata(true);
            Ok::<_, Any>(statement)
        };
        Ok(Bare(Arc::new(Statements {
            read_all: read(format!("SELECT {} FROM {table} WHERE y_id = ?", names.join(", ")))
                .await?,
            read_one: read(format!("SELECT \"field5\" FROM {table} WHERE y_id = ?")).await?,
            scan: read(format!("SELECT y_id FROM {table} WHERE token(y_id) >= token(?) LIMIT ?"))
                .await?,
            update: session
                .prepare(format!("UPDATE {table} SET \"field5\" = ? WHERE y_id = ?"))
                .await?,
            session,
        })))
    }
}

impl Client for Bare {
    async fn run(&mut self, kind: Kind, key: &str, new: &str) -> Result<(), Any> {
        let Statements { session, read_all, read_one, scan, update } = &*self.0;
        let answer = match kind {
            Kind::ReadOne => session.execute_unpaged(read_one, (key,)).await?,
            Kind::Scan => session.execute_unpaged(scan, (key, SCAN as i32)).await?,
            Kind::Update => {
                black_box(session.execute_unpaged(update, (new, key)).await?);
                return Ok(());
            }
            Kind::Read | Kind::Query => session.execute_unpaged(read_all, (key,)).await?,
        };
        // The driver leaves an answer as bytes. A client finds the values in them.
        for row in answer.into_rows_result()?.rows::<ColumnIterator<'_, '_>>()? {
            for column in row? {
                black_box(column?.slice);
            }
        }
        Ok(())
    }
}

pub async fn compare(url: &str, settings: &Settings) -> Result<(), Any> {
    let plan = Plan { database: "Cassandra", records: 20_000, works: WORKS, settings };
    records(url, &plan, async |clients| Ok(vec![Bare::new(url).await?; clients])).await
}
