//! What a draw and an operation of YCSB cost here, without a database: nanoseconds of the best of
//! five rounds. `ycsb_speed [records] [operations]`, 1,000,000 and 5,000,000 where not given.
#![allow(clippy::print_stdout)]

use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use hoap_data::random::Stream;
use hoap_database::KeyValue;
use hoap_database::engine::{Done, RecordSession, RecordStore};
use hoap_database::key_value::{Fields, Record, Scanned, Table};
use hoap_drive::{Client, Workload};
use hoap_ycsb::{Distribution, Keys, PRESETS, Properties, Setup, UserTable, Ycsb};

/// A database that does nothing.
struct Nothing;

impl RecordStore for Nothing {
    type Session = Nothing;

    const BARE: bool = true;

    fn answers(&self) -> bool {
        false
    }

    async fn record_session(&self, _: &Table) -> Done<Nothing> {
        Ok(Nothing)
    }
}

impl RecordSession for Nothing {
    async fn read(&mut self, key: &str, fields: Fields, _: &mut Record) -> Done<bool> {
        black_box((key, fields));
        Ok(true)
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Done<()> {
        black_box((key, record));
        Ok(())
    }

    async fn update(&mut self, key: &str, record: &Record) -> Done<bool> {
        black_box((key, record));
        Ok(true)
    }

    async fn delete(&mut self, key: &str) -> Done<bool> {
        black_box(key);
        Ok(true)
    }

    async fn scan(&mut self, key: &str, n: usize, fields: Fields, _: &mut Scanned) -> Done<()> {
        black_box((key, n, fields));
        Ok(())
    }
}

fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("nothing here waits"),
    }
}

/// Nanoseconds of one call, the best of five rounds.
fn best(operations: u64, mut call: impl FnMut()) -> f64 {
    let round = |_| {
        let start = Instant::now();
        (0..operations).for_each(|_| call());
        start.elapsed().as_secs_f64() * 1e9 / operations as f64
    };
    (0..5).map(round).fold(f64::INFINITY, f64::min)
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let records: u64 = args.next().map_or(Ok(1_000_000), |a| a.parse())?;
    let operations: u64 = args.next().map_or(Ok(5_000_000), |a| a.parse())?;
    let setup_of = |preset| {
        let mut properties = Properties::preset(preset);
        properties.set("recordcount", &records.to_string());
        Setup::new(&properties)
    };

    println!("a key number, {records} records");
    let space = setup_of(&PRESETS[0])?.key_space(records);
    let mut stream = Stream::new(1, &[]);
    for distribution in [
        Distribution::Uniform,
        Distribution::Zipfian,
        Distribution::ZipfianExact,
        Distribution::Latest,
        Distribution::Hotspot { data: 0.2, operations: 0.8 },
        Distribution::Exponential { percentile: 95.0, fraction: 0.857_142_857_1 },
        Distribution::Sequential,
    ] {
        let mut keys = Keys::new(distribution, &space);
        let ns = best(operations, || {
            black_box(keys.next(&mut stream, records));
        });
        println!("  {:<16}{ns:>8.1} ns", distribution.name());
    }

    println!("an operation: drawn, with its key and values made, and run against nothing");
    for preset in &PRESETS {
        let setup = setup_of(preset)?;
        let table = UserTable::new(&setup.table, setup.records)?;
        let ycsb = Ycsb::new(KeyValue::alone("nothing:", Nothing), &table, setup)?;
        let mut client = now(ycsb.client(0))?;
        let ns = best(operations, || {
            client.next();
            black_box(now(client.run()));
        });
        println!("  {:<16}{ns:>8.1} ns", preset.name);
    }
    Ok(())
}
