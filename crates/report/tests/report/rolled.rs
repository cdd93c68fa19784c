//! Reports of long runs: points of several ticks.

use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use hoap_record::histogram::histogram;
use hoap_record::hlog::Hlog;
use hoap_record::{Cells, Operation, Sample, Step};
use hoap_report::run::ticks::Ticks;
use hoap_report::{Loaded, csv, html, tables};
use hoap_testing::runs::plain::folder;
use hoap_testing::runs::read::words;

const WARMUP: u64 = 60;
/// Cells of a second of the window, of which the last one is shorter and 90 are missing.
const TICKS: u64 = 5_000;
const GAP: std::ops::Range<u64> = 2_000..2_090;
const EMPTY: u64 = 3_000;
const LAST: f64 = 0.4;

/// The times of a tick, microseconds: now and then slow ones.
fn times(tick: u64) -> Vec<u64> {
    let number = if tick == EMPTY { 0 } else { 20 + tick % 9 };
    let slow = |at: u64| (tick * 31 + at * 17).is_multiple_of(97);
    let time = |at: u64| 300 + (tick * 7_919 + at * 104_729) % 9_000;
    (0..number).map(|at| time(at) * if slow(at) { 40 } else { 1 }).collect()
}

/// A run of one step, written as a run writes it.
fn long_run() -> (tempfile::TempDir, Loaded) {
    let place = tempfile::tempdir().unwrap();
    let mut made = folder("ycsb-c", 1, 1.0);
    made.samples.clear();
    made.run.steps.truncate(1);
    let path = place.path().join("run");
    std::fs::create_dir(&path).unwrap();
    let mut log = Hlog::create(&path, 1, SystemTime::UNIX_EPOCH).unwrap();
    let mut all = histogram();
    for second in (0..WARMUP + TICKS).filter(|s| !GAP.contains(&s.saturating_sub(WARMUP))) {
        let is_warm = second < WARMUP;
        let seconds = if second == WARMUP + TICKS - 1 { LAST } else { 1.0 };
        let times = times(second.wrapping_sub(WARMUP) % TICKS);
        let mut of_tick = histogram();
        times.iter().for_each(|time| of_tick.record(*time).unwrap());
        made.samples.push(Sample {
            step: 1,
            phase: if is_warm { "warmup" } else { "measured" }.into(),
            at_seconds: second as f64 + seconds,
            seconds,
            kind: "READ".into(),
            count: of_tick.len(),
            mean_us: of_tick.mean(),
            p50_us: of_tick.value_at_quantile(0.5),
            p99_us: of_tick.value_at_quantile(0.99),
            max_us: times.iter().copied().max().unwrap_or(0),
            ..Sample::default()
        });
        if !is_warm {
            let (start, length) = (Duration::from_secs(second), Duration::from_secs_f64(seconds));
            log.add("READ", &of_tick, start, length).unwrap();
            all.add(&of_tick).unwrap();
        }
    }
    log.flush().unwrap();
    let logs = vec![(1, std::fs::read(hoap_record::hlog::path(&path, 1)).unwrap())];
    let step = &mut made.run.steps[0];
    let seconds = (TICKS - 1) as f64 + LAST;
    let operation = Operation {
        kind: "READ".into(),
        count: all.len(),
        timed: all.len(),
        per_second: all.len() as f64 / seconds,
        ..step.transactions[0].clone()
    };
    let (start_seconds, warmup_seconds) = (WARMUP as f64, WARMUP as f64);
    let transactions = vec![operation];
    // Its ticks were of half a second.
    let cells = Some(Cells { ticks: 2, seconds: 1.0 });
    *step = Step { start_seconds, warmup_seconds, seconds, cells, transactions, ..step.clone() };
    made.run.seconds = start_seconds + seconds;
    made.logs = logs;
    made.write(&path);
    let loaded = Loaded::open(&path).unwrap();
    (place, loaded)
}

/// The percentile of each point of the window must be that of the sorted times of its ticks, in the
/// three digits of the logs.
fn holds(ticks: &Ticks) {
    let digits = Histogram::<u64>::new_with_bounds(1, 1 << 30, 3).unwrap();
    let mut from = WARMUP;
    for tick in ticks.all.iter().filter(|tick| tick.phase == "measured") {
        let to = tick.at_seconds.ceil() as u64;
        let ours = (from - WARMUP..to - WARMUP).filter(|tick| !GAP.contains(tick));
        let mut all: Vec<u64> = ours.flat_map(times).collect();
        all.sort_unstable();
        assert_eq!(tick.count, all.len() as u64);
        let place = (all.len() as f64 * 0.99).ceil() as usize - 1;
        let p99 = digits.highest_equivalent(all[place]).min(all[all.len() - 1]);
        assert_eq!(tick.p99_seconds, Some(p99 as f64 / 1e6), "{tick:?}");
        from = to;
    }
    assert_eq!(from, WARMUP + TICKS);
}

#[test]
fn a_long_run_is_drawn_in_few_points_with_the_percentiles_of_all_their_operations() {
    let (_place, loaded) = long_run();
    let ticks = &loaded.ticks;
    // 4,970 cells of two ticks in 200 points are 25 a point.
    assert_eq!(ticks.resolution().as_deref(), Some("50 ticks (25.0 s)"));
    assert!((150..=202).contains(&ticks.all.len()), "{}", ticks.all.len());
    holds(ticks);
    let table = tables::ticks(&loaded);
    assert_eq!(table.rows.len(), ticks.all.len());
    assert!(table.title.contains("50 ticks (25.0 s) a row"), "{}", table.title);
    assert_eq!(csv(&table).lines().count(), 1 + ticks.all.len());
    let page = words(&html(std::slice::from_ref(&loaded)));
    for says in ["mean of each 50 ticks (25.0 s)", "99th percentile of each 50 ticks (25.0 s)"] {
        assert!(page.contains(says), "no {says:?}");
    }
}
