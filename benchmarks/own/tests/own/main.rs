//! Workload files: what they say, and the documents that they make.

mod documents;
mod errors;
mod learn;
