//! Documents of the benchmarks as pure functions of their keys: CH2 and CH2++ here, YCSB in [`ycsb`].
//!
//! A [`DataSet`] is made from a [`Spec`] and holds its parameters only. Any [`DataSet::append`]
//! computes one document, in constant time, without its neighbours, and [`DataSet::append_range`]
//! many at nearly the speed of memory: a loader walks [`DataSet::part`]s of a collection, a driver
//! computes again what it reads, a crashed load goes on where it stopped.
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
//! Clauses cited as TPC-C and TPC-H are of TPC-C revision 5.11 and TPC-H revision 3; "specification"
//! is this project's own of CH2 and CH2++.

mod buffer;
mod choice;
mod collection;
mod dataset;
mod date;
mod documents;
mod error;
mod geography;
mod json;
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
pub use spec::{ExtraFields, MAX_EXTRA_FIELDS, MAX_WAREHOUSES, Schema, Spec};

/// Version of the bytes: every change of a single one of any document is a new version. Part of
/// every random stream's key, so that two versions never look alike by chance.
pub const DATA_VERSION: u32 = 1;
