//! What the generators of all benchmarks share.

mod date;
mod measured;
mod random;
