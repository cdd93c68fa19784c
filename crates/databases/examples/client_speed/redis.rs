//! Redis: the driver with the limits that a session has by default.

use std::hint::black_box;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Cmd};

use super::beside::{Client, Kind, Plan, SCAN, Settings, Work, records};
use super::common::{Any, FIELDS};

const WORKS: &[Work] = &[
    ("read", Kind::Read, 20_000),
    ("read one field", Kind::ReadOne, 20_000),
    ("scan", Kind::Scan, 5_000),
    ("update", Kind::Update, 20_000),
];

/// Begins the names of keys.
const PREFIX: &str = "hoap-speed";

/// A connection and what it uses again.
struct Bare {
    connection: MultiplexedConnection,
    names: Vec<String>,
    command: Cmd,
    name: String,
}

impl Client for Bare {
    async fn run(&mut self, kind: Kind, key: &str, new: &str) -> Result<(), Any> {
        let Bare { connection, names, command, name } = self;
        name.clear();
        command.clear();
        if kind == Kind::Scan {
            name.push('[');
            name.push_str(key);
            command.arg("ZRANGE").arg("hoap-speed.keys:usertable").arg(&*name);
            command.arg("+").arg("BYLEX").arg("LIMIT").arg(0).arg(SCAN);
        } else {
            name.push_str(PREFIX);
            name.push_str(":usertable:");
            name.push_str(key);
            command.arg(if kind == Kind::Update { "HSET" } else { "HMGET" }).arg(&*name);
        }
        match kind {
            Kind::Read => {
                for field in names {
                    command.arg(&*field);
                }
            }
            Kind::ReadOne => drop(command.arg("field5")),
            Kind::Update => drop(command.arg("field5").arg(new)),
            Kind::Scan | Kind::Query => {}
        }
        black_box(connection.send_packed_command(command).await?);
        Ok(())
    }
}

pub async fn compare(url: &str, settings: &Settings) -> Result<(), Any> {
    let plan = Plan { database: "Redis", records: 20_000, works: WORKS, settings };
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(Duration::from_secs(10)))
        .set_response_timeout(Some(Duration::from_secs(10)));
    let driver = redis::Client::open(url)?;
    let bare = async |clients| {
        let mut bare = Vec::new();
        for _ in 0..clients {
            bare.push(Bare {
                connection: driver.get_multiplexed_async_connection_with_config(&config).await?,
                names: (0..FIELDS).map(|n| format!("field{n}")).collect(),
                command: Cmd::new(),
                name: String::new(),
            });
        }
        Ok(bare)
    };
    records(&format!("{url}?prefix={PREFIX}"), &plan, bare).await
}
