//! What the clients saw acknowledged, for the checks after the run.
//!
//! The [`Ledger`] keeps each commit as a fixed [`record`] in a [`log`], with a [`digest`] of what it
//! wrote; those beyond its memory are in a file ([`spill`]). [`contribution`] is one driver machine's
//! part of the checks that need all of them.

mod acknowledged;
pub mod contribution;
pub mod digest;
pub mod log;
pub mod record;
pub mod spill;

pub use acknowledged::*;
