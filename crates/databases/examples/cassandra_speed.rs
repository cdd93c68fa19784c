//! What an operation on records costs through a session, beside the bare driver, against a cluster
//! that runs (Linux only): `cargo run --release -p hoap-databases --features cassandra --example
//! cassandra_speed -- URL [CLIENTS] [ROUNDS]`
//!
//! Both run the same prepared statements at the same consistency, each in one session of the driver
//! with one connection to each node, in turns, so that a disturbance of the machine hits both. The
//! bare loop uses its values again, looks at no answer and keeps no buffer. CPU-seconds are this
//! thread's, on which the driver's tasks run too.

mod common;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::policies::retry::FallthroughRetryPolicy;
use scylla::statement::Consistency;
use scylla::statement::prepared::PreparedStatement;

use common::beside::{Bare, Kind, SCAN, Work, beside, client, sessions};
use common::{Any, FIELDS, with_records};

const RECORDS: u64 = 20_000;
const WORKS: [Work; 5] = [
    ("C: read all fields", &[Kind::Read], 20_000),
    ("A: read, update", &[Kind::Read, Kind::Update], 20_000),
    ("update one field", &[Kind::Update], 20_000),
    ("read one field", &[Kind::ReadOne], 20_000),
    ("scan 50 keys", &[Kind::Scan], 1_000),
];

fn main() -> std::process::ExitCode {
    common::main("cassandra_speed", run)
}

fn run(arguments: &[String]) -> Result<(), Any> {
    let url = arguments.first().ok_or("name a URL without user and options")?;
    let clients = arguments.get(1).map_or(Ok(50), |n| n.parse())?;
    let rounds = arguments.get(2).map_or(Ok(15), |n| n.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let target = hoap_databases::cassandra::open(url).await?;
        with_records(&target, RECORDS, async || compare(&target, url, clients, rounds).await).await
    })
}

/// The driver alone, set as a session's is. Its clients share it.
#[derive(Clone)]
struct Prepared(Arc<Statements>);

struct Statements {
    session: Session,
    read_all: PreparedStatement,
    read_one: PreparedStatement,
    scan: PreparedStatement,
    update: PreparedStatement,
}

impl Prepared {
    async fn new(url: &str) -> Result<Prepared, Any> {
        let (hosts, keyspace) = url
            .trim_start_matches("cassandra://")
            .split_once('/')
            .ok_or("a URL names a keyspace")?;
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
        Ok(Prepared(Arc::new(Statements {
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

impl Bare for Prepared {
    async fn run(&mut self, kind: Kind, key: &str, new: &str) -> Result<(), Any> {
        let Statements { session, read_all, read_one, scan, update } = &*self.0;
        black_box(match kind {
            Kind::Read => session.execute_unpaged(read_all, (key,)).await?,
            Kind::ReadOne => session.execute_unpaged(read_one, (key,)).await?,
            Kind::Scan => session.execute_unpaged(scan, (key, SCAN as i32)).await?,
            Kind::Update | Kind::UpdateOtherwise => {
                session.execute_unpaged(update, (new, key)).await?
            }
        });
        Ok(())
    }
}

async fn compare(
    target: &hoap_databases::cassandra::Cassandra,
    url: &str,
    clients: usize,
    rounds: usize,
) -> Result<(), Any> {
    let mut bare = vec![Prepared::new(url).await?; clients];
    let mut sessions = sessions(target, clients).await?;
    beside((RECORDS, rounds, &WORKS), (&mut bare, &mut sessions), ["client"], client).await
}
