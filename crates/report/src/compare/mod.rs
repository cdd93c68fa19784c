//! `hoap compare`: runs held against a baseline. `docs/compare.md` defines every word.
//!
//! `comparison` has the order of the work: `side` reads, `comparable` refuses, `lines` compares,
//! `gate` judges the bounds. `document`, `databases`, `json` and `junit` print. `measured` is what one
//! side knows.

mod change;
mod comparable;
mod comparison;
mod databases;
mod document;
mod gate;
mod json;
mod junit;
mod line;
mod lines;
mod markdown;
mod measured;
mod metric;
mod side;

pub use change::{Notation, change};
pub use comparable::{Difference, Fact, comparable, decisive};
pub use comparison::{Comparison, Question, RELEVANT};
pub use databases::{answers, promises, side_by_side};
pub use document::{Block, document, repeated};
pub use gate::{Gate, Judged, Outcome, Reason};
pub use json::{FORMAT, json};
pub use junit::junit;
pub use line::{ComparedLine, Scope, Shown};
pub use markdown::{markdown, plain};
pub use measured::{Measured, measured};
pub use metric::Metric;
pub use side::{Side, SideRun};
