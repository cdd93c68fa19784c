//! Histories from run folders on.

use std::fs;
use std::path::{Path, PathBuf};

use hoap_record::{ErrorKind, Latency, Operation, Run, Step};
use serde_json::{Value, json};

use crate::check::check;
use crate::series::Timeline;
use crate::store::{FILE, History, add};
use crate::{acknowledge, export, page, words};

/// The record of run `n`, whose p99 is this many microseconds.
fn record(n: usize, p99_us: u64) -> Run {
    let run = json!({
        "format": 3, "hoap": "0.1.0", "benchmark": "ycsb-c", "command": [],
        "started": format!("2026-01-{:02}T{:02}:00:00Z", 1 + n / 24, n % 24), "seconds": 60,
        "remarks": [], "configuration": { "run-seed": n, "clients": [8] },
        "data": { "version": 1, "records": 1000 }, "constants": {},
        "operational": { "url": "null:", "name": "null", "version": "1", "settings": {} },
        "host": { "system": "Linux 6.1", "processor": "EPYC", "cores": 2, "memory_bytes": 8_100_000_000u64 },
        "steps": [], "checks": [], "audit": [],
    });
    let mut run: Run = serde_json::from_value(run).unwrap();
    run.labels =
        [("commit".to_owned(), format!("c{n:03}")), ("branch".to_owned(), "main".to_owned())]
            .into();
    let latency = Latency { p50_us: 400, p99_us, max_us: 2 * p99_us, ..Latency::default() };
    let operation = Operation {
        kind: "READ".into(),
        count: 600_000,
        timed: 600_000,
        per_second: 10_000.0 + (n * 7 % 11) as f64 * 20.0,
        latency,
        ..Operation::default()
    };
    run.steps = vec![Step {
        number: 1,
        name: "8 clients".into(),
        tx_clients: 8,
        clients: Some(8),
        seconds: 60.0,
        transactions: vec![operation],
        ..Step::default()
    }];
    run
}

fn write(place: &Path, run: &Run) -> PathBuf {
    fs::create_dir_all(place).unwrap();
    fs::write(place.join("run.json"), serde_json::to_string(run).unwrap()).unwrap();
    place.to_owned()
}

/// A p99 that scatters by two per cent around a level.
fn p99(n: usize, level: f64) -> u64 {
    (level * (1.0 + 0.02 * ((n * 7 % 13) as f64 / 6.0 - 1.0))) as u64
}

/// A history of 40 runs, the 25th and those after it slower by eight per cent, after `change`.
fn history(change: impl Fn(usize, &mut Run)) -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let runs: Vec<PathBuf> = (0..40)
        .map(|n| {
            let mut run = record(n, p99(n, if n < 24 { 1000.0 } else { 1080.0 }));
            change(n, &mut run);
            write(&place.path().join(format!("run-{n}")), &run)
        })
        .collect();
    let dir = place.path().join("history");
    // Not in the order of time.
    let (late, early) = (&runs[20..], &runs[..20]);
    assert_eq!(add(&dir, late).unwrap().len(), 20);
    add(&dir, early).unwrap();
    (place, dir)
}

fn text_of(dir: &Path, since: Option<&str>) -> String {
    let history = History::open(dir).unwrap();
    let timeline = Timeline::of(&history);
    let since = since.map(|label| timeline.last_with(label).unwrap());
    words::text(&timeline, &check(&timeline), since)
}

/// How many changes are regressions.
fn regressions(dir: &Path, since: Option<&str>) -> usize {
    let history = History::open(dir).unwrap();
    let timeline = Timeline::of(&history);
    let since = since.map(|label| timeline.last_with(label).unwrap());
    check(&timeline).changes.iter().filter(|of| of.is_regression(since)).count()
}

#[test]
fn a_slower_commit_is_named_until_it_is_acknowledged() {
    let (_place, dir) = history(|_, _| {});
    let text = text_of(&dir, None);
    assert!(text.contains("p99 of READ: between c023 and c024, +"), "{text}");
    assert!(
        text.contains("ycsb-c on null, branch main, EPYC, 2 cores, 8.00 GB, 8 clients"),
        "{text}"
    );
    assert_eq!(regressions(&dir, None), 1);
    assert_eq!((regressions(&dir, Some("c023")), regressions(&dir, Some("c024"))), (1, 0));
    assert_eq!(regressions(&dir, Some("commit=c024")), 0);

    let now = "2026-02-01T00:00:00Z";
    for (label, told) in [("c9", "no run has this label"), ("c023", "no change at this run")] {
        let e = acknowledge::acknowledge(&dir, label, "why", None, now).unwrap_err();
        assert!(e.kind == ErrorKind::Invalid && e.to_string().contains(told), "{label}: {e}");
    }
    let lines = acknowledge::acknowledge(&dir, "c024", "it syncs now", Some("ada"), now).unwrap();
    assert_eq!(
        (lines.len(), lines[0].metric.as_str(), lines[0].by.as_deref()),
        (1, "p99", Some("ada"))
    );
    assert_eq!(regressions(&dir, None), 0);
    assert!(text_of(&dir, None).contains("acknowledged by ada: it syncs now"));
}

#[test]
fn what_is_better_is_no_regression() {
    let (_place, dir) = history(|n, run| {
        let operation = &mut run.steps[0].transactions[0];
        operation.latency.p99_us = p99(n, if n < 24 { 1000.0 } else { 900.0 });
        operation.per_second *= if n < 30 { 1.0 } else { 1.2 };
    });
    let text = text_of(&dir, None);
    assert!(text.contains("p99 of READ: between c023 and c024, −"), "{text}");
    assert!(text.contains("ops/s: between c029 and c030, +") && !text.contains("worse"), "{text}");
    assert_eq!(regressions(&dir, None), 0);
}

/// Each of these changes with run 24, where p99 changes too: there the series ends and another
/// begins, of which nothing is said.
#[test]
fn another_testbed_data_set_or_workload_begins_another_series() {
    type Edit = fn(&mut Run);
    let edits: [(&str, Edit); 7] = [
        ("testbed", |run| run.host.cores = 4),
        ("testbed", |run| drop(run.labels.insert("testbed".into(), "lab".into()))),
        ("data.version", |run| run.data["version"] = 2.into()),
        ("check-reads", |run| drop(run.configuration.insert("check-reads".into(), true.into()))),
        ("branch", |run| drop(run.labels.insert("branch".into(), "faster".into()))),
        ("benchmark", |run| run.benchmark = "ycsb-b".into()),
        ("database", |run| run.operational.as_mut().unwrap().name = "Redis".into()),
    ];
    for (name, edit) in edits {
        let (_place, dir) = history(|n, run| {
            if n >= 24 {
                edit(run)
            }
        });
        assert_eq!(regressions(&dir, None), 0, "{name}");
        let history = History::open(&dir).unwrap();
        let timeline = Timeline::of(&history);
        assert_eq!(timeline.grounds.len(), 2, "{name}");
        assert_eq!(timeline.grounds[1].differs(&timeline.grounds[0]), [name]);
    }
    // What may change within a series.
    let (_place, dir) = history(|n, run| {
        run.operational.as_mut().unwrap().version = n.to_string();
        run.hoap = n.to_string();
        run.host.memory_bytes += n as u64 * 1000;
    });
    assert_eq!(regressions(&dir, None), 1);
}

#[test]
fn a_void_or_partial_run_is_kept_and_does_not_count() {
    let void = json!({ "when": "after", "name": "records", "compares": "all", "verdict": "fail",
                       "checked": 1, "detail": "one is gone" });
    let (_place, dir) = history(|n, run| {
        if n % 10 == 3 {
            run.steps[0].transactions[0].latency.p99_us = 9_000_000;
            match n {
                3 | 23 => run.partial = Some("interrupted".into()),
                _ => run.checks = vec![serde_json::from_value(void.clone()).unwrap()],
            }
        }
    });
    let history = History::open(&dir).unwrap();
    assert_eq!(history.runs.len(), 40);
    let excluded: Vec<_> = history.runs.iter().filter_map(|run| run.excluded.as_deref()).collect();
    assert_eq!(excluded.len(), 4, "{excluded:?}");
    assert!(excluded.iter().any(|why| why.contains("one is gone")), "{excluded:?}");
    let text = text_of(&dir, None);
    assert!(text.contains("40 runs (4 void or partial, which do not count)"), "{text}");
    assert!(text.contains("between c022 and c024"), "{text}");
}

#[test]
fn a_folder_is_added_once_and_all_or_none() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    let [one, two] = [1, 2].map(|n| write(&path(&format!("run-{n}")), &record(n, 1000)));
    let dir = path("history");
    add(&dir, std::slice::from_ref(&one)).unwrap();
    let before = fs::read_to_string(dir.join(FILE)).unwrap();
    // A copy under another name is the same folder, with a page beside it or without.
    let copy = write(&path("copy"), &record(1, 1000));
    fs::write(copy.join("report.html"), "a page").unwrap();
    for again in [&one, &copy] {
        let e = add(&dir, &[two.clone(), again.clone()]).unwrap_err();
        assert!(e.kind == ErrorKind::Invalid && e.to_string().contains("there already"), "{e}");
        assert_eq!(fs::read_to_string(dir.join(FILE)).unwrap(), before);
    }
    let e = add(&dir, &[two.clone(), two.clone()]).unwrap_err();
    assert!(e.to_string().contains("there already"), "{e}");
    add(&dir, &[two]).unwrap();
    let after = fs::read_to_string(dir.join(FILE)).unwrap();
    assert!(after.starts_with(&before) && after.len() > before.len(), "it is appended");
    // Repetitions are one point, with an error from what differs between them.
    let all = path("repeated");
    (3..6).for_each(|n| drop(write(&all.join(format!("{n:02}")), &record(n, 900 + 50 * n as u64))));
    let added = add(&dir, std::slice::from_ref(&all)).unwrap();
    assert_eq!((added.len(), added[0].run.folders.len()), (1, 3));
    let history = History::open(&dir).unwrap();
    let p99 = history.values.iter().rfind(|value| value.metric == "p99").unwrap();
    assert!((p99.value - 1e-6 * (1050.0f64 * 1100.0 * 1150.0).cbrt()).abs() < 1e-9, "{p99:?}");
    assert!(p99.error.unwrap() > 0.02 && p99.freedom.unwrap() >= 2.0, "{p99:?}");
    assert!(add(&dir, &[all.join("03")]).is_err(), "a repetition alone is there, too");
}

#[test]
fn what_is_no_history_is_refused_by_line_and_stays() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path().join("history");
    let e = History::open(&dir).unwrap_err();
    assert!(e.to_string().contains("there is no history") || e.kind == ErrorKind::Invalid, "{e}");
    assert!(acknowledge::acknowledge(&dir, "x", "y", None, "z").is_err() && !dir.exists());
    let run = write(&place.path().join("run"), &record(1, 1000));
    add(&dir, std::slice::from_ref(&run)).unwrap();
    let text = fs::read_to_string(dir.join(FILE)).unwrap();
    let other = write(&place.path().join("other"), &record(2, 1000));
    let lines: Vec<&str> = text.lines().collect();
    for (wrong, told) in [
        ("my notes\n".to_owned(), "line 1"),
        (text.replace("\"format\":1", "\"format\":2"), "format 2"),
        (text.replace("\"value\":0.001,", "\"value\":-1,"), "no number from 0 on"),
        (text[..text.len() - 9].to_owned(), "EOF"),
        (lines[..1].join("\n") + "\n" + lines[2] + "\n", "no line before it has its run"),
        (format!("{text}{}\n", lines[1]), "twice"),
        (format!("{text}{}\n", lines[0]), "only the first line"),
    ] {
        fs::write(dir.join(FILE), &wrong).unwrap();
        for e in
            [History::open(&dir).unwrap_err(), add(&dir, std::slice::from_ref(&other)).unwrap_err()]
        {
            assert!(e.kind == ErrorKind::Invalid && e.to_string().contains(told), "{told}: {e}");
        }
        assert_eq!(fs::read_to_string(dir.join(FILE)).unwrap(), wrong);
    }
    // A file without the end of its last line.
    fs::write(dir.join(FILE), text.trim_end()).unwrap();
    add(&dir, &[other]).unwrap();
    assert_eq!(History::open(&dir).unwrap().runs.len(), 2);
}

#[test]
fn the_page_shows_each_series_and_links_to_places_that_are_there() {
    let (_place, dir) = history(|n, run| {
        if n == 5 {
            run.partial = Some("interrupted".into());
        }
    });
    let history = History::open(&dir).unwrap();
    let timeline = Timeline::of(&history);
    let page = page::page(&timeline, &check(&timeline));
    assert!(page.html.contains("p99 of READ: between c023 and c024"));
    assert!(page.html.contains("1 run is void or partial"));
    let ids: Vec<&str> = between(&page.html, " id=\"");
    let links: Vec<&str> = between(&page.html, "href=\"#");
    assert!(links.len() > 5);
    for link in links {
        assert!(ids.contains(&link), "#{link} is nowhere");
    }
    let data = page.html.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let charts: Value = serde_json::from_str(data).unwrap();
    let plots = charts["series-1"]["plots"].as_array().unwrap();
    let names: Vec<&str> = plots.iter().map(|plot| plot["name"].as_str().unwrap()).collect();
    let wanted = ["ops/s", "p50 of READ", "p99 of READ"].map(|name| format!("8 clients: {name}"));
    assert_eq!(names, wanted);
}

fn between<'a>(text: &'a str, before: &str) -> Vec<&'a str> {
    text.split(before).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn other_programs_get_the_runs_that_compare_with_the_last_one() {
    let (_place, dir) = history(|n, run| {
        if n < 10 {
            run.labels.insert("testbed".into(), "the old one".into());
        }
        if n == 20 {
            run.partial = Some("interrupted".into());
        }
        run.labels.insert("branch".into(), "a, \"b\"".into());
    });
    let history = History::open(&dir).unwrap();
    let timeline = Timeline::of(&history);
    let (csv, left_out) = export::otava(&timeline).unwrap();
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!((rows.len(), left_out), (30, 0), "{csv}");
    let header = "time,commit,branch,run,8 clients ops,8 clients READ p50,8 clients READ p99";
    assert_eq!(rows[0], header);
    assert!(rows[1].starts_with("2026-01-01T10:00:00Z,c010,\"a, \"\"b\"\"\",sha256:"), "{csv}");
    assert!(rows[1].ends_with(&format!(",0.0004,{}", p99(10, 1000.0) as f64 / 1e6)), "{csv}");
    assert!(!csv.contains("c020"), "{csv}");

    let json: Value = serde_json::from_str(&export::bencher(&timeline).unwrap()).unwrap();
    let last = p99(39, 1080.0);
    let nanoseconds = json["ycsb-c 8 clients READ p99"]["latency"]["value"].as_f64().unwrap();
    assert!((nanoseconds - last as f64 * 1e3).abs() < 1e-3, "{nanoseconds}");
    assert!(json["ycsb-c 8 clients ops"]["throughput"]["value"].as_f64().unwrap() >= 10_000.0);
    let text = export::bencher(&timeline).unwrap();
    assert!((export::BENCHER.begins)(&text) && (export::OTAVA.begins)(&csv));
}
