//! Steps of a number of operations with a longest time: they end when either is reached.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hoap_drive::{Arrivals, End, Pace, StepPlan};
use hoap_record::ErrorKind;
use hoap_record::Step;

use crate::fake::{Act, Bench, Fake, World, check_files};

/// A step whose operations take this long.
fn step(takes: Duration, plan: &StepPlan) -> (Step, u64) {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let tx = Fake::tx(&world, move |_, _| Some((0, Act::Take(takes))));
    let outcome = bench.step(plan, Some(&tx), None).unwrap();
    check_files(&bench, &outcome.step);
    let ran = outcome.transactions.iter().map(|memory| memory.ran.len() as u64).sum();
    (outcome.step, ran)
}

fn plan(clients: usize, operations: u64, limit: Duration) -> StepPlan {
    let mut plan = StepPlan::plain(1, clients, End::Operations(operations));
    plan.limit = Some(limit);
    plan.warmup = Duration::from_millis(20);
    plan
}

const HOUR: Duration = Duration::from_secs(3600);

#[test]
fn a_closed_loop_that_reaches_its_longest_time_ends_and_is_whole() {
    let limit = Duration::from_millis(230);
    let (step, ran) = step(Duration::from_millis(5), &plan(2, 1_000_000, limit));
    assert_eq!(step.partial, None);
    let line = &step.transactions[0];
    assert!((0.23..30.0).contains(&step.seconds), "{}", step.seconds);
    // Two clients, 5 ms per operation, and one operation of each in flight at the end.
    let most = (step.seconds / 0.005 * 2.0) as u64 + 2;
    assert!((1..=most).contains(&line.count) && line.count <= ran, "{} of {ran}", line.count);
    let rate = line.count as f64 / step.seconds;
    assert!((line.per_second / rate - 1.0).abs() < 1e-9, "{} {rate}", line.per_second);
}

#[test]
fn a_step_that_reaches_its_number_of_operations_first_ends_there() {
    for pace in [Pace::Closed, Pace::Open { rate: 5_000.0, arrivals: Arrivals::Constant }] {
        let mut plan = plan(3, 100, HOUR);
        plan.pace = pace;
        let began = Instant::now();
        let (step, _) = step(Duration::ZERO, &plan);
        assert!(began.elapsed() < HOUR / 60);
        assert_eq!((step.transactions[0].count, step.partial), (100, None), "{pace:?}");
        if pace != Pace::Closed {
            assert_eq!((step.intended_starts, step.not_started), (Some(100), Some(0)));
        }
    }
}

/// The window has the operations that are due in the longest time, as in a step of that duration.
#[test]
fn an_open_loop_that_reaches_its_longest_time_ends() {
    let mut plan = plan(3, 1_000_000, Duration::from_millis(250));
    plan.pace = Pace::Open { rate: 2_000.0, arrivals: Arrivals::Constant };
    plan.grace = HOUR;
    let (step, _) = step(Duration::ZERO, &plan);
    assert_eq!((step.partial, step.rate_intended), (None, Some(2_000.0)));
    assert_eq!((step.intended_starts, step.not_started), (Some(500), Some(0)));
    assert!((0.25..30.0).contains(&step.seconds), "{}", step.seconds);
}

/// All operations are due before the end, and the database is too slow for them.
#[test]
fn an_open_loop_on_a_slow_database_ends_at_its_longest_time() {
    let mut plan = plan(1, 100, Duration::from_millis(200));
    plan.pace = Pace::Open { rate: 1_000.0, arrivals: Arrivals::Constant };
    plan.grace = Duration::from_millis(50);
    let (step, _) = step(Duration::from_millis(20), &plan);
    assert_eq!((step.partial, step.intended_starts), (None, Some(100)));
    assert!(step.not_started.is_some_and(|n| n > 50), "{:?}", step.not_started);
    assert!(step.rate_shortfall.is_some());
    assert!((0.2..30.0).contains(&step.seconds), "{}", step.seconds);
}

#[test]
fn a_longest_time_without_a_number_of_operations_is_refused() {
    let minute = End::After(Duration::from_secs(60));
    for (end, limit, answer) in [
        (End::Operations(9), Duration::ZERO, "longest time is zero"),
        (minute, HOUR, "a longest time is for a number of operations"),
    ] {
        let world = Arc::new(World::default());
        let mut plan = StepPlan::plain(1, 1, end);
        plan.limit = Some(limit);
        let tx = Fake::tx(&world, |_, _| None);
        let error = Bench::new().step(&plan, Some(&tx), None).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Invalid);
        assert!(error.to_string().contains(answer), "{error}");
    }
}
