//! What a transaction of the witness does, drawn from its client's seed.

use hoap_data::random::Stream;
use hoap_database::{Access, Intent};

use super::HOT;

/// Of a hundred transactions, those that only read.
const READING: f64 = 0.3;
/// Of a hundred documents that a writing transaction reads, those that it writes too.
const WRITTEN: f64 = 0.6;
/// Of a hundred documents that are written, those that are written twice.
const TWICE: f64 = 0.1;
/// Of a hundred documents that are written, those that are read again.
const AGAIN: f64 = 0.1;
/// Of a hundred writing transactions, those that roll back.
const ROLLED_BACK: f64 = 0.05;

/// A transaction, the same in each of its attempts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub access: Access,
    pub steps: Vec<Step>,
    /// Whether it rolls back on purpose.
    pub rolls_back: bool,
}

/// An operation on one of the documents in use, by its place among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Read(usize, Intent),
    /// Replaces the list that was read by one with a value more.
    Write(usize),
}

impl Plan {
    /// Draws a transaction.
    pub fn draw(random: &mut Stream) -> Plan {
        let mut places: [usize; HOT] = std::array::from_fn(|place| place);
        for at in (1..HOT).rev() {
            places.swap(at, random.uniform(0..=at as i64) as usize);
        }
        if random.chance(READING) {
            let count = random.uniform(2..=3) as usize;
            let steps = places[..count].iter().map(|place| Step::Read(*place, Intent::Look));
            return Plan { access: Access::Read, steps: steps.collect(), rolls_back: false };
        }
        let count = random.uniform(1..=3) as usize;
        // With Look an engine with row locks reads what another may be about to replace: what the
        // level alone promises. With Change it has the chance to lock, as the mix lets it.
        let intent = if random.chance(0.5) { Intent::Look } else { Intent::Change };
        let written = random.uniform(0..=count as i64 - 1) as usize;
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for (at, place) in places[..count].iter().enumerate() {
            let writes_it = at == written || random.chance(WRITTEN);
            let intent = if writes_it { intent } else { Intent::Look };
            reads.push(Step::Read(*place, intent));
            if writes_it {
                writes.push(Step::Write(*place));
                if random.chance(TWICE) {
                    writes.push(Step::Write(*place));
                }
                if random.chance(AGAIN) {
                    writes.push(Step::Read(*place, Intent::Look));
                }
            }
        }
        let mut steps = [reads, writes].concat();
        if random.chance(0.5) {
            // Each document on its own instead of first all reads. The order within one stays.
            steps.sort_by_key(|step| match step {
                Step::Read(place, _) | Step::Write(place) => *place,
            });
        }
        let rolls_back = random.chance(ROLLED_BACK);
        Plan { access: Access::Write, steps, rolls_back }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_and_every_kind_of_transaction_occurs() {
        let draw = |seed| {
            let mut random = Stream::new(seed, &[]);
            (0..1000).map(|_| Plan::draw(&mut random)).collect::<Vec<_>>()
        };
        let plans = draw(1);
        assert_eq!(plans, draw(1));
        assert_ne!(plans, draw(2));
        let share = |is: &dyn Fn(&Plan) -> bool| plans.iter().filter(|plan| is(plan)).count();
        let writes = |plan: &Plan| {
            let writes = plan.steps.iter().filter(|step| matches!(step, Step::Write(_)));
            writes.count()
        };
        assert!((250..350).contains(&share(&|plan| plan.access == Access::Read)));
        assert!((20..60).contains(&share(&|plan| plan.rolls_back)));
        assert!(share(&|plan| writes(plan) > 1) > 100);
        let locks = |plan: &Plan| {
            plan.steps.iter().any(|step| matches!(step, Step::Read(_, Intent::Change)))
        };
        assert!((250..450).contains(&share(&locks)));
        for plan in &plans {
            assert_eq!(plan.access == Access::Read, writes(plan) == 0);
            // What is written was read before.
            for (at, step) in plan.steps.iter().enumerate() {
                if let Step::Write(place) = step {
                    let before = &plan.steps[..at];
                    assert!(before.iter().any(|s| matches!(s, Step::Read(p, _) if p == place)));
                }
            }
        }
        let twice = |plan: &Plan| {
            let pair = |pair: &[Step]| matches!(pair, [Step::Write(a), Step::Write(b)] if a == b);
            plan.steps.windows(2).any(pair)
        };
        assert!(share(&twice) > 30);
    }
}
