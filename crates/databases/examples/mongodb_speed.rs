//! What a client costs beside the bare driver (Linux only): `cargo run --release -p hoap-databases
//! --features mongodb --example mongodb_speed -- URL [ROUNDS]`
//!
//! YCSB C and A's update, a record of ten fields by its key. Both sides use the official driver
//! with a client of its own, send the same commands in the same runtime and take turns, so that a
//! disturbance of the machine hits both. The bare loop reads a record as the driver's raw document
//! and looks at nothing in it. CPU-seconds are this thread's, in which the driver's tasks run too.

mod common;

use std::hint::black_box;

use mongodb::Collection;
use mongodb::bson::{RawDocumentBuf, doc};

use common::beside::{Bare, Kind, Work, beside, client, sessions};
use common::{Any, with_records};

const RECORDS: u64 = 20_000;
const WORKS: [Work; 2] =
    [("read all fields", &[Kind::Read], 5_000), ("update one field", &[Kind::Update], 5_000)];

fn main() -> std::process::ExitCode {
    common::main("mongodb_speed", run)
}

fn run(arguments: &[String]) -> Result<(), Any> {
    let url = arguments.first().ok_or("name a database by its URL")?;
    let rounds = arguments.get(1).map_or(Ok(15), |n| n.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let target = hoap_databases::mongodb::open(url).await?;
        with_records(&target, RECORDS, async || compare(&target, url, rounds).await).await
    })
}

struct Collected(Collection<RawDocumentBuf>);

impl Bare for Collected {
    async fn run(&mut self, kind: Kind, key: &str, value: &str) -> Result<(), Any> {
        if kind == Kind::Read {
            let found = self.0.find_one(doc! {"_id": key}).await?;
            black_box(found.ok_or("a record is missing")?);
        } else {
            let set = doc! {"$set": {"field5": value}};
            black_box(self.0.update_one(doc! {"_id": key}, set).await?);
        }
        Ok(())
    }
}

async fn compare(
    target: &hoap_databases::mongodb::MongoDb,
    url: &str,
    rounds: usize,
) -> Result<(), Any> {
    let driver = mongodb::Client::with_uri_str(url).await?;
    let database = driver.default_database().ok_or("the URL names no database")?;
    let mut bare = [Collected(database.collection("usertable"))];
    let mut sessions = sessions(target, 1).await?;
    beside((RECORDS, rounds, &WORKS), (&mut bare, &mut sessions), ["client"], client).await
}
