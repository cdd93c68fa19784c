//! The end of a step: which operations are waited for or cancelled, and the record after a stop.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hoap_drive::{End, Phase, StepPlan};
use hoap_record::ErrorKind;
use hoap_record::folder::{NOT_ENDED, read_queries, read_run, read_samples};

use crate::fake::{Act, Bench, Fake, World, check_files};

fn for_ever(tx: usize, queries: usize) -> StepPlan {
    let mut plan = StepPlan::new(1, tx, queries, End::After(Duration::from_secs(3600)));
    plan.tick = Duration::from_millis(20);
    plan
}

/// Stops the step when this many operations have begun.
fn stopping_world(operations: usize) -> Arc<World> {
    World::stopping(move |world, _| world.started.load(Ordering::SeqCst) >= operations)
}

#[test]
fn a_stop_leaves_a_partial_step_and_readable_files() {
    for blocking in [false, true] {
        let world = World::stopping(|world, tick| {
            tick.running == [Some("Q01")] && world.started.load(Ordering::SeqCst) > 20
        });
        let mut bench = Bench::new();
        let mut tx = Fake::tx(&world, |_, _| Some((0, Act::Take(Duration::from_millis(1)))));
        let mut queries = Fake::queries(&world, |_, _| Act::UntilCancelled);
        (tx.blocking, queries.blocking) = (blocking, blocking);
        let mut plan = for_ever(2, 1);
        plan.headline = Some(0);
        let outcome = bench.step(&plan, Some(&tx), Some(&queries)).unwrap();
        let step = &outcome.step;
        let partial = step.partial.as_deref().unwrap();
        assert!(partial.contains("into the measured window"), "{partial}");
        assert_eq!(step.incomplete.as_deref(), Some("Q01 did not finish, not reached: Q02"));
        assert_eq!(outcome.queries_cancelled, 1);
        assert_eq!(world.cancelled.load(Ordering::SeqCst), 1);
        assert!(step.tpm.is_some() && step.seconds > 0.0);
        check_files(&bench, step);
        let rows = read_queries(&bench.path).unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].phase, "unfinished");
        assert_eq!(rows[0].error, "the step ended before the query did");
        assert!(!read_samples(&bench.path).unwrap().is_empty());
        assert_eq!(read_run(&bench.path).unwrap().partial.as_deref(), Some(NOT_ENDED));
    }
}

#[test]
fn a_stop_in_the_warm_up_leaves_a_step_without_numbers() {
    let world = Arc::new(World::default());
    world.stop.set();
    let mut bench = Bench::new();
    let tx = Fake::tx(&world, |_, _| Some((0, Act::Done)));
    let queries = Fake::queries(&world, |_, _| Act::Done);
    let mut plan = for_ever(1, 1);
    plan.warmup = Duration::from_secs(3600);
    plan.headline = Some(0);
    let step = bench.step(&plan, Some(&tx), Some(&queries)).unwrap().step;
    assert_eq!(step.partial.as_deref(), Some("interrupted before the measured window"));
    assert_eq!((step.seconds, step.tpm), (0.0, None));
    assert_eq!(step.transactions[0].count, 0);
    assert_eq!(step.transactions[0].per_second, 0.0);
    assert!(step.incomplete.is_some());
}

/// The transaction may be between its commit and the answer. Its client remembers it.
#[test]
fn a_transaction_in_flight_at_the_end_finishes_and_is_no_throughput() {
    for blocking in [false, true] {
        let world = stopping_world(3);
        let mut bench = Bench::new();
        let mut tx = Fake::tx(&world, |_, _| Some((0, Act::Linger(Duration::from_millis(200)))));
        tx.blocking = blocking;
        let mut plan = for_ever(3, 0);
        plan.grace = Duration::from_secs(3600);
        let outcome = bench.step(&plan, Some(&tx), None).unwrap();
        assert_eq!(outcome.step.transactions[0].count, 0);
        assert_eq!(outcome.transactions_cancelled, 0);
        assert!(outcome.transactions.iter().all(|memory| memory.ran.len() == 1));
        check_files(&bench, &outcome.step);
    }
}

#[test]
fn a_transaction_that_outlasts_the_grace_is_cancelled() {
    for blocking in [false, true] {
        let world = stopping_world(3);
        let mut bench = Bench::new();
        let mut tx = Fake::tx(&world, |_, _| Some((0, Act::UntilCancelled)));
        tx.blocking = blocking;
        let mut plan = for_ever(3, 0);
        plan.grace = Duration::from_millis(10);
        let outcome = bench.step(&plan, Some(&tx), None).unwrap();
        assert_eq!(outcome.transactions_cancelled, 3);
        let line = &outcome.step.transactions[0];
        assert!(line.count == 0 && line.failures.is_empty());
    }
}

/// Three clients hang after some quick operations until after the end of the window. An operation
/// that succeeds then has its response time; one that fails or is cancelled took at least as long
/// as it ran. None is throughput.
#[test]
fn a_stall_that_lasts_until_the_end_is_in_the_response_times() {
    let late = Duration::from_millis(40);
    for blocking in [false, true] {
        for (end, at_least, events) in [
            (Act::Linger(late), 0, 0),
            (Act::UntilCancelled, 3, 0),
            (Act::FailAfter(late, ErrorKind::Timeout), 3, 1),
        ] {
            let world = Arc::new(World::default());
            let mut bench = Bench::new();
            let last = end.clone();
            let mut tx = Fake::tx(&world, move |_, nth| {
                Some((0, if nth < 20 { Act::Done } else { last.clone() }))
            });
            tx.blocking = blocking;
            let mut plan = StepPlan::plain(1, 3, End::After(Duration::from_secs(1)));
            plan.tick = Duration::from_millis(50);
            plan.grace = match end {
                Act::UntilCancelled => Duration::from_millis(20),
                _ => Duration::from_secs(3600),
            };
            let outcome = bench.step(&plan, Some(&tx), None).unwrap();
            check_files(&bench, &outcome.step);
            let line = &outcome.step.transactions[0];
            assert_eq!((line.count, line.timed, line.at_least), (60, 63, at_least), "{end:?}");
            assert_eq!(line.unfinished, 3);
            let window_us = (outcome.step.seconds * 1e6) as u64;
            assert!(line.oldest_us > 300_000 && line.oldest_us < window_us + 200_000, "{line:?}");
            assert!(line.longest_ended_us < line.oldest_us);
            // Three of 63 are above p95.
            assert!(line.latency.p99_us >= line.oldest_us.min(line.latency.max_us), "{line:?}");
            assert!(line.latency.max_us >= line.oldest_us + 15_000, "{line:?}");
            assert!(line.failures.is_empty(), "no operation failed in the window");
            assert_eq!(outcome.events.len(), events);
            assert!((line.per_second - 60.0 / outcome.step.seconds).abs() < 1e-9);
            let gap = outcome.step.longest_gap.unwrap();
            let end = outcome.step.start_seconds + outcome.step.seconds;
            assert!(gap.seconds > 0.3 && (gap.from_seconds + gap.seconds - end).abs() < 0.2);
            let rows = read_samples(&bench.path).unwrap();
            let idle =
                rows.iter().filter(|s| s.kind == "A" && s.phase == "measured" && s.count == 0);
            assert!(idle.count() >= 3, "ticks without operations have rows");
        }
    }
}

#[test]
fn operations_in_flight_at_a_stop_in_the_warm_up_do_not_count() {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let stop = world.stop.clone();
    let tx = Fake::tx(&world, move |_, _| {
        stop.set();
        Some((0, Act::Linger(Duration::from_millis(5))))
    });
    let mut plan = for_ever(2, 0);
    plan.warmup = Duration::from_secs(3600);
    let step = bench.step(&plan, Some(&tx), None).unwrap().step;
    let line = &step.transactions[0];
    assert_eq!((line.count, line.timed, line.unfinished), (0, 0, 0));
    assert_eq!(step.longest_gap, None);
    check_files(&bench, &step);
}

/// The query ran longer than any other, so mean and power contain its time as a lower bound.
#[test]
fn a_query_that_hangs_at_the_end_is_in_mean_and_maximum() {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let queries = Fake::queries(&world, |_, nth| match nth {
        0..4 => Act::Done,
        _ => Act::UntilCancelled,
    });
    let plan = StepPlan::new(1, 0, 1, End::After(Duration::from_secs(1)));
    let step = bench.step(&plan, None, Some(&queries)).unwrap().step;
    check_files(&bench, &step);
    let line = &step.queries[0];
    assert_eq!((line.count, line.unfinished, line.at_least), (2, 1, 1));
    assert!(line.oldest_seconds.unwrap() > 0.2, "{line:?}");
    assert!(line.max_seconds.unwrap() >= line.oldest_seconds.unwrap());
    assert!(line.mean_seconds.unwrap() >= line.oldest_seconds.unwrap() / 3.0);
    assert_eq!((step.queries[1].unfinished, step.incomplete), (0, None));
}

/// Its row in `queries.csv` is "unfinished".
#[test]
fn a_query_that_ignores_its_canceller_and_ends_after_the_window_does_not_count() {
    for blocking in [false, true] {
        let world = stopping_world(1);
        let mut bench = Bench::new();
        let mut queries = Fake::queries(&world, |_, _| Act::Until(Phase::Ended));
        queries.blocking = blocking;
        let outcome = bench.step(&for_ever(0, 1), None, Some(&queries)).unwrap();
        assert_eq!(outcome.queries_cancelled, 0);
        assert_eq!(outcome.step.queries[0].count, 0);
        assert_eq!(
            outcome.step.incomplete.as_deref(),
            Some("Q01 did not finish, not reached: Q02")
        );
        let rows = read_queries(&bench.path).unwrap();
        assert_eq!((rows.len(), rows[0].phase.as_str()), (1, "unfinished"));
        check_files(&bench, &outcome.step);
    }
}

#[test]
fn a_query_that_cannot_be_cancelled_is_dropped() {
    let world = World::stopping(|_, tick| tick.running == [Some("Q01"); 2]);
    let mut bench = Bench::new();
    let tx = Fake::tx(&world, |_, _| Some((0, Act::Take(Duration::from_millis(1)))));
    let mut queries = Fake::queries(&world, |_, _| Act::Never);
    queries.cancellable = false;
    let outcome = bench.step(&for_ever(1, 2), Some(&tx), Some(&queries)).unwrap();
    assert_eq!(outcome.queries_cancelled, 2);
    assert_eq!(outcome.queries.len(), 2, "both clients return their memories");
    assert_eq!(world.alive.load(Ordering::SeqCst), 0);
}

/// Each step has its own rows and histograms.
#[test]
fn two_steps_share_one_folder() {
    let mut bench = Bench::new();
    let mut starts = Vec::new();
    for number in 1..=2 {
        let world = Arc::new(World::default());
        let tx = Fake::tx(&world, |_, _| Some((0, Act::Done)));
        let mut plan = StepPlan::new(number, 1, 0, End::After(Duration::from_millis(30)));
        plan.tick = Duration::from_millis(10);
        let step = bench.step(&plan, Some(&tx), None).unwrap().step;
        assert!(step.seconds >= 0.03 && step.partial.is_none());
        check_files(&bench, &step);
        starts.push(step.start_seconds);
    }
    assert!(starts[1] >= starts[0] + 0.03, "both steps use the clock of the run");
}
