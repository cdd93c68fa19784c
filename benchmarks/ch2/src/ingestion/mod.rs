//! Ingestion: how the analytical database takes in what is loaded into the operational one.
//!
//! Table 3 of the CH2++ paper has the rate at which the analytical side took in the loaded
//! collections. Here a [`Meter`] counts the documents of all collections in the analytical
//! database, one query a count, from the beginning of the load until none is missing. [`Progress`]
//! is what the load tells the meter. The result is a [`hoap_record::Ingestion`].
//!
//! *Cost.* The meter rests ten times as long as the last count took, so that an eleventh of one query
//! stream's time is spent on counting; less where the end would be known to worse than a
//! twenty-fifth of the time, down to as long as the count took.
//!
//! *Definition.* A count is dated at its beginning. The end is the first count that misses no
//! document of any collection. The true end lies between the count before and that one.

mod meter;
mod outcome;
mod progress;

pub use meter::Meter;
pub use progress::Progress;

#[cfg(test)]
mod tests;
