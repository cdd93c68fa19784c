//! What is kept of a sample: in one pass, and in bounded memory.

pub mod distinct;
pub mod field;
pub mod frequent;
pub mod numbers;
pub mod sample;
pub mod texts;
