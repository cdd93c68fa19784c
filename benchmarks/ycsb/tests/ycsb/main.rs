//! YCSB's core workload: spec nosql §1 and YCSB 0.17.

mod data;
mod distributions;
mod fake;
mod jar;
mod operations;
mod setup;
mod statistics;
mod table;
mod verification;
