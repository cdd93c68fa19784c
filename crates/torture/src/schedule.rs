//! What happens in a run, drawn from the seed: the same plan and the same number of the run give
//! the same faults, whatever happened before.

use std::time::Duration;

use hoap_data::random::Stream;

use crate::plan::{Kind, Plan, Range};

/// A fault that is to happen.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What happens.
    pub kind: Kind,
    /// Index into [`Plan::fault`].
    pub plan: usize,
    /// Time from the recovery from the fault before it, or from the run's first success.
    pub quiet: Duration,
    /// How long it lasts.
    pub time: Duration,
    /// The delay of each piece of data, or the step of the clock.
    pub by: Duration,
    /// Whether the clock steps back.
    pub back: bool,
    /// Bytes that pass before a cut.
    pub bytes: u64,
    /// Whether a cut counts the bytes from the server, not those to it.
    pub from_server: bool,
    /// Whether a cut breaks all connections, not one.
    pub all: bool,
    /// Whether connections end by a reset, not by an orderly end.
    pub reset: bool,
    /// Which of several connections or processes: taken modulo their number.
    pub which: u64,
}

/// The faults of a run, as many as fit into its duration if each recovery took no time. A killed
/// driver is the last.
pub fn draw(plan: &Plan, run: u64) -> Vec<Fault> {
    let mut random = Stream::new(plan.seed, &[u64::from_be_bytes(*b"torture\0"), run]);
    let (mut faults, mut at) = (Vec::new(), Duration::ZERO);
    loop {
        let fault = one(plan, &mut random);
        at += fault.quiet + fault.time;
        if at + plan.settle > plan.duration && !faults.is_empty() {
            return faults;
        }
        let last = fault.kind == Kind::KillDriver || at + plan.settle > plan.duration;
        faults.push(fault);
        if last {
            return faults;
        }
    }
}

/// Draws the same numbers whatever the kind, so that a plan's weights alone decide the kinds.
fn one(plan: &Plan, random: &mut Stream) -> Fault {
    let quiet = within(plan.quiet, random);
    let weights: u32 = plan.fault.iter().map(|fault| fault.weight).sum();
    let mut drawn = random.uniform(0..=i64::from(weights) - 1) as u32;
    let at = plan.fault.iter().position(|fault| {
        let here = drawn < fault.weight;
        drawn = drawn.saturating_sub(fault.weight);
        here
    });
    // Some fault has a weight, which the plan's check made sure of.
    let at = at.unwrap_or(0);
    let fault = &plan.fault[at];
    let none = Range { from: Duration::ZERO, to: Duration::ZERO };
    Fault {
        kind: fault.kind,
        plan: at,
        quiet,
        time: within(fault.time.unwrap_or(none), random),
        by: within(fault.by.unwrap_or(none), random),
        back: random.chance(0.5),
        bytes: random.uniform(0..=fault.bytes.unwrap_or(0).min(i64::MAX as u64) as i64) as u64,
        from_server: random.chance(0.5),
        all: random.chance(0.5),
        reset: random.chance(0.5),
        which: random.next_u64(),
    }
}

fn within(range: Range, random: &mut Stream) -> Duration {
    let micros = |time: Duration| time.as_micros().min(i64::MAX as u128) as i64;
    Duration::from_micros(random.uniform(micros(range.from)..=micros(range.to)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::plan;

    #[test]
    fn a_seed_and_a_run_give_one_schedule_and_others_give_others() {
        let plan = plan("");
        for run in 1..50 {
            assert_eq!(draw(&plan, run), draw(&plan, run));
            assert_ne!(draw(&plan, run), draw(&plan, run + 1));
        }
        let other = Plan { seed: plan.seed + 1, ..plan.clone() };
        assert_ne!(draw(&plan, 1), draw(&other, 1));
    }

    #[test]
    fn faults_fit_into_the_run_and_have_what_the_plan_gives_them() {
        let plan = plan("");
        let (mut kinds, mut back) = (std::collections::BTreeMap::new(), 0);
        for run in 0..400 {
            let faults = draw(&plan, run);
            let time: Duration = faults.iter().map(|f| f.quiet + f.time).sum();
            assert!(time + plan.settle <= plan.duration, "{faults:?}");
            for (i, fault) in faults.iter().enumerate() {
                *kinds.entry(fault.kind.name()).or_insert(0) += 1;
                back += usize::from(fault.back);
                assert!(plan.quiet.from <= fault.quiet && fault.quiet <= plan.quiet.to);
                let given = &plan.fault[fault.plan];
                assert_eq!(given.kind, fault.kind);
                assert!(given.time.is_none_or(|t| t.from <= fault.time && fault.time <= t.to));
                assert!(fault.bytes <= given.bytes.unwrap_or(0));
                assert!(fault.kind != Kind::KillDriver || i + 1 == faults.len());
            }
        }
        let all: usize = kinds.values().sum();
        assert_eq!(kinds.len(), 3, "a weight of 0 is never drawn: {kinds:?}");
        // 3 : 1 but for those after a killed driver, which are not drawn.
        let cuts = kinds["cut"] as f64 / kinds["kill"] as f64;
        assert!((2.5..3.5).contains(&cuts), "{kinds:?}");
        assert!((0.45..0.55).contains(&(back as f64 / all as f64)));
    }

    #[test]
    fn a_run_that_is_too_short_for_its_first_fault_has_that_alone() {
        let plan = plan("quiet = [\"9s\", \"9s\"]\nduration = \"10s\"\n");
        assert_eq!(draw(&plan, 1).len(), 1);
    }
}
