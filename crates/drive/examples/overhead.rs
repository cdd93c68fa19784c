//! What the driver itself costs: processor time per operation and peak memory, with clients that do
//! nothing; and, in an open loop, how late they begin.
//!
//! `cargo run --release -p hoap-drive --example overhead [-- SECONDS]`
//!
//! Every case runs in a process of its own, so that its peak memory is its own. Linux only: the
//! numbers come from `/proc`.
#![allow(clippy::print_stdout)]

use std::process::Command;
use std::time::Duration;

use hoap_drive::{Arrivals, End, NoWorkload, Pace, StepPlan, Stop, run_step};
use hoap_drive::{Client, Completion, Next, Outcome, Workload};
use hoap_record::Result;
use hoap_record::RunFolder;
use hoap_record::{FORMAT, Run};

/// A database that answers at once, or after a timer.
struct Nothing {
    /// How long an answer takes.
    answer: Duration,
    blocking: bool,
}

struct NothingClient {
    nth: usize,
    answer: Duration,
}

impl Workload for Nothing {
    type Client = NothingClient;

    fn kinds(&self) -> Vec<&str> {
        vec!["READ", "UPDATE"]
    }

    fn blocking(&self) -> bool {
        self.blocking
    }

    async fn client(&self, number: usize) -> Result<NothingClient> {
        Ok(NothingClient { nth: number, answer: self.answer })
    }
}

impl Client for NothingClient {
    type Memory = ();

    fn next(&mut self) -> Next {
        self.nth += 1;
        Next { kind: self.nth & 1, keying: Duration::ZERO, think: Duration::ZERO }
    }

    async fn run(&mut self) -> Completion {
        if !self.answer.is_zero() {
            tokio::time::sleep(self.answer).await;
        }
        Completion { outcome: Outcome::Done, retries: 0, rows: 0 }
    }

    fn finish(self) {}
}

struct Case {
    clients: usize,
    /// Milliseconds.
    answer: u64,
    blocking: bool,
    /// Operations per second of an open loop.
    rate: Option<f64>,
}

const fn closed(clients: usize, answer: u64, blocking: bool) -> Case {
    Case { clients, answer, blocking, rate: None }
}

const fn open(clients: usize, answer: u64, blocking: bool, rate: f64) -> Case {
    Case { clients, answer, blocking, rate: Some(rate) }
}

const CASES: [Case; 12] = [
    closed(1, 0, false),
    closed(16, 0, false),
    closed(3500, 0, false),
    closed(3500, 1, false),
    closed(1, 0, true),
    closed(2, 0, true),
    open(16, 0, false, 100.0),
    open(16, 0, false, 10_000.0),
    open(16, 0, false, 1e6),
    open(16, 2, false, 1_000.0),
    open(3500, 2, false, 100_000.0),
    open(4, 0, true, 1_000.0),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| arguments.get(i).and_then(|a| a.parse::<u64>().ok());
    match (number(0), number(1)) {
        (Some(seconds), Some(case)) => run(&CASES[case as usize % CASES.len()], seconds),
        (seconds, _) => {
            let seconds = seconds.unwrap_or(3).to_string();
            println!(
                "clients  answer  blocking     rate  ns CPU/op  M op/CPU-s  M op/s  peak MB  \
                 late: p50 µs   p99 µs"
            );
            for case in 0..CASES.len() {
                let program = std::env::current_exe().expect("a program has a path");
                let status = Command::new(program).args([&seconds, &case.to_string()]).status();
                assert!(status.expect("it can be started").success());
            }
        }
    }
}

fn run(case: &Case, seconds: u64) {
    let answer = Duration::from_millis(case.answer);
    let workload = Nothing { answer, blocking: case.blocking };
    let place = std::env::temp_dir().join(format!("hoap-overhead-{}", std::process::id()));
    let mut folder = RunFolder::create(&place, &record()).expect("a folder");
    let mut plan = StepPlan::plain(1, case.clients, End::After(Duration::from_secs(seconds)));
    plan.warmup = Duration::from_millis(200);
    if let Some(rate) = case.rate {
        plan.pace = Pace::Open { rate, arrivals: Arrivals::Constant };
    }
    let before = cpu_seconds();
    let outcome =
        run_step(&plan, Some(&workload), None::<&NoWorkload>, &mut folder, &Stop::new(), &())
            .expect("a step");
    let cpu = cpu_seconds() - before;
    let step = outcome.step;
    let count = step.transactions.iter().map(|line| line.count).sum::<u64>() as f64;
    // The warm-up costs what the window does.
    let cpu = cpu * step.seconds / (step.seconds + step.warmup_seconds);
    let waits = hoap_record::hlog::read(&place, 1).expect("a log").remove("READ:wait");
    let late = |quantile| {
        let value = |h: &hdrhistogram::Histogram<u64>| h.value_at_quantile(quantile).to_string();
        waits.as_ref().map_or_else(String::new, value)
    };
    println!(
        "{:7}  {:3} ms  {:8}  {:7}  {:9.1}  {:10.2}  {:6.3}  {:7.1}  {:>12}  {:>7}",
        case.clients,
        case.answer,
        case.blocking,
        case.rate.map_or_else(|| "closed".into(), |rate| rate.to_string()),
        cpu * 1e9 / count,
        count / cpu / 1e6,
        count / step.seconds / 1e6,
        field("VmHWM") / 1024.0,
        late(0.5),
        late(0.99),
    );
    std::fs::remove_dir_all(place).expect("the folder can be removed");
}

/// User and system time of this process.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let after_name = stat.rsplit(") ").next().expect("a name");
    let ticks = |i| after_name.split(' ').nth(i).and_then(|t: &str| t.parse::<f64>().ok());
    (ticks(11).expect("user time") + ticks(12).expect("system time")) / 100.0
}

/// A number of `/proc/self/status`.
fn field(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with(name)).expect("it is there");
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("a number")
}

fn record() -> Run {
    Run {
        format: FORMAT,
        hoap: env!("CARGO_PKG_VERSION").into(),
        benchmark: "overhead".into(),
        title: None,
        headline: None,
        command: Vec::new(),
        labels: Default::default(),
        started: hoap_drive::now(),
        seconds: 0.0,
        partial: None,
        remarks: Vec::new(),
        configuration: Default::default(),
        data: serde_json::Value::Null,
        constants: serde_json::Value::Null,
        operational: None,
        analytical: None,
        round_trip_us: Default::default(),
        host: hoap_drive::host(),
        query_set: None,
        load: None,
        steps: Vec::new(),
        checks: Vec::new(),
        checks_read: Vec::new(),
        ledger: None,
        audit: Vec::new(),
        witness: None,
        search: None,
        events: Vec::new(),
        observed: Vec::new(),
        catch_up: None,
        stopped_by: None,
        repetition: None,
        clock: None,
        drivers: vec![],
    }
}
