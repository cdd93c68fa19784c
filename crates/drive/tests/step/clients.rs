//! Threads, connections, keying and think times.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hoap_drive::Next;
use hoap_drive::{End, Phase, StepPlan};
use hoap_record::ErrorKind;

use crate::fake::{Act, Bench, Fake, World, check_files, one_loop};

/// Ten operations each, then idle; the window ends when all have been done.
fn ten_each(blocking: bool, clients: usize) -> usize {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let mut tx = Fake::tx(&world, |_, nth| (nth < 10).then_some((nth % 3, Act::Done)));
    tx.blocking = blocking;
    let queries = Fake::gate(&world, clients * 10);
    let before = {
        let outcome = bench.step(&one_loop(clients, 1), Some(&tx), Some(&queries)).unwrap();
        let step = &outcome.step;
        check_files(&bench, step);
        assert_eq!(outcome.transactions.len(), clients);
        for (number, memory) in outcome.transactions.iter().enumerate() {
            assert_eq!(memory.number, number, "memories are in the order of the clients");
            assert_eq!(memory.ran.len(), 10);
        }
        step.transactions.iter().map(|line| line.count).sum::<u64>()
    };
    // Operations before the first query began belong to the warm-up.
    assert!(before <= clients as u64 * 10);
    assert_eq!(world.alive.load(Ordering::SeqCst), 0);
    world.threads.lock().unwrap().len() - 1
}

#[test]
fn two_hundred_clients_share_one_thread_per_core() {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    assert_eq!(ten_each(false, 200), cores.min(200));
}

#[test]
fn sixteen_blocking_clients_have_a_thread_each() {
    assert_eq!(ten_each(true, 16), 16);
}

#[test]
fn a_client_that_cannot_connect_fails_the_step_and_ends_all_clients() {
    for blocking in [false, true] {
        let world = Arc::new(World::default());
        let mut bench = Bench::new();
        let mut tx = Fake::tx(&world, |_, _| Some((0, Act::Done)));
        tx.blocking = blocking;
        tx.refuses = Some(2);
        let plan = StepPlan::new(1, 4, 0, End::After(Duration::from_secs(3600)));
        let error = bench.step(&plan, Some(&tx), None).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unavailable);
        assert_eq!(error.to_string(), "connect 2: no");
        assert_eq!(world.alive.load(Ordering::SeqCst), 0);
    }
}

#[test]
fn a_client_that_panics_fails_the_step_and_ends_all_clients() {
    for blocking in [false, true] {
        let world = Arc::new(World::default());
        let mut bench = Bench::new();
        let mut tx = Fake::tx(&world, |client, nth| {
            Some((0, if (client, nth) == (1, 5) { Act::Panic } else { Act::Done }))
        });
        tx.blocking = blocking;
        let plan = StepPlan::new(1, 3, 0, End::After(Duration::from_secs(3600)));
        let error = bench.step(&plan, Some(&tx), None).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Broken);
        assert!(error.to_string().contains("scripted panic"), "{error}");
        assert_eq!(world.alive.load(Ordering::SeqCst), 0);
    }
}

/// TPC-C 5.2.5.2 and 5.2.5.4: the time before an operation and the time after it.
#[test]
fn keying_and_think_times_are_waited_for_and_are_not_response_time() {
    for blocking in [false, true] {
        let world = Arc::new(World::default());
        let mut bench = Bench::new();
        let mut tx = Fake::tx(&world, |_, _| None);
        tx.blocking = blocking;
        let (keying, think) = (Duration::from_millis(300), Duration::from_millis(200));
        tx.script = Arc::new(move |_, nth| {
            let act = if nth == 0 { Act::Until(Phase::Measured) } else { Act::Done };
            let kind = usize::from(nth == 0);
            (nth < 5).then_some((Next { kind, keying, think }, act))
        });
        let outcome = bench.step(&one_loop(1, 1), Some(&tx), Some(&Fake::gate(&world, 5))).unwrap();
        let ran = &outcome.transactions[0].ran;
        for pair in ran.windows(2) {
            assert!(pair[1].0 - pair[0].1 >= keying + think);
        }
        // Response times contain neither time: the shortest one is below the keying time.
        let logs = hoap_record::hlog::read(&bench.path, 1).unwrap();
        assert!(logs["A"].min() < keying.as_micros() as u64);
        assert_eq!(outcome.step.transactions[0].count, 4);
    }
}

/// With a database that answers at once, a client must not starve the others of its thread.
#[test]
fn clients_that_never_wait_share_their_thread() {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let tx = Fake::tx(&world, |_, _| Some((0, Act::Done)));
    let queries = Fake::gate(&world, 100_000);
    let outcome = bench.step(&one_loop(50, 1), Some(&tx), Some(&queries)).unwrap();
    let least = outcome.transactions.iter().map(|memory| memory.ran.len()).min();
    assert!(least > Some(0), "a client was starved");
}

#[test]
fn a_plan_that_cannot_be_run_is_refused() {
    let world = Arc::new(World::default());
    let tx = Fake::tx(&world, |_, _| None);
    let queries = Fake::gate(&world, 0);
    let loops = End::Loops { warmup: 1, measured: 1 };
    let minute = End::After(Duration::from_secs(60));
    let mut endless = Fake::gate(&world, 0);
    endless.loop_length = None;
    let mut headline = StepPlan::new(1, 1, 0, minute);
    headline.headline = Some(3);
    let mut tick = StepPlan::new(1, 1, 0, minute);
    tick.tick = Duration::ZERO;
    let plan = StepPlan::new;
    let cases = [
        (plan(1, 0, 0, minute), Some(&tx), Some(&queries), "no client"),
        (plan(1, 1, 0, minute), None, Some(&queries), "no transactions"),
        (plan(1, 1, 1, minute), Some(&tx), None, "no queries"),
        (plan(1, 1, 0, loops), Some(&tx), Some(&queries), "give it a duration"),
        (plan(1, 0, 1, minute), Some(&tx), Some(&endless), "no loop"),
        (plan(1, 1, 0, End::After(Duration::ZERO)), Some(&tx), None, "window is zero"),
        (plan(1, 0, 1, End::Loops { warmup: 1, measured: 0 }), None, Some(&queries), "no measured"),
        (headline, Some(&tx), None, "headline"),
        (tick, Some(&tx), None, "tick is zero"),
    ];
    for (plan, tx, queries, answer) in cases {
        let error = Bench::new().step(&plan, tx, queries).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Invalid);
        assert!(error.to_string().contains(answer), "{error}");
    }
    assert_eq!(world.threads.lock().unwrap().len(), 0, "no client has connected");
}
