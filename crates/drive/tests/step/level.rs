//! Warm-ups that end at a level of throughput, and windows that have more than one.

use std::sync::Arc;
use std::time::Duration;

use hoap_drive::{Arrivals, End, Pace, StepPlan, WarmAt};
use hoap_record::ErrorKind;
use hoap_record::Step;

use crate::fake::{Act, Bench, Fake, World, check_files};

const TICK: Duration = Duration::from_millis(20);
const MILLISECOND: Duration = Duration::from_millis(1);

fn run(plan: &StepPlan, takes: impl Fn(usize) -> Duration + Send + Sync + 'static) -> Step {
    let world = Arc::new(World::default());
    let mut bench = Bench::new();
    let tx = Fake::tx(&world, move |_, nth| Some((0, Act::Take(takes(nth)))));
    let outcome = bench.step(plan, Some(&tx), None).unwrap();
    check_files(&bench, &outcome.step);
    outcome.step
}

fn plan(warmup: Duration, ticks: u32) -> StepPlan {
    let end = End::After(TICK * ticks);
    StepPlan { warmup, tick: TICK, ..StepPlan::plain(1, 2, end) }
}

fn until_level(most: Duration) -> StepPlan {
    StepPlan { warm_at: WarmAt::Level, ..plan(most, 5) }
}

#[test]
fn a_warm_up_ends_at_a_level() {
    let step = run(&until_level(Duration::from_secs(600)), |_| 2 * MILLISECOND);
    assert_eq!(step.warmup_settled, Some(true));
    // Twenty ticks, of which one may be late and the next one short.
    assert!((0.3..600.0).contains(&step.warmup_seconds), "{}", step.warmup_seconds);
    assert_eq!(step.level, None, "five ticks are not judged");
}

#[test]
fn a_warm_up_without_a_level_ends_at_its_limit_and_says_so() {
    // Too short for any level.
    let step = run(&until_level(TICK * 3), |_| MILLISECOND);
    assert_eq!(step.warmup_settled, Some(false));
    assert!((0.06..30.0).contains(&step.warmup_seconds), "{}", step.warmup_seconds);
}

#[test]
fn a_window_with_a_second_level_is_marked() {
    let slower = |nth: usize| MILLISECOND * if nth < 300 { 1 } else { 4 };
    let step = run(&plan(Duration::ZERO, 100), slower);
    let level = step.level.expect("it had two levels");
    assert!(level.after < 0.8 * level.before, "{level:?}");
    assert!(level.before < 2_500.0 && level.at_seconds < 2.0, "{level:?}");
    assert_eq!(step.warmup_settled, None);
}

#[test]
fn only_a_closed_loop_of_transactions_has_a_level_of_its_own() {
    let arrivals = Arrivals::Constant;
    let open = StepPlan { pace: Pace::Open { rate: 100.0, arrivals }, ..until_level(TICK) };
    let world = Arc::new(World::default());
    let tx = Fake::tx(&world, |_, _| Some((0, Act::Done)));
    let e = Bench::new().step(&open, Some(&tx), None).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Invalid);
    assert!(e.to_string().contains("no closed loop"), "{e}");
    let open = StepPlan { warm_at: WarmAt::Time, end: End::After(TICK * 40), ..open };
    assert_eq!(run(&open, |_| Duration::ZERO).level, None);
}
