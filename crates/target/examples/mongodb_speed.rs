//! What a client costs beside the bare driver (Linux only):
//! `cargo run --release -p hoap-target --features mongodb --example mongodb_speed -- URL [ROUNDS]`
//!
//! YCSB C and A's update, a record of ten fields by its key. Both sides use the official driver with a client
//! of its own, send the same commands in the same runtime and take turns, so that a disturbance of
//! the machine hits both. The bare loop reads a record as the driver's raw document and looks at nothing in
//! it. CPU-seconds are this thread's, in which the driver's tasks run too.

mod common;

use std::hint::black_box;

use hoap_workload::capability::Target;
use hoap_workload::capability::key_value::{Fields, KeyValue, KeyValueSession, Record, Table};
use mongodb::bson::{RawDocumentBuf, doc};

use common::{Any, FIELDS, LENGTH, Sides, cpu_seconds, keys, load, value};

const RECORDS: u64 = 20_000;
/// Operations in a turn.
const OPERATIONS: u64 = 5_000;

fn main() -> std::process::ExitCode {
    common::main("mongodb_speed", run)
}

fn run(arguments: &[String]) -> Result<(), Any> {
    let url = arguments.first().ok_or("name a database by its URL")?;
    let rounds = arguments.get(1).map_or(Ok(15), |n| n.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let target = hoap_target::mongodb::open(url).await?;
        load(&target, RECORDS).await?;
        let compared = compare(&target, url, rounds).await;
        target.documents().map_err(hoap_workload::Error::from)?.drop(&["usertable"]).await?;
        compared
    })
}

async fn compare(
    target: &hoap_target::mongodb::MongoDb,
    url: &str,
    rounds: usize,
) -> Result<(), Any> {
    let fields = (0..FIELDS).map(|n| format!("field{n}")).collect();
    let table = Table { name: "usertable".to_owned(), fields };
    let mut session = KeyValue::session(target, &table).await?;
    let client = mongodb::Client::with_uri_str(url).await?;
    let database = client.default_database().ok_or("the URL names no database")?;
    let bare = database.collection::<RawDocumentBuf>("usertable");

    let keys = keys(RECORDS);
    let mut record = Record::default();
    let mut reads = Sides::default();
    let mut updates = Sides::default();
    for round in 0..=rounds as u64 {
        let at = |i: u64| keys[((round * OPERATIONS + i) % RECORDS) as usize].as_str();
        let start = cpu_seconds()?;
        for i in 0..OPERATIONS {
            let found = bare.find_one(doc! {"_id": at(i)}).await?;
            black_box(found.ok_or("a record is missing")?);
        }
        let middle = cpu_seconds()?;
        for i in 0..OPERATIONS {
            if !session.read(at(i), Fields::All, &mut record).await? {
                return Err("a record is missing".into());
            }
            black_box(&record);
        }
        let end = cpu_seconds()?;
        reads.add(round, middle - start, end - middle);

        let start = cpu_seconds()?;
        for i in 0..OPERATIONS {
            let set = doc! {"$set": {"field5": value(round + i)}};
            black_box(bare.update_one(doc! {"_id": at(i)}, set).await?);
        }
        let middle = cpu_seconds()?;
        for i in 0..OPERATIONS {
            record.clear();
            record.push(5, |out| out.extend_from_slice(value(round + i).as_bytes()));
            black_box(session.update(at(i), &record).await?);
        }
        let end = cpu_seconds()?;
        updates.add(round, middle - start, end - middle);
    }
    println!(
        "{RECORDS} records of {FIELDS} x {LENGTH} bytes, medians of {rounds} turns of {OPERATIONS} \
         operations, CPU-microseconds of the client an operation"
    );
    reads.print("read all fields", OPERATIONS);
    updates.print("update one field", OPERATIONS);
    Ok(())
}
