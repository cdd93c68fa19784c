//! Parts of the documents.

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
