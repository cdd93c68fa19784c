//! What is known of fields, as generators of the workload file.

pub mod dates;
pub mod fields;
pub mod number;
pub mod rules;
pub mod text;
