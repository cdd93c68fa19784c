//! What the examples that time Hoap beside the bare driver have in common: the records, the
//! clock and the end.

// Each example uses a part of it.
#![allow(dead_code)]
#![allow(clippy::print_stderr)]

use std::process::ExitCode;

use hoap_database::{Batch, Database};

/// Fields of a record.
pub const FIELDS: u16 = 10;
/// Bytes of a value.
pub const LENGTH: usize = 100;

/// Whatever goes wrong.
pub type Any = Box<dyn std::error::Error + Send + Sync>;

/// Runs an example with the words of its command line, and says under its name what went wrong.
pub fn main(name: &str, run: fn(&[String]) -> Result<(), Any>) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{name}: {e}");
            ExitCode::FAILURE
        }
    }
}

/// Makes the table anew, with this many records in it, does something with it and drops it.
pub async fn with_records(
    target: &Database,
    records: u64,
    what: impl AsyncFnOnce() -> Result<(), Any>,
) -> Result<(), Any> {
    load(target, records).await?;
    let done = what().await;
    target.documents().map_err(hoap_workload::Error::from)?.drop(&["usertable"]).await?;
    done
}

/// Makes the table anew, with this many records in it.
pub async fn load(target: &Database, records: u64) -> Result<(), Any> {
    let documents = target.documents().map_err(hoap_workload::Error::from)?;
    documents.drop(&["usertable"]).await?;
    documents.create(&["usertable"]).await?;
    let mut batch = Batch::default();
    for n in 0..records {
        let named =
            (0..FIELDS).map(|f| format!("\"field{f}\":\"{}\"", value(n * 10 + u64::from(f))));
        let text = format!("{{{}}}", named.collect::<Vec<_>>().join(","));
        batch.push(|to, out| {
            to.push_str(&key(n));
            out.extend_from_slice(text.as_bytes());
        });
    }
    documents.bulk("1/1").await?.write("usertable", &batch, records).await?;
    Ok(documents.settle(&[]).await?)
}

/// The key of a record.
pub fn key(n: u64) -> String {
    format!("user{:019}", n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 1)
}

/// The keys of this many records, in another order than they were loaded.
pub fn keys(records: u64) -> Vec<String> {
    (0..records).map(|n| key(n * 7919 % records)).collect()
}

/// Letters and digits that differ for every number.
pub fn value(n: u64) -> String {
    let mut text = String::new();
    while text.len() < LENGTH {
        let state = (n + 1).wrapping_mul(0xD134_2543_DE82_EF95).rotate_left(text.len() as u32);
        text.push_str(&format!("{state:016x}"));
    }
    text.truncate(LENGTH);
    text
}

/// Seconds that this thread has spent on a processor (Linux only).
pub fn cpu_seconds() -> Result<f64, Any> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: u64 = text.split(' ').next().ok_or("schedstat is empty")?.parse()?;
    Ok(nanoseconds as f64 / 1e9)
}

/// The middle one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
