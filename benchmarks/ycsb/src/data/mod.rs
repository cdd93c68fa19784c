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
//! of five bits; each of the other bytes checks it with five bits. A field shorter than 26 bytes
//! holds only the low digits of the version. A field of one byte holds only the lowest digit, and
//! its check detects only a byte outside the alphabet.
//!
//! The bytes are like YCSB's random ones: 32 characters of five bits each, here from `0` to `O`,
//! because YCSB's range includes the quotation mark.

mod compressibility;
mod documents;
mod hash;
mod length;
mod prefix;
mod records;
mod value;
mod zipf;

pub use compressibility::Compressibility;
pub use documents::Documents;
pub use hash::fnv_hash64;
pub use length::FieldLength;
pub use prefix::FieldPrefix;
pub use records::{Key, KeyOrder, RecordSpec, Records};
pub use zipf::{Exponent, SCRAMBLED_ITEMS, SCRAMBLED_ZETA, THETA, Zipf};
