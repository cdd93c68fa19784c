//! Documents of CH2 and CH2++ as pure functions of their keys.
//!
//! A [`DataSet`] is made from a [`Spec`] and holds parameters only. [`DataSet::append`] computes
//! any one document in constant time, independently of the others; [`DataSet::append_range`]
//! computes many at nearly memory speed. A loader writes [`DataSet::part`]s of a collection, a
//! driver recomputes documents to check what it reads, and an interrupted load resumes where it
//! stopped.
//!
//! ```
//! use hoap_ch2::data::{Collection, DataSet, Schema, Spec};
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

mod choice;
mod collection;
mod dataset;
mod documents;
mod spec;

/// Version of the bytes. It changes whenever a single byte of any document changes. It is part of
/// every random stream's key, so that two versions differ everywhere.
pub const DATA_VERSION: u32 = 1;

pub use collection::Collection;
pub use dataset::DataSet;
pub use documents::{StockNumbers, last_name};
pub use spec::{ExtraFields, MAX_EXTRA_FIELDS, MAX_WAREHOUSES, Schema, Spec};
