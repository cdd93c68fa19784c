//! One run: its folder read whole, and what follows from it alone.

pub mod again;
pub mod curve;
pub mod figures;
pub mod freshness;
pub mod frontier;
pub mod heat;
pub mod homes;
pub mod interference;
pub mod key;
pub mod loaded;
pub mod machine;
pub mod measure;
mod names;
pub mod observed;
mod point_times;
pub mod promised;
pub mod remarks;
pub mod search;
pub mod ticks;
pub mod title;
mod trouble;
pub mod void;

pub use loaded::{Entry, Loaded};
pub use measure::Measure;
pub use names::step_name;
