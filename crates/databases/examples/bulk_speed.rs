//! How fast bulk loading is, beside a bare loop of the same inserts on the same file system:
//! `cargo run --release -p hoap-databases --example bulk_speed -- DIRECTORY [DOCUMENTS] [OPTIONS]`
//!
//! The bare loop makes the same table in the same journal mode, binds the same text and commits as
//! often. It keeps no progress and knows no other writer.
#![allow(clippy::print_stdout)]

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use hoap_database::Batch;

const BATCH: usize = 1000;
const ROUNDS: usize = 9;

type Any = Box<dyn std::error::Error>;

fn main() -> Result<(), Any> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let directory = Path::new(arguments.first().ok_or("name a directory")?);
    let documents = arguments.get(1).map_or(Ok(60_000), |n| n.parse())?;
    let options = arguments.get(2).map_or("", String::as_str);
    let batches: Vec<Batch> = (0..documents / BATCH).map(batch).collect();
    let bytes: usize = batches.iter().map(|b| b.bytes() + b.len()).sum();
    println!("{} documents of {} bytes", documents, bytes / documents);
    // In turns, so that a disturbance of the machine hits both.
    let (mut bare_seconds, mut bulk_seconds) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare_seconds.push(timed(directory, |file| bare(file, &batches))?);
        bulk_seconds.push(timed(directory, |file| bulk(file, options, &batches))?);
    }
    let median = |seconds: &mut Vec<f64>| {
        seconds.sort_by(f64::total_cmp);
        bytes as f64 / seconds[ROUNDS / 2] / 1e6
    };
    let (bare, bulk) = (median(&mut bare_seconds), median(&mut bulk_seconds));
    println!(
        "medians of {ROUNDS}: bare {bare:.0} MB/s, bulk {bulk:.0} MB/s, {:.2} of it",
        bulk / bare
    );
    Ok(())
}

/// Seconds that `work` takes on a new file.
fn timed(directory: &Path, work: impl FnOnce(&Path) -> Result<(), Any>) -> Result<f64, Any> {
    let directory = tempfile::tempdir_in(directory)?;
    let start = Instant::now();
    work(&directory.path().join("speed.db"))?;
    Ok(start.elapsed().as_secs_f64())
}

fn bare(file: &Path, batches: &[Batch]) -> Result<(), Any> {
    let connection = rusqlite::Connection::open(file)?;
    connection.execute_batch(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
         PRAGMA cache_size = -262144; PRAGMA wal_autocheckpoint = 4000;
         CREATE TABLE customer (key TEXT NOT NULL PRIMARY KEY, doc BLOB NOT NULL)",
    )?;
    let mut insert = connection.prepare("INSERT INTO customer VALUES (?1, jsonb(?2))")?;
    for batch in batches {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        for (key, text) in batch.iter() {
            insert.execute((key, std::str::from_utf8(text)?))?;
        }
        connection.execute_batch("COMMIT")?;
    }
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
    Ok(())
}

fn bulk(file: &Path, options: &str, batches: &[Batch]) -> Result<(), Any> {
    tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
        let target = hoap_databases::open(&format!("sqlite:{}{options}", file.display())).await?;
        let documents = target.documents().map_err(hoap_workload::Error::from)?;
        documents.create(&["customer"]).await?;
        let mut bulk = documents.bulk("1/1").await?;
        let mut position = 0;
        for batch in batches {
            position += batch.len() as u64;
            bulk.write("customer", batch, position).await?;
        }
        documents.settle(&[]).await?;
        Ok(())
    })
}

/// Customers as large as those of CH2++ with 64 extra fields.
fn batch(number: usize) -> Batch {
    let mut batch = Batch::default();
    let mut state = number as u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        u128::from(state) << 64 | u128::from(state.wrapping_mul(0x9E3779B97F4A7C15))
    };
    for n in 0..BATCH {
        let c = number * BATCH + n;
        let mut text = String::new();
        let _ = write!(
            text,
            r#"{{"c_id":{},"c_d_id":{},"c_w_id":{},"c_discount":0.1234,"c_balance":-10.0,"c_name":{{"c_first":"abc","c_last":"BARBARBAR"}}"#,
            c % 3000 + 1,
            c / 3000 % 10 + 1,
            c / 30000 + 1
        );
        for extra in 1..=64 {
            let _ = write!(text, r#","c_extra_{extra:03}":"{:032x}""#, random());
        }
        let _ = write!(text, r#","c_data":"{}"}}"#, "d".repeat(400));
        batch.push(|key, out| {
            let _ = write!(key, "{}.{}.{}", c / 30000 + 1, c / 3000 % 10 + 1, c % 3000 + 1);
            out.extend_from_slice(text.as_bytes());
        });
    }
    batch
}
