//! Run folders that were doctored, each with digests that were made again.

use serde_json::Value;

use super::*;

type Change = fn(&mut Files);

/// Changes the first line that begins so.
fn line(files: &mut Files, file: &str, begin: &str, change: impl Fn(&str) -> String) {
    let text = String::from_utf8(files[file].clone()).unwrap();
    let at = text.lines().position(|line| line.starts_with(begin)).unwrap();
    let lines = text.lines().enumerate().filter_map(|(n, line)| match n == at {
        true => Some(change(line)).filter(|line| !line.is_empty()),
        false => Some(line.to_owned()),
    });
    let lines: Vec<String> = lines.collect();
    files.insert(file.into(), (lines.join("\n") + "\n").into_bytes());
}

/// Changes a field of the first row that begins so.
fn field(files: &mut Files, file: &str, begin: &str, number: usize, value: &str) {
    line(files, file, begin, |line| {
        let mut fields: Vec<&str> = line.split(',').collect();
        assert_ne!(fields[number], value);
        fields[number] = value;
        fields.join(",")
    });
}

fn json(files: &mut Files, place: &str, value: Value) {
    let mut run: Value = serde_json::from_slice(&files["run.json"]).unwrap();
    *run.pointer_mut(place).unwrap() = value;
    files.insert("run.json".into(), serde_json::to_vec(&run).unwrap());
}

const ROW: &str = "2,measured,3.124643,1.003917,NewOrder";
const HYBRID: &str = "folders/hybrid-1";

/// Of a name: the folder, what is changed, and what the finding must say.
const ROWS: &[(&str, &str, Change, &str)] = &[
    ("no run.json", HYBRID, |f| drop(f.remove("run.json")), "no run"),
    ("no samples.csv", HYBRID, |f| drop(f.remove("samples.csv")), "there are no rows"),
    ("no queries.csv", HYBRID, |f| drop(f.remove("queries.csv")), "Q01: count is 1"),
    ("no log", HYBRID, |f| drop(f.remove("step-02.hlog")), "its log is not there"),
    (
        "another step's log",
        HYBRID,
        |f| {
            let other = f["step-03.hlog"].clone();
            f.insert("step-02.hlog".into(), other);
        },
        "step 2",
    ),
    (
        "a log of no step",
        HYBRID,
        |f| {
            let other = f["step-03.hlog"].clone();
            f.insert("step-09.hlog".into(), other);
        },
        "it has no step 9",
    ),
    ("run.json cut off", HYBRID, |f| f.get_mut("run.json").unwrap().truncate(9000), "EOF"),
    ("run.json of another format", HYBRID, |f| json(f, "/format", 2.into()), "its format is 2"),
    ("a row gone", HYBRID, |f| line(f, "samples.csv", ROW, |_| String::new()), "count is 93"),
    ("a row's count", HYBRID, |f| field(f, "samples.csv", ROW, 5, "99"), "count is 93"),
    ("a row's failures", HYBRID, |f| field(f, "samples.csv", ROW, 6, "9"), "failures is 0"),
    ("a row's retries", HYBRID, |f| field(f, "samples.csv", ROW, 7, "9"), "retries is 0"),
    ("a row's mean", HYBRID, |f| field(f, "samples.csv", ROW, 8, "4438.3"), "mean_us is 4438.3"),
    ("a row's median", HYBRID, |f| field(f, "samples.csv", ROW, 9, "3123"), "p50_us is 3123"),
    ("a row's p99", HYBRID, |f| field(f, "samples.csv", ROW, 10, "13502"), "p99_us is 13502"),
    ("a row's maximum", HYBRID, |f| field(f, "samples.csv", ROW, 11, "13502"), "max_us is 13502"),
    ("a row's moment", HYBRID, |f| field(f, "samples.csv", ROW, 2, "3.2"), "at_seconds is 3.2"),
    ("a row's length", HYBRID, |f| field(f, "samples.csv", ROW, 3, "1.1"), "seconds (from rows)"),
    ("a row's phase", HYBRID, |f| field(f, "samples.csv", ROW, 1, "warmup"), "count is 93"),
    ("a row's kind", HYBRID, |f| field(f, "samples.csv", ROW, 4, "OldOrder"), "no OldOrder"),
    ("a row's step", HYBRID, |f| field(f, "samples.csv", ROW, 0, "9"), "no step 9"),
    ("a row of words", HYBRID, |f| field(f, "samples.csv", ROW, 5, "many"), "row "),
    ("a row below 0", HYBRID, |f| field(f, "samples.csv", ROW, 3, "-1"), "below 0"),
    (
        "what ended late gone",
        HYBRID,
        |f| line(f, "samples.csv", "2,grace", |_| String::new()),
        "0 rows after",
    ),
    (
        "what ended late",
        HYBRID,
        |f| field(f, "samples.csv", "2,grace", 11, "30472"),
        "grace: max_us",
    ),
    (
        "an interval gone",
        HYBRID,
        |f| line(f, "step-02.hlog", "Tag=Payment", |_| String::new()),
        "timed (latency.) is 81",
    ),
    (
        "an interval's tag",
        HYBRID,
        |f| field(f, "step-02.hlog", "Tag=Payment", 0, "Tag=Pay"),
        "Payment",
    ),
    (
        "an interval's begin",
        HYBRID,
        |f| field(f, "step-02.hlog", "Tag=Payment", 1, "2.221"),
        "at_seconds",
    ),
    (
        "an interval's longest",
        HYBRID,
        |f| field(f, "step-02.hlog", "Tag=Payment", 3, "999.000"),
        "the longest is 999",
    ),
    (
        "an interval without tag",
        HYBRID,
        |f| field(f, "step-02.hlog", "Tag=Payment", 0, "Payment"),
        "it has no tag",
    ),
    (
        "a histogram of another kind",
        HYBRID,
        |f| {
            let text = String::from_utf8(f["step-02.hlog"].clone()).unwrap();
            let other = text.lines().find(|l| l.starts_with("Tag=OrderStatus")).unwrap().to_owned();
            let (_, histogram) = other.rsplit_once(',').unwrap();
            field(f, "step-02.hlog", "Tag=Payment", 3, "498.000");
            field(f, "step-02.hlog", "Tag=Payment", 4, histogram);
        },
        "Payment",
    ),
    (
        "a histogram of noise",
        HYBRID,
        |f| field(f, "step-02.hlog", "Tag=Payment", 4, "HISTFAAAAA=="),
        "line ",
    ),
    (
        "a histogram cut off",
        HYBRID,
        |f| line(f, "step-02.hlog", "Tag=Payment", |l| l[..l.len() - 8].into()),
        "line ",
    ),
    (
        "an execution gone",
        HYBRID,
        |f| line(f, "queries.csv", "1,measured,0,0,Q02", |_| String::new()),
        "Q02: count is 1",
    ),
    (
        "an execution's time",
        HYBRID,
        |f| field(f, "queries.csv", "1,measured,0,0,Q02", 6, "1.2"),
        "Q02: mean_seconds",
    ),
    (
        "an execution's failure",
        HYBRID,
        |f| field(f, "queries.csv", "1,measured,0,0,Q02", 8, "timeout"),
        "Q02",
    ),
    (
        "an execution's phase",
        HYBRID,
        |f| field(f, "queries.csv", "1,measured,0,0,Q02", 1, "extra"),
        "Q02: count is 1",
    ),
    (
        "an execution's query",
        HYBRID,
        |f| field(f, "queries.csv", "1,measured,0,0,Q02", 4, "Q99"),
        "no Q99",
    ),
    (
        "an execution twice",
        HYBRID,
        |f| line(f, "queries.csv", "1,measured,0,0,Q02", |l| format!("{l}\n{l}")),
        "Q02: count is 1",
    ),
    (
        "a check that failed",
        HYBRID,
        |f| json(f, "/checks/20/verdict", "fail".into()),
        "failed: condition 4",
    ),
    (
        "fewer commits looked for",
        HYBRID,
        |f| json(f, "/checks/33/checked", 9.into()),
        "looked for 9",
    ),
    (
        "a share of the mix",
        HYBRID,
        |f| json(f, "/audit/0/seen", "49.00 %".into()),
        "NewOrder share: seen is 49",
    ),
    (
        "a verdict on the mix",
        HYBRID,
        |f| json(f, "/audit/5/verdict", "pass".into()),
        "rollbacks: passed with",
    ),
    ("a run shorter than its steps", HYBRID, |f| json(f, "/seconds", 3.5.into()), "seconds is 3.5"),
    ("no tpM", HYBRID, |f| json(f, "/steps/1/tpm", Value::Null), "tpm is not there"),
    (
        "no power",
        HYBRID,
        |f| json(f, "/steps/0/power_seconds", Value::Null),
        "power_seconds is not there",
    ),
    (
        "a kind left out",
        HYBRID,
        |f| {
            let mut run: Value = serde_json::from_slice(&f["run.json"]).unwrap();
            run["steps"][1]["transactions"].as_array_mut().unwrap().remove(3);
            f.insert("run.json".into(), serde_json::to_vec(&run).unwrap());
        },
        "it has no Delivery",
    ),
    (
        "a slow query left out",
        HYBRID,
        |f| {
            let mut run: Value = serde_json::from_slice(&f["run.json"]).unwrap();
            run["steps"][0]["queries"].as_array_mut().unwrap().remove(1);
            f.insert("run.json".into(), serde_json::to_vec(&run).unwrap());
        },
        "it has no Q02",
    ),
    (
        "a step left out",
        HYBRID,
        |f| {
            let mut run: Value = serde_json::from_slice(&f["run.json"]).unwrap();
            run["steps"].as_array_mut().unwrap().pop();
            f.insert("run.json".into(), serde_json::to_vec(&run).unwrap());
        },
        "it has no step 3",
    ),
    (
        "a gap outside",
        HYBRID,
        |f| json(f, "/steps/1/longest_gap/from_seconds", 9.0.into()),
        "longest_gap",
    ),
    (
        "a stall hidden",
        "folders/open",
        |f| json(f, "/steps/0/longest_gap/seconds", 0.01.into()),
        "longest_gap",
    ),
    (
        "a wait in a closed loop",
        HYBRID,
        |f| {
            let mut run: Value = serde_json::from_slice(&f["run.json"]).unwrap();
            let operation = &mut run["steps"][1]["transactions"][0];
            operation["wait"] = operation["latency"].clone();
            f.insert("run.json".into(), serde_json::to_vec(&run).unwrap());
        },
        "closed loop",
    ),
    (
        "more than the clients can do",
        "folders/repeated-1/01",
        |f| {
            json(f, "/steps/1/tx_clients", 1.into());
            json(f, "/steps/1/clients", 1.into());
            json(f, "/steps/1/name", "1 client".into());
        },
        "clients have",
    ),
    (
        "answers sooner than a network",
        "folders/repeated-1/01",
        |f| {
            json(f, "/operational/url", "postgres://far/d".into());
            json(f, "/steps/1/transactions/0/latency/p50_us", 9.into());
        },
        "below what a network takes for a round trip",
    ),
    (
        "answers sooner than the round trip",
        HYBRID,
        |f| {
            let mut run: Value = serde_json::from_slice(&f["run.json"]).unwrap();
            run["round_trip_us"] = serde_json::json!({ "operational": 900_000 });
            f.insert("run.json".into(), serde_json::to_vec(&run).unwrap());
        },
        "half of the round trip that the run measured: 450000 µs",
    ),
    (
        "queries sooner than the round trip",
        HYBRID,
        |f| {
            let mut run: Value = serde_json::from_slice(&f["run.json"]).unwrap();
            run["round_trip_us"] = serde_json::json!({ "analytical": 20_000 });
            f.insert("run.json".into(), serde_json::to_vec(&run).unwrap());
        },
        "Q03 took 0.00081818 s, below half",
    ),
    (
        "a failure hidden",
        "folders/open",
        |f| field(f, "samples.csv", "2,grace", 6, "5"),
        "failures is 0",
    ),
    ("a rate", "folders/search", |f| json(f, "/search/rate", 190.0.into()), "rate is 190"),
    (
        "a rate that broke",
        "folders/search",
        |f| json(f, "/search/below", 190.0.into()),
        "below is 190",
    ),
    (
        "a probe's rate",
        "folders/search",
        |f| json(f, "/search/probes/0/rate", 150.0.into()),
        "probe 1: rate",
    ),
    (
        "a probe's achievement",
        "folders/search",
        |f| json(f, "/search/probes/0/achieved", 150.0.into()),
        "achieved",
    ),
    (
        "a probe's percentile",
        "folders/search",
        |f| json(f, "/search/probes/0/times/0/us", 9.into()),
        "p90 of READ",
    ),
    (
        "a merged count",
        "expected/merge",
        |f| json(f, "/steps/0/transactions/0/count", 200.into()),
        "count is 200",
    ),
];

#[test]
fn tampering_with_a_file_is_named() {
    assert!(ROWS.len() >= 60, "{}", ROWS.len());
    for (name, folder, change, says) in ROWS {
        let mut files = files(folder);
        change(&mut files);
        let voids = voids(&found(&files));
        assert!(voids.iter().any(|line| line.contains(says)), "{name}: {says:?} in {voids:#?}");
    }
}
