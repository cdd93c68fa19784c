//! A run folder like one that a real run leaves behind: three numbers of transaction clients
//! without and with a query client, queries alone, an incomplete step. The numbers are drawn from a
//! seeded generator; the record's percentiles come from the same histograms as the logs.

pub mod plain;
pub mod read;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use hoap_record::*;
use serde_json::json;

pub const KINDS: [(&str, f64, f64); 5] = [
    ("NewOrder", 0.45, 1.0),
    ("Payment", 0.43, 0.45),
    ("OrderStatus", 0.04, 0.2),
    ("Delivery", 0.04, 3.2),
    ("StockLevel", 0.04, 0.6),
];

/// The query whose failure makes step 7 incomplete.
pub const BROKEN: &str = "Q20";

/// What the check of a void run found.
pub const FOUND: &str = "3 of 48,211: order 1.4.3001 is not there";

pub struct Folder {
    pub run: Run,
    pub samples: Vec<Sample>,
    pub executions: Vec<Execution>,
    pub logs: Vec<(usize, Vec<u8>)>,
}

impl Folder {
    /// Writes the files of the run folder as a run leaves them.
    pub fn write(&self, path: &Path) {
        std::fs::create_dir_all(path).unwrap();
        let json = serde_json::to_string_pretty(&self.run).unwrap();
        std::fs::write(path.join("run.json"), json).unwrap();
        rows(&path.join("samples.csv"), &self.samples);
        rows(&path.join("queries.csv"), &self.executions);
        rows(&path.join("machine.csv"), &machine(&self.run.steps));
        for (step, log) in &self.logs {
            std::fs::write(hoap_record::hlog::path(path, *step), log).unwrap();
        }
    }

    /// Adds an operation that was in flight for so long when the window of the step ended, and was
    /// cut off two seconds later.
    pub fn hang(&mut self, number: usize, kind: &str, age_us: u64) {
        let step = self.run.steps.iter_mut().find(|s| s.number == number).unwrap();
        let window_end = step.start_seconds + step.seconds;
        let mut times = Histogram::<u64>::new(3).unwrap();
        times.record(age_us + 2_000_000).unwrap();
        let operation = step.transactions.iter_mut().find(|o| o.kind == kind).unwrap();
        operation.longest_ended_us = operation.latency.max_us;
        (operation.unfinished, operation.at_least, operation.oldest_us) = (1, 1, age_us);
        operation.latency.mean_us = (operation.latency.mean_us * operation.timed as f64
            + times.max() as f64)
            / (operation.timed + 1) as f64;
        operation.timed += 1;
        operation.latency.max_us = times.max();
        let log = &mut self.logs.iter_mut().find(|(n, _)| *n == number).unwrap().1;
        let seconds = Duration::from_secs_f64;
        IntervalLogWriterBuilder::new()
            .begin_log_with(log, &mut V2DeflateSerializer::new())
            .unwrap()
            .write_histogram(&times, seconds(window_end), seconds(2.0), Tag::new(kind))
            .unwrap();
        self.samples.push(Sample {
            step: number,
            phase: GRACE.into(),
            at_seconds: window_end + 2.0,
            seconds: 2.0,
            kind: kind.into(),
            count: 0,
            failed: 0,
            retries: 0,
            mean_us: times.max() as f64,
            p50_us: times.max(),
            p99_us: times.max(),
            max_us: times.max(),
        });
    }

    /// The same of a run that a failed check voids.
    pub fn void(mut self) -> Folder {
        let check = self.run.checks.last_mut().unwrap();
        check.verdict = Verdict::Fail;
        check.detail = Some(FOUND.into());
        self
    }

    /// The same of a run whose queries ran on a database that followed the load: 20,000 documents
    /// came in until 4 s, when the load was written, and the rest until 10 s.
    pub fn ingested(mut self) -> Folder {
        let load = self.run.load.as_mut().unwrap();
        let at = |(seconds, documents)| Ingested { seconds, documents };
        let curve = [(0.0, 0), (2.0, 9_000), (4.0, 20_000), (8.0, 35_000), (10.0, 41_077)];
        load.ingestion = Some(Ingestion {
            analytical: "sqlite:follower.db".into(),
            documents: load.documents,
            bytes: load.bytes,
            written_seconds: 4.0,
            settled_seconds: 4.5,
            documents_at_written: 20_000,
            whole_seconds: 10.0,
            after_seconds: 6.0,
            resolution_seconds: 0.3,
            per_second: Some(4_107.7),
            per_second_after: Some(3_512.8),
            curve: curve.map(at).to_vec(),
            ..Ingestion::default()
        });
        let operational = self.run.operational.clone().unwrap();
        self.run.analytical = Some(Description { url: "sqlite:follower.db".into(), ..operational });
        self
    }
}

fn rows<T: serde::Serialize>(path: &Path, rows: &[T]) {
    let mut writer = csv::Writer::from_path(path).unwrap();
    for row in rows {
        writer.serialize(row).unwrap();
    }
    writer.flush().unwrap();
}

/// A row a second: a driver that takes a little more in the measured windows.
fn machine(steps: &[Step]) -> Vec<MachineRow> {
    let row = |step: &Step, second: usize| {
        let at_seconds = step.start_seconds - step.warmup_seconds + second as f64 + 1.0;
        let measured = at_seconds > step.start_seconds;
        let user = if measured { 0.5 } else { 0.4 } + 0.01 * (second % 7) as f64;
        MachineRow {
            step: step.number,
            phase: if measured { "measured" } else { "warmup" }.into(),
            at_seconds,
            seconds: 1.0,
            user,
            system: 0.2,
            busiest_thread: Some(0.4),
            waited: Some(0.01),
            machine: user + 0.9,
            steal: 0.02,
            busiest_core: 0.8,
            cores: "80 70".into(),
            cpu_pressure: Some(0.1),
            voluntary_switches: 900,
            involuntary_switches: 20,
            sent_bytes: 150_000,
            received_bytes: 300_000,
            resident_bytes: 60_000_000,
            ..MachineRow::default()
        }
    };
    let each = |step| (0..step_seconds(step)).map(move |second| row(step, second));
    steps.iter().flat_map(each).collect()
}

fn step_seconds(step: &Step) -> usize {
    (step.warmup_seconds + step.seconds) as usize
}

struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Log-normal with median 1, and a slow one now and then.
    fn latency(&mut self) -> f64 {
        let n: f64 = (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0;
        let slow = if self.uniform() < 0.004 { 6.0 + 20.0 * self.uniform() } else { 1.0 };
        (0.45 * n).exp() * slow
    }
}

/// The sample folder. `seed` varies the numbers, `speed` scales them.
pub fn folder(seed: u64, speed: f64) -> Folder {
    let mut random = Random(seed);
    let mut steps = Vec::new();
    let (mut samples, mut executions, mut logs) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0.0;
    let plan = [(0, 1), (2, 0), (4, 0), (8, 0), (2, 1), (4, 1), (8, 1)];
    for (i, (tx, queries)) in plan.into_iter().enumerate() {
        let number = i + 1;
        let (step, log) =
            step(&mut random, number, tx, queries, speed, &mut at, &mut samples, &mut executions);
        steps.push(step);
        logs.push((number, log));
    }
    let last = steps.last_mut().unwrap();
    last.power_seconds = None;
    last.queries_per_hour = None;
    last.incomplete = Some(format!("{BROKEN} failed in the measured loop: timeout after 30 s"));
    let broken = last.queries.iter_mut().find(|q| q.kind == BROKEN).unwrap();
    broken.count = 0;
    broken.failed = 1;
    broken.mean_seconds = None;
    broken.min_seconds = None;
    broken.max_seconds = None;
    broken.error = Some("run Q20 on sqlite:bench.db: timeout after 30 s".into());
    Folder { run: run(steps, at), samples, executions, logs }
}

fn step(
    random: &mut Random,
    number: usize,
    tx: usize,
    queries: usize,
    speed: f64,
    at: &mut f64,
    samples: &mut Vec<Sample>,
    executions: &mut Vec<Execution>,
) -> (Step, Vec<u8>) {
    let (warmup, seconds) = (5.0, 30.0);
    let start = *at + warmup;
    let mut log = Vec::new();
    let mut totals: BTreeMap<&str, Histogram<u64>> = BTreeMap::new();
    let mut serializer = V2DeflateSerializer::new();
    let mut writer = IntervalLogWriterBuilder::new()
        .with_base_time(SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_225_600))
        .begin_log_with(&mut log, &mut serializer)
        .unwrap();
    let slowdown = 1.0 + 0.28 * queries as f64;
    let median_us = 3_100.0 * (1.0 + 0.16 * tx as f64) * slowdown / speed;
    let mut retries: BTreeMap<&str, u64> = BTreeMap::new();
    // One for all: a new one grows by a count after the other.
    let mut histogram = Histogram::<u64>::new(3).unwrap();
    for tick in 0..((warmup + seconds) as usize) {
        let measured = tick >= warmup as usize;
        if tx == 0 {
            break;
        }
        let stall = number == 4 && tick == 20;
        for (kind, share, weight) in KINDS {
            histogram.reset();
            let rate = tx as f64 * 1e6 / (median_us * 1.1);
            let mut n = (rate * share * (0.9 + 0.2 * random.uniform())) as u64;
            if stall {
                n /= 5;
            }
            for _ in 0..n {
                let slow = if stall { 8.0 } else { 1.0 };
                histogram
                    .record((median_us * weight * slow * random.latency()) as u64 + 1)
                    .unwrap();
            }
            let retried = if random.uniform() < 0.2 { tx as u64 } else { 0 };
            samples.push(Sample {
                step: number,
                phase: if measured { "measured" } else { "warmup" }.into(),
                at_seconds: *at + tick as f64 + 1.0,
                seconds: 1.0,
                kind: kind.into(),
                count: histogram.len(),
                failed: 0,
                retries: retried,
                mean_us: histogram.mean(),
                p50_us: histogram.value_at_quantile(0.5),
                p99_us: histogram.value_at_quantile(0.99),
                max_us: histogram.max(),
            });
            if measured {
                *retries.entry(kind).or_default() += retried;
                totals
                    .entry(kind)
                    .or_insert_with(|| Histogram::new(3).unwrap())
                    .add(&histogram)
                    .unwrap();
                writer
                    .write_histogram(
                        &histogram,
                        Duration::from_secs_f64(*at + tick as f64),
                        Duration::from_secs(1),
                        Tag::new(kind),
                    )
                    .unwrap();
            }
        }
    }
    let transactions: Vec<Operation> = KINDS
        .iter()
        .filter_map(|(kind, _, _)| totals.get(kind).map(|h| (kind, h)))
        .map(|(kind, h)| {
            let failed = *kind == "Delivery" && tx == 8;
            let failure = |v: u64| BTreeMap::from([("conflict".to_string(), v)]);
            Operation {
                kind: (*kind).into(),
                count: h.len(),
                per_second: h.len() as f64 / seconds,
                timed: h.len(),
                rolled_back: if *kind == "NewOrder" { h.len() / 100 } else { 0 },
                retries: retries.get(kind).copied().unwrap_or(0),
                failures: if failed { failure(3) } else { BTreeMap::new() },
                first_errors: if failed {
                    BTreeMap::from([(
                        "conflict".to_string(),
                        "commit Delivery of district 1.4 on sqlite:bench.db: database is locked; \
                         given up after 10 attempts"
                            .to_string(),
                    )])
                } else {
                    BTreeMap::new()
                },
                latency: latency(h),
                ..Operation::default()
            }
        })
        .collect();
    let mut times = Vec::new();
    let mut made = Vec::new();
    if queries > 0 {
        let mut clock = *at + warmup;
        for q in 1..=22u32 {
            let base = 0.04 + 1.1 * f64::from(q * q * 7 % 23) / 23.0;
            let runs: Vec<f64> = (0..2)
                .map(|_| base * (1.0 + 0.09 * tx as f64) * (0.95 + 0.1 * random.uniform()) / speed)
                .collect();
            let mean = runs.iter().sum::<f64>() / 2.0;
            for (l, seconds) in runs.iter().enumerate() {
                executions.push(Execution {
                    step: number,
                    phase: "measured".into(),
                    stream: 0,
                    r#loop: l + 1,
                    query: format!("Q{q:02}"),
                    start_seconds: clock,
                    seconds: *seconds,
                    rows: u64::from(q) * 3,
                    error: String::new(),
                });
                clock += seconds;
            }
            times.push(mean);
            made.push(Query {
                kind: format!("Q{q:02}"),
                count: 2,
                mean_seconds: Some(mean),
                min_seconds: Some(runs[0].min(runs[1])),
                max_seconds: Some(runs[0].max(runs[1])),
                ..Query::default()
            });
        }
    }
    let new_orders = transactions.iter().find(|o| o.kind == "NewOrder").map(|o| o.count);
    let power = (times.iter().map(|t: &f64| t.ln()).sum::<f64>() / 22.0).exp();
    let name = match (tx, queries) {
        (0, q) => format!("{q} query"),
        (t, 0) => format!("{t} tx"),
        (t, q) => format!("{t} tx, {q} query"),
    };
    *at = start + seconds + 0.5;
    let step = Step {
        number,
        name,
        tx_clients: tx,
        query_clients: queries,
        start_seconds: start,
        warmup_seconds: warmup,
        seconds,
        partial: None,
        transactions,
        tpm: new_orders.map(|n| n as f64 * 60.0 / seconds),
        queries: made,
        power_seconds: (queries > 0).then_some(power),
        queries_per_hour: (queries > 0)
            .then(|| 22.0 * 3600.0 * queries as f64 / times.iter().sum::<f64>()),
        ..Step::default()
    };
    (step, log)
}

/// What a record says of these times.
fn latency(h: &Histogram<u64>) -> Latency {
    Latency {
        mean_us: h.mean(),
        p50_us: h.value_at_quantile(0.5),
        p90_us: h.value_at_quantile(0.9),
        p95_us: h.value_at_quantile(0.95),
        p99_us: h.value_at_quantile(0.99),
        p999_us: h.value_at_quantile(0.999),
        max_us: h.max(),
    }
}

fn run(steps: Vec<Step>, seconds: f64) -> Run {
    let strings = |list: &[(&str, &str)]| -> BTreeMap<String, String> {
        list.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
    };
    // The failures of the steps with 8 clients.
    let failing = steps.iter().filter(|s| s.tx_clients == 8);
    let events = failing
        .map(|s| Event {
            step: s.number,
            from_seconds: s.start_seconds + 15.0,
            to_seconds: s.start_seconds + 16.5,
            side: "transactions".into(),
            what: "conflict".into(),
            count: 3,
            first: s
                .transactions
                .iter()
                .find_map(|o| o.first_errors.get("conflict"))
                .unwrap()
                .clone(),
        })
        .collect();
    Run {
        format: FORMAT,
        hoap: "0.1.0".into(),
        benchmark: "ch2pp".into(),
        title: Some("CH2++".into()),
        headline: Some("NewOrder".into()),
        command:
            "hoap run ch2pp --operational sqlite:bench.db --tx-clients 2,4,8 --query-clients 0,1 \
                  --duration 30s"
                .split_whitespace()
                .map(String::from)
                .chain(["--out".into(), "runs/first try".into()])
                .collect(),
        labels: Default::default(),
        started: "2026-01-01T00:00:00Z".into(),
        seconds,
        partial: None,
        remarks: vec![Remark::new(RemarkId::ScaledDown, "scaled down by 20: not a CH2++ result")],
        configuration: serde_json::from_value(json!({
            "duration": "30s", "warmup": "5s", "tx-clients": [2, 4, 8], "query-clients": [0, 1],
            "loops": 1, "seed": 42, "think-times": false, "query-set": "naive", "max-retries": 10
        }))
        .unwrap(),
        data: json!({"version": 1, "schema": "ch2pp", "warehouses": 1, "seed": 42,
            "run_date": "2021-01-01", "extra_fields": 0, "scale_down": 20}),
        constants: json!({"nurand": {"load": {"c_last": 117, "c_id": 233, "ol_i_id": 4711},
            "run": {"c_last": 201, "c_id": 233, "ol_i_id": 4711}}, "query_parameters": "ref",
            "q19_warehouses": [1, 1, 1]}),
        operational: Some(Description {
            url: "sqlite:bench.db".into(),
            name: "SQLite".into(),
            version: "3.51.1".into(),
            settings: strings(&[
                ("journal_mode", "wal"),
                ("synchronous", "full"),
                ("cache_size", "64 MiB"),
                ("durability", "every commit is synced to disk"),
            ]),
        }),
        analytical: None,
        round_trip_us: Default::default(),
        host: Host {
            system: "Linux 6.1 x86_64".into(),
            processor: "AMD EPYC 7B13".into(),
            cores: 2,
            memory_bytes: 8_330_000_000,
            settings: strings(&[("CPU governor", "performance"), ("NUMA nodes", "1")]),
        },
        query_set: Some("naive".into()),
        load: Some(Load {
            documents: 41_077,
            bytes: 38_412_345,
            seconds: 2.41,
            clients: 1,
            runs_before: None,
            ingestion: None,
            stored: None,
        }),
        steps,
        checks: checks(),
        checks_read: Vec::new(),
        ledger: None,
        audit: audit(),
        witness: None,
        search: None,
        events,
        observed: Vec::new(),
        catch_up: None,
        stopped_by: None,
        repetition: None,
        clock: None,
        drivers: vec![],
    }
}

fn checks() -> Vec<Check> {
    let mut checks = Vec::new();
    for when in ["before the run", "after the run"] {
        for n in 1..=12 {
            checks.push(Check {
                when: when.into(),
                name: format!("condition {n}"),
                compares: if n == 9 {
                    "d_ytd = sum(h_amount) by (h_w_id, h_d_id), TPC-C 3.3.2.9".into()
                } else {
                    format!("TPC-C 3.3.2.{n}, restated on nested documents")
                },
                verdict: Verdict::Pass,
                checked: if n == 1 { 1 } else { 10 },
                detail: None,
            });
        }
    }
    for kind in ["NewOrder", "Payment"] {
        checks.push(Check {
            when: "after the run".into(),
            name: format!("nothing lost: {kind}"),
            compares: format!(
                "every acknowledged {kind} of the ledger is in the database (spec §6)"
            ),
            verdict: Verdict::Pass,
            checked: 48_211,
            detail: None,
        });
    }
    checks
}

fn audit() -> Vec<AuditLine> {
    [
        ("NewOrder share", "5.2.3", "45.02 %", "45 %", Verdict::Pass),
        ("Payment share", "5.2.3", "42.97 %", "at least 43 %", Verdict::Fail),
        ("NewOrder rollbacks", "9.2.2.5.1", "1.01 %", "0.9–1.1 %", Verdict::Pass),
        ("remote order lines", "9.2.2.5.1", "one warehouse", "0.95–1.05 %", Verdict::Skip),
        ("payments by last name", "9.2.2.5.2", "60.2 %", "57–63 %", Verdict::Pass),
        ("order lines per order", "9.2.2.5.1", "10.01", "9.5–10.5", Verdict::Pass),
        ("skipped deliveries", "9.2.2.5.4", "0", "below 1 %", Verdict::Pass),
    ]
    .into_iter()
    .map(|(name, clause, seen, wanted, verdict)| AuditLine {
        name: name.into(),
        clause: clause.into(),
        seen: seen.into(),
        wanted: wanted.into(),
        verdict,
    })
    .collect()
}
