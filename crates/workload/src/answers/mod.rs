//! Whether an answer equals that of another engine or the one on record.
//!
//! Answers are equal where their rows are equal as multisets, with money rounded to cents and with
//! averages and ratios equal within [`RATIO_TOLERANCE`]. The order is checked where the ORDER BY
//! decides it. Rows that tie with the last one at a LIMIT may be any rows with its sort key.

pub mod canonical;
mod compare;
mod file;
mod folder;
mod query;

pub use canonical::RATIO_TOLERANCE;
pub use compare::{Difference, compare, difference};
pub use file::{ANSWER, AnswerFile};
pub use folder::{AnswerFolder, Verdict, compare_folders};
pub use query::{Column, Direction, Kind, Limit, Query, Questions, SortKey};
