//! What an operation on records costs through a session, beside the bare driver, against a server
//! that runs (Linux only): `cargo run --release -p hoap-databases --features redis --example
//! redis_speed -- URL [CLIENTS] [ROUNDS]`
//!
//! Both run the same commands on connections with the same limits, in turns, so that a disturbance
//! of the machine hits both. The bare loop uses its command again, looks at no answer and keeps no
//! buffer. CPU-seconds are this thread's, on which the driver's tasks run too, and the server's
//! own.

mod common;

use std::hint::black_box;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Cmd};

use common::beside::{Bare, Kind, SCAN, Work, beside, sessions};
use common::{Any, FIELDS, with_records};

const RECORDS: u64 = 20_000;
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
        let target = hoap_databases::redis::open(&format!("{url}?prefix={PREFIX}")).await?;
        with_records(&target, RECORDS, async || compare(&target, url, clients, rounds).await).await
    })
}

const WORKS: [Work; 5] = [
    ("read all fields: HMGET", &[Kind::Read], 20_000),
    ("read one field: HMGET", &[Kind::ReadOne], 20_000),
    ("scan 50 keys: ZRANGE", &[Kind::Scan], 5_000),
    ("update: HSET", &[Kind::Update], 10_000),
    // The same update, beside a script that looks whether the record is there.
    ("update beside a script", &[Kind::UpdateOtherwise], 10_000),
];

/// The script that updates would need where HSET's answer did not do: a cluster's.
const UPDATE: &str = "if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end for i = 1, #ARGV, 1000 do \
     redis.call('HSET', KEYS[1], unpack(ARGV, i, math.min(i + 999, #ARGV))) end return 1";

/// A connection and what it uses again.
struct Connected {
    connection: MultiplexedConnection,
    names: Vec<String>,
    /// The script's.
    hash: String,
    command: Cmd,
    name: String,
}

impl Bare for Connected {
    async fn run(&mut self, kind: Kind, key: &str, new: &str) -> Result<(), Any> {
        let Connected { connection, names, hash, command, name } = self;
        name.clear();
        name.push_str(PREFIX);
        name.push_str(":usertable:");
        name.push_str(key);
        command.clear();
        match kind {
            Kind::Read => {
                command.arg("HMGET").arg(&*name);
                for field in names {
                    command.arg(&*field);
                }
            }
            Kind::ReadOne => {
                command.arg("HMGET").arg(&*name).arg("field5");
            }
            Kind::Scan => {
                name.clear();
                name.push('[');
                name.push_str(key);
                command.arg("ZRANGE").arg("hoap-speed.keys:usertable").arg(&*name);
                command.arg("+").arg("BYLEX").arg("LIMIT").arg(0).arg(SCAN);
            }
            Kind::UpdateOtherwise => {
                command.arg("EVALSHA").arg(&*hash).arg(1).arg(&*name).arg("field5").arg(new);
            }
            Kind::Update => {
                command.arg("HSET").arg(&*name).arg("field5").arg(new);
            }
        }
        black_box(connection.send_packed_command(command).await?);
        Ok(())
    }
}

async fn compare(
    target: &hoap_databases::redis::Redis,
    url: &str,
    clients: usize,
    rounds: usize,
) -> Result<(), Any> {
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(Duration::from_secs(10)))
        .set_response_timeout(Some(Duration::from_secs(10)));
    let client = redis::Client::open(url)?;
    let connect = || client.get_multiplexed_async_connection_with_config(&config);
    let mut admin = connect().await?;
    let hash: String = redis::cmd("SCRIPT").arg("LOAD").arg(UPDATE).query_async(&mut admin).await?;
    let mut bare = Vec::new();
    for _ in 0..clients {
        bare.push(Connected {
            connection: connect().await?,
            names: (0..FIELDS).map(|n| format!("field{n}")).collect(),
            hash: hash.clone(),
            command: Cmd::new(),
            name: String::new(),
        });
    }
    let mut sessions = sessions(target, clients).await?;
    let clock = async || cpu_seconds(&mut admin).await;
    let both = (&mut bare[..], &mut sessions[..]);
    beside((RECORDS, rounds, &WORKS), both, ["client", "server"], clock).await
}

/// Seconds that this thread and the server have spent on a processor.
async fn cpu_seconds(admin: &mut MultiplexedConnection) -> Result<[f64; 2], Any> {
    let info: String = redis::cmd("INFO").arg("cpu").query_async(admin).await?;
    let of = |name: &str| -> Result<f64, Any> {
        let line = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        Ok(line.ok_or("INFO lacks a line")?.trim().parse()?)
    };
    Ok([common::cpu_seconds()?, of("used_cpu_user")? + of("used_cpu_sys")?])
}
