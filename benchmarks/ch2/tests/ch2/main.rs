//! What CH2 and CH2++ make, do and check, on databases in memory.

mod answers;
mod data;
mod ledger;
mod terminals;
mod whole;
