//! What a client costs beside the bare driver, and a load beside psql (Linux only):
//! `cargo run --release -p hoap-target --features postgres --example postgres_speed -- URL [ROUNDS]`
//!
//! Reads: YCSB C, a record of ten fields by its key. Both sides send the same prepared statement over
//! a connection of their own in the same thread, in turns, so that a disturbance of the machine hits
//! both. The bare loop copies the document as it is, takes nothing apart and checks nothing.
//! CPU-seconds are this process's: the thread and the driver's task in it, user and system.
//!
//! Loading: `hoap load` of CH2++ is beside `psql -c "\copy"` in `bench/postgres/load.sh`.

use std::hint::black_box;
use std::process::ExitCode;

use hoap_workload::capability::key_value::{Fields, KeyValue, KeyValueSession, Record, Table};
use hoap_workload::capability::{Batch, Target};
use tokio_postgres::types::{FromSql, Type};

const RECORDS: u64 = 20_000;
const FIELDS: u16 = 10;
const LENGTH: usize = 100;
/// Operations in a turn.
const OPERATIONS: u64 = 5_000;

type Any = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("postgres_speed: {e}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Any> {
    let url = arguments.first().ok_or("name a database by its URL")?;
    let rounds = arguments.get(1).map_or(Ok(15), |n| n.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // Neither side encrypts.
        let ours = format!("{url}?schema=hoap_speed&sslmode=disable");
        let target = hoap_target::postgres::open(&ours).await?;
        load(&target).await?;
        let compared = compare(&target, url, rounds).await;
        target.documents().map_err(hoap_workload::Error::from)?.drop(&["usertable"]).await?;
        compared
    })
}

async fn load(target: &impl Target) -> Result<(), Any> {
    let documents = target.documents().map_err(hoap_workload::Error::from)?;
    documents.drop(&["usertable"]).await?;
    documents.create(&["usertable"]).await?;
    let mut batch = Batch::default();
    for n in 0..RECORDS {
        let named =
            (0..FIELDS).map(|f| format!("\"field{f}\":\"{}\"", value(n * 10 + u64::from(f))));
        let text = format!("{{{}}}", named.collect::<Vec<_>>().join(","));
        batch.push(|to, out| {
            to.push_str(&key(n));
            out.extend_from_slice(text.as_bytes());
        });
    }
    documents.bulk("1/1").await?.write("usertable", &batch, RECORDS).await?;
    documents.settle(&[]).await?;
    Ok(())
}

fn key(n: u64) -> String {
    format!("user{:019}", n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 1)
}

/// Letters and digits that differ for every number.
fn value(n: u64) -> String {
    let mut text = String::new();
    while text.len() < LENGTH {
        let state = (n + 1).wrapping_mul(0xD134_2543_DE82_EF95).rotate_left(text.len() as u32);
        text.push_str(&format!("{state:016x}"));
    }
    text.truncate(LENGTH);
    text
}

/// Seconds that this thread has spent on a processor.
fn cpu_seconds() -> Result<f64, Any> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: u64 = text.split(' ').next().ok_or("schedstat is empty")?.parse()?;
    Ok(nanoseconds as f64 / 1e9)
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

    let keys: Vec<String> = (0..RECORDS).map(|n| key(n * 7919 % RECORDS)).collect();
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
    let mut ratios: Vec<f64> = of_session.iter().zip(&of_bare).map(|(s, b)| s / b).collect();
    let each = |seconds: &mut Vec<f64>| median(seconds) / OPERATIONS as f64 * 1e6;
    println!(
        "{RECORDS} records of {FIELDS} x {LENGTH} bytes, medians of {rounds} turns of {OPERATIONS} \
         reads, CPU-microseconds of the client a read"
    );
    println!(
        "bare {:6.2}  session {:6.2}  ratio {:.3}",
        each(&mut of_bare),
        each(&mut of_session),
        median(&mut ratios)
    );
    Ok(())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
