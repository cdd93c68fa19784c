//! Workload files: what they say, and the documents that they make.
// Tables of cases, and stories told to their end.
#![allow(clippy::too_many_lines)]

mod documents;
mod errors;
mod learn;
