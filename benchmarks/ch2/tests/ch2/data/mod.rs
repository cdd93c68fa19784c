//! Documents as their specifications have them: counts, shapes, values, bytes.

mod alone;
mod cardinality;
mod common;
mod consistency;
mod customer;
mod golden;
mod goods;
mod measured;
mod orders;
mod purity;
mod shape;
mod spec;
