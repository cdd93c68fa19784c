//! What the benchmarks do and check, on databases in memory.

mod ledger;
mod shop;
mod whole;
mod ycsb;
