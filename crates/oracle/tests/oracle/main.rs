//! A handful of documents whose answers were computed by hand, in both schemas: the oracle must
//! give them, and so must the query texts. They hold what generated data never or hardly ever
//! holds: ties, instants on the edge of a range, lines from another warehouse.

mod customers;
mod items;
mod lines;
mod reading;
mod suppliers;
mod trade;
mod whole;
mod world;
