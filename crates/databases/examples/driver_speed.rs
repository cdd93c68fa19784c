//! What an operation on records costs through a session, beside the bare driver (Linux only):
//! `cargo run --release -p hoap-databases --example driver_speed -- DIRECTORY [OPTIONS] [ROUNDS]`
//!
//! Both run the same statements on the same file with the same settings, in turns, so that a
//! disturbance of the machine hits both. The bare loop has prepared each statement once, uses its
//! buffers again, copies a document as it is without taking the fields apart, knows no other writer
//! and checks nothing. CPU-seconds are this thread's, user and system.
#![allow(clippy::print_stdout)]

mod common;

use std::hint::black_box;
use std::path::Path;

use common::{Any, FIELDS, LENGTH, cpu_seconds, key, keys, load, median, value};
use hoap_database::Database;
use hoap_database::key_value::{Fields, Record, Scanned, Table};
use hoap_databases::sqlite::SqliteEngine;
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Statement};

const RECORDS: u64 = 20_000;
const SCAN: usize = 50;

fn main() -> std::process::ExitCode {
    common::main("driver_speed", run)
}

fn run(arguments: &[String]) -> Result<(), Any> {
    let directory = arguments.first().ok_or("name a directory")?;
    let options = arguments.get(1).map_or("?synchronous=normal", String::as_str);
    let rounds = arguments.get(2).map_or(Ok(15), |n| n.parse())?;
    let directory = tempfile::tempdir_in(directory)?;
    let file = directory.path().join("speed.db");
    let url = format!("sqlite:{}{options}", file.display());
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        let target = hoap_databases::sqlite::open(&url)?;
        load(&target, RECORDS).await?;
        let settings = target.description().settings;
        println!("{RECORDS} records of {FIELDS} x {LENGTH} bytes, {options}");
        // As many as a session has: one to read, one to write.
        let connect = || bare_connection(&file, options, &settings);
        compare(&target, &connect()?, &connect()?, rounds).await
    })
}

/// A connection with the settings that the sessions have.
fn bare_connection(
    file: &Path,
    options: &str,
    settings: &std::collections::BTreeMap<String, String>,
) -> Result<Connection, Any> {
    let connection = Connection::open(file)?;
    let cache_mb: u64 = settings["cache_size"].split(' ').next().ok_or("no cache size")?.parse()?;
    connection.execute_batch(&format!(
        "PRAGMA synchronous = {}; PRAGMA cache_size = -{}; PRAGMA temp_store = memory;
         PRAGMA wal_autocheckpoint = 4000",
        settings["synchronous"],
        cache_mb * 1024,
    ))?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    if options.contains("checkpoint_pages") || options.contains("mmap_mb") {
        return Err("the bare loop knows neither checkpoint_pages nor mmap_mb".into());
    }
    Ok(connection)
}

/// One operation both ways.
struct Pair {
    name: &'static str,
    /// Operations in a turn.
    operations: u64,
    /// CPU-seconds of each turn.
    bare: Vec<f64>,
    session: Vec<f64>,
}

async fn compare(
    target: &Database,
    reader: &Connection,
    writer: &Connection,
    rounds: usize,
) -> Result<(), Any> {
    let fields = (0..FIELDS).map(|n| format!("field{n}")).collect();
    let table = Table { name: "usertable".to_owned(), fields };
    let mut session =
        target.key_value_of::<SqliteEngine>().ok_or("not SQLite")?.session(&table).await?;
    let mut read_all = reader.prepare("SELECT json(doc) FROM usertable WHERE key = ?1")?;
    let mut read_one = reader.prepare("SELECT doc ->> '$.field5' FROM usertable WHERE key = ?1")?;
    let mut scan =
        reader.prepare("SELECT key FROM usertable WHERE key >= ?1 ORDER BY key LIMIT ?2")?;
    let mut update = writer
        .prepare("UPDATE usertable SET doc = jsonb_set(doc, '$.field5', ?2) WHERE key = ?1")?;
    let mut insert = writer.prepare("INSERT INTO usertable (key, doc) VALUES (?1, jsonb(?2))")?;

    let keys = keys(RECORDS);
    let values: Vec<String> = (0..100).map(|n| value(n << 32)).collect();
    let mut pairs = [
        ("read all fields", 20_000),
        ("read one field", 20_000),
        ("scan 50 keys", 5_000),
        ("update one field", 5_000),
        ("insert", 2_000),
    ]
    .map(|(name, operations)| Pair { name, operations, bare: vec![], session: vec![] });

    let (mut buffer, mut record, mut scanned) = (Vec::new(), Record::default(), Scanned::default());
    let (mut json, mut found) = (String::new(), vec![String::new(); SCAN]);
    let mut inserted = RECORDS;
    for round in 0..=rounds {
        for pair in &mut pairs {
            let at = |i: u64| keys[(i % RECORDS) as usize].as_str();
            let new = |i: u64| values[(i % 100) as usize].as_str();
            let start = cpu_seconds()?;
            for i in 0..pair.operations {
                match pair.name {
                    "read all fields" => copy(&mut read_all, at(i), &mut buffer)?,
                    "read one field" => copy(&mut read_one, at(i), &mut buffer)?,
                    "scan 50 keys" => {
                        let mut rows = scan.query((at(i), SCAN as i64))?;
                        for found in &mut found {
                            let Some(row) = rows.next()? else { break };
                            row.get_ref(0)?.as_str()?.clone_into(found);
                        }
                    }
                    "update one field" => {
                        let value = ToSqlOutput::Borrowed(ValueRef::Text(new(i).as_bytes()));
                        update.execute((at(i), value))?;
                    }
                    _ => {
                        inserted += 1;
                        object(inserted, &values, &mut json);
                        insert.execute((key(inserted), &json))?;
                    }
                }
                black_box((&buffer, &found));
            }
            let middle = cpu_seconds()?;
            for i in 0..pair.operations {
                match pair.name {
                    "read all fields" => {
                        black_box(session.read(at(i), Fields::All, &mut record).await?);
                    }
                    "read one field" => {
                        black_box(session.read(at(i), Fields::One(5), &mut record).await?);
                    }
                    "scan 50 keys" => {
                        session.scan(at(i), SCAN, Fields::None, &mut scanned).await?;
                    }
                    "update one field" => {
                        record.clear();
                        record.push(5, |out| out.extend_from_slice(new(i).as_bytes()));
                        session.update(at(i), &record).await?;
                    }
                    _ => {
                        inserted += 1;
                        record.clear();
                        for f in 0..FIELDS {
                            let value = &values[(inserted as usize + usize::from(f)) % 100];
                            record.push(f, |out| out.extend_from_slice(value.as_bytes()));
                        }
                        session.insert(&key(inserted), &record).await?;
                    }
                }
                black_box((&record, &scanned));
            }
            let end = cpu_seconds()?;
            // The first round fills the caches.
            if round > 0 {
                pair.bare.push(middle - start);
                pair.session.push(end - middle);
            }
        }
    }
    println!("medians of {rounds} turns, CPU-microseconds an operation; ratio of each turn");
    for pair in &mut pairs {
        let ratios: Vec<f64> =
            pair.session.iter().zip(&pair.bare).map(|(session, bare)| session / bare).collect();
        let each = |seconds: &[f64]| median(seconds.to_vec()) / pair.operations as f64 * 1e6;
        println!(
            "{:18} bare {:6.2}  session {:6.2}  ratio {:.3}",
            pair.name,
            each(&pair.bare),
            each(&pair.session),
            median(ratios)
        );
    }
    Ok(())
}

fn copy(statement: &mut Statement<'_>, key: &str, out: &mut Vec<u8>) -> Result<(), Any> {
    let mut rows = statement.query([key])?;
    let row = rows.next()?.ok_or("a record is missing")?;
    out.clear();
    out.extend_from_slice(row.get_ref(0)?.as_bytes()?);
    Ok(())
}

fn object(n: u64, values: &[String], out: &mut String) {
    out.clear();
    for f in 0..FIELDS {
        out.push_str(if f == 0 { "{\"field" } else { "\",\"field" });
        out.push(char::from(b'0' + f as u8));
        out.push_str("\":\"");
        out.push_str(&values[(n as usize + usize::from(f)) % 100]);
    }
    out.push_str("\"}");
}
