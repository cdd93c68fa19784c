//! What an operation on records costs through a session, beside the bare driver, against a cluster
//! that runs (Linux only):
//! `cargo run --release -p hoap-target --features cassandra --example cassandra_speed -- URL [CLIENTS] [ROUNDS]`
//!
//! Both run the same prepared statements at the same consistency, each in one session of the driver with one
//! connection to each node, in turns, so that a disturbance of the machine hits both. The bare loop uses its
//! values again, looks at no answer and keeps no buffer. CPU-seconds are this thread's, on which the driver's
//! tasks run too.

mod common;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::try_join_all;
use hoap_workload::capability::Target;
use hoap_workload::capability::key_value::{
    Fields, KeyValue, KeyValueSession, Record, Scanned, Table,
};
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::policies::retry::FallthroughRetryPolicy;
use scylla::statement::Consistency;
use scylla::statement::prepared::PreparedStatement;

use common::{Any, FIELDS, LENGTH, cpu_seconds, keys, load, median, value};

const RECORDS: usize = 20_000;
const SCAN: usize = 50;

fn main() -> std::process::ExitCode {
    common::main("cassandra_speed", run)
}

fn run(arguments: &[String]) -> Result<(), Any> {
    let url = arguments.first().ok_or("name a URL without user and options")?;
    let clients = arguments.get(1).map_or(Ok(50), |n| n.parse())?;
    let rounds = arguments.get(2).map_or(Ok(15), |n| n.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let target = hoap_target::cassandra::open(url).await?;
        let documents = target.documents().map_err(hoap_workload::Error::from)?;
        documents.drop(&["usertable"]).await?;
        load(&target, RECORDS as u64).await?;
        println!("{RECORDS} records of {FIELDS} x {LENGTH} bytes, {clients} clients");
        let compared = compare(&target, url, clients, rounds).await;
        documents.drop(&["usertable"]).await?;
        compared
    })
}

/// What is done, and how often in a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    ReadAll,
    ReadOne,
    Scan,
    Update,
    /// Reads of all fields and updates of one, in turn.
    Half,
}

const KINDS: [(Kind, &str, usize); 5] = [
    (Kind::ReadAll, "C: read all fields", 20_000),
    (Kind::Half, "A: read, update", 20_000),
    (Kind::Update, "update one field", 20_000),
    (Kind::ReadOne, "read one field", 20_000),
    (Kind::Scan, "scan 50 keys", 1_000),
];

/// CPU-seconds of the turns of one kind, bare and through a session.
#[derive(Default)]
struct Turns {
    bare: Vec<f64>,
    session: Vec<f64>,
}

/// The driver alone, set as a session's is.
struct Bare {
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
        Ok(Bare {
            read_all: read(format!("SELECT {} FROM {table} WHERE y_id = ?", names.join(", ")))
                .await?,
            read_one: read(format!("SELECT \"field5\" FROM {table} WHERE y_id = ?")).await?,
            scan: read(format!("SELECT y_id FROM {table} WHERE token(y_id) >= token(?) LIMIT ?"))
                .await?,
            update: session
                .prepare(format!("UPDATE {table} SET \"field5\" = ? WHERE y_id = ?"))
                .await?,
            session,
        })
    }

    async fn run(&self, kind: Kind, key: &str, new: &str) -> Result<(), Any> {
        let answer = match kind {
            Kind::ReadAll | Kind::Half => {
                self.session.execute_unpaged(&self.read_all, (key,)).await?
            }
            Kind::ReadOne => self.session.execute_unpaged(&self.read_one, (key,)).await?,
            Kind::Scan => self.session.execute_unpaged(&self.scan, (key, SCAN as i32)).await?,
            Kind::Update => self.session.execute_unpaged(&self.update, (new, key)).await?,
        };
        black_box(answer);
        Ok(())
    }
}

/// What an operation of a mixture is.
fn drawn(kind: Kind, at: usize) -> Kind {
    match kind {
        Kind::Half if at % 2 == 1 => Kind::Update,
        Kind::Half => Kind::ReadAll,
        other => other,
    }
}

async fn compare(
    target: &hoap_target::cassandra::Cassandra,
    url: &str,
    clients: usize,
    rounds: usize,
) -> Result<(), Any> {
    let fields = (0..FIELDS).map(|n| format!("field{n}")).collect();
    let table = Table { name: "usertable".to_owned(), fields };
    let bare = Bare::new(url).await?;
    let mut sessions = Vec::new();
    for _ in 0..clients {
        sessions.push(KeyValue::session(target, &table).await?);
    }
    let keys = keys(RECORDS as u64);
    let new = value(u64::MAX / 16);
    let mut turns: [Turns; KINDS.len()] = Default::default();
    for round in 0..=rounds {
        for ((kind, _, operations), turns) in KINDS.into_iter().zip(&mut turns) {
            let share = operations / clients;
            let start = cpu_seconds()?;
            try_join_all((0..clients).map(|at| {
                let (bare, keys, new) = (&bare, &keys, &new);
                async move {
                    for i in 0..share {
                        bare.run(drawn(kind, i), &keys[(at * share + i) % RECORDS], new).await?;
                    }
                    Ok::<_, Any>(())
                }
            }))
            .await?;
            let middle = cpu_seconds()?;
            try_join_all(sessions.iter_mut().enumerate().map(|(at, session)| {
                let (keys, new) = (&keys, &new);
                async move {
                    let (mut record, mut scanned) = (Record::default(), Scanned::default());
                    for i in 0..share {
                        let key = &keys[(at * share + i) % RECORDS];
                        match drawn(kind, i) {
                            Kind::ReadAll | Kind::Half => {
                                session.read(key, Fields::All, &mut record).await?;
                            }
                            Kind::ReadOne => {
                                session.read(key, Fields::One(5), &mut record).await?;
                            }
                            Kind::Scan => {
                                session.scan(key, SCAN, Fields::None, &mut scanned).await?;
                            }
                            Kind::Update => {
                                record.clear();
                                record.push(5, |out| out.extend_from_slice(new.as_bytes()));
                                session.update(key, &record).await?;
                            }
                        }
                        black_box((&record, &scanned));
                    }
                    Ok::<_, hoap_workload::Error>(())
                }
            }))
            .await?;
            let end = cpu_seconds()?;
            // The first round fills the caches.
            if round > 0 {
                turns.bare.push(middle - start);
                turns.session.push(end - middle);
            }
        }
    }
    println!("medians of {rounds} turns, CPU-microseconds an operation; ratio of each turn");
    for ((_, name, operations), turns) in KINDS.into_iter().zip(&turns) {
        let operations = (operations / clients * clients) as f64;
        let each = |turns: &[f64]| median(turns.to_vec()) / operations * 1e6;
        let ratios = turns.session.iter().zip(&turns.bare).map(|(s, b)| s / b).collect();
        println!(
            "{name:20} bare {:6.2}  session {:6.2}  ratio {:.3}",
            each(&turns.bare),
            each(&turns.session),
            median(ratios),
        );
    }
    Ok(())
}
