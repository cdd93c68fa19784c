//! What an operation on records costs through a session, beside the bare driver, against a server
//! that runs (Linux only):
//! `cargo run --release -p hoap-target --features redis --example redis_speed -- URL [CLIENTS] [ROUNDS]`
//!
//! Both run the same commands on connections with the same limits, in turns, so that a disturbance of
//! the machine hits both. The bare loop uses its command again, looks at no answer and keeps no
//! buffer. CPU-seconds are this thread's, on which the driver's tasks run too, and the server's own.

mod common;

use std::hint::black_box;
use std::time::Duration;

use futures_util::future::try_join_all;
use hoap_workload::capability::Target;
use hoap_workload::capability::key_value::{
    Fields, KeyValue, KeyValueSession, Record, Scanned, Table,
};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Cmd};

use common::{Any, FIELDS, LENGTH, keys, load, median, value};

const RECORDS: usize = 20_000;
const SCAN: usize = 50;
/// The collection's name of keys, with the prefix that the URL is given.
const PREFIX: &str = "hoap-speed";

fn main() -> std::process::ExitCode {
    common::main("redis_speed", run)
}

fn run(arguments: &[String]) -> Result<(), Any> {
    let url = arguments.first().ok_or("name a URL without options")?;
    let clients = arguments.get(1).map_or(Ok(1), |n| n.parse())?;
    let rounds = arguments.get(2).map_or(Ok(15), |n| n.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let target = hoap_target::redis::open(&format!("{url}?prefix={PREFIX}")).await?;
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
    Keys,
    Update,
    /// The same update, beside a script that looks whether the record is there.
    Script,
}

const KINDS: [(Kind, &str, usize); 5] = [
    (Kind::ReadAll, "read all fields: HMGET", 20_000),
    (Kind::ReadOne, "read one field: HMGET", 20_000),
    (Kind::Keys, "scan 50 keys: ZRANGE", 5_000),
    (Kind::Update, "update: HSET", 10_000),
    (Kind::Script, "update beside a script", 10_000),
];

/// The script that updates would need where HSET's answer did not do: a cluster's.
const UPDATE: &str = "if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end for i = 1, #ARGV, 1000 do \
     redis.call('HSET', KEYS[1], unpack(ARGV, i, math.min(i + 999, #ARGV))) end return 1";

/// CPU-seconds of the turns of one kind: client and server, bare and through a session.
#[derive(Default)]
struct Turns {
    bare: Vec<(f64, f64)>,
    session: Vec<(f64, f64)>,
}

async fn compare(
    target: &hoap_target::redis::Redis,
    url: &str,
    clients: usize,
    rounds: usize,
) -> Result<(), Any> {
    let names: Vec<String> = (0..FIELDS).map(|n| format!("field{n}")).collect();
    let table = Table { name: "usertable".to_owned(), fields: names.clone() };
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(Duration::from_secs(10)))
        .set_response_timeout(Some(Duration::from_secs(10)));
    let client = redis::Client::open(url)?;
    let connect = || client.get_multiplexed_async_connection_with_config(&config);
    let mut admin = connect().await?;
    let hash: String = redis::cmd("SCRIPT").arg("LOAD").arg(UPDATE).query_async(&mut admin).await?;
    let mut bare: Vec<MultiplexedConnection> = Vec::new();
    let mut sessions = Vec::new();
    for _ in 0..clients {
        bare.push(connect().await?);
        sessions.push(KeyValue::session(target, &table).await?);
    }
    let keys = keys(RECORDS as u64);
    let new = value(u64::MAX / 16);
    let mut turns: [Turns; KINDS.len()] = Default::default();
    for round in 0..=rounds {
        for ((kind, _, operations), turns) in KINDS.into_iter().zip(&mut turns) {
            let share = operations / clients;
            let start = cpu_seconds(&mut admin).await?;
            try_join_all(bare.iter_mut().enumerate().map(|(at, connection)| {
                let (names, keys, hash, new) = (&names, &keys, &hash, &new);
                async move {
                    let (mut command, mut name) = (Cmd::new(), String::new());
                    for i in 0..share {
                        let key = &keys[(at * share + i) % RECORDS];
                        name.clear();
                        name.push_str(PREFIX);
                        name.push_str(":usertable:");
                        name.push_str(key);
                        command.clear();
                        match kind {
                            Kind::ReadAll => {
                                command.arg("HMGET").arg(&name);
                                for field in names {
                                    command.arg(field);
                                }
                            }
                            Kind::ReadOne => {
                                command.arg("HMGET").arg(&name).arg("field5");
                            }
                            Kind::Keys => {
                                name.clear();
                                name.push('[');
                                name.push_str(key);
                                command.arg("ZRANGE").arg("hoap-speed.keys:usertable").arg(&name);
                                command.arg("+").arg("BYLEX").arg("LIMIT").arg(0).arg(SCAN);
                            }
                            Kind::Script => {
                                command.arg("EVALSHA").arg(hash).arg(1).arg(&name);
                                command.arg("field5").arg(new);
                            }
                            Kind::Update => {
                                command.arg("HSET").arg(&name).arg("field5").arg(new);
                            }
                        }
                        black_box(connection.send_packed_command(&command).await?);
                    }
                    Ok::<_, redis::RedisError>(())
                }
            }))
            .await?;
            let middle = cpu_seconds(&mut admin).await?;
            try_join_all(sessions.iter_mut().enumerate().map(|(at, session)| {
                let (keys, new) = (&keys, &new);
                async move {
                    let (mut record, mut scanned) = (Record::default(), Scanned::default());
                    for i in 0..share {
                        let key = &keys[(at * share + i) % RECORDS];
                        match kind {
                            Kind::ReadAll => {
                                session.read(key, Fields::All, &mut record).await?;
                            }
                            Kind::ReadOne => {
                                session.read(key, Fields::One(5), &mut record).await?;
                            }
                            Kind::Keys => {
                                session.scan(key, SCAN, Fields::None, &mut scanned).await?;
                            }
                            Kind::Update | Kind::Script => {
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
            let end = cpu_seconds(&mut admin).await?;
            // The first round fills the caches.
            if round > 0 {
                turns.bare.push((middle.0 - start.0, middle.1 - start.1));
                turns.session.push((end.0 - middle.0, end.1 - middle.1));
            }
        }
    }
    println!("medians of {rounds} turns, CPU-microseconds an operation; ratio of each turn");
    for ((_, name, operations), turns) in KINDS.into_iter().zip(&turns) {
        let operations = (operations / clients * clients) as f64;
        let each = |turns: &[(f64, f64)], of: fn(&(f64, f64)) -> f64| {
            median(turns.iter().map(of).collect()) / operations * 1e6
        };
        let ratio = |of: fn(&(f64, f64)) -> f64| {
            median(turns.session.iter().zip(&turns.bare).map(|(s, b)| of(s) / of(b)).collect())
        };
        println!(
            "{name:24} client: bare {:6.2}  session {:6.2}  ratio {:.3}   server: bare {:6.2}  \
             session {:6.2}  ratio {:.3}",
            each(&turns.bare, |t| t.0),
            each(&turns.session, |t| t.0),
            ratio(|t| t.0),
            each(&turns.bare, |t| t.1),
            each(&turns.session, |t| t.1),
            ratio(|t| t.1),
        );
    }
    Ok(())
}

/// Seconds that this thread and the server have spent on a processor.
async fn cpu_seconds(admin: &mut MultiplexedConnection) -> Result<(f64, f64), Any> {
    let info: String = redis::cmd("INFO").arg("cpu").query_async(admin).await?;
    let of = |name: &str| -> Result<f64, Any> {
        let line = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        Ok(line.ok_or("INFO lacks a line")?.trim().parse()?)
    };
    Ok((common::cpu_seconds()?, of("used_cpu_user")? + of("used_cpu_sys")?))
}
