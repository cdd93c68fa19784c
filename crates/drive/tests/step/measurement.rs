//! What each operation counts for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hoap_drive::{End, Phase, StepPlan};
use hoap_record::ErrorKind;
use hoap_record::Latency;
use hoap_record::folder::read_samples;

use crate::fake::{Act, Bench, Fake, World, check_files, one_loop};

/// In the measured window: 10 × A, 3 × A rolled back, 4 × B after two retries each, failures of C
/// of two kinds.
#[test]
fn counts_and_rates_are_those_of_the_script() {
    for blocking in [false, true] {
        let world = Arc::new(World::default());
        let mut bench = Bench::new();
        let mut tx = Fake::tx(&world, |_, nth| {
            Some(match nth {
                0 => (2, Act::Until(Phase::Measured)),
                1..=10 => (0, Act::Done),
                11..=13 => (0, Act::RolledBack),
                14..=17 => (1, Act::Retried(2)),
                18 => (2, Act::Fail(ErrorKind::Conflict, "first conflict")),
                19 => (2, Act::Fail(ErrorKind::Timeout, "too slow")),
                20 => (2, Act::Fail(ErrorKind::Conflict, "second conflict")),
                _ => return None,
            })
        });
        tx.blocking = blocking;
        let queries = Fake::gate(&world, 2 * 21);
        let mut plan = one_loop(2, 1);
        plan.headline = Some(0);
        let outcome = bench.step(&plan, Some(&tx), Some(&queries)).unwrap();
        let step = &outcome.step;
        assert_eq!(step.name, "2 tx, 1 query");
        assert_eq!(step.partial, None);
        let [a, b, c] = &step.transactions[..] else { panic!("three kinds") };
        assert_eq!((a.count, a.rolled_back, a.retries), (26, 6, 0));
        assert_eq!((b.count, b.rolled_back, b.retries), (8, 0, 16));
        assert_eq!((c.count, c.retries), (2, 6), "the operation that waited for the window");
        assert_eq!(c.failures["conflict"], 4);
        assert_eq!(c.failures["timeout"], 2);
        assert_eq!(c.first_errors["conflict"], "try: first conflict");
        assert_eq!(c.first_errors["timeout"], "try: too slow");
        assert!(a.failures.is_empty() && b.failures.is_empty());
        assert!((a.per_second - 26.0 / step.seconds).abs() < 1e-9);
        assert!((step.tpm.unwrap() - 26.0 * 60.0 / step.seconds).abs() < 1e-6);
        check_files(&bench, step);
    }
}

/// What a client does aside is in no count and in no response time.
#[test]
fn what_is_done_aside_is_not_measured() {
    let world = Arc::new(World::default());
    world.aside_ms.store(700, Ordering::SeqCst);
    let mut bench = Bench::new();
    let tx = Fake::tx(&world, |_, _| Some((0, Act::Done)));
    let plan = StepPlan::plain(1, 1, End::Operations(4));
    let outcome = bench.step(&plan, Some(&tx), None).unwrap();
    let asides = world.asides.load(Ordering::SeqCst);
    assert!((3..=5).contains(&asides), "{asides}");
    let operation = &outcome.step.transactions[0];
    assert_eq!(operation.count, 4);
    assert!(operation.latency.max_us < 700_000, "{:?}", operation.latency);
    assert!(outcome.step.seconds >= 2.1, "{}", outcome.step.seconds);
}

/// A kind that only fails has no response time.
#[test]
fn failures_have_no_response_time() {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let tx = Fake::tx(&world, |_, nth| {
        Some(match nth {
            0 => (1, Act::Until(Phase::Measured)),
            1..6 => (0, Act::Fail(ErrorKind::Unavailable, "gone")),
            6..9 => (1, Act::Done),
            _ => return None,
        })
    });
    let outcome = bench.step(&one_loop(1, 1), Some(&tx), Some(&Fake::gate(&world, 9))).unwrap();
    check_files(&bench, &outcome.step);
    let logs = hoap_record::hlog::read(&bench.path, 1).unwrap();
    assert!(logs["A"].is_empty());
    assert_eq!(outcome.step.transactions[0].latency, Latency::default());
    assert_eq!(outcome.step.transactions[0].count, 0);
    assert_eq!(outcome.step.transactions[0].failures["unavailable"], 5);
    assert_eq!(logs["B"].len(), 4);
}

/// The warm-up lasts until a query has seen five transactions; two more follow in the window.
#[test]
fn the_warm_up_does_not_count() {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let tx = Fake::tx(&world, |_, nth| {
        Some(match nth {
            0..5 => (0, Act::Done),
            5 => (1, Act::Until(Phase::Measured)),
            6..8 => (0, Act::Done),
            _ => return None,
        })
    });
    let queries = Fake::queries(&world, |_, nth| {
        Act::UntilCount(crate::fake::Side::Tx, if nth < 2 { 5 } else { 8 })
    });
    let mut plan = one_loop(1, 1);
    plan.end = End::Loops { warmup: 1, measured: 1 };
    let outcome = bench.step(&plan, Some(&tx), Some(&queries)).unwrap();
    let step = &outcome.step;
    assert_eq!(step.transactions[0].count, 2);
    assert_eq!(step.transactions[1].count, 1, "it began in the warm-up and ended in the window");
    check_files(&bench, step);
    let samples = read_samples(&bench.path).unwrap();
    let warmup: u64 =
        samples.iter().filter(|s| s.phase == "warmup" && s.kind == "A").map(|s| s.count).sum();
    assert_eq!(warmup, 5);
    assert!(step.warmup_seconds > 0.0 && step.start_seconds >= step.warmup_seconds);
}

#[test]
fn a_stall_of_a_second_is_the_longest_response_time() {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let tx = Fake::tx(&world, |_, nth| {
        Some(match nth {
            0 => (1, Act::Until(Phase::Measured)),
            500 => (0, Act::Take(Duration::from_secs(1))),
            1..1000 => (0, Act::Done),
            _ => return None,
        })
    })
    .blocking();
    let outcome = bench.step(&one_loop(1, 1), Some(&tx), Some(&Fake::gate(&world, 1000))).unwrap();
    let latency = &outcome.step.transactions[0].latency;
    assert_eq!(outcome.step.transactions[0].count, 999);
    assert!(latency.max_us >= 1_000_000);
    assert!(latency.p50_us < 1_000_000 && latency.p50_us <= latency.p99_us);
    assert!(latency.mean_us >= 1_000.0, "a second over 999 transactions");
    check_files(&bench, &outcome.step);
}

/// Many ticks while eight clients run: no operation is lost or counted twice when buffers are
/// swapped.
#[test]
fn the_time_series_adds_up_to_the_step() {
    for blocking in [false, true] {
        // Until 30 ticks of the window have had operations of all three kinds.
        let full = AtomicUsize::new(0);
        let world = World::stopping(move |_, tick| {
            let seen = tick.samples.iter().filter(|s| !s.kind.starts_with('Q') && s.count > 0);
            seen.count() == 3 && full.fetch_add(1, Ordering::SeqCst) >= 30
        });
        let mut bench = Bench::new();
        let mut tx = Fake::tx(&world, |client, nth| {
            let act = match (client + nth) % 7 {
                0 => Act::RolledBack,
                1 => Act::Retried(1),
                2 => Act::Fail(ErrorKind::Conflict, "x"),
                _ => Act::Done,
            };
            Some((nth % 3, act))
        });
        tx.blocking = blocking;
        let queries = Fake::queries(&world, |_, nth| match nth % 10 {
            7 => Act::Fail(ErrorKind::Timeout, "slow, \"quoted\"\nand broken"),
            _ => Act::Take(Duration::from_millis(1)),
        });
        let mut plan = StepPlan::new(1, 8, 2, End::After(Duration::from_secs(3600)));
        plan.warmup = Duration::from_millis(50);
        plan.tick = Duration::from_millis(5);
        let outcome = bench.step(&plan, Some(&tx), Some(&queries)).unwrap();
        check_files(&bench, &outcome.step);
        assert!(outcome.step.transactions.iter().all(|line| line.count > 0));
        // Every operation is in a sample, except those that ended after the window.
        let samples = read_samples(&bench.path).unwrap();
        let sampled: u64 =
            samples.iter().filter(|s| !s.kind.starts_with('Q')).map(|s| s.count + s.failed).sum();
        let ran: u64 = outcome.transactions.iter().map(|m| m.ran.len() as u64).sum();
        assert!(sampled <= ran && ran - sampled <= 8, "{sampled} of {ran}");
        // The ticks cover the phases without gap or overlap.
        let mut ends: Vec<(f64, f64)> = samples.iter().map(|s| (s.at_seconds, s.seconds)).collect();
        ends.dedup();
        for pair in ends.windows(2) {
            assert!(pair[1].0 - pair[1].1 >= pair[0].0 - 2e-6, "{pair:?}");
        }
    }
}
