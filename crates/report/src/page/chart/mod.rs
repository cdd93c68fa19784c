//! The charts of the page.
//!
//! A [`spec::Chart`] says everything that a chart shows: scales, ticks with their words, marks with
//! their points, colours, the words of tooltips. The script draws it and decides only what depends
//! on the width of the reader's screen: which tick words have room, and how many small charts stand
//! side by side.

pub mod bars;
pub mod configurations;
pub mod frontier;
pub mod heat;
pub mod ingestion;
pub mod machine;
pub mod over_time;
pub mod parts;
pub mod percentiles;
pub mod runs;
pub mod scale;
pub mod search;
pub mod shares;
pub mod spec;
