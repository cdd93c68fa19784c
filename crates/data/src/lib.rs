//! What the generators of all benchmarks share: random streams, permutations, dates, text, JSON.
//!
//! A benchmark's data set holds parameters only. Any of its documents is a function of its key,
//! computed in constant time from a counter-based stream ([`random`]), independently of the others.

mod buffer;
pub mod date;
mod error;
mod geography;
pub mod json;
mod measured;
mod named;
pub mod number;
mod part;
pub mod permutation;
pub mod random;
pub mod text;
pub mod words;
pub mod writer;

pub use buffer::Buffer;
pub use date::{DAY_MICROS, Date, Timestamp};
pub use error::{SpecError, quoted};
pub use geography::{NATIONS, REGIONS};
pub use measured::Measured;
pub use part::Part;
