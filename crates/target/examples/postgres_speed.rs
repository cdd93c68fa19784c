//! What a client costs beside the bare driver, and a load beside psql (Linux only):
//! `cargo run --release -p hoap-target --features postgres --example postgres_speed -- URL [ROUNDS]`
//!
//! Reads: YCSB C, a record of ten fields by its key. Both sides send the same prepared statement over
//! a connection of their own in the same thread, in turns, so that a disturbance of the machine hits
//! both. The bare loop copies the document as it is, takes nothing apart and checks nothing.
//! CPU-seconds are this process's: the thread and the driver's task in it, user and system.
//!
//! Loading: `hoap load` of CH2++ is beside `psql -c "\copy"` in `bench/postgres/load.sh`.

mod common;

use std::hint::black_box;

use hoap_workload::capability::Target;
use hoap_workload::capability::key_value::{Fields, KeyValue, KeyValueSession, Record, Table};
use tokio_postgres::types::{FromSql, Type};

use common::{Any, FIELDS, LENGTH, cpu_seconds, keys, load, median};

const RECORDS: u64 = 20_000;
/// Operations in a turn.
const OPERATIONS: u64 = 5_000;

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
        let target = hoap_target::postgres::open(&ours).await?;
        load(&target, RECORDS).await?;
        let compared = compare(&target, url, rounds).await;
        target.documents().map_err(hoap_workload::Error::from)?.drop(&["usertable"]).await?;
        compared
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

async fn compare(
    target: &hoap_target::postgres::Postgres,
    url: &str,
    rounds: usize,
) -> Result<(), Any> {
    let fields = (0..FIELDS).map(|n| format!("field{n}")).collect();
    let table = Table { name: "usertable".to_owned(), fields };
    let mut session = KeyValue::session(target, &table).await?;
    let (bare, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
    tokio::spawn(connection);
    bare.batch_execute("SET search_path = hoap_speed").await?;
    let statement = bare.prepare("SELECT doc FROM usertable WHERE key = $1").await?;

    let keys = keys(RECORDS);
    let (mut copy, mut record) = (Vec::new(), Record::default());
    let (mut of_bare, mut of_session) = (Vec::new(), Vec::new());
    for round in 0..=rounds as u64 {
        let at = |i: u64| keys[((round * OPERATIONS + i) % RECORDS) as usize].as_str();
        let start = cpu_seconds()?;
        for i in 0..OPERATIONS {
            let row = bare.query_one(&statement, &[&at(i)]).await?;
            let Raw(document) = row.try_get(0)?;
            copy.clear();
            copy.extend_from_slice(document);
            black_box(&copy);
        }
        let middle = cpu_seconds()?;
        for i in 0..OPERATIONS {
            if !session.read(at(i), Fields::All, &mut record).await? {
                return Err("a record is missing".into());
            }
            black_box(&record);
        }
        let end = cpu_seconds()?;
        // The first round fills the caches.
        if round > 0 {
            of_bare.push(middle - start);
            of_session.push(end - middle);
        }
    }
    let ratios: Vec<f64> = of_session.iter().zip(&of_bare).map(|(s, b)| s / b).collect();
    let each = |seconds: &[f64]| median(seconds.to_vec()) / OPERATIONS as f64 * 1e6;
    println!(
        "{RECORDS} records of {FIELDS} x {LENGTH} bytes, medians of {rounds} turns of {OPERATIONS} \
         reads, CPU-microseconds of the client a read"
    );
    println!(
        "bare {:6.2}  session {:6.2}  ratio {:.3}",
        each(&of_bare),
        each(&of_session),
        median(ratios)
    );
    Ok(())
}
