//! What a client saw acknowledged: of a sample of documents what was written to each field.

use std::collections::HashMap;

use hoap_data::random::mix;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::workload::Workload;

/// About how many documents of a collection the ledger has.
pub const SAMPLED: u64 = 20_000;

/// The end of a write whose outcome is unknown.
const UNSURE: u64 = u64::MAX;

/// A document: its collection, and its number there.
pub type Place = (usize, u64);

/// What was written, by document.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Of each document, by the place of the field among those that are changed.
    pub written: HashMap<Place, Vec<(usize, Written)>>,
    /// What was added to a field of all documents of a collection together.
    pub added: HashMap<(usize, usize), Written>,
    /// How much the clocks of those whose writes it has may differ, nanoseconds.
    pub clocks: u64,
}

/// What was written to a field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Written {
    /// What was added, in units of the last digit.
    pub added: i64,
    /// What may have been added, each by itself.
    pub perhaps: Vec<i64>,
    /// The writes of which each may be the last, or of which it is not known whether they were
    /// applied.
    pub last: Vec<Write>,
}

/// A write: when it began and ended, and what it wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Write {
    start: u64,
    end: u64,
    /// The value.
    pub value: Value,
}

/// What a command did to a field.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Effect {
    Added(i64),
    Set(Value),
}

/// Whether the ledger has the documents of this number.
pub fn has(workload: &Workload, (collection, number): Place) -> bool {
    let of = workload.plan.collections[collection].count.div_ceil(SAMPLED).max(1);
    of == 1 || mix(number).is_multiple_of(of)
}

/// Whether it has all documents of a collection.
pub fn is_whole(workload: &Workload, collection: usize) -> bool {
    workload.plan.collections[collection].count <= SAMPLED
}

impl Ledger {
    /// Notes a write that began and ended at these times; without an end it may be without effect.
    pub fn note(
        &mut self,
        place: Place,
        field: usize,
        effect: Effect,
        (start, end): (u64, Option<u64>),
    ) {
        let clocks = self.clocks;
        let written = self.field(place, field);
        match (effect, end) {
            (Effect::Added(units), Some(_)) => written.added = written.added.saturating_add(units),
            (Effect::Added(units), None) => written.perhaps.push(units),
            (Effect::Set(value), end) => {
                written.last.push(Write { start, end: end.unwrap_or(UNSURE), value });
                written.forget(clocks);
            }
        }
    }

    /// Notes what was added to a field of any document; if it is not `sure`, it may not have been.
    pub fn note_sum(&mut self, of: (usize, usize), units: i64, sure: bool) {
        let sum = self.added.entry(of).or_default();
        match sure {
            true => sum.added = sum.added.saturating_add(units),
            false => sum.perhaps.push(units),
        }
    }

    fn field(&mut self, place: Place, field: usize) -> &mut Written {
        let fields = self.written.entry(place).or_default();
        let at = fields.iter().position(|(of, _)| *of == field).unwrap_or_else(|| {
            fields.push((field, Written::default()));
            fields.len() - 1
        });
        &mut fields[at].1
    }

    /// What was written to a field of a document.
    pub fn of(&self, place: Place, field: usize) -> Option<&Written> {
        let fields = self.written.get(&place)?;
        fields.iter().find(|(of, _)| *of == field).map(|(_, written)| written)
    }

    /// Takes in what another client saw.
    pub fn merge(&mut self, other: Ledger) {
        for (of, sum) in other.added {
            let own = self.added.entry(of).or_default();
            own.added = own.added.saturating_add(sum.added);
            own.perhaps.extend(sum.perhaps);
        }
        let clocks = self.clocks;
        for (place, fields) in other.written {
            for (field, written) in fields {
                let own = self.field(place, field);
                own.added = own.added.saturating_add(written.added);
                own.perhaps.extend(written.perhaps);
                own.last.extend(written.last);
                own.forget(clocks);
            }
        }
    }
}

impl Written {
    /// Forgets writes that ended before another one began that was acknowledged, as far as clocks
    /// that differ so much can tell.
    fn forget(&mut self, clocks: u64) {
        let acknowledged = self.last.iter().filter(|write| write.end != UNSURE);
        let latest = acknowledged.map(|write| write.start).max().unwrap_or(0);
        self.last.retain(|write| write.end.saturating_add(clocks) >= latest);
    }

    /// The same by a clock that shows so many nanoseconds more.
    pub fn set_on(&mut self, nanoseconds: i64) {
        for Write { start, end, .. } in &mut self.last {
            *start = start.saturating_add_signed(nanoseconds);
            if *end != UNSURE {
                *end = end.saturating_add_signed(nanoseconds).min(UNSURE - 1);
            }
        }
    }

    /// Whether a write was acknowledged, so that what was there before is not.
    pub fn is_overwritten(&self) -> bool {
        self.last.iter().any(|write| write.end != UNSURE)
    }

    /// The sums that may have been added: that of all that was, and each with some of what may have
    /// been. Of more than a few of these only the least and the most are known.
    pub fn fits(&self, added: i64) -> bool {
        /// The most of which every selection is tried.
        const FEW: usize = 12;
        let rest = added.saturating_sub(self.added);
        if self.perhaps.len() > FEW {
            let of = |sign: i64| self.perhaps.iter().filter(move |n| n.signum() == sign);
            return (of(-1).sum::<i64>()..=of(1).sum::<i64>()).contains(&rest);
        }
        (0..1u32 << self.perhaps.len()).any(|some| {
            let chosen = self.perhaps.iter().enumerate().filter(|(n, _)| some >> n & 1 == 1);
            chosen.map(|(_, units)| units).sum::<i64>() == rest
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_writes_those_stay_that_may_be_the_last() {
        let at = (0, 7);
        let mut one = Ledger::default();
        one.note(at, 0, Effect::Set(json!(1)), (10, Some(20)));
        one.note(at, 0, Effect::Set(json!(2)), (30, Some(40)));
        one.note(at, 0, Effect::Set(json!(3)), (50, None));
        let mut other = Ledger::default();
        other.note(at, 0, Effect::Set(json!(4)), (35, Some(60)));
        other.note(at, 1, Effect::Added(5), (35, Some(60)));
        one.merge(other);
        let values = |ledger: &Ledger| -> Vec<Value> {
            ledger.of(at, 0).unwrap().last.iter().map(|write| write.value.clone()).collect()
        };
        assert_eq!(values(&one), [json!(2), json!(3), json!(4)]);
        let mut third = Ledger::default();
        third.note(at, 0, Effect::Set(json!(5)), (61, Some(62)));
        one.merge(third);
        assert_eq!(values(&one), [json!(3), json!(5)]);
        assert_eq!(one.of(at, 1).unwrap().added, 5);
        assert_eq!((one.of(at, 2), one.of((1, 7), 0)), (None, None));
    }

    #[test]
    fn a_sum_has_all_that_was_added_and_some_of_what_may_have_been() {
        let written = |perhaps: &[i64]| Written {
            added: 10,
            perhaps: perhaps.to_vec(),
            ..Written::default()
        };
        let few = written(&[1, -4]);
        assert!([10, 11, 6, 7].iter().all(|sum| few.fits(*sum)));
        assert!([9, 12, 8, 0].iter().all(|sum| !few.fits(*sum)));
        let many = written(&[2; 20]);
        assert!(many.fits(10) && many.fits(50) && !many.fits(51) && !many.fits(9));
    }
}
