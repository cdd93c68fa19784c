//! A run folder of a workload without two sides: YCSB with 1, 2 and 4 clients in a closed loop,
//! then 4 clients in an open loop at two rates, of which the second is more than the database can
//! do.

use hoap_record::hlog::{SERVICE, WAIT};

use super::*;

/// The kind of which some operations fail.
pub const FAILING: &str = "READ-MODIFY-WRITE";

/// Why the last step did not reach its rate.
pub const SHORT: &str = "all 4 clients were busy, 61,204 operations that were due never began";

const KINDS: [(&str, f64, f64); 3] =
    [("READ", 0.5, 1.0), ("UPDATE", 0.3, 1.4), (FAILING, 0.2, 2.3)];

/// (clients, intended rate)
const PLAN: [(usize, Option<f64>); 5] =
    [(1, None), (2, None), (4, None), (4, Some(2_000.0)), (4, Some(9_000.0))];

/// The sample folder of this benchmark. `seed` varies the numbers, `speed` scales them.
pub fn folder(benchmark: &str, seed: u64, speed: f64) -> Folder {
    let mut random = Random(seed);
    let (mut samples, mut logs, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0.0;
    for (i, (clients, rate)) in PLAN.into_iter().enumerate() {
        let median_us = 280.0 * (1.0 + 0.35 * clients as f64) / speed;
        let (step, log) =
            one_step(&mut random, i + 1, clients, rate, median_us, &mut at, &mut samples);
        logs.push((step.number, log));
        steps.push(step);
    }
    let mut run = run(steps, at);
    run.benchmark = benchmark.into();
    run.headline = None;
    run.title = match benchmark {
        "pagination" => Some("Pagination".into()),
        "join" => Some("JOIN".into()),
        _ => benchmark.strip_prefix("ycsb-").map(|of| format!("YCSB {}", of.to_uppercase())),
    };
    run.remarks.clear();
    run.command = format!("hoap run {benchmark} --target sqlite:bench.db --clients 1,2,4")
        .split(' ')
        .map(String::from)
        .collect();
    run.configuration = serde_json::from_value(json!({"clients": [1, 2, 4], "duration": "20s",
        "rate": [2000, 9000], "arrivals": "poisson", "operations": null}))
    .unwrap();
    run.data = json!({"version": 1, "count": 100_000, "fields": 10, "length": {"constant": 100},
        "order": "hashed"});
    run.constants = json!({"zipfian": 0.99, "seed": 42});
    run.query_set = None;
    run.audit.clear();
    run.checks = [
        ("record count", "the records there are with those loaded and inserted", 1),
        ("last acknowledged writes", "the last acknowledged write of a key with its value", 4_711),
    ]
    .map(|(name, compares, checked)| Check {
        when: "after the run".into(),
        name: name.into(),
        compares: compares.into(),
        verdict: Verdict::Pass,
        checked,
        detail: None,
    })
    .to_vec();
    Folder { run, samples, executions: Vec::new(), logs }
}

/// Times of one kind of operation, by tag.
type Times = BTreeMap<String, Histogram<u64>>;

fn one_step(
    random: &mut Random,
    number: usize,
    clients: usize,
    rate: Option<f64>,
    median_us: f64,
    at: &mut f64,
    samples: &mut Vec<Sample>,
) -> (Step, Vec<u8>) {
    let (warmup, seconds) = (2, 20);
    let capacity = clients as f64 * 1e6 / (median_us * 1.7);
    let per_second = rate.map_or(capacity, |r| r.min(capacity));
    let short = rate.is_some_and(|r| r > capacity);
    let mut log = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let mut writer =
        IntervalLogWriterBuilder::new().begin_log_with(&mut log, &mut serializer).unwrap();
    let mut totals = Times::new();
    let mut failed = 0;
    for tick in 0..warmup + seconds {
        for (kind, share, weight) in KINDS {
            let mut times = Times::new();
            let mut add = |part: &str, us: f64| {
                let tag = format!("{kind}{part}");
                let histogram = times.entry(tag).or_insert_with(|| Histogram::new(3).unwrap());
                histogram.record(us as u64 + 1).unwrap();
            };
            for _ in 0..(per_second * share * (0.95 + 0.1 * random.uniform())) as u64 {
                let service = median_us * weight * random.latency();
                // Beyond its capacity a queue grows with every second.
                let queue = if short { 2e5 * f64::from(tick) } else { 0.2 * median_us };
                let wait = if rate.is_some() { queue * random.latency() } else { 0.0 };
                add("", service + wait);
                if rate.is_some() {
                    add(SERVICE, service);
                    add(WAIT, wait);
                }
            }
            let Some(histogram) = times.get(kind) else { continue };
            let failures = u64::from(kind == FAILING && number == 3 && tick % 3 == 0);
            samples.push(Sample {
                step: number,
                phase: if tick < warmup { "warmup" } else { "measured" }.into(),
                at_seconds: *at + f64::from(tick) + 1.0,
                seconds: 1.0,
                kind: kind.into(),
                count: histogram.len(),
                failed: failures,
                retries: 0,
                mean_us: histogram.mean(),
                p50_us: histogram.value_at_quantile(0.5),
                p99_us: histogram.value_at_quantile(0.99),
                max_us: histogram.max(),
            });
            if tick < warmup {
                continue;
            }
            failed += failures;
            for (tag, histogram) in &times {
                let start = Duration::from_secs_f64(*at + f64::from(tick));
                let tick = Duration::from_secs(1);
                writer.write_histogram(histogram, start, tick, Tag::new(tag)).unwrap();
                let total = totals.entry(tag.clone()).or_insert_with(|| Histogram::new(3).unwrap());
                total.add(histogram).unwrap();
            }
        }
    }
    let seconds = f64::from(seconds);
    let transactions: Vec<Operation> = KINDS
        .iter()
        .map(|(kind, _, _)| {
            let of = |part: &str| totals.get(&format!("{kind}{part}"));
            let count = of("").map_or(0, Histogram::len);
            let failures = [("throttled".to_string(), failed)];
            let failing = *kind == FAILING && failed > 0;
            Operation {
                kind: (*kind).into(),
                count,
                per_second: count as f64 / seconds,
                timed: count,
                failures: failures.into_iter().filter(|_| failing).collect(),
                first_errors: [(
                    "throttled".to_string(),
                    "update user12 on sqlite:bench.db: slow down".into(),
                )]
                .into_iter()
                .filter(|_| failing)
                .collect(),
                latency: of("").map(latency).unwrap_or_default(),
                service: of(SERVICE).map(latency),
                wait: of(WAIT).map(latency),
                ..Operation::default()
            }
        })
        .collect();
    let begun: u64 = transactions.iter().map(|o| o.count).sum();
    let due = rate.map(|r| (r * seconds) as u64);
    let words = if clients == 1 { "1 client".to_string() } else { format!("{clients} clients") };
    let step = Step {
        number,
        name: rate.map_or(words.clone(), |r| format!("{words}, {r}/s")),
        tx_clients: clients,
        clients: Some(clients),
        start_seconds: *at + f64::from(warmup),
        warmup_seconds: f64::from(warmup),
        seconds,
        transactions,
        arrivals: rate.map(|_| "poisson".into()),
        rate_intended: rate,
        rate_achieved: rate.map(|_| begun as f64 / seconds),
        begun: rate.map(|_| begun),
        intended_starts: due,
        not_started: due.map(|due| due.saturating_sub(begun)),
        rate_shortfall: short.then(|| SHORT.into()),
        ..Step::default()
    };
    *at += f64::from(warmup) + seconds + 0.5;
    drop(writer);
    (step, log)
}
