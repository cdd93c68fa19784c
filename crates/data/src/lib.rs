//! Documents of the benchmarks as pure functions of their keys: CH2 and CH2++ here, YCSB in
//! [`ycsb`].
//!
//! A [`DataSet`] is made from a [`Spec`] and holds parameters only. [`DataSet::append`] computes
//! any one document in constant time, independently of the others; [`DataSet::append_range`]
//! computes many at nearly memory speed. A loader writes [`DataSet::part`]s of a collection, a
//! driver recomputes documents to check what it reads, and an interrupted load resumes where it
//! stopped.
//!
//! ```
//! use hoap_data::{Collection, DataSet, Schema, Spec};
//!
//! let data = DataSet::new(Spec::new(Schema::Ch2pp, 2))?;
//! let index = data.index_of(Collection::Neworder, "2.10.2101").expect("loaded");
//! let mut document = Vec::new();
//! data.append(Collection::Neworder, index, &mut document);
//! assert_eq!(document, br#"{"no_o_id":2101,"no_d_id":10,"no_w_id":2}"#);
//! # Ok::<(), hoap_data::SpecError>(())
//! ```
//!
//! Clauses of TPC-C and TPC-H refer to TPC-C revision 5.11 and TPC-H revision 3. "Specification" is
//! this project's specification of CH2 and CH2++.

mod buffer;
mod choice;
mod collection;
mod dataset;
mod date;
mod documents;
mod error;
mod geography;
mod json;
mod measured;
mod named;
mod number;
mod part;
pub mod permutation;
pub mod random;
pub mod shop;
mod spec;
mod text;
pub mod words;
pub mod writer;
pub mod ycsb;

pub use buffer::Buffer;
pub use collection::Collection;
pub use dataset::DataSet;
pub use date::{DAY_MICROS, Date, Timestamp};
pub use documents::{StockNumbers, last_name};
pub use error::SpecError;
pub use geography::{NATIONS, REGIONS};
pub use measured::Measured;
pub use part::Part;
pub use spec::{ExtraFields, MAX_EXTRA_FIELDS, MAX_WAREHOUSES, Schema, Spec};

/// Version of the bytes. It changes whenever a single byte of any document changes. It is part of
/// every random stream's key, so that two versions differ everywhere.
pub const DATA_VERSION: u32 = 1;
