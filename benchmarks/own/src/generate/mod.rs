//! Documents: each a function of its number.

pub mod columns;
pub mod json;
mod key;
mod number;
pub mod order;
pub mod place;
mod text;
mod value;
