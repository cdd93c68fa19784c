//! Records of YCSB (Cooper et al., "Benchmarking cloud serving systems with YCSB", SoCC 2010) as
//! pure functions of their key numbers, with the keys and constants of YCSB 0.17.
//!
//! A [`Records`] is made from a [`RecordSpec`] and holds parameters only. The record of key number
//! n has the key `user` and a number, and the fields `field0`, `field1`, …; the value of a field is
//! a function of (seed, key, field, version). A load writes version 0, an update any other.
//!
//! *Values can be checked individually.* A value contains its version, and its other bytes follow
//! from key, field and version, so [`Records::check`] tells whether it is a value of this key and
//! field without knowing its writer. Half of a field, at most 13 bytes, holds the version in digits
//! of five bits; each of the other bytes checks it with five or six bits. A field shorter than 26
//! bytes holds only the low digits of the version. A field of one byte holds only the lowest digit,
//! and its check detects only a byte that is none of a value's first.
//!
//! The bytes have the distribution of YCSB's random ones at each place, except for `"` and `\`,
//! which JSON escapes: they become characters that are as frequent as a rarer one.

mod compressibility;
mod documents;
mod hash;
mod length;
mod prefix;
mod records;
mod value;
mod zipf;

/// Version of the bytes. It changes whenever a single byte of any record changes. It is part of every
/// random stream's key. Since 2 values have the distribution of YCSB's own.
pub const DATA_VERSION: u32 = 2;

pub use compressibility::Compressibility;
pub use documents::Documents;
pub use hash::fnv_hash64;
pub use length::FieldLength;
pub use prefix::FieldPrefix;
pub use records::{Key, KeyOrder, RecordSpec, Records};
pub use zipf::{Exponent, SCRAMBLED_ITEMS, SCRAMBLED_ZETA, THETA, Zipf};
