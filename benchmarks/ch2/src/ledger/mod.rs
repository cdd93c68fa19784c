//! What the clients saw acknowledged, for the checks after the run.
//!
//! The [`Ledger`] keeps each commit packed in a [`log`], with a [`digest`] of what it wrote.
//! [`contribution`] is one driver machine's part of the checks that need all of them.

mod acknowledged;
pub mod contribution;
pub mod digest;
pub mod log;
mod packed;

pub use acknowledged::*;
