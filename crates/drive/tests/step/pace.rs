//! Open loop, and steps of a number of operations.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hoap_drive::{Arrivals, End, Pace, Phase, StepPlan};
use hoap_record::ErrorKind;
use hoap_record::folder::read_samples;
use hoap_record::{GRACE, Operation, Step};

use crate::fake::{Act, Bench, Fake, World, check_files, one_loop};

fn open(rate: f64) -> Pace {
    Pace::Open { rate, arrivals: Arrivals::Constant }
}

/// Operations of the window that ended without being cancelled, within it or later.
fn ended(step: &Step) -> u64 {
    let of = |line: &Operation| line.timed - line.at_least + line.failures.values().sum::<u64>();
    step.transactions.iter().map(of).sum()
}

/// Successes and failures alternate. Failures are counted and have none of the three times.
fn alternating(world: &Arc<World>) -> Fake {
    Fake::tx(world, |_, nth| {
        let act = match nth % 2 {
            0 => Act::Done,
            _ => Act::Fail(ErrorKind::Timeout, "slow"),
        };
        Some((nth % 4 / 2, act))
    })
}

#[test]
fn a_step_runs_its_exact_number_of_operations_after_the_warm_up() {
    for (blocking, pace) in
        [(false, Pace::Closed), (true, Pace::Closed), (false, open(2e4)), (true, open(2e4))]
    {
        for (operations, clients) in [(1, 3), (1_003, 7), (2_000, 1)] {
            let world = Arc::new(World::default());
            let mut bench = Bench::new();
            let mut tx = alternating(&world);
            tx.blocking = blocking;
            let mut plan = StepPlan::plain(1, clients, End::Operations(operations));
            plan.pace = pace;
            plan.warmup = Duration::from_millis(30);
            let outcome = bench.step(&plan, Some(&tx), None).unwrap();
            let step = &outcome.step;
            assert_eq!(ended(step), operations, "{blocking} {pace:?}");
            assert_eq!(step.partial, None);
            assert_eq!(step.clients, Some(clients));
            check_files(&bench, step);
            let samples = read_samples(&bench.path).unwrap();
            let sampled: u64 = samples.iter().map(|s| s.count + s.failed).sum();
            let ran: usize = outcome.transactions.iter().map(|memory| memory.ran.len()).sum();
            // An operation that began in the warm-up may be in flight when the window ends.
            let hung: u64 = step.transactions.iter().map(|line| line.unfinished).sum();
            // An operation of the warm-up may begin while the step ends.
            let lost = ran as u64 - sampled - hung;
            assert!(lost <= clients as u64, "every operation is in the warm-up or counts: {lost}");
            if pace == Pace::Closed {
                assert_eq!((step.rate_intended, step.rate_achieved), (None, None));
            } else {
                assert_eq!(step.intended_starts, Some(operations));
                assert_eq!(sampled + hung + lost, operations + 600, "30 ms of 20,000 a second");
            }
        }
    }
}

#[test]
fn failures_have_none_of_the_three_times_of_an_open_loop() {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let mut plan = StepPlan::plain(1, 1, End::Operations(400));
    plan.pace = open(1e4);
    let step = bench.step(&plan, Some(&alternating(&world)), None).unwrap().step;
    let logs = hoap_record::hlog::read(&bench.path, 1).unwrap();
    for (kind, line) in ["A", "B"].iter().zip(&step.transactions) {
        assert_eq!((line.count, line.failures["timeout"]), (100, 100));
        for ending in ["", hoap_record::hlog::SERVICE, hoap_record::hlog::WAIT] {
            assert_eq!(logs[&format!("{kind}{ending}")].len(), 100);
        }
        assert!(line.service.is_some() && line.wait.is_some());
    }
    assert_eq!(step.transactions[2].count, 0);
    assert_eq!(step.transactions[2].service, None);
}

#[test]
fn a_closed_loop_has_no_wait() {
    let world = Arc::new(World::default());
    let plan = StepPlan::plain(1, 2, End::Operations(10));
    let mut bench = Bench::new();
    let step = bench.step(&plan, Some(&alternating(&world)), None).unwrap().step;
    assert!(step.transactions.iter().all(|line| line.service.is_none() && line.wait.is_none()));
    assert!(hoap_record::hlog::read(&bench.path, 1).unwrap().keys().all(|tag| !tag.contains(':')));
    assert_eq!(step.arrivals, None);
}

/// The operations that are due in the window count, and no others.
#[test]
fn the_window_has_the_operations_that_are_due_in_it() {
    let poisson = |seed| Pace::Open { rate: 4_000.0, arrivals: Arrivals::Poisson { seed } };
    let steps =
        [(1, open(4_000.0)), (1, poisson(1)), (1, poisson(1)), (1, poisson(2)), (2, poisson(1))];
    let counts = steps.map(|(number, pace)| {
        let world = Arc::new(World::default());
        let mut bench = Bench::new();
        let tx = Fake::tx(&world, |_, nth| Some((nth % 3, Act::Done)));
        let mut plan = StepPlan::plain(number, 3, End::After(Duration::from_millis(250)));
        plan.pace = pace;
        plan.warmup = Duration::from_millis(50);
        plan.grace = Duration::from_secs(3600);
        plan.tick = Duration::from_millis(20);
        let step = bench.step(&plan, Some(&tx), None).unwrap().step;
        check_files(&bench, &step);
        assert_eq!((step.rate_intended, step.not_started), (Some(4_000.0), Some(0)));
        assert_eq!(Some(ended(&step)), step.intended_starts);
        ended(&step)
    });
    assert_eq!(counts[0], 1_000);
    assert_eq!(counts[1], counts[2], "the same seed draws the same times");
    assert_ne!(counts[1], counts[3]);
    assert_ne!(counts[1], counts[4], "each step draws its own");
    // Within five standard deviations.
    assert!(counts[1..].iter().all(|count| count.abs_diff(1_000) < 160), "{counts:?}");
}

/// One client and 10 ms per operation: at most 100 of 2,000 operations per second.
#[test]
fn a_rate_that_is_not_reached_is_reported() {
    for blocking in [false, true] {
        let world = Arc::new(World::default());
        let mut bench = Bench::new();
        let mut tx = Fake::tx(&world, |_, _| Some((0, Act::Take(Duration::from_millis(10)))));
        tx.blocking = blocking;
        let mut plan = StepPlan::plain(1, 1, End::After(Duration::from_millis(300)));
        plan.pace = open(2_000.0);
        plan.grace = Duration::from_millis(50);
        let step = bench.step(&plan, Some(&tx), None).unwrap().step;
        assert_eq!(step.intended_starts, Some(600));
        let missing = step.not_started.unwrap();
        assert!(missing >= 560, "35 fit into the window and the grace: {missing}");
        let cut = 600 - missing - ended(&step);
        assert_eq!((step.backlog, step.begun.unwrap() <= 33), (Some(0), true));
        assert_eq!(cut, 0, "operations that had begun were waited for");
        assert!(step.rate_achieved.unwrap() <= 110.0);
        let text = step.rate_shortfall.unwrap();
        assert!(text.contains("of 2000 operations a second began"), "{text}");
        assert!(text.contains(&format!("{missing} of 600 had not begun")), "{text}");
        let line = &step.transactions[0];
        assert!(
            line.latency.max_us >= 200_000,
            "response times of late operations begin when they were due"
        );
    }
}

#[test]
fn a_stop_ends_an_open_loop_at_once() {
    for blocking in [false, true] {
        // One operation per hour, and a rate that builds up a backlog.
        for (rate, clients) in [(1.0 / 3600.0, 3), (1e6, 3)] {
            let world = World::stopping(|world, _| world.started.load(Ordering::SeqCst) > 0);
            let mut bench = Bench::new();
            let mut tx = Fake::tx(&world, |_, _| Some((0, Act::Take(Duration::from_millis(5)))));
            tx.blocking = blocking;
            let mut plan = StepPlan::plain(1, clients, End::After(Duration::from_secs(7200)));
            plan.pace = open(rate);
            plan.tick = Duration::from_millis(10);
            plan.grace = Duration::from_secs(3600);
            let step = bench.step(&plan, Some(&tx), None).unwrap().step;
            assert!(step.partial.is_some());
            assert_eq!(step.not_started, Some(0), "operations after a stop are not missing");
            assert_eq!(Some(ended(&step)), step.intended_starts);
            check_files(&bench, &step);
        }
    }
}

/// One client, 10 ms per operation and 2,000 due per second: 200 operations are due in the warm-up,
/// and about ten of them begin in it. The window works off the rest, so no operation that is due in
/// it begins. Its throughput is the operations that ended in it.
#[test]
fn a_backlog_of_the_warm_up_is_throughput_and_is_reported() {
    for blocking in [false, true] {
        let world = Arc::new(World::default());
        let mut bench = Bench::new();
        let mut tx = Fake::tx(&world, |_, _| Some((0, Act::Take(Duration::from_millis(10)))));
        tx.blocking = blocking;
        let mut plan = StepPlan::plain(1, 1, End::After(Duration::from_millis(300)));
        plan.pace = open(2_000.0);
        (plan.warmup, plan.grace) = (Duration::from_millis(100), Duration::from_millis(50));
        let outcome = bench.step(&plan, Some(&tx), None).unwrap();
        let (step, line) = (&outcome.step, &outcome.step.transactions[0]);
        check_files(&bench, step);
        assert_eq!((line.timed, step.intended_starts, step.not_started), (0, Some(600), Some(600)));
        let backlog = step.backlog.unwrap();
        assert!((100..=200).contains(&backlog), "{backlog}");
        // The operations that the database ran, give or take those at the edges of the window.
        let begin = step.start_seconds;
        let ran = &outcome.transactions[0].ran;
        let seen = ran.len() as u64;
        assert!(
            line.count >= 1 && line.count <= 60 && line.count < seen,
            "{} of {seen}",
            line.count
        );
        assert!((line.per_second - line.count as f64 / step.seconds).abs() < 1e-9, "{begin}");
        assert_eq!(line.unfinished, 1, "the operation in flight at the end is of the backlog");
        let why = step.rate_shortfall.as_ref().unwrap();
        assert!(why.contains(&format!("with a backlog: {backlog} operations were due")), "{why}");
    }
}

/// A database hangs in the warm-up and is fast afterwards: more operations begin in the window than
/// are due in it.
#[test]
fn a_rate_above_the_intended_one_is_reported_as_a_backlog() {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let tx = Fake::tx(&world, |_, nth| {
        Some((0, if nth == 0 { Act::Until(Phase::Measured) } else { Act::Done }))
    });
    let mut plan = StepPlan::plain(1, 1, End::After(Duration::from_millis(400)));
    plan.pace = open(1_000.0);
    (plan.warmup, plan.grace) = (Duration::from_millis(300), Duration::from_secs(3600));
    plan.tick = Duration::from_millis(20);
    let step = bench.step(&plan, Some(&tx), None).unwrap().step;
    check_files(&bench, &step);
    let line = &step.transactions[0];
    assert_eq!((line.timed, step.not_started), (400, Some(0)));
    assert!(line.count >= 500, "backlog and window: {}", line.count);
    assert!(step.rate_achieved.unwrap() > 1_200.0 && step.backlog >= Some(295), "{step:?}");
    assert!(step.rate_shortfall.as_ref().unwrap().contains("with a backlog"));
}

/// An operation that is due in the window and ends in the grace period is in no tick of the window.
#[test]
fn the_grace_period_has_a_row_of_its_own() {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let tx = Fake::tx(&world, |_, nth| {
        Some((0, if nth == 100 { Act::Until(Phase::Ended) } else { Act::Done }))
    });
    let mut plan = StepPlan::plain(1, 1, End::After(Duration::from_millis(400)));
    plan.pace = open(1_000.0);
    (plan.tick, plan.grace) = (Duration::from_millis(20), Duration::from_secs(3600));
    let step = bench.step(&plan, Some(&tx), None).unwrap().step;
    check_files(&bench, &step);
    let line = &step.transactions[0];
    assert_eq!((line.count, line.timed, line.unfinished, line.at_least), (100, 400, 1, 0));
    let samples = read_samples(&bench.path).unwrap();
    let late: Vec<_> = samples.iter().filter(|s| s.phase == GRACE && s.count > 0).collect();
    assert_eq!((late.len(), late[0].count, late[0].kind.as_str()), (1, 300, "A"));
    let window_end = step.start_seconds + step.seconds;
    assert!((late[0].at_seconds - late[0].seconds - window_end).abs() < 2e-6);
    assert!(step.longest_gap.unwrap().seconds >= 0.1, "{:?}", step.longest_gap);
}

/// The query stream sets the length of the step.
#[test]
fn an_open_loop_runs_beside_queries() {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let tx = Fake::tx(&world, |_, _| Some((0, Act::Done)));
    let mut plan = one_loop(2, 1);
    plan.pace = open(10_000.0);
    plan.grace = Duration::from_secs(3600);
    let step = bench.step(&plan, Some(&tx), Some(&Fake::gate(&world, 500))).unwrap().step;
    assert_eq!(step.name, "2 tx, 1 query, 10000/s");
    assert_eq!((Some(ended(&step)), step.not_started), (step.intended_starts, Some(0)));
    assert_eq!(step.queries[0].count, 1);
    check_files(&bench, &step);
}

#[test]
fn an_operation_that_outlasts_the_grace_is_cancelled_and_not_missing() {
    let world = World::stopping(|world, _| world.started.load(Ordering::SeqCst) >= 3);
    let mut bench = Bench::new();
    let tx = Fake::tx(&world, |_, _| Some((0, Act::UntilCancelled)));
    let mut plan = StepPlan::plain(1, 3, End::After(Duration::from_secs(3600)));
    plan.pace = open(1e4);
    (plan.tick, plan.grace) = (Duration::from_millis(10), Duration::from_millis(10));
    let outcome = bench.step(&plan, Some(&tx), None).unwrap();
    assert_eq!(outcome.transactions_cancelled, 3);
    assert_eq!((ended(&outcome.step), outcome.step.not_started), (0, Some(0)));
}

#[test]
fn an_open_loop_that_cannot_be_run_is_refused() {
    let world = Arc::new(World::default());
    let tx = Fake::tx(&world, |_, _| None);
    let queries = Fake::gate(&world, 0);
    let minute = End::After(Duration::from_secs(60));
    let with = |pace, mut plan: StepPlan| {
        plan.pace = pace;
        plan
    };
    let one = || StepPlan::plain(1, 1, minute);
    let cases = [
        (with(open(0.0), one()), "rate is not above 0"),
        (with(open(-1.0), one()), "rate is not above 0"),
        (with(open(f64::NAN), one()), "rate is not above 0"),
        (with(open(f64::INFINITY), one()), "rate is not above 0"),
        (with(open(1.0), StepPlan::new(1, 0, 1, minute)), "rate needs a transaction client"),
        (StepPlan::plain(1, 1, End::Operations(0)), "no operation"),
        (StepPlan::new(1, 0, 1, End::Operations(9)), "needs a transaction client"),
    ];
    for (plan, answer) in cases {
        let error = Bench::new().step(&plan, Some(&tx), Some(&queries)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Invalid);
        assert!(error.to_string().contains(answer), "{error}");
    }
}

/// Neither sort of client starves the other.
#[test]
fn clients_that_wait_and_clients_that_never_wait_share_a_thread() {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let tx = Fake::tx(&world, |client, _| {
        let wait = Act::Take(Duration::from_millis(1));
        Some((0, if client % 2 == 0 { Act::Done } else { wait }))
    });
    let plan = StepPlan::plain(1, 40, End::After(Duration::from_secs(1)));
    let outcome = bench.step(&plan, Some(&tx), None).unwrap();
    for memory in &outcome.transactions {
        assert!(memory.ran.len() >= 2, "client {} was starved", memory.number);
    }
}
