//! What a benchmark does, without knowing which database does it.
//!
//! * [`capability`]: the small traits a database offers.
//! * [`check`]: what a check says.
//! * [`client`]: the trait through which the driver runs one operation after another.
//! * [`contribution`]: what each of several driver machines leaves for the checks of all.
//! * [`error`]: what a database answered, sorted by what the caller may do about it.
//! * [`load`]: loading any benchmark's documents; [`note`]: what a loaded database says of itself.
//! * [`ch2`]: CH2 and CH2++: transactions, queries, loading and checks.
//! * [`shop`]: Pagination and JOIN over customers and orders.
//! * [`ycsb`]: YCSB's core workload.

pub mod capability;
pub mod ch2;
pub mod check;
pub mod client;
pub mod contribution;
pub mod error;
pub mod load;
pub mod note;
pub mod shop;
pub mod ycsb;

pub use error::{Error, ErrorKind, Result};
pub use hoap_data::words;
