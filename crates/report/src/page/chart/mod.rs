//! The charts of the page.
//!
//! A [`spec::Chart`] says what a chart shows: marks with their points, colours, what the axes
//! measure, the words of tooltips. The script makes scales and ticks of that, and decides what
//! depends on the width of the reader's screen: which tick words have room, and how many small
//! charts stand side by side.

pub mod bars;
pub mod configurations;
pub mod frontier;
pub mod heat;
pub mod history;
pub mod ingestion;
mod look;
pub mod machine;
pub mod over_time;
pub mod parts;
pub mod percentiles;
pub mod runs;
pub mod scale;
pub mod search;
pub mod shares;
pub mod spec;
pub mod together;
