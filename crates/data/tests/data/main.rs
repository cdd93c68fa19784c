//! Documents as their specifications have them: counts, shapes, values, bytes.

mod alone;
mod cardinality;
mod common;
mod consistency;
mod customer;
mod date;
mod golden;
mod goods;
mod orders;
mod purity;
mod random;
mod shape;
mod shop;
mod spec;
mod ycsb;
