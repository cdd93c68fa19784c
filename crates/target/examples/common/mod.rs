//! What the examples that time a session beside the bare driver have in common: the records, the clock
//! and the end.

// Each example uses a part of it.
#![allow(dead_code)]

use std::hint::black_box;
use std::process::ExitCode;

use hoap_workload::capability::key_value::{Fields, KeyValue, KeyValueSession, Record, Table};
use hoap_workload::capability::{Batch, Target};

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

/// Makes the table anew, with this many records in it.
pub async fn load(target: &impl Target, records: u64) -> Result<(), Any> {
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

/// Seconds of each turn of the bare driver and of a session.
#[derive(Default)]
pub struct Sides {
    bare: Vec<f64>,
    session: Vec<f64>,
}

impl Sides {
    /// Adds a turn of each. The first round fills the caches.
    pub fn add(&mut self, round: u64, bare: f64, session: f64) {
        if round > 0 {
            self.bare.push(bare);
            self.session.push(session);
        }
    }

    /// Prints the medians of both sides and of their ratios, for turns of this many operations.
    pub fn print(self, what: &str, operations: u64) {
        let pairs = self.session.iter().zip(&self.bare);
        let ratios: Vec<f64> = pairs.map(|(session, bare)| session / bare).collect();
        let each = |seconds: &[f64]| median(seconds.to_vec()) / operations as f64 * 1e6;
        println!(
            "{what:18} bare {:6.2}  session {:6.2}  ratio {:.3}",
            each(&self.bare),
            each(&self.session),
            median(ratios)
        );
    }
}

/// The bare driver in the place of a session: YCSB C's read of all fields, and A's update of one.
pub trait Bare {
    /// Reads a record and looks at nothing in it.
    async fn read(&self, key: &str) -> Result<(), Any>;

    /// Sets field 5.
    async fn update(&self, key: &str, value: &str) -> Result<(), Any>;
}

/// Reads and updates records, so many operations each in so many rounds, through the bare driver and a session in
/// turns, and prints both.
pub async fn beside(
    bare: &impl Bare,
    target: &impl KeyValue,
    records: u64,
    (rounds, operations): (u64, u64),
) -> Result<(), Any> {
    let fields = (0..FIELDS).map(|n| format!("field{n}")).collect();
    let table = Table { name: "usertable".to_owned(), fields };
    let mut session = target.session(&table).await?;
    let keys = keys(records);
    let mut record = Record::default();
    let (mut reads, mut updates) = (Sides::default(), Sides::default());
    for round in 0..=rounds {
        let at = |i: u64| keys[((round * operations + i) % records) as usize].as_str();
        let start = cpu_seconds()?;
        for i in 0..operations {
            bare.read(at(i)).await?;
        }
        let middle = cpu_seconds()?;
        for i in 0..operations {
            if !session.read(at(i), Fields::All, &mut record).await? {
                return Err("a record is missing".into());
            }
            black_box(&record);
        }
        let end = cpu_seconds()?;
        reads.add(round, middle - start, end - middle);

        let start = cpu_seconds()?;
        for i in 0..operations {
            bare.update(at(i), &value(round + i)).await?;
        }
        let middle = cpu_seconds()?;
        for i in 0..operations {
            record.clear();
            record.push(5, |out| out.extend_from_slice(value(round + i).as_bytes()));
            black_box(session.update(at(i), &record).await?);
        }
        let end = cpu_seconds()?;
        updates.add(round, middle - start, end - middle);
    }
    println!(
        "{records} records of {FIELDS} x {LENGTH} bytes, medians of {rounds} turns of {operations} \
         operations, CPU-microseconds of the client an operation"
    );
    reads.print("read all fields", operations);
    updates.print("update one field", operations);
    Ok(())
}
