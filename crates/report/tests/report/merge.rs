//! Merging the run folders of driver machines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hdrhistogram::Histogram;
use hoap_record::Result;
use hoap_record::folder::{read_queries, read_run, read_samples};
use hoap_record::histogram::histogram;
use hoap_record::hlog;
use hoap_record::merge::Merge;
use hoap_record::{CatchUp, Freshness, GRACE, Remark, RemarkId, Run, Sample, Verdict};
use hoap_report::{Loaded, csv};
use hoap_testing::runs::plain::folder as plain_folder;
use hoap_testing::runs::{Folder, folder};

/// What hung when the windows ended stays what it is: a bound in the response times, in a row and
/// an interval of its own, and no part of any tick of the window.
#[test]
fn what_was_in_flight_at_the_end_is_joined_beside_the_windows() {
    let place = tempfile::tempdir().unwrap();
    let paths = drivers(place.path(), |one, two| {
        one.hang(2, "NewOrder", 9_000_000);
        two.hang(2, "NewOrder", 4_000_000);
    });
    let out = place.path().join("out");
    let merged = merge(&paths, &out, vec![]).unwrap();
    let new_order = &merged.steps[1].transactions[0];
    assert_eq!((new_order.unfinished, new_order.at_least, new_order.oldest_us), (2, 2, 9_000_000));
    assert_eq!(new_order.timed, new_order.count + 2);
    assert!((10_900_000..=11_100_000).contains(&new_order.latency.max_us));
    let rows = read_samples(&out).unwrap();
    let ours = || rows.iter().filter(|s| s.step == 2 && s.kind == "NewOrder");
    let late: Vec<_> = ours().filter(|s| s.phase == GRACE).collect();
    assert_eq!((late.len(), late[0].count), (1, 0));
    assert_eq!(late[0].max_us, new_order.latency.max_us);
    let window = ours().filter(|s| s.phase == "measured");
    assert!(window.clone().all(|s| s.max_us < 1_000_000), "no tick of the window has it");
    assert_eq!(window.map(|s| s.count).sum::<u64>(), new_order.count);
    let mut last = None;
    let note = |interval: hlog::Interval<'_>| {
        let count: u64 = interval.times.iter().map(|(_, count)| count).sum();
        last = Some((interval.start_seconds, count));
        Ok(())
    };
    hlog::each(&out, 2, |tag| tag == "NewOrder", note).unwrap();
    let (start_seconds, count) = last.unwrap();
    assert_eq!(count, 2);
    let window_end = merged.steps[1].start_seconds + merged.steps[1].seconds;
    assert!((start_seconds - window_end).abs() < 1e-5, "it begins where the last window ends");
}

/// Without rows there is no grid of ticks, and still everything is counted.
#[test]
fn logs_without_rows_are_added_up() {
    let place = tempfile::tempdir().unwrap();
    let whole = merge(&drivers(place.path(), |_, _| {}), &place.path().join("whole"), vec![]);
    let paths = drivers(place.path(), |one, two| {
        one.samples.clear();
        two.samples.clear();
    });
    let out = place.path().join("out");
    let merged = merge(&paths, &out, vec![]).unwrap();
    assert_eq!(merged.steps, whole.unwrap().steps);
    assert!(read_samples(&out).unwrap().is_empty());
    assert!(hlog::read(&out, 2).unwrap().is_empty());
}

/// How much of a tick lies in a cell.
fn overlap(tick: (f64, f64), cell: (f64, f64)) -> f64 {
    let common = tick.1.min(cell.1) - tick.0.max(cell.0);
    common.max(0.0) / (tick.1 - tick.0)
}

/// Merging goes through the files tick by tick. Here all of them are shared among the cells at once:
/// every row and every interval must come out the same, of five drivers that began at different
/// times.
#[test]
fn tick_by_tick_is_what_all_at_once_would_be() {
    let place = tempfile::tempdir().unwrap();
    let offsets = [0.25, 0.0, 0.375, 0.125, 0.4];
    let paths: Vec<PathBuf> = (0..offsets.len())
        .map(|n| {
            let mut made = plain_folder("ycsb-f", n as u64, 0.7 + 0.1 * n as f64);
            made.run.started = format!("2026-01-01T00:00:00.{:03}Z", (offsets[n] * 1e3) as u32);
            made.run.host.cores = n;
            let path = place.path().join(n.to_string());
            made.write(&path);
            path
        })
        .collect();
    let out = place.path().join("out");
    let merged = merge(&paths, &out, vec![]).unwrap();
    let rows = read_samples(&out).unwrap();
    let mut compared = 0;
    for step in &merged.steps {
        for phase in ["warmup", "measured"] {
            let of_phase = |path: &Path| {
                let mut rows = read_samples(path).unwrap();
                rows.retain(|row| row.step == step.number && row.phase == phase);
                rows
            };
            let parts: Vec<_> = paths.iter().map(|path| of_phase(path)).collect();
            let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
            for row in parts.iter().flatten() {
                sums.entry(row.kind.clone()).or_default().0 += row.count;
            }
            let mut logged: BTreeMap<(i64, String), Histogram<u64>> = BTreeMap::new();
            let (mut order, mut starts) = (Vec::new(), Vec::new());
            let note = |interval: hlog::Interval<'_>| {
                let at = (interval.start_seconds * 1e3).round() as i64;
                starts.push((interval.start_seconds, interval.seconds));
                order.push((at, interval.tag.to_owned()));
                let all = logged.entry((at, interval.tag.into())).or_insert_with(histogram);
                interval.add_to(all)
            };
            if phase == "measured" {
                hlog::each(&out, step.number, |_| true, note).unwrap();
                assert!(order.is_sorted_by(|a, b| a < b), "the order of the log");
            }
            let mut length = None;
            for row in rows.iter().filter(|row| row.step == step.number && row.phase == phase) {
                let cell = (row.at_seconds - row.seconds, row.at_seconds);
                let first = *length.get_or_insert(row.seconds);
                assert!((row.seconds - first).abs() < 3e-6, "cells are equal");
                let (mut exact, mut highest) = (0.0, 0);
                for (part, offset) in parts.iter().zip(offsets) {
                    for of in part.iter().filter(|of| of.kind == row.kind) {
                        let end = of.at_seconds + offset;
                        let share = overlap((end - of.seconds, end), cell);
                        exact += of.count as f64 * share;
                        highest = if share > 1e-5 { highest.max(of.p99_us) } else { highest };
                    }
                }
                assert!((row.count as f64 - exact).abs() <= 1.0, "{row:?} {exact}");
                sums.get_mut(&row.kind).unwrap().1 += row.count;
                if phase == "warmup" {
                    assert_eq!(row.p99_us, highest, "{row:?}");
                    continue;
                }
                let times = &logged[&((cell.0 * 1e3).round() as i64, row.kind.clone())];
                // A backlog has no response times.
                let timed = step.rate_shortfall.is_none();
                let off = (times.len() as f64 - exact).abs();
                assert!(!timed || off <= 2.0 + 0.03 * exact, "{row:?}: {off} of {exact}");
                assert_eq!(row.p99_us, times.value_at_quantile(0.99).min(row.max_us));
                assert_eq!(row.max_us, times.max().min(row.max_us));
                compared += 1;
            }
            assert!(sums.values().all(|(parts, whole)| parts == whole), "{sums:?}");
            let seconds = match phase {
                "warmup" => 2.4,
                _ => step.seconds,
            };
            let kind = |row: &&Sample| row.kind == "READ" && row.phase == phase;
            let ours = rows.iter().filter(|row| row.step == step.number).filter(kind);
            let sum: f64 = ours.map(|row| row.seconds).sum();
            assert!((sum - seconds).abs() < 1e-5, "{sum} of {seconds}");
        }
        let whole = hlog::read(&out, step.number).unwrap();
        let mut all: BTreeMap<String, Histogram<u64>> = BTreeMap::new();
        for (tag, times) in paths.iter().flat_map(|path| hlog::read(path, step.number).unwrap()) {
            all.entry(tag).or_insert_with(histogram).add(times).unwrap();
        }
        assert!(whole == all, "the times of step {}", step.number);
    }
    assert!(compared > 200, "{compared}");
}

/// Two drivers of two clients each, whose operations take 5 ms: no fleet of them can do more than
/// 800 operations a second. Their ticks are late now and then, as on a busy machine.
#[test]
fn a_fleet_does_no_more_than_its_clients_can_and_time_adds_up() {
    let place = tempfile::tempdir().unwrap();
    let mut late = hoap_data::random::Stream::new(7, &[]);
    let paths: Vec<PathBuf> = (0..2)
        .map(|n| {
            let mut ends: Vec<f64> = Vec::new();
            for second in 1..=60 {
                // One that is more than a tick late swallows the next.
                let wait = if late.uniform(1..=6) == 6 { late.uniform(1..=1400) } else { 0 };
                let end = (f64::from(second) + wait as f64 / 1e3).min(60.0);
                if ends.last().is_none_or(|last| end - last > 0.01) {
                    ends.push(end);
                }
            }
            let mut made = constant(&ends, 400.0);
            made.run.started = format!("2026-01-01T00:00:00.{:03}Z", 370 * n);
            made.run.host.cores = n;
            let path = place.path().join(n.to_string());
            made.write(&path);
            path
        })
        .collect();
    let out = place.path().join("out");
    let step = merge(&paths, &out, vec![]).unwrap().steps.remove(0);
    assert_eq!(step.transactions[0].count, 48_000);
    let rows = read_samples(&out).unwrap();
    // As long as a tick was on the driver that was late less.
    assert!((55..=60).contains(&rows.len()), "{}", rows.len());
    assert_eq!(rows.iter().map(|row| row.count).sum::<u64>(), 48_000);
    let seconds: f64 = rows.iter().map(|row| row.seconds).sum();
    assert!((seconds - step.seconds).abs() < 1e-6 && (seconds - 60.37).abs() < 1e-6, "{seconds}");
    for row in &rows {
        assert!(row.count as f64 <= 800.0 * row.seconds + 1.0, "{row:?}");
        assert_eq!(row.p50_us, 5_000, "{row:?}");
    }
    for row in &rows[1..rows.len() - 1] {
        assert!(row.count as f64 >= 800.0 * row.seconds - 1.0, "{row:?}");
    }
    let mut logged = (0, 0.0);
    let note = |interval: hlog::Interval<'_>| {
        let count: u64 = interval.times.iter().map(|(_, count)| count).sum();
        logged = (logged.0 + count, logged.1 + interval.seconds);
        // Its edges are known to the millisecond.
        assert!(count as f64 <= 800.0 * interval.seconds + 8.0, "{count} in {}", interval.seconds);
        Ok(())
    };
    hlog::each(&out, 1, |_| true, note).unwrap();
    assert_eq!(logged.0, 48_000);
    assert!((logged.1 - 60.37).abs() < 0.05, "{}", logged.1);
}

/// One step in which `per_second` operations of 5 ms end evenly, in ticks with these ends.
fn constant(ends: &[f64], per_second: f64) -> Folder {
    let mut made = plain_folder("ycsb-f", 1, 1.0);
    made.run.steps.truncate(1);
    let step = &mut made.run.steps[0];
    (step.start_seconds, step.warmup_seconds, step.seconds) = (0.0, 0.0, ends[ends.len() - 1]);
    step.transactions.truncate(1);
    let read = &mut step.transactions[0];
    let place = tempfile::tempdir().unwrap();
    let mut log = hlog::Hlog::create(place.path(), 1, std::time::SystemTime::UNIX_EPOCH).unwrap();
    made.samples.clear();
    let (mut start, mut done) = (0.0, 0);
    for end in ends {
        let all = (end * per_second).round() as u64;
        let (count, seconds) = (all - done, end - start);
        let mut times = histogram();
        times.record_n(5_000, count).unwrap();
        let time = std::time::Duration::from_secs_f64;
        log.add("READ", &times, time(start), time(seconds)).unwrap();
        let micros = if count > 0 { 5_000 } else { 0 };
        made.samples.push(Sample {
            step: 1,
            phase: "measured".into(),
            at_seconds: *end,
            seconds,
            kind: "READ".into(),
            count,
            mean_us: micros as f64,
            p50_us: micros,
            p99_us: micros,
            max_us: micros,
            ..Sample::default()
        });
        (start, done) = (*end, all);
    }
    log.flush().unwrap();
    (read.kind, read.count, read.timed) = ("READ".into(), done, done);
    read.latency.max_us = 5_000;
    (read.unfinished, read.at_least) = (0, 0);
    made.logs = vec![(1, std::fs::read(hlog::path(place.path(), 1)).unwrap())];
    made
}

/// What one driver lacks for nine seconds the other has. What both lack is the fleet's gap.
#[test]
fn the_longest_gap_is_that_of_the_fleet() {
    let steady: Vec<f64> = (1..=60).map(f64::from).collect();
    let gap = |from_seconds, seconds| Some(hoap_record::Gap { from_seconds, seconds });
    // Of each driver the seconds without a success, and its longest gap.
    type Silent = (&'static [(usize, usize)], Option<hoap_record::Gap>);
    let cases: [([Silent; 2], Option<hoap_record::Gap>); 5] = [
        ([(&[(20, 29)], gap(19.7, 9.6)), (&[], gap(3.0, 0.005))], None),
        // As exact as the drivers know it, on the clock of the earlier one.
        ([(&[(20, 29)], gap(19.7, 9.6)), (&[(20, 29)], gap(19.2, 9.6))], gap(19.7, 9.6)),
        // Where each has another longest gap, to the tick.
        ([(&[(5, 15), (40, 45)], gap(4.9, 10.2)), (&[(40, 45)], gap(39.4, 5.3))], gap(40.5, 4.5)),
        ([(&[(5, 15)], gap(4.9, 10.2)), (&[(40, 45)], gap(39.4, 5.3))], None),
        ([(&[(0, 60)], gap(0.0, 60.0)), (&[(0, 60)], gap(0.0, 60.0))], gap(0.5, 59.5)),
    ];
    for (drivers, wanted) in cases {
        let place = tempfile::tempdir().unwrap();
        let mut paths = Vec::new();
        for (n, (silent, longest)) in drivers.into_iter().enumerate() {
            let mut made = constant(&steady, 400.0);
            for second in silent.iter().flat_map(|(from, to)| *from..*to) {
                made.samples[second].count = 0;
            }
            made.run.steps[0].longest_gap = longest;
            made.run.started = format!("2026-01-01T00:00:00.{}Z", 5 * n);
            made.run.host.cores = n;
            paths.push(place.path().join(n.to_string()));
            made.write(&paths[n]);
        }
        let step = merge(&paths, &place.path().join("out"), vec![]).unwrap().steps.remove(0);
        let found = step.longest_gap.filter(|gap| gap.seconds > 0.1);
        let near = |a: f64, b: f64| (a - b).abs() < 1.1;
        match (found, wanted) {
            (Some(found), Some(wanted)) => assert!(
                near(found.seconds, wanted.seconds)
                    && near(found.from_seconds, wanted.from_seconds),
                "{found:?}, not {wanted:?}"
            ),
            (found, wanted) => assert_eq!(found, wanted),
        }
    }
}

/// Two drivers, the second of which began 0.3 s later.
fn drivers(place: &Path, change: impl FnOnce(&mut Folder, &mut Folder)) -> Vec<PathBuf> {
    let (mut one, mut two) = (folder(1, 1.0), folder(2, 0.8));
    two.run.started = "2026-01-01T00:00:00.3Z".into();
    two.run.host.processor = "another".into();
    change(&mut one, &mut two);
    let paths: Vec<PathBuf> = ["one", "two"].iter().map(|name| place.join(name)).collect();
    one.write(&paths[0]);
    two.write(&paths[1]);
    paths
}

fn refused(change: impl FnOnce(&mut Folder, &mut Folder)) -> String {
    let place = tempfile::tempdir().unwrap();
    let paths = drivers(place.path(), change);
    let out = place.path().join("out");
    let error = merge(&paths, &out, vec![]).unwrap_err().to_string();
    assert!(!out.exists(), "a refused merge wrote");
    assert_eq!(error.lines().count(), 1);
    error
}

fn counts(run: &Run) -> Vec<u64> {
    run.steps.iter().flat_map(|s| s.transactions.iter().map(|o| o.count)).collect()
}

fn merge(folders: &[PathBuf], out: &Path, command: Vec<String>) -> Result<Run> {
    Merge::open(folders)?.write(out, command, None)
}

#[test]
fn everything_is_added_and_nothing_is_counted_twice() {
    let place = tempfile::tempdir().unwrap();
    let paths = drivers(place.path(), |_, _| {});
    let out = place.path().join("out");
    let merged = merge(&paths, &out, vec!["hoap".into(), "merge".into()]).unwrap();
    assert_eq!(counts(&read_run(&out).unwrap()), counts(&merged), "what is returned is written");
    let [one, two] = [read_run(&paths[0]).unwrap(), read_run(&paths[1]).unwrap()];

    let sums: Vec<u64> = counts(&one).iter().zip(counts(&two)).map(|(a, b)| a + b).collect();
    assert_eq!(counts(&merged), sums);
    for (step, (a, b)) in merged.steps.iter().zip(one.steps.iter().zip(&two.steps)) {
        assert_eq!(step.tx_clients, a.tx_clients + b.tx_clients);
        let tpm = a.tpm.zip(b.tpm).map(|(a, b)| a + b);
        assert_eq!(step.tpm, tpm);
        assert!((step.seconds - a.seconds - 0.3).abs() < 1e-6, "both windows: {}", step.seconds);
        assert_eq!(step.start_skew_seconds, Some(0.3));
        let logs = hlog::read(&out, step.number).unwrap();
        for operation in &step.transactions {
            let times = &logs[&operation.kind];
            assert_eq!(times.len(), operation.count);
            assert_eq!(operation.latency.p99_us, times.value_at_quantile(0.99));
        }
    }
    assert_eq!(merged.steps[1].name, "4 tx, 0 queries");
    assert_eq!(merged.drivers.len(), 2);
    assert_eq!(merged.drivers[1].offset_seconds, 0.3);
    assert_eq!(merged.drivers[1].host.processor, "another");
    assert_eq!(merged.checks.len(), one.checks.len() + two.checks.len() + 1);
    let last = merged.checks.last().unwrap();
    assert!(
        last.verdict == Verdict::Skip && last.detail.as_ref().unwrap().contains("--operational")
    );

    let shown = csv(&hoap_report::tables::overview(&[Loaded::open(&out).unwrap().entry()]));
    assert!(shown.contains("drivers,\"2, start skew 300 ms\""), "{shown}");

    let rows = read_samples(&out).unwrap();
    let sums = |rows: &[Sample]| {
        let mut sums: BTreeMap<(usize, String, String), [u64; 3]> = BTreeMap::new();
        for row in rows {
            let sum = sums.entry((row.step, row.phase.clone(), row.kind.clone())).or_default();
            *sum = [sum[0] + row.count, sum[1] + row.failed, sum[2] + row.retries];
        }
        sums
    };
    let parts = [&paths[0], &paths[1]].map(|path| read_samples(path).unwrap()).concat();
    assert_eq!(sums(&rows), sums(&parts));

    let executions = read_queries(&out).unwrap();
    let before = read_queries(&paths[0]).unwrap().len() + read_queries(&paths[1]).unwrap().len();
    assert_eq!(executions.len(), before);
    let streams = executions.iter().filter(|e| e.step == 1).map(|e| e.stream).max();
    assert_eq!(streams, Some(1), "streams are numbered on");
    // Step 7 is incomplete in both.
    assert!(merged.steps[6].incomplete.as_ref().unwrap().contains("Q20"));
    assert_eq!(merged.steps[0].queries[0].count, 4);
    let power = merged.steps[0].power_seconds.unwrap();
    let (a, b) = (one.steps[0].power_seconds.unwrap(), two.steps[0].power_seconds.unwrap());
    assert!(a.min(b) < power && power < a.max(b), "{a} {power} {b}");

    let loaded = Loaded::open(&out).unwrap();
    assert!(loaded.run.remarks.iter().all(|r| r.id != RemarkId::FilesMissing));
    assert!(hoap_report::html(&[loaded]).contains("4 tx, 0 queries"));
}

/// A probe judges the commits of its own driver. The first one's ages, or all in one histogram,
/// would be no age of the whole.
#[test]
fn freshness_is_left_to_the_drivers_and_the_longest_wait_is_that_of_all() {
    let place = tempfile::tempdir().unwrap();
    let paths = drivers(place.path(), |one, two| {
        for (driver, before_seconds) in [(one, 1.5), (two, 4.0)] {
            let step = driver.run.steps.iter_mut().find(|s| s.tx_clients > 0).unwrap();
            step.freshness = Some(Freshness { probes: 9, ..Freshness::default() });
            driver.run.catch_up = Some(CatchUp { before_seconds, after_seconds: None });
        }
    });
    let merged = merge(&paths, &place.path().join("out"), vec![]).unwrap();
    assert!(merged.steps.iter().all(|step| step.freshness.is_none()));
    let not = |r: &Remark| r.id == RemarkId::FreshnessNotMerged;
    assert!(merged.remarks.iter().any(not));
    assert_eq!(merged.catch_up.unwrap().before_seconds, 4.0);
    let out = place.path().join("plain");
    let plain = merge(&drivers(place.path(), |_, _| {}), &out, vec![]).unwrap();
    assert!(!plain.remarks.iter().any(not) && plain.catch_up.is_none());
}

/// What one driver's machine did is that driver's; what all drivers say is said once.
#[test]
fn the_same_remarks_of_drivers_are_one_and_the_others_have_their_names() {
    let place = tempfile::tempdir().unwrap();
    let remark = |text: &str, step| Remark::new(RemarkId::HeldBack, text).of_step(step);
    let paths = drivers(place.path(), |one, two| {
        one.run.remarks.extend([remark("for 1 s", 1), remark("for 2 s", 1)]);
        two.run.remarks.extend([remark("for 1 s", 3), Remark::new(RemarkId::Repeated, "again")]);
    });
    let mut merged = merge(&paths, &place.path().join("out"), vec![]).unwrap();
    merged.remarks.retain(|remark| remark.id != RemarkId::WindowsApart);
    let scaled = folder(1, 1.0).run.remarks;
    let wanted = [
        scaled[0].clone(),
        Remark { steps: vec![1, 3], ..remark("for 1 s", 1) },
        remark("for 2 s", 1).of_run("one"),
        Remark::new(RemarkId::Repeated, "again").of_run("two"),
    ];
    assert_eq!(merged.remarks, wanted);
}

#[test]
fn open_loops_are_merged_with_their_parts() {
    let place = tempfile::tempdir().unwrap();
    let (one, two) = (plain_folder("ycsb-f", 1, 1.0), plain_folder("ycsb-f", 2, 1.0));
    let paths: Vec<PathBuf> = ["one", "two"].iter().map(|name| place.path().join(name)).collect();
    let mut two = two;
    two.run.host.cores = 7;
    one.write(&paths[0]);
    two.write(&paths[1]);
    let out = place.path().join("out");
    let merged = merge(&paths, &out, vec![]).unwrap();
    assert_eq!(merged.steps[3].name, "8 clients, 4000/s");
    assert_eq!(merged.steps[3].rate_intended, Some(4_000.0));
    assert_eq!(merged.steps[3].clients, Some(8));
    let operation = &merged.steps[3].transactions[0];
    assert!(operation.wait.is_some() && operation.service.is_some());
    assert!(merged.steps[4].rate_shortfall.as_ref().unwrap().contains("one: "));
}

#[test]
fn what_does_not_belong_together_is_refused_by_the_folders_name() {
    type Change = fn(&mut Folder, &mut Folder);
    let cases: [(&str, Change); 10] = [
        ("benchmark is ch2", |_, two| two.run.benchmark = "ch2".into()),
        ("version of hoap is 9", |_, two| two.run.hoap = "9".into()),
        ("data set", |_, two| two.run.data["warehouses"] = 4.into()),
        ("--duration", |_, two| {
            two.run.configuration.insert("duration".into(), "9s".into());
        }),
        ("--freshness is true, not false", |one, two| {
            for (run, measured) in [(&mut one.run, false), (&mut two.run, true)] {
                run.configuration.insert("freshness".into(), measured.into());
            }
        }),
        ("6 steps", |_, two| {
            two.run.steps.pop();
        }),
        ("not like", |_, two| two.run.steps[1].tx_clients = 0),
        ("not at the same time", |_, two| two.run.started = "2026-01-01T00:01:00Z".into()),
        ("partial: interrupted", |_, two| two.run.partial = Some("interrupted".into())),
        ("it is part 1/2 as", |one, two| {
            for run in [&mut one.run, &mut two.run] {
                run.configuration.insert("part".into(), "1/2".into());
            }
        }),
    ];
    for (says, change) in cases {
        let error = refused(change);
        assert!(error.contains(says) && error.contains("two"), "{says}: {error}");
    }
    let error = refused(|_, two| two.logs[1].1.truncate(2_000));
    assert!(error.contains("two/step-02.hlog") && error.contains("run.json counts"), "{error}");
    let error = refused(|_, two| {
        let log = String::from_utf8(two.logs[1].1.clone()).unwrap();
        let mut lines: Vec<&str> = log.split_inclusive('\n').collect();
        let end = lines.len();
        lines[end - 12..].rotate_left(6);
        two.logs[1].1 = lines.concat().into_bytes();
    });
    assert!(
        error.contains("two/step-02.hlog") && error.contains("before the one above"),
        "{error}"
    );
    let error = refused(|_, two| two.run.started = "yesterday".into());
    assert!(error.contains("two/run.json") && error.contains("started"), "{error}");
}

/// Four drivers of which one gave no folder, and folders of two runs, have numbers that are of no
/// run.
#[test]
fn every_part_is_merged_once_and_what_is_missing_is_named() {
    let merged = |parts: &[&str]| {
        let place = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = (1..=parts.len())
            .map(|n| {
                let (mut made, path) = (folder(n as u64, 1.0), place.path().join(format!("f{n}")));
                made.run.host.cores = n;
                if !parts[n - 1].is_empty() {
                    made.run.configuration.insert("part".into(), parts[n - 1].into());
                }
                made.write(&path);
                path
            })
            .collect();
        let out = place.path().join("out");
        let end = merge(&paths, &out, vec![]).map_err(|e| e.to_string());
        assert_eq!(end.is_ok(), out.exists());
        end
    };
    for whole in [&["1/2", "2/2"][..], &["3/3", "1/3", "2/3"], &["", ""]] {
        assert!(merged(whole).is_ok(), "{whole:?}");
    }
    for (parts, says) in [
        (&["1/4", "2/4", "3/4"][..], &["f1", "f2", "f3", "4/4 are missing", "run again"][..]),
        (&["1/2", "2/3"], &["f2", "part 2/3", "f1", "one of 2 parts"]),
        (&["1/3", "2/3", "2/3"], &["f3", "part 2/3 as", "f2 is"]),
        (&["1/2", ""], &["f2", "without --part", "f1"]),
        (&["", "2/2"], &["f1", "without --part", "f2"]),
        (&["1/2", "0/2"], &["f2", "\"0/2\"", "no I/N"]),
        (&["1/2", "2"], &["f2", "no I/N"]),
        (&["1/18446744073709551615", "2/18446744073709551615"], &["and more are missing"]),
    ] {
        let error = merged(parts).unwrap_err();
        assert!(says.iter().all(|words| error.contains(words)), "{parts:?}: {error}");
        assert!(error.len() < 1000 && error.lines().count() == 1, "{error}");
    }
}

#[test]
fn one_run_twice_and_one_run_alone_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let paths = drivers(place.path(), |_, _| {});
    let out = place.path().join("out");
    let twice = [paths[0].clone(), place.path().join("two/../one")];
    let error = merge(&twice, &out, vec![]).unwrap_err().to_string();
    assert!(error.contains("same run"), "{error}");
    assert!(merge(&paths[..1], &out, vec![]).unwrap_err().to_string().contains("only one"));
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("precious"), "x").unwrap();
    let error = merge(&paths, &out, vec![]).unwrap_err().to_string();
    assert!(error.contains("not empty") && out.join("precious").exists(), "{error}");
}
