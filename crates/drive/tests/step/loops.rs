//! Query streams: loops, alignment, scores.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hoap_drive::{End, StepPlan};
use hoap_record::ErrorKind;
use hoap_record::Execution;
use hoap_record::folder::read_queries;

use crate::fake::{Act, Bench, Fake, Side, World, check_files, one_loop};

fn of<'a>(rows: &'a [Execution], stream: usize, phase: &str) -> Vec<&'a Execution> {
    rows.iter().filter(|e| e.stream == stream && e.phase == phase).collect()
}

/// Stream 0 is fast. Stream 1 is slow: its first measured query waits until stream 0 has run its
/// measured loops and a few queries more.
#[test]
fn a_fast_stream_waits_for_the_window_and_keeps_up_the_load() {
    for blocking in [false, true] {
        let world = Arc::new(World::default());
        let mut bench = Bench::new();
        let mut queries = Fake::queries(&world, |client, nth| match (client, nth) {
            // This query ends after the fast stream has finished its warm-up loop.
            (1, 0) => Act::UntilCount(Side::Query, 2),
            // Time in which the fast stream would run queries if it did not wait.
            (1, 1) => Act::Take(Duration::from_millis(200)),
            // 2 + 4 queries of the fast stream, 2 of the slow one, and 6 more.
            (1, 2) => Act::UntilCount(Side::Query, 14),
            (1, _) => Act::Done,
            _ => Act::Take(Duration::from_millis(1)),
        });
        queries.blocking = blocking;
        let mut plan = one_loop(0, 2);
        plan.end = End::Loops { warmup: 1, measured: 2 };
        let outcome = bench.step(&plan, None, Some(&queries)).unwrap();
        let step = &outcome.step;
        let rows = read_queries(&bench.path).unwrap();
        for stream in [0, 1] {
            assert_eq!(of(&rows, stream, "warmup").len(), 2);
            let measured = of(&rows, stream, "measured");
            assert_eq!(measured.len(), 4, "all executions of the measured loops and no others");
            let loops: Vec<_> = measured.iter().map(|e| (e.r#loop, e.query.as_str())).collect();
            assert_eq!(loops, [(1, "Q01"), (1, "Q02"), (2, "Q01"), (2, "Q02")]);
            for e in &measured {
                assert!(
                    e.start_seconds >= step.start_seconds - 0.01,
                    "the streams wait for the window"
                );
                assert!(e.start_seconds + e.seconds <= step.start_seconds + step.seconds + 0.01);
            }
            // The files round to the microsecond.
            let window = step.start_seconds + 2e-6;
            let warm = of(&rows, stream, "warmup");
            assert!(warm.iter().all(|e| e.start_seconds + e.seconds <= window));
        }
        assert!(of(&rows, 0, "extra").len() >= 6, "the fast stream keeps up the load");
        assert_eq!(step.queries.iter().map(|q| q.count).collect::<Vec<_>>(), [4, 4]);
        assert_eq!(step.incomplete, None);
        check_files(&bench, step);
    }
}

#[test]
fn the_window_does_not_begin_before_the_warm_up_time_has_passed() {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let queries = Fake::queries(&world, |_, _| Act::Done);
    let mut plan = one_loop(0, 1);
    plan.end = End::Loops { warmup: 1, measured: 1 };
    plan.warmup = Duration::from_millis(200);
    let outcome = bench.step(&plan, None, Some(&queries)).unwrap();
    assert!(outcome.step.warmup_seconds >= 0.2);
    let rows = read_queries(&bench.path).unwrap();
    assert_eq!(of(&rows, 0, "warmup").len(), 2, "the client waits at the end of its loop");
    assert_eq!(of(&rows, 0, "measured").len(), 2);
}

/// Power and QpH follow from the executions in `queries.csv`.
#[test]
fn scores_follow_from_the_executions() {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let queries = Fake::queries(&world, |_, nth| {
        Act::Take(Duration::from_millis(if nth % 2 == 0 { 5 } else { 20 }))
    });
    let mut plan = one_loop(0, 3);
    plan.end = End::Loops { warmup: 0, measured: 2 };
    let step = bench.step(&plan, None, Some(&queries)).unwrap().step;
    check_files(&bench, &step);
    let rows = read_queries(&bench.path).unwrap();
    let mean = |query: &str| {
        let times: Vec<f64> = rows
            .iter()
            .filter(|e| e.phase == "measured" && e.query == query)
            .map(|e| e.seconds)
            .collect();
        assert_eq!(times.len(), 6);
        times.iter().sum::<f64>() / 6.0
    };
    let (a, b) = (mean("Q01"), mean("Q02"));
    let close = |x: f64, y: f64| (x / y - 1.0).abs() < 1e-9;
    assert!(close(step.power_seconds.unwrap(), (a * b).sqrt()));
    assert!(close(step.queries_per_hour.unwrap(), 2.0 * 3600.0 / (a + b) * 3.0));
    assert_eq!(step.tpm, None);
}

#[test]
fn a_failed_query_makes_the_scores_incomplete() {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let queries = Fake::queries(&world, |_, nth| match nth {
        3 => Act::Fail(ErrorKind::Broken, "wrong\nanswer, \"really\""),
        _ => Act::Done,
    });
    let mut plan = one_loop(0, 1);
    plan.end = End::Loops { warmup: 1, measured: 2 };
    let step = bench.step(&plan, None, Some(&queries)).unwrap().step;
    assert_eq!(step.incomplete.as_deref(), Some("Q02 failed 1 time"));
    assert_eq!((step.power_seconds, step.queries_per_hour), (None, None));
    assert_eq!((step.queries[1].count, step.queries[1].failed), (1, 1));
    assert!(step.queries[1].error.as_deref().unwrap().starts_with("try: wrong"));
    let rows = read_queries(&bench.path).unwrap();
    assert_eq!(rows[3].error, "try: wrong answer, \"really\"", "one line in the file");
    assert_eq!(rows.iter().filter(|e| !e.error.is_empty()).count(), 1);
    check_files(&bench, &step);
}

/// In a step of a duration a query belongs to the phase in which it began, and counts only if it
/// ended in the window.
#[test]
fn a_query_across_an_edge_of_the_window_does_not_count() {
    let world = World::stopping(|world, _| world.started.load(Ordering::SeqCst) == 4);
    let mut bench = Bench::new();
    let queries = Fake::queries(&world, |_, nth| match nth {
        0 => Act::Until(hoap_drive::Phase::Measured),
        1 | 2 => Act::Done,
        _ => Act::UntilCancelled,
    });
    let mut plan = StepPlan::new(1, 0, 1, End::After(Duration::from_secs(3600)));
    plan.warmup = Duration::from_millis(300);
    plan.tick = Duration::from_millis(10);
    let outcome = bench.step(&plan, None, Some(&queries)).unwrap();
    let rows = read_queries(&bench.path).unwrap();
    let phases: Vec<_> = rows.iter().map(|e| (e.query.as_str(), e.phase.as_str())).collect();
    assert_eq!(
        phases,
        [("Q01", "warmup"), ("Q02", "measured"), ("Q01", "measured"), ("Q02", "unfinished")]
    );
    assert_eq!(outcome.queries_cancelled, 1);
    assert_eq!(outcome.step.queries.iter().map(|q| q.count).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(outcome.step.incomplete, None, "every query has a counted execution");
    check_files(&bench, &outcome.step);
}
