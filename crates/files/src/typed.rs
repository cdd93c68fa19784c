//! Values of all types.

use hoap_data::writer::{Field, Writer};

/// Takes values of the types that the documents of a workload file may have beside those of a [`Writer`].
pub trait TypedWriter: Writer {
    /// An integer that may be negative.
    fn signed(&mut self, field: Field<'_>, value: i64);
    /// A decimal in units of its last digit, and how many digits are behind its point.
    fn decimal(&mut self, field: Field<'_>, units: i64, digits: u8);
    /// A double.
    fn number(&mut self, field: Field<'_>, value: f64);
    /// An instant in microseconds since 1970, and how text files write it.
    fn instant(&mut self, field: Field<'_>, micros: i64, text: &str);
}
