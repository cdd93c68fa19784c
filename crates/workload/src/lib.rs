//! What a benchmark does, without knowing which database does it.
//!
//! * [`capability`]: the small traits a database offers.
//! * [`client`]: the trait through which the driver runs one operation after another.
//! * [`contribution`]: what each of several driver machines leaves for the checks of all.
//! * [`load`]: loading any benchmark's documents; [`note`]: what a loaded database says of itself.
//! * [`ch2`]: CH2 and CH2++: transactions, queries, loading and checks.
//! * [`shop`]: Pagination and JOIN over customers and orders.
//! * [`ycsb`]: YCSB's core workload.

pub mod capability;
pub mod ch2;
pub mod client;
pub mod contribution;
pub mod load;
pub mod note;
pub mod shop;
pub mod ycsb;

pub use hoap_record::{Error, ErrorKind, Result, words};
