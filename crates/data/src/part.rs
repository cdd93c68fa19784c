//! Parts of a collection.

use std::ops::Range;

/// Part `part` of `of`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Part {
    pub part: u64,
    pub of: u64,
}

impl Part {
    /// The whole.
    pub const WHOLE: Part = Part { part: 1, of: 1 };

    /// This part of a range. Parts are contiguous, join to the whole, and differ in size by at most
    /// one. A part that does not exist is empty.
    pub fn range(self, whole: Range<u64>) -> Range<u64> {
        let Part { part, of } = self;
        if part < 1 || part > of {
            return whole.start..whole.start;
        }
        let count = u128::from(whole.end - whole.start);
        let bound = |n: u64| whole.start + (count * u128::from(n) / u128::from(of)) as u64;
        bound(part - 1)..bound(part)
    }

    /// The seed of what this part draws by itself, where the whole has this one. That of the first
    /// part is the whole's.
    pub fn seed(self, whole: u64) -> u64 {
        whole.wrapping_add(self.part.wrapping_sub(1) << 32)
    }
}
