//! `hoap history`: what runs measured, commit after commit, and where it changed.
//!
//! `docs/history.md` defines every word. Modules use only those above them here:
//!
//! * [`line`]: the lines of `history.ndjson`; [`digest`]: the digest of a run folder.
//! * [`divisive`]: where a series of numbers changed.
//! * [`store`]: reading the file, and adding to it.
//! * [`series`]: the series of a history, those of runs that compare.
//! * [`check`]: changes and regressions.
//! * [`acknowledge`]; [`export`], [`words`] and [`page`]: what users see.

pub mod acknowledge;
pub mod check;
pub mod digest;
pub mod divisive;
pub mod export;
pub mod line;
pub mod page;
pub mod series;
pub mod store;
pub mod words;

#[cfg(test)]
mod tests;
