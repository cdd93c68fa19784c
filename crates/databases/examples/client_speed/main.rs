//! What an operation costs through a session, beside the bare driver, against a server that runs
//! (Linux only): `cargo run --release -p hoap-databases --features all --example client_speed --
//! URL [rounds=15] [scale=1] [clients=16] [only=read,update]`
//!
//! Both sides send the same requests over connections of their own in the same thread, in turns, so
//! that a disturbance of the machine hits both. A session is the one that `hoap run` has, in its
//! boxes. A bare client uses its statements and buffers again where the driver lets it, and takes
//! the values of an answer without a look at them. CPU-seconds are this thread's, on which the
//! driver's tasks run too.
//!
//! It prints a row for each operation and side, with tabs between: the database, the operation,
//! clients, rounds, the side, the median of CPU-microseconds an operation, and of each round's
//! ratio to the bare driver the median and the quartiles. `scale` multiplies the operations of a
//! round. `bench/client/run.sh` runs it on the servers of the lab.
#![allow(clippy::print_stdout)]
#![cfg_attr(not(feature = "all"), allow(unused))]

mod beside;
#[path = "../common/mod.rs"]
mod common;

#[cfg(feature = "asterixdb")]
mod asterixdb;
#[cfg(feature = "cassandra")]
mod cassandra;
#[cfg(feature = "couchbase")]
mod couchbase;
#[cfg(feature = "dynamodb")]
mod dynamodb;
#[cfg(feature = "mongodb")]
mod mongodb;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "redis")]
mod redis;

use beside::Settings;
use common::Any;

fn main() -> std::process::ExitCode {
    common::main("client_speed", run)
}

fn run(arguments: &[String]) -> Result<(), Any> {
    let (url, settings) = arguments.split_first().ok_or("name a database by its URL")?;
    let settings = &Settings::read(settings)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match url.split(':').next().unwrap_or_default() {
            #[cfg(feature = "asterixdb")]
            "asterixdb" => asterixdb::compare(url, settings).await,
            #[cfg(feature = "cassandra")]
            "cassandra" => cassandra::compare(url, settings).await,
            #[cfg(feature = "couchbase")]
            "couchbase" => couchbase::compare(url, settings).await,
            #[cfg(feature = "dynamodb")]
            "dynamodb" => dynamodb::compare(url, settings).await,
            #[cfg(feature = "mongodb")]
            "mongodb" => mongodb::compare(url, settings).await,
            #[cfg(feature = "postgres")]
            "postgres" => postgres::compare(url, settings).await,
            #[cfg(feature = "redis")]
            "redis" => redis::compare(url, settings).await,
            other => Err(format!("it knows no driver of {other}, or is built without it").into()),
        }
    })
}
