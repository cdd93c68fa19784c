//! The 22 analytical queries of CH2 and CH2++.
//!
//! * [`catalogue`]: the meaning, the parameters and the answer columns of each query.
//! * [`parameters`]: the values of the parameters: published ones, those of the answer check,
//!   random ones.
//! * [`set`]: the sets of texts.
//! * [`streams`]: the order in which a stream runs the 22 (TPC-H 5.3.5).
//! * [`texts`]: the text of each query in the language of an engine.

pub mod catalogue;
pub mod parameters;
pub mod set;
pub mod streams;
pub mod texts;

pub use parameters::{ParameterSet, Parameters};
pub use set::QuerySet;
pub use texts::Texts;
