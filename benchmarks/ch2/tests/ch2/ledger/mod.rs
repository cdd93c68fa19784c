//! What the ledger of a run takes in memory, and what its checks add.
#![allow(clippy::print_stderr)]

mod answers;
mod terminals;

use std::time::Instant;

use answers::Answers;
use hoap_ch2::checks::counters;
use hoap_ch2::checks::nothing_lost::Expected;
use hoap_ch2::checks::snapshot::Snapshot;
use hoap_ch2::checks::touched::Touched;
use hoap_ch2::data::{DataSet, Schema, Spec};
use hoap_ch2::ledger::Ledger;
use hoap_ch2::ledger::log::{Entry, Log};
use hoap_database::Database;
use hoap_testing::scanned::block_on;
use hoap_workload::checks::watch::ALONE;
use terminals::{Run, run};

/// The orders, payments and deliveries of 30 minutes with 2,000 new orders a second, by the mix.
const LONG: [usize; 3] = [3_600_000, 3_440_000, 3_200_000];

/// What a driver's ledger may take of them in memory, so that the driver stays below 256 MB with
/// its checks.
const MOST: usize = 138_000_000;

fn data(warehouses: u32) -> DataSet {
    DataSet::new(Spec::new(Schema::Ch2, warehouses)).unwrap()
}

/// Bytes and number of the orders, payments and deliveries.
fn sizes(ledger: &Ledger) -> [(usize, usize); 3] {
    let Ledger { orders, payments, deliveries, .. } = ledger;
    [
        (orders.bytes(), orders.len()),
        (payments.bytes(), payments.len()),
        (deliveries.bytes(), deliveries.len()),
    ]
}

/// The bytes of a longer run's.
fn scaled(sizes: [(usize, usize); 3]) -> usize {
    sizes.into_iter().zip(LONG).map(|((bytes, n), long)| bytes * long / n).sum()
}

/// A digest has eight bytes. The districts' numbers lie as far apart as at the end of such a run.
#[test]
fn a_commit_takes_little_more_than_its_digest() {
    for (warehouses, apart) in [(1_000, 70), (10, 700)] {
        let Run { mut ledger, .. } = run(&data(warehouses), 4, 300_000, apart);
        let noted = sizes(&ledger);
        // In hundredths of a byte, with all that is allocated.
        for ((bytes, n), most) in noted.into_iter().zip([1_706, 1_330, 951]) {
            assert!(bytes * 100 <= most * n, "{warehouses}: {bytes} bytes of {n}, {most}");
        }
        assert!(scaled(noted) <= MOST, "{warehouses}: {}", scaled(noted));
        ledger.sort();
        assert!(scaled(sizes(&ledger)) <= scaled(noted), "{warehouses}: {}", ledger.bytes());
    }
}

/// A few megabytes to sort it, however long it is, and less than half a byte a commit to find each.
#[test]
fn checks_copy_nothing_of_a_ledger() {
    let Run { mut ledger, .. } = run(&data(100), 4, 300_000, 0);
    let sorting = allocation_counter::measure(|| ledger.sort());
    assert!(sorting.bytes_max < 6_000_000, "{sorting:?}");
    assert!(sorting.bytes_current <= 0, "{sorting:?}");
    let finding = allocation_counter::measure(|| drop(Expected::of(&ledger)));
    assert!(finding.bytes_max < 300_000 / 2, "{finding:?}");
}

fn touched(data: &DataSet, run: &Run, most: u64) -> Snapshot {
    let before = Database::new(Answers::before(data));
    let after = Database::new(Answers::after(data, run));
    let before = block_on(counters::read(&before, data, true, &ALONE)).unwrap().districts;
    let ledger = &run.ledger;
    let touched = Touched { target: &after, data, before: &before, fresh: true, ledger };
    let mut expected = Expected::of(ledger);
    let snapshot = block_on(touched.in_parts(&mut expected, most, &ALONE)).unwrap();
    let checks = expected.checks(ledger, &before, &snapshot, "test");
    // The answers do not have these digests: each commit is found once, and once it is wrong.
    for (check, (_, n)) in checks.iter().zip(sizes(ledger)) {
        assert_eq!(check.checked, 2 * n as u64, "{check:?}");
    }
    snapshot
}

/// However much a run did, its documents are checked in the memory of one part.
#[test]
fn what_a_run_touched_is_checked_part_by_part() {
    let data = data(100);
    let peaks = [10_000, 40_000].map(|commits| {
        let mut run = run(&data, 4, commits, 0);
        run.ledger.sort();
        let measured = allocation_counter::measure(|| drop(touched(&data, &run, 1 << 14)));
        measured.bytes_max
    });
    assert!(peaks[1] < peaks[0] + 2_000_000, "{peaks:?}");
}

/// The time of noting entries, in nanoseconds each, in a log and in a vector.
fn noting<T: Entry>(log: &Log<T>) -> [u128; 2] {
    let entries: Vec<T> = log.iter().take(1_000_000).collect();
    let each = |started: Instant| started.elapsed().as_nanos() / entries.len() as u128;
    let started = Instant::now();
    let mut log = Log::default();
    entries.iter().for_each(|&entry| log.push(entry));
    let of_log = each(started);
    let started = Instant::now();
    let mut list = Vec::new();
    entries.iter().for_each(|&entry| list.push(entry));
    assert_eq!(std::hint::black_box(list).len(), log.len());
    [of_log, each(started)]
}

/// The most memory that the process ever had, in kB, and the seconds since it was asked.
fn peak(what: &str, since: &mut Instant) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kb = line.trim().strip_suffix(" kB").unwrap().parse().unwrap();
    eprintln!("{what}: {:.1} s, {kb} kB at most", since.elapsed().as_secs_f64());
    *since = Instant::now();
    kb
}

/// What a driver has besides takes up to 80 MB (`bench/README.md`).
#[test]
#[ignore = "takes minutes"]
fn thirty_minutes_are_noted_and_checked_in_176_megabytes() {
    let (data, mut now) = (data(1_000), Instant::now());
    peak("nothing", &mut now);
    let commits = LONG.iter().sum();
    let mut run = run(&data, 64, commits, 0);
    peak(&format!("{commits} commits, {} bytes", run.ledger.bytes()), &mut now);
    run.ledger.sort();
    peak(&format!("sorted, {} bytes", run.ledger.bytes()), &mut now);
    touched(&data, &run, 1 << 18);
    let most = peak("what was touched is read and compared", &mut now);
    let Ledger { orders, payments, deliveries, .. } = &run.ledger;
    let times = [noting(orders), noting(payments), noting(deliveries)];
    eprintln!("ns to note an order, a payment, a delivery in a log and in a vector: {times:?}");
    assert!(most < 176_000, "{most} kB");
}
