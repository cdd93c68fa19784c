//! Failures during a step: what is recorded, what ends the step, when clients back off.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hoap_drive::{Arrivals, End, Pace, StepPlan};
use hoap_drive::{Look, Probe, Probing};
use hoap_record::{Error, ErrorKind, Result};

use super::fake::{Act, Bench, Fake, World, check_files};

fn for_ms(tx: usize, queries: usize, ms: u64) -> StepPlan {
    let mut plan = StepPlan::new(1, tx, queries, End::After(Duration::from_millis(ms)));
    plan.tick = Duration::from_millis(50);
    plan
}

/// Returns `true` from 200 to 500 ms after the first call.
fn down_for_a_while() -> impl Fn() -> bool + Send + Sync {
    let first = Mutex::new(None::<Instant>);
    move || {
        let first = *first.lock().unwrap().get_or_insert_with(Instant::now);
        (200..500).contains(&first.elapsed().as_millis())
    }
}

#[test]
fn an_outage_is_one_event_for_each_side_and_the_step_goes_on() {
    let world = std::sync::Arc::new(World::default());
    let (down, down_too) = (down_for_a_while(), down_for_a_while());
    let tx = Fake::tx(&world, move |_, _| match down() {
        true => Some((0, Act::Fail(ErrorKind::Unavailable, "connection refused"))),
        false => Some((0, Act::Take(Duration::from_millis(1)))),
    });
    let queries = Fake::queries(&world, move |_, _| match down_too() {
        true => Act::Fail(ErrorKind::Unavailable, "connection refused"),
        false => Act::Take(Duration::from_millis(1)),
    });
    let mut bench = Bench::new();
    let outcome = bench.step(&for_ms(3, 2, 900), Some(&tx), Some(&queries)).unwrap();
    check_files(&bench, &outcome.step);
    assert_eq!((outcome.step.partial.clone(), outcome.stopped_by), (None, None));
    let failed = outcome.step.transactions[0].failures["unavailable"];
    let queries_failed: u64 = outcome.step.queries.iter().map(|q| q.failed).sum();
    let [tx, queries] = outcome.events.as_slice() else { panic!("{:#?}", outcome.events) };
    let (tx, queries) = if tx.side == "queries" { (queries, tx) } else { (tx, queries) };
    assert_eq!((tx.side.as_str(), queries.side.as_str()), ("transactions", "queries"));
    assert_eq!((tx.count, queries.count), (failed, queries_failed));
    for event in [tx, queries] {
        assert_eq!((event.step, event.what.as_str()), (1, "unavailable"));
        assert_eq!(event.first, "try: connection refused");
        assert!(event.from_seconds >= 0.2 && event.to_seconds > event.from_seconds, "{event:?}");
        assert!(event.to_seconds - event.from_seconds <= 0.7, "{event:?}");
    }
    // Backoff of 10, 20, 40, 80 and 100 ms: a client fails at most 7 times in 300 ms.
    assert!(tx.count <= 3 * 7 && queries.count <= 2 * 7, "{tx:?} {queries:?}");
    assert!(outcome.step.transactions[0].count > 0);
}

#[test]
fn a_failure_that_stops_the_step_ends_it_at_once_with_the_reason() {
    for (rules, stops) in
        [("continue", false), ("broken=stop", true), ("stop,broken=continue", false)]
    {
        let world = std::sync::Arc::new(World::default());
        let tx = Fake::tx(&world, |_, nth| match nth {
            20 => Some((1, Act::Fail(ErrorKind::Broken, "no such document"))),
            _ => Some((0, Act::Take(Duration::from_millis(1)))),
        });
        let mut plan = for_ms(1, 0, 600_000);
        if !stops {
            plan.end = End::Operations(50);
        }
        plan.on_error = rules.parse().unwrap();
        let mut bench = Bench::new();
        let outcome = bench.step(&plan, Some(&tx), None).unwrap();
        check_files(&bench, &outcome.step);
        let failures = &outcome.step.transactions[1].failures;
        assert_eq!(failures["broken"], 1);
        assert_eq!(outcome.stopped_by.as_ref().map(|e| e.kind), stops.then_some(ErrorKind::Broken));
        match &outcome.step.partial {
            Some(why) => {
                assert!(stops && why.starts_with("stopped by an error (broken)"), "{why}");
                assert!(why.ends_with("try: no such document"), "{why}");
            }
            None => assert!(!stops),
        }
    }
}

/// The controller may end the step as soon as it receives the failure, so the failure must be
/// recorded before. Every loop runs many times, because the step ends while its clients are busy.
/// With a number of operations the last one fails.
#[test]
fn the_failure_that_ends_the_step_is_counted_in_it() {
    let act = |nth| match nth {
        3 => Act::Fail(ErrorKind::Broken, "no such document"),
        _ => Act::Done,
    };
    let open = Pace::Open { rate: 20_000.0, arrivals: Arrivals::Constant };
    let (counted, long) = (End::Operations(4), End::After(Duration::from_secs(600)));
    let ways = [
        (2, 0, Pace::Closed, long),
        (1, 0, Pace::Closed, counted),
        (1, 0, open, long),
        (1, 0, open, counted),
        (0, 2, Pace::Closed, long),
    ];
    for way in ways {
        let (tx, queries, pace, end) = way;
        for _ in 0..50 {
            let world = std::sync::Arc::new(World::default());
            let transactions = Fake::tx(&world, move |_, nth| Some((0, act(nth))));
            let streams = Fake::queries(&world, move |_, nth| act(nth));
            let on_error = "stop".parse().unwrap();
            let plan = StepPlan { pace, on_error, ..StepPlan::new(1, tx, queries, end) };
            let mut bench = Bench::new();
            let outcome = bench.step(&plan, Some(&transactions), Some(&streams)).unwrap();
            check_files(&bench, &outcome.step);
            assert_eq!(outcome.stopped_by.map(|e| e.kind), Some(ErrorKind::Broken), "{way:?}");
            let of_queries = outcome.step.queries.iter().map(|q| q.failed);
            let of_transactions =
                outcome.step.transactions.iter().flat_map(|t| t.failures.values());
            let failed: u64 = of_queries.chain(of_transactions.copied()).sum();
            // The other client may fail before the end.
            assert!((1..=2).contains(&failed), "{failed} in {way:?}");
        }
    }
}

#[test]
fn a_query_that_fails_can_end_the_step_and_a_cancelled_one_cannot() {
    let world = std::sync::Arc::new(World::default());
    let queries = Fake::queries(&world, |_, nth| match nth {
        3 => Act::Fail(ErrorKind::Invalid, "syntax error"),
        _ => Act::Done,
    });
    let mut plan = for_ms(0, 1, 600_000);
    plan.on_error = "stop".parse().unwrap();
    let outcome = Bench::new().step(&plan, None, Some(&queries)).unwrap();
    assert_eq!(outcome.stopped_by.map(|e| e.kind), Some(ErrorKind::Invalid));

    let queries = Fake::queries(&world, |_, _| Act::UntilCancelled);
    plan.end = End::After(Duration::from_millis(100));
    let outcome = Bench::new().step(&plan, None, Some(&queries)).unwrap();
    assert_eq!((outcome.stopped_by, outcome.step.partial), (None, None));
}

/// The scripted workload refuses the first attempts to connect.
#[test]
fn clients_retry_to_connect_until_the_limit() {
    let world = std::sync::Arc::new(World::default());
    let refusing = |limit: u64, refusals: usize| {
        let tx =
            Fake { refusals: refusals.into(), ..Fake::tx(&world, |_, _| Some((0, Act::Done))) };
        let mut plan = for_ms(1, 0, 50);
        plan.connect_limit = Duration::from_millis(limit);
        Bench::new().step(&plan, Some(&tx), None)
    };
    assert_eq!(refusing(0, 1).unwrap_err().kind, ErrorKind::Unavailable);
    assert!(refusing(60_000, 2).unwrap().step.transactions[0].count > 0);
    assert_eq!(refusing(300, 1_000).unwrap_err().kind, ErrorKind::Unavailable);
}

/// A probe whose readings are scripted, by their number.
struct Ages<F>(F, AtomicU64);

struct AgesProbe<'a, F>(&'a Ages<F>);

impl<F: Fn(u64) -> Result<Look> + Send + Sync + 'static> Probing for &'static Ages<F> {
    type Probe = AgesProbe<'static, F>;

    fn every(&self) -> Duration {
        Duration::from_millis(10)
    }

    async fn probe(&self) -> Result<AgesProbe<'static, F>> {
        Ok(AgesProbe(self))
    }
}

impl<F: Fn(u64) -> Result<Look> + Send + Sync> Probe for AgesProbe<'_, F> {
    async fn look(&mut self) -> Result<Look> {
        let nth = self.0.1.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(2)).await;
        self.0.0(nth)
    }
}

fn ages<F: Fn(u64) -> Result<Look> + Send + Sync + 'static>(script: F) -> &'static Ages<F> {
    Box::leak(Box::new(Ages(script, AtomicU64::new(0))))
}

#[test]
fn the_readings_of_the_measured_window_are_the_freshness_of_the_step() {
    let ages = ages(|nth| match nth % 4 {
        3 => Err(Error::new(ErrorKind::Unavailable, "look", "no")),
        2 => Ok(Look { unseen: Duration::from_secs(7_200), newest_seen: None }),
        _ => Ok(Look {
            unseen: Duration::from_millis(nth % 4 * 250),
            newest_seen: Some(Duration::from_millis(300)),
        }),
    });
    let world = World::stopping(move |_, _| ages.1.load(Ordering::SeqCst) >= 60);
    let tx = Fake::tx(&world, |_, _| Some((0, Act::Take(Duration::from_millis(1)))));
    let mut plan = for_ms(2, 0, 600_000);
    plan.warmup = Duration::from_millis(50);
    let mut bench = Bench::new();
    let begun = Instant::now();
    let none = None::<&Fake>;
    let parts = (Some(&tx), none, Some(&ages));
    let outcome =
        hoap_drive::run_probed_step(&plan, parts, &mut bench.folder, (&world.stop, &()), &*world)
            .unwrap();
    check_files(&bench, &outcome.step);
    let freshness = outcome.step.freshness.as_ref().unwrap();
    let looks = ages.1.load(Ordering::SeqCst);
    // Readings are 10 ms apart and never overlap. Those of the warm-up and a dropped one do not
    // count.
    let most = begun.elapsed().as_millis() as u64 / 10 + 2;
    assert!(looks <= most, "{looks} of {most}");
    let counted = freshness.probes + freshness.failed;
    assert!(counted >= 4 && counted < looks, "{counted} of {looks}");
    assert_eq!(freshness.every_seconds, 0.01);
    assert!(freshness.all_seen >= 1 && freshness.failed >= 1 && freshness.probes >= 3);
    assert_eq!(freshness.unseen.max_us, 7_200_000_000, "two hours are not cut to one");
    assert_eq!((freshness.newest_seen.p50_us, freshness.newest_seen.max_us), (300_000, 300_000));
    assert!(freshness.took.p50_us >= 2_000);

    let samples = hoap_record::folder::read_samples(&bench.path).unwrap();
    let rows = samples.iter().filter(|s| s.kind == hoap_record::FRESHNESS);
    let measured: Vec<_> = rows.filter(|s| s.phase == "measured").collect();
    assert_eq!(measured.iter().map(|s| s.count).sum::<u64>(), freshness.probes);
    assert_eq!(measured.iter().map(|s| s.failed).sum::<u64>(), freshness.failed);
    let logs = hoap_record::hlog::read(&bench.path, 1).unwrap();
    assert_eq!(logs[hoap_record::FRESHNESS].len(), freshness.probes);
    let [event] = outcome.events.as_slice() else { panic!("{:#?}", outcome.events) };
    assert_eq!((event.side.as_str(), event.what.as_str()), ("freshness", "unavailable"));
    assert!(event.count >= freshness.failed);
}

#[test]
fn a_probe_that_never_answers_does_not_delay_the_step_and_is_not_counted() {
    let world = std::sync::Arc::new(World::default());
    let tx = Fake::tx(&world, |_, _| Some((0, Act::Take(Duration::from_millis(1)))));
    struct Stuck;
    impl Probing for Stuck {
        type Probe = Stuck;
        fn every(&self) -> Duration {
            Duration::from_millis(10)
        }
        async fn probe(&self) -> Result<Stuck> {
            Ok(Stuck)
        }
    }
    impl Probe for Stuck {
        async fn look(&mut self) -> Result<Look> {
            std::future::pending().await
        }
    }
    let mut bench = Bench::new();
    let parts = (Some(&tx), None::<&Fake>, Some(&Stuck));
    let plan = for_ms(1, 0, 100);
    let outcome =
        hoap_drive::run_probed_step(&plan, parts, &mut bench.folder, (&world.stop, &()), &*world)
            .unwrap();
    let freshness = outcome.step.freshness.unwrap();
    assert_eq!((freshness.probes, freshness.failed, outcome.events.len()), (0, 0, 0));
}
