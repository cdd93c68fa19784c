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
}

/// Part `part` of `of`, counted from 1, of 0..count. Parts are contiguous, join to the whole, and
/// differ in size by at most one. A part that does not exist is empty.
pub(crate) fn part_of(count: u64, part: u64, of: u64) -> Range<u64> {
    if part < 1 || part > of {
        return 0..0;
    }
    let bound = |n: u64| (u128::from(count) * u128::from(n) / u128::from(of)) as u64;
    bound(part - 1)..bound(part)
}
