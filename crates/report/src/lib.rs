//! The result bundle: terminal summary, tables, CSV and page.
//!
//! Everything comes from the run folder alone (`hoap_record`), so a report can be made again
//! years later. A [`table::Table`] is computed once and printed by three renderers: [`text`] for the
//! terminal, [`csv`] for machines, [`page`] for people.

pub mod compare;
pub mod configuration;
pub mod csv;
pub mod curve;
pub mod freshness;
pub mod group;
pub mod isolation;
pub mod lines;
pub mod load;
pub mod measure;
pub mod number;
pub mod page;
pub mod prices;
pub mod published;
pub mod statistics;
pub mod summary;
pub mod table;
pub mod tables;
pub mod text;
pub mod ticks;
mod toml;
mod trouble;
pub mod void;

pub use configuration::{Configuration, Named, Report};
pub use csv::csv;
pub use lines::{check_lines, search_line, step_line};
pub use load::Loaded;
pub use measure::Measure;
pub use page::{Page, html, page};
pub use summary::{Style, summary};
