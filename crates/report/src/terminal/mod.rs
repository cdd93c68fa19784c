//! What a terminal shows of a run.

mod lines;
mod summary;

pub use lines::{check_lines, step_line};
pub use summary::{Style, summary};
