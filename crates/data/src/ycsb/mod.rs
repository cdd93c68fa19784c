//! Records of YCSB (Cooper et al., "Benchmarking cloud serving systems with YCSB", SoCC 2010) as pure
//! functions of their key numbers, with the keys and constants of YCSB 0.17.
//!
//! A [`Records`] is made from a [`RecordSpec`] and holds parameters only. The record of key number n has
//! the key `user` and a number, and the fields `field0`, `field1`, …; the value of a field is a function
//! of (seed, key, field, version). A load writes version 0, an update any other.
//!
//! *A value can be checked alone.* It states its version, and the rest of it follows from key, field
//! and version, so that [`Records::check`] tells a value of this key and field from anything else without
//! knowing who wrote it. Half of a field, at most 13 bytes, states the version in digits of five bits;
//! the other bytes check it with five bits each. A field shorter than 26 bytes states only the low
//! digits of the version, and one of a single byte is nothing but the lowest digit: its check sees no
//! more than a byte outside the alphabet.
//!
//! The bytes are those that YCSB writes at random: 32 characters, five bits each, here from `0` to `O`
//! because YCSB's own include the quotation mark.

mod documents;
mod hash;
mod length;
mod prefix;
mod records;
mod value;
mod zipf;

pub use documents::Documents;
pub use hash::fnv_hash64;
pub use length::FieldLength;
pub use prefix::FieldPrefix;
pub use records::{Key, KeyOrder, RecordSpec, Records};
pub use value::stated;
pub use zipf::{SCRAMBLED_ITEMS, SCRAMBLED_ZETA, THETA, Zipf, zeta};
