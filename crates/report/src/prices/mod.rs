//! What a configuration costs: price lists as TOML files and plain arithmetic on them.
//!
//! The format is described in `docs/prices.md`; lists of published reports are under `prices/`
//! and built in.

mod cost;
mod list;

pub use cost::{Cost, CostLine, Priced, SustainedLoad};
pub use list::{Item, Per, PriceList, Quantity, Total};
