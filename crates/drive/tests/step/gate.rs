//! Clients that are connected wait for somebody to name the start.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use hoap_drive::{End, Gate, StepPlan, run_probed_step};
use hoap_record::{Error, ErrorKind, Result};

use crate::fake::{Act, Bench, Fake, World};

/// Opens as its function says, which gets the number of the call.
struct By<F>(F, Cell<u64>);

impl<F: Fn(u64) -> Result<Option<Instant>>> Gate for By<F> {
    fn opens(&self, _: &StepPlan) -> Result<Option<Instant>> {
        self.1.set(self.1.get() + 1);
        (self.0)(self.1.get())
    }
}

fn plan() -> StepPlan {
    StepPlan::new(1, 3, 0, End::Operations(9))
}

#[test]
fn no_operation_begins_before_the_start_for_which_all_clients_are_connected() {
    let world = Arc::new(World::default());
    let tx = Fake::tx(&world, |_, _| Some((0, Act::Done)));
    let mut bench = Bench::new();
    let at = Cell::new(None);
    let gate = By(
        |call: u64| {
            assert_eq!(world.alive.load(Ordering::SeqCst), 3, "all are connected");
            assert_eq!(world.started.load(Ordering::SeqCst), 0, "and none runs");
            if call == 5 {
                at.set(Some(Instant::now() + Duration::from_millis(120)));
            }
            Ok(at.get())
        },
        Cell::new(0),
    );
    let control = (&world.stop, &gate as &dyn Gate);
    let clients = (Some(&tx), NONE, NONE);
    let step = run_probed_step(&plan(), clients, &mut bench.folder, control, &()).unwrap().step;
    assert!(step.partial.is_none() && world.started.load(Ordering::SeqCst) >= 9);
    let named = bench.folder.seconds_at(at.get().unwrap());
    assert!(step.start_seconds >= named, "{} before {named}", step.start_seconds);
}

#[test]
fn a_start_that_is_never_named_ends_with_the_stop_and_one_that_is_refused_at_once() {
    for refuses in [false, true] {
        let world = Arc::new(World::default());
        let tx = Fake::tx(&world, |_, _| Some((0, Act::Done)));
        let mut bench = Bench::new();
        let gate = By(
            |call: u64| match (call, refuses) {
                (3, true) => Err(Error::new(ErrorKind::Broken, "begin", "too late")),
                (3, false) => {
                    world.stop.set();
                    Ok(None)
                }
                _ => Ok(None),
            },
            Cell::new(0),
        );
        let control = (&world.stop, &gate as &dyn Gate);
        let clients = (Some(&tx), NONE, NONE);
        let end = run_probed_step(&plan(), clients, &mut bench.folder, control, &());
        match end {
            Ok(outcome) => {
                assert!(!refuses);
                let partial = outcome.step.partial.unwrap();
                assert_eq!(partial, "interrupted before the measured window");
            }
            Err(end) => assert!(refuses && end.error.answer == "too late", "{}", end.error),
        }
        assert_eq!(world.started.load(Ordering::SeqCst), 0);
        assert_eq!(world.alive.load(Ordering::SeqCst), 0, "all clients have ended");
    }
}

const NONE: Option<&hoap_drive::NoWorkload> = None;
