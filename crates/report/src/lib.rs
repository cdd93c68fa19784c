//! A report of run folders: the terminal's summary, the page, the CSV files, the comparison.
//!
//! Everything comes from the run folders alone (`hoap_record`). A table is computed once, in
//! [`tables`], and printed as text, as HTML and as CSV.
//!
//! Read [`run::Loaded`] first: it is a run folder in memory. Modules use only those above them
//! here:
//!
//! * [`format`]: numbers, words and tables as text.
//! * [`run`]: one run; [`statistics`]: how well a number is known.
//! * [`prices`] and [`published`]: the files of prices and of published figures.
//! * [`configurations`]: runs by configuration.
//! * [`tables`]: every table of a report.
//! * [`compare`]; [`terminal`], [`page`]: what users see.

pub mod compare;
pub mod configurations;
pub mod format;
pub mod kinds;
pub mod page;
pub mod prices;
pub mod published;
pub mod run;
pub mod statistics;
pub mod tables;
pub mod terminal;
mod toml;

pub use configurations::{Configuration, Experiment, Named, Report};
pub use format::csv::csv;
pub use format::{number, table, text};
pub use page::{Page, html, live, page};
pub use run::again::again;
pub use run::search::search_line;
pub use run::{Loaded, Measure, freshness, void};
pub use terminal::{
    Style, check_lines, places, step_line, summary, summary_markdown, verdict_line, ycsb,
};
