//! The plan: what a file says, with every name looked up, every distribution ready, and every
//! number of documents known. Documents are made from it alone.

pub mod action;
mod changes;
mod collections;
mod compile;
mod compiled;
mod cost;
mod curve;
mod declare;
pub mod draw;
pub mod family;
mod kinds;
pub mod model;
mod names;
mod operations;
pub mod queries;
mod references;

pub use compiled::Plan;
pub use model::{Id, Kind, Make, Node};
