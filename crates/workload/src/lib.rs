//! What a benchmark does, without knowing which database does it.
//!
//! * [`capability`]: the small traits a database offers.
//! * [`client`]: the trait through which the driver runs one operation after another.
//! * [`error`]: what a database answered, sorted by what the caller may do about it.
//! * [`ch2`]: CH2 and CH2++: transactions, queries, loading and checks.

pub mod capability;
pub mod ch2;
pub mod client;
pub mod error;

pub use error::{Error, ErrorKind, Result};
