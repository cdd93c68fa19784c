//! Open loop against a database that stalls for a second.
//!
//! The expected values are computed from the times of every operation as the database saw them, so
//! that a busy machine changes both sides alike. Only a pause of a client between reading its own
//! clock and the database's makes them differ. The comparison therefore has five attempts; the
//! assertions that hold in spite of pauses are made in each.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use hoap_drive::{Arrivals, End, NoWorkload, Pace, StepPlan, Stop, run_step};
use hoap_drive::{Client, Completion, Next, Outcome, Workload};
use hoap_record::RunFolder;
use hoap_record::Step;

const STALL: Duration = Duration::from_secs(1);
const WINDOW: Duration = Duration::from_secs(2);

/// A database that answers at once, except for a second in which it does not answer.
struct Staller {
    blocking: bool,
    /// The stall begins half a second after the first operation and lasts for [`STALL`].
    stall: Mutex<Option<(Instant, Instant)>>,
}

struct StallClient<'a> {
    staller: &'a Staller,
    stall: Option<(Instant, Instant)>,
    ran: Vec<(Instant, Instant)>,
}

impl Workload for &'static Staller {
    type Client = StallClient<'static>;

    fn kinds(&self) -> Vec<&str> {
        vec!["READ"]
    }

    fn blocking(&self) -> bool {
        self.blocking
    }

    async fn client(&self, _: usize) -> hoap_record::Result<Self::Client> {
        Ok(StallClient { staller: self, stall: None, ran: Vec::new() })
    }
}

impl Client for StallClient<'_> {
    type Memory = Vec<(Instant, Instant)>;

    fn next(&mut self) -> Next {
        Next { kind: 0, keying: Duration::ZERO, think: Duration::ZERO }
    }

    async fn run(&mut self) -> Completion {
        let start = Instant::now();
        let (from, to) = *self.stall.get_or_insert_with(|| {
            let mut stall = self.staller.stall.lock().unwrap();
            let from = start + Duration::from_millis(500);
            *stall.get_or_insert((from, from + STALL))
        });
        if start >= from && start < to {
            match self.staller.blocking {
                true => std::thread::sleep(to - start),
                false => tokio::time::sleep_until(to.into()).await,
            }
        }
        self.ran.push((start, Instant::now()));
        Completion { outcome: Outcome::Done, retries: 0, rows: 0 }
    }

    fn finish(self) -> Self::Memory {
        self.ran
    }
}

/// The step, the beginning of its window, and the operations as the database saw them, by their
/// starts.
fn stalled(rate: f64, clients: usize, blocking: bool) -> (Step, Instant, Vec<(Instant, Instant)>) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("run");
    let mut folder = RunFolder::create(&path, &crate::fake::run()).unwrap();
    let origin = Instant::now() - Duration::from_secs_f64(folder.seconds());
    let mut plan = StepPlan::plain(1, clients, End::After(WINDOW));
    plan.pace = Pace::Open { rate, arrivals: Arrivals::Constant };
    plan.grace = Duration::from_secs(3600);
    let staller: &'static Staller =
        Box::leak(Box::new(Staller { blocking, stall: Mutex::default() }));
    let outcome =
        run_step(&plan, Some(&staller), None::<&NoWorkload>, &mut folder, &Stop::new(), &())
            .unwrap();
    let logs = hoap_record::hlog::read(&path, 1).unwrap();
    let timed = outcome.step.transactions[0].timed;
    for tag in ["READ", "READ:service", "READ:wait"] {
        assert_eq!(logs[tag].len(), timed, "{tag}");
    }
    let mut ran: Vec<_> = outcome.transactions.into_iter().flatten().collect();
    ran.sort_unstable();
    let began = origin + Duration::from_secs_f64(outcome.step.start_seconds);
    (outcome.step, began, ran)
}

fn check(rate: f64, clients: usize, blocking: bool) {
    let mut differences = Vec::new();
    for _ in 0..5 {
        match attempt(rate, clients, blocking) {
            Ok(()) => return,
            Err(difference) => differences.push(difference),
        }
    }
    panic!("at {rate} per second: {differences:?}");
}

fn attempt(rate: f64, clients: usize, blocking: bool) -> Result<(), String> {
    let (step, began, ran) = stalled(rate, clients, blocking);
    let line = &step.transactions[0];
    let due = (rate * WINDOW.as_secs_f64()) as u64;
    assert_eq!(step.intended_starts, Some(due));
    assert_eq!((line.timed, step.not_started), (due, Some(0)), "no operation is skipped");
    assert_eq!(ran.len() as u64, due);

    // Operations begin in the order of their scheduled times.
    let mut response: Vec<f64> = (0..)
        .zip(&ran)
        .map(|(n, (_, end))| {
            let intended = began + Duration::from_secs_f64(f64::from(n) / rate);
            end.saturating_duration_since(intended).as_secs_f64()
        })
        .collect();
    response.sort_unstable_by(f64::total_cmp);
    let p99 = response[(response.len() as f64 * 0.99).ceil() as usize - 1];
    let max = response[response.len() - 1];
    // Half of the operations are due in the stall and wait for the rest of it. So one in a hundred
    // of all waits for longer than 0.98 s, and the mean is a quarter of a second. A busy machine
    // only makes times longer.
    let first = 1.0 / rate;
    assert!(line.latency.max_us as f64 / 1e6 >= (1.0 - first) * 0.99);
    assert!(line.latency.p99_us as f64 / 1e6 >= (0.98 - first) * 0.99);
    assert!(line.latency.mean_us / 1e6 >= (0.25 - first) * 0.99);

    // Service times are those of a closed loop: one operation of each client is slow.
    let (service, wait) = (line.service.as_ref().unwrap(), line.wait.as_ref().unwrap());
    let slowest = ran.iter().map(|(start, end)| (*end - *start).as_secs_f64()).fold(0.0, f64::max);
    assert!(service.max_us as f64 / 1e6 >= slowest * 0.999);
    assert!(service.mean_us <= line.latency.mean_us && wait.max_us <= line.latency.max_us);
    assert!((service.mean_us + wait.mean_us - line.latency.mean_us).abs() < 1e-3);

    for (name, us, exact) in [("p99", line.latency.p99_us, p99), ("max", line.latency.max_us, max)]
    {
        if (us as f64 / 1e6 / exact - 1.0).abs() >= 0.01 {
            return Err(format!("{name}: {us} µs reported, {exact} s seen"));
        }
    }
    Ok(())
}

#[test]
fn a_stall_is_in_the_response_times_at_100_per_second() {
    check(100.0, 4, false);
}

#[test]
fn a_stall_is_in_the_response_times_at_5000_per_second() {
    check(5_000.0, 16, false);
}

#[test]
fn a_stall_is_in_the_response_times_at_50000_per_second() {
    check(50_000.0, 64, false);
}

#[test]
fn a_stall_is_in_the_response_times_of_blocking_clients() {
    check(5_000.0, 4, true);
}
