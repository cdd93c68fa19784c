//! The checks before and after a run.
//!
//! | question | file |
//! |---|---|
//! | do all documents fit together (TPC-C 3.3.2)? | [`conditions`], of a [`snapshot`] |
//! | … as they are read, or as the database adds them up | `scan`, [`by_database`] |
//! | is what a run was told there, and nothing else? | [`nothing_lost`], of what [`by_key`] reads |
//! | did anything else change? | [`sample`], [`counters`] |
//! | did the clients draw what they should? | [`audit`], [`draws`] |
//!
//! A [`snapshot`] has a [`district`]'s sums. `documents` says what single documents say, `customer`,
//! `stock` and `places` what is added up of them. `customers`, `undelivered` and `weighed` let a scan
//! keep no document; `sought` and `owed` are what `by_key` looks for, and what that changed in other
//! documents.

pub mod audit;
pub mod by_database;
pub mod by_key;
pub mod conditions;
pub mod counters;
mod customer;
mod customers;
pub mod district;
mod documents;
pub mod draws;
pub mod nothing_lost;
mod owed;
mod places;
mod reader;
pub mod sample;
mod scan;
pub mod snapshot;
mod sought;
mod stock;
mod undelivered;
mod weighed;
