//! How a part is divided among the clients that load it.
//!
//! A part is so many *slices*: each is a range of every collection, and is loaded by one client at
//! a time, with a progress of its own. The note has their number, which the first process chooses
//! from the size of the data. So any number of clients can load a part and go on with it: a client
//! takes the next slice that nobody has taken.

use std::ops::Range;

use hoap_data::Part;

use super::source::LoadSource;

/// About how many documents a slice has.
const SLICE: u64 = 20_000;
/// The most slices that the size of the data makes of a part: the more, the smaller are the batches
/// of small collections.
const MOST: u64 = 1024;

/// A part and its slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Division {
    pub part: Part,
    pub slices: u64,
    /// Which of several ranges of the same data it is of, counted from 1.
    pub range: u64,
}

impl Division {
    /// The number of slices of a part of this data, at least `clients`.
    pub fn slices(source: &dyn LoadSource, part: Part, clients: u64) -> u64 {
        let ranges = (0..source.collections().len()).map(|at| source.part(at, part.part, part.of));
        let documents: u64 = ranges.map(|range| range.end - range.start).sum();
        (documents / SLICE).clamp(1, MOST).max(clients)
    }

    /// The name under which a writer saves the progress of a slice, counted from 1.
    pub fn label(&self, slice: u64) -> String {
        let Part { part, of } = self.part;
        let range = match self.range {
            1 => String::new(),
            range => format!("range {range}, "),
        };
        match self.slices {
            1 => format!("{range}{part} of {of}"),
            slices => format!("{range}{part} of {of}, slice {slice} of {slices}"),
        }
    }

    /// The document indexes of a slice in the collection at `at`. The slices together are the
    /// part's range, in order.
    pub fn range(&self, source: &dyn LoadSource, at: usize, slice: u64) -> Range<u64> {
        let Part { part, of } = self.part;
        Part { part: slice, of: self.slices }.range(source.part(at, part, of))
    }
}

#[cfg(test)]
mod tests {
    use hoap_database::Index;
    use serde_json::Value;

    use super::*;

    /// Collections of which only the sizes are known.
    struct Counts(Vec<u64>);

    /// About as many documents as CH2++ of this many warehouses has.
    fn counts(warehouses: u64) -> Counts {
        let each = [1, 10, 30_000, 30_000, 30_000, 9_000, 100_000];
        Counts(each.iter().map(|n| n * warehouses).chain([100_000, 10_000, 25, 5]).collect())
    }

    impl LoadSource for Counts {
        fn benchmark(&self) -> &'static str {
            "counts"
        }
        fn parameters(&self) -> Value {
            Value::Null
        }
        fn collections(&self) -> Vec<&str> {
            vec!["counts"; self.0.len()]
        }
        fn part(&self, at: usize, part: u64, of: u64) -> Range<u64> {
            Part { part, of }.range(0..self.0[at])
        }
        fn append(&self, _: usize, _: u64, _: &mut String, _: &mut Vec<u8>) {}
        fn indexes(&self) -> Vec<Index> {
            Vec::new()
        }
    }

    #[test]
    fn slices_are_the_part_in_order_whatever_their_number() {
        let data = Counts(vec![1, 20, 600, 2000, 5]);
        for part in [Part::WHOLE, Part { part: 2, of: 3 }] {
            for slices in [1, 2, 3, 7, 1000] {
                let division = Division { part, slices, range: 1 };
                for at in 0..data.collections().len() {
                    let all = LoadSource::part(&data, at, part.part, part.of);
                    let mut next = all.start;
                    for slice in 1..=slices {
                        let range = division.range(&data, at, slice);
                        assert_eq!(range.start, next);
                        next = range.end;
                    }
                    assert_eq!(next, all.end);
                }
            }
        }
    }

    /// What was loaded in one slice goes on under the name that it began with.
    #[test]
    fn labels_differ_and_that_of_an_undivided_part_is_its_own() {
        let part = Part { part: 2, of: 3 };
        let label = |range, slices, slice| Division { part, slices, range }.label(slice);
        assert_eq!(label(1, 1, 1), "2 of 3");
        assert_eq!(label(1, 4, 1), "2 of 3, slice 1 of 4");
        assert_eq!(label(2, 1, 1), "range 2, 2 of 3");
    }

    #[test]
    fn the_number_of_slices_follows_the_data_and_the_clients() {
        let slices =
            |warehouses, part, clients| Division::slices(&counts(warehouses), part, clients);
        let small = Counts(vec![1, 10, 300, 300, 90, 1000]);
        assert_eq!(Division::slices(&small, Part::WHOLE, 1), 1);
        assert_eq!(Division::slices(&small, Part::WHOLE, 4), 4);
        let whole = slices(10, Part::WHOLE, 1);
        assert!(whole > 16 && whole < MOST, "{whole}");
        assert_eq!(slices(10, Part::WHOLE, 4), whole);
        assert!(slices(10, Part { part: 1, of: 4 }, 1) < whole / 2);
        assert_eq!(slices(10_000, Part::WHOLE, 1), MOST);
    }
}
