//! What the ledger of a run takes in memory, and what its checks add.
#![allow(clippy::print_stderr)]

mod answers;
mod terminals;

use std::time::Instant;

use answers::Answers;
use hoap_ch2::checks::by_key::Touched;
use hoap_ch2::checks::counters;
use hoap_ch2::checks::sample::Sample;
use hoap_ch2::checks::snapshot::Snapshot;
use hoap_ch2::data::{DataSet, Schema, Spec};
use hoap_ch2::ledger::Ledger;
use hoap_ch2::ledger::log::{Entry, Log};
use hoap_ch2::ledger::spill::{MEMORY, Store};
use hoap_database::Database;
use hoap_testing::scanned::block_on;
use hoap_workload::checks::watch::ALONE;
use terminals::{Run, run};

/// The orders, payments and deliveries of 30 minutes with 2,000 new orders a second, by the mix.
const LONG: [usize; 3] = [3_600_000, 3_440_000, 3_200_000];

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

/// A digest has eight bytes, and half of the last piece may be empty.
#[test]
fn a_commit_takes_about_25_bytes() {
    let Run { ledger, .. } = run(&data(1_000), 4, 300_000, 70, Ledger::default());
    let noted = sizes(&ledger);
    for ((bytes, n), size) in noted.into_iter().zip([24, 33, 17]) {
        assert!(bytes >= n * size && bytes <= n * size + 4 * (1 << 16), "{bytes} bytes of {n}");
    }
    let bytes = [24, 33, 17].into_iter().zip(LONG).map(|(size, n)| size * n).sum::<usize>();
    assert_eq!(bytes / LONG.iter().sum::<usize>(), 24);
}

/// Nothing to sort it, and little to read it, however long it is.
#[test]
fn checks_copy_nothing_of_a_ledger() {
    let Run { mut ledger, .. } = run(&data(100), 4, 300_000, 0, Ledger::default());
    let sorting = allocation_counter::measure(|| ledger.sort());
    assert_eq!(sorting.bytes_max, 0, "{sorting:?}");
    let reading = allocation_counter::measure(|| {
        assert_eq!(ledger.orders.iter().count(), ledger.orders.len())
    });
    assert!(reading.bytes_max < 20_000, "{reading:?}");
}

/// And the checks find each, in the memory of a run that keeps none there.
#[test]
fn commits_beyond_the_memory_are_in_a_file_of_the_run() {
    let (folder, data) = (tempfile::tempdir().unwrap(), data(100));
    let here = run(&data, 4, 90_000, 0, Ledger::default());
    let noted = [30_000, 90_000].map(|commits| {
        let empty = Ledger::on(&Store::new(folder.path(), 200_000));
        let mut noted = None;
        let measured = allocation_counter::measure(|| {
            noted = Some(run(&data, 4, commits, 0, empty));
        });
        (noted.unwrap(), measured.bytes_max)
    });
    let [(few, least), (mut many, most)] = noted;
    assert!(most < least + 50_000, "{least} {most}");
    assert!(
        sizes(&many.ledger).iter().all(|(bytes, n)| *bytes < n * 5),
        "{:?}",
        many.ledger.bytes()
    );
    assert!(many.ledger.orders.iter().eq(&here.ledger.orders));
    assert!(many.ledger.deliveries.iter().eq(&here.ledger.deliveries));
    let payments = |ledger: &Ledger| -> Vec<_> {
        ledger.payments.iter().map(|p| (p.history.terminal, p.history.count, p.digest)).collect()
    };
    assert_eq!(payments(&many.ledger), payments(&here.ledger));
    many.ledger.sort();
    touched(&data, &few, 1 << 14);
    touched(&data, &many, 1 << 20);
    many.ledger.whole().unwrap();
}

fn touched(data: &DataSet, run: &Run, most: usize) -> Snapshot {
    let before = Database::new(Answers::before(data));
    let after = Database::new(Answers::after(data, run));
    let before = block_on(counters::read(&before, data, true, &ALONE)).unwrap().districts;
    let ledger = &run.ledger;
    let touched = Touched { target: &after, data, before: &before, fresh: true, ledger };
    let nobody = Sample::default();
    let (snapshot, lost) = block_on(touched.keeping(most, &nobody, &ALONE)).unwrap();
    // The answers do not have these digests: each commit is found once, and is wrong.
    for (check, (_, n)) in lost.checks("test").iter().zip(sizes(ledger)) {
        assert_eq!(check.checked, n as u64, "{check:?}");
    }
    snapshot
}

/// However much a run did, its documents are checked in bounded memory.
#[test]
fn what_a_run_touched_is_checked_in_bounded_memory() {
    let (folder, data) = (tempfile::tempdir().unwrap(), data(100));
    let peaks = [10_000, 40_000].map(|commits| {
        let empty = Ledger::on(&Store::new(folder.path(), 1 << 20));
        let mut run = run(&data, 4, commits, 0, empty);
        run.ledger.sort();
        let measured = allocation_counter::measure(|| drop(touched(&data, &run, 1 << 12)));
        measured.bytes_max
    });
    assert!(peaks[1] < peaks[0] + 3_000_000, "{peaks:?}");
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
    let folder = tempfile::tempdir().unwrap();
    let empty = Ledger::on(&Store::new(folder.path(), MEMORY));
    let mut run = run(&data, 64, commits, 0, empty);
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
