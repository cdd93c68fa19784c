//! The 22 analytical queries of CH2 and CH2++.
//!
//! * [`catalogue`]: what each query asks, its parameters and the columns of its answer.
//! * [`parameters`]: the values they are given: published ones, those of the answer check, random ones.
//! * [`answers`]: whether an answer is right.
//! * [`streams`]: the order in which a stream runs the 22 (TPC-H 5.3.5).
//! * [`texts`]: each query in the language of an engine.

pub mod answers;
pub mod catalogue;
pub mod parameters;
pub mod streams;
pub mod texts;

pub use catalogue::{Column, Direction, Kind, Query, SortKey};
pub use parameters::{ParameterSet, Parameters};
pub use texts::{QuerySet, Texts};
