//! What a client costs beside the bare driver, and a load beside psql (Linux only): `cargo run
//! --release -p hoap-databases --features postgres --example postgres_speed -- URL [ROUNDS]`
//!
//! Reads: YCSB C, a record of ten fields by its key. Both sides send the same prepared statement
//! over a connection of their own in the same thread, in turns, so that a disturbance of the
//! machine hits both. The bare loop copies the document as it is, takes nothing apart and checks
//! nothing. CPU-seconds are this process's: the thread and the driver's task in it, user and
//! system.
//!
//! Loading: `hoap load` of CH2++ is beside `psql -c "\copy"` in `bench/postgres/load.sh`.

mod common;

use std::hint::black_box;

use tokio_postgres::types::{FromSql, Type};
use tokio_postgres::{Client, Statement};

use common::beside::{Bare, Kind, Work, beside, client, sessions};
use common::{Any, with_records};

const RECORDS: u64 = 20_000;
const WORKS: [Work; 1] = [("read all fields", &[Kind::Read], 5_000)];

fn main() -> std::process::ExitCode {
    common::main("postgres_speed", run)
}

fn run(arguments: &[String]) -> Result<(), Any> {
    let url = arguments.first().ok_or("name a database by its URL")?;
    let rounds = arguments.get(1).map_or(Ok(15), |n| n.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // Neither side encrypts.
        let ours = format!("{url}?schema=hoap_speed&sslmode=disable");
        let target = hoap_databases::postgres::open(&ours).await?;
        with_records(&target, RECORDS, async || compare(&target, url, rounds).await).await
    })
}

/// The bytes of a jsonb column.
struct Raw<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Any> {
        Ok(Raw(raw))
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::JSONB
    }
}

struct Connected {
    driver: Client,
    statement: Statement,
    copy: Vec<u8>,
}

impl Bare for Connected {
    async fn run(&mut self, _: Kind, key: &str, _: &str) -> Result<(), Any> {
        let row = self.driver.query_one(&self.statement, &[&key]).await?;
        let Raw(document) = row.try_get(0)?;
        self.copy.clear();
        self.copy.extend_from_slice(document);
        black_box(&self.copy);
        Ok(())
    }
}

async fn compare(
    target: &hoap_databases::postgres::Postgres,
    url: &str,
    rounds: usize,
) -> Result<(), Any> {
    let (driver, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
    tokio::spawn(connection);
    driver.batch_execute("SET search_path = hoap_speed").await?;
    let statement = driver.prepare("SELECT doc FROM usertable WHERE key = $1").await?;
    let mut bare = [Connected { driver, statement, copy: Vec::new() }];
    let mut sessions = sessions(target, 1).await?;
    beside((RECORDS, rounds, &WORKS), (&mut bare, &mut sessions), ["client"], client).await
}
