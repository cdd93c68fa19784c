//! Numbers, words and tables as text.

pub mod csv;
pub mod markdown;
pub mod number;
pub mod table;
pub mod text;
