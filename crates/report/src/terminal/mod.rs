//! What a terminal shows of a run.

mod lines;
mod summary;
mod ycsb;

pub use lines::{check_lines, step_line, verdict_line};
pub use summary::{Style, places, summary, summary_markdown};
pub use ycsb::ycsb;
