//! What is printed in YCSB's lines, recounted.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use hoap_record::histogram::histogram;
use hoap_record::hlog::{Hlog, SERVICE};
use hoap_record::{Latency, Operation, Run, Step};
use hoap_report::ycsb;
use hoap_testing::runs;

/// The longest is within the class of 30,001 to 30,015 of the histogram, the shortest within that of
/// 2,048 and 2,049.
const TIMES: [u64; 4] = [2_049, 2_600, 7_000, 30_001];

/// Counts, failures and operations in flight of a kind; how many of the last are among its times.
type Ended<'a> = (&'a str, u64, &'a [(&'a str, u64)], u64);

/// A step whose operations took [`TIMES`] and are counted so, and its lines: (metric, line) → value.
fn told(ended: &[Ended<'_>], open: bool, percentiles: &str) -> BTreeMap<(String, String), f64> {
    let folder = tempfile::tempdir().unwrap();
    let mut log = Hlog::create(folder.path(), 1, SystemTime::now()).unwrap();
    let mut times = histogram();
    TIMES.into_iter().for_each(|us| times.record(us).unwrap());
    let [p50_us, p95_us] = [0.5, 0.95].map(|q| times.value_at_quantile(q).min(30_001));
    let latency = Latency {
        mean_us: 10_412.5,
        p50_us,
        p90_us: p95_us,
        p95_us,
        p99_us: p95_us,
        p999_us: p95_us,
        max_us: 30_001,
    };
    let of = |&(kind, count, failures, unfinished): &Ended<'_>| Operation {
        kind: kind.into(),
        count,
        timed: count + unfinished,
        at_least: unfinished,
        unfinished,
        failures: failures.iter().map(|(kind, n)| ((*kind).into(), *n)).collect(),
        latency: latency.clone(),
        service: open.then(|| latency.clone()),
        ..Operation::default()
    };
    for (kind, ..) in ended {
        let tags = [String::new(), SERVICE.into()].map(|part: String| format!("{kind}{part}"));
        for tag in &tags[..1 + usize::from(open)] {
            log.add(tag, &times, Duration::ZERO, Duration::from_secs(1)).unwrap();
        }
    }
    log.flush().unwrap();
    let transactions = ended.iter().map(of).collect();
    let step = Step { number: 1, clients: Some(2), seconds: 1.0, transactions, ..Step::default() };
    let mut run: Run = runs::plain::folder("ycsb-a", 1, 1.0).run;
    let properties = [("hdrhistogram.percentiles", percentiles)];
    let properties: BTreeMap<_, _> =
        properties.into_iter().filter(|(_, p)| !p.is_empty()).collect();
    run.configuration.insert("properties".into(), serde_json::json!(properties));
    let text = ycsb(&run, folder.path(), &step).unwrap();
    let line = |line: &str| {
        let (metric, rest) = line.split_once("], ").unwrap();
        let (name, value) = rest.split_once(", ").unwrap();
        ((metric[1..].to_owned(), name.to_owned()), value.parse().unwrap())
    };
    text.lines().map(line).collect()
}

/// By the lines alone: operations are what returned, no percentile is above the maximum, no minimum
/// below the least, and what never succeeded or was in flight has no times of its own.
#[test]
fn the_lines_of_ycsb_add_up() {
    let failures: &[(&str, u64)] = &[("timeout", 4), ("not-found", 3), ("conflict", 2)];
    let ended: [Ended<'_>; 4] = [
        ("READ", 90, &[], 0),
        ("UPDATE", 70, failures, 2),
        ("SCAN", 0, failures, 5),
        ("INSERT", 0, &[], 1),
    ];
    for (open, percentiles) in [(false, ""), (true, ""), (false, "1,50,99.9,100"), (true, "100")] {
        let lines = told(&ended, open, percentiles);
        let of = |metric: &str, name: &str| lines.get(&(metric.into(), name.into())).copied();
        for (kind, count, failures, unfinished) in ended {
            let all = count + failures.iter().map(|(_, n)| n).sum::<u64>();
            let returned: f64 = lines
                .iter()
                .filter(|((metric, name), _)| metric == kind && name.starts_with("Return="))
                .map(|(_, n)| n)
                .sum();
            assert_eq!(returned, all as f64, "{kind} {lines:?}");
            let (apart, intended) = (format!("{kind}-UNFINISHED"), format!("Intended-{kind}"));
            let in_flight = (unfinished > 0).then_some(unfinished as f64);
            assert_eq!(of(&apart, "Operations"), in_flight, "{kind} {lines:?}");
            let there = (all > 0).then_some(all as f64);
            assert_eq!(of(kind, "Operations"), there, "{kind} {lines:?}");
            assert_eq!(of(&intended, "Operations"), there.filter(|_| open), "{kind} {lines:?}");
            for metric in [kind, &intended, &apart] {
                let times =
                    lines.iter().filter(|((m, name), _)| m == metric && name.contains("(us)"));
                let timed = count > 0 && metric != apart && (open || metric == kind);
                assert_eq!(times.clone().count() > 0, timed, "{metric} {lines:?}");
                for ((_, name), us) in times {
                    assert!((2_049.0..=30_001.0).contains(us), "{metric} {name} {us}");
                }
            }
        }
    }
}
