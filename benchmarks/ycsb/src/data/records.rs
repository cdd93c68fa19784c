use std::ops::Range;

use hoap_data::number::write_u64;
use hoap_data::random::Stream;
use hoap_data::writer::{Field, Writer};
use hoap_data::{Part, SpecError, named};

use super::length::Lengths;
use super::prefix::FieldPrefix;
use super::{Compressibility, DATA_VERSION, FieldLength, fnv_hash64, value};

/// The prefix of every key.
const USER: &str = "user";
/// Separates the streams of these records from those of other benchmarks with the same seed.
const BENCHMARK: u64 = u64::from_be_bytes(*b"ycsb\0\0\0\0");
/// The word of a field's stream that its versions are mixed with.
const MASK: u64 = u64::from_be_bytes(*b"mask\0\0\0\0");
/// The most records, and the end of their numbers; sums cannot overflow.
const MAX_RECORDS: u64 = 1 << 62;
/// The most digits of zero padding.
const MAX_PADDING: u16 = 256;

named! {
    /// How a key's number is derived from the number of the record (YCSB's `insertorder`).
    #[derive(Hash)]
    KeyOrder, "insert order":
    /// By [`fnv_hash64`].
    Hashed = "hashed",
    /// The number itself.
    Ordered = "ordered",
}

/// The specification of a table's records. The defaults are YCSB's, except the number of records,
/// which YCSB's workload files set to 1,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecordSpec {
    /// Seed of the values. Keys do not depend on it.
    pub seed: u64,
    /// Number of the first record (`insertstart`).
    pub start: u64,
    /// Number of records, from 1 on (`insertcount`, `recordcount`).
    pub count: u64,
    /// Fields of a record, from 1 on (`fieldcount`).
    pub fields: u16,
    /// Length of their values.
    pub length: FieldLength,
    /// How much of them a compressor saves.
    pub compressibility: Compressibility,
    /// Order of the keys.
    pub order: KeyOrder,
    /// Digits to which zeros fill up a key's number (`zeropadding`).
    pub zero_padding: u16,
    /// The prefix of the fields' names.
    pub prefix: FieldPrefix,
}

impl Default for RecordSpec {
    fn default() -> Self {
        RecordSpec {
            seed: 1,
            start: 0,
            count: 1000,
            fields: 10,
            length: FieldLength::Constant(100),
            compressibility: Compressibility::default(),
            order: KeyOrder::Hashed,
            zero_padding: 1,
            prefix: FieldPrefix::default(),
        }
    }
}

/// The number in the text of a key. It identifies the key in every function here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(i64);

impl Key {
    /// The number's bits, for hashing.
    #[inline(always)]
    pub fn bits(self) -> u64 {
        self.0 as u64
    }
}

/// The records of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Records {
    spec: RecordSpec,
    lengths: Lengths,
    root: Stream,
}

impl Records {
    /// The records of this specification.
    ///
    /// # Errors
    /// Fails where a parameter is out of its range, and names it.
    pub fn new(spec: RecordSpec) -> Result<Self, SpecError> {
        let RecordSpec { seed, start, count, fields, length, zero_padding, .. } = spec;
        if count == 0 {
            return Err(SpecError::new("0 records: use at least 1"));
        }
        if start.checked_add(count).is_none_or(|end| end > MAX_RECORDS) {
            return Err(SpecError::new(format!(
                "records {start} to {start} + {count}: use numbers below 2^62"
            )));
        }
        if fields == 0 {
            return Err(SpecError::new("0 fields: use at least 1"));
        }
        if zero_padding > MAX_PADDING {
            return Err(SpecError::new(format!(
                "zero padding {zero_padding}: use at most {MAX_PADDING} digits"
            )));
        }
        length.validate(fields)?;
        spec.compressibility.validate(length)?;
        let root = Stream::new(seed, &[u64::from(DATA_VERSION), BENCHMARK]);
        Ok(Records { spec, lengths: Lengths::new(length), root })
    }

    /// The specification of the records.
    pub fn spec(&self) -> &RecordSpec {
        &self.spec
    }

    /// Numbers of the records.
    pub fn numbers(&self) -> Range<u64> {
        self.spec.start..self.spec.start + self.spec.count
    }

    /// The numbers of part `part` (from 1) of `of`. The parts together are the whole range, in
    /// order; a part that does not exist is empty.
    pub fn part(&self, part: u64, of: u64) -> Range<u64> {
        Part { part, of }.range(self.numbers())
    }

    /// The key of record number `n`, loaded or new.
    #[inline]
    pub fn key(&self, n: u64) -> Key {
        match self.spec.order {
            KeyOrder::Hashed => Key(fnv_hash64(n)),
            KeyOrder::Ordered => Key(n as i64),
        }
    }

    /// Appends the text of a key: `user`, the zeros of the padding, and the number.
    #[inline]
    pub fn append_key(&self, key: Key, out: &mut String) {
        const FRONT: usize = USER.len();
        let padding = usize::from(self.spec.zero_padding);
        // Whole words of ASCII, validated as text sixteen bytes at a time.
        let mut text = [0u8; 32];
        text[..FRONT].copy_from_slice(USER.as_bytes());
        let len = write_u64(key.0.unsigned_abs(), &mut text[FRONT..]);
        if key.0 >= 0 && len >= padding {
            // All of it is copied, since a known length takes two moves, and then cut.
            let end = out.len() + FRONT + len;
            out.push_str(str::from_utf8(&text).unwrap_or_default());
            out.truncate(end);
        } else {
            // Zeros come before the minus sign, which only the hash 2^63 has.
            out.push_str(&format!("{USER}{:0>padding$}", key.0.to_string()));
        }
    }

    /// The key with this text; `None` for text that [`Records::append_key`] does not write.
    pub fn parse_key(&self, text: &str) -> Option<Key> {
        let padded = text.strip_prefix(USER)?;
        let number = match padded.find('-') {
            Some(sign) => &padded[sign..],
            None => padded,
        };
        let key = Key(number.parse().ok()?);
        let mut again = String::new();
        self.append_key(key, &mut again);
        (again == text).then_some(key)
    }

    /// Appends the value of `version` of this field.
    #[inline]
    pub fn append_value(&self, key: Key, field: u16, version: u64, out: &mut Vec<u8>) {
        let of_field = self.of_field(key, field);
        let len = self.length(of_field, version);
        let random = self.spec.compressibility.random(len);
        value::append(of_field, mask(of_field, version), random, out);
        out.resize(out.len() + (len - random), value::FILLER);
    }

    /// Writes the loaded value, version 0.
    #[inline]
    pub(super) fn write_value<W: Writer>(&self, key: Key, field: u16, name: Field<'_>, w: &mut W) {
        let of_field = self.of_field(key, field);
        let len = self.length(of_field, 0);
        let random = self.spec.compressibility.random(len);
        w.text(name, len, |out| {
            value::fill(of_field, mask(of_field, 0), random, out);
            if random < len {
                out[random..len].fill(value::FILLER);
            }
        });
    }

    /// The part of a version that a value of this length contains: all of it where 26 or more of
    /// its bytes are random.
    pub fn stated(&self, version: u64, len: usize) -> u64 {
        value::stated(version, self.spec.compressibility.random(len))
    }

    /// The version in a value of this field, as far as its length allows ([`Records::stated`]);
    /// `None` where it is not a value of this key and field.
    #[inline]
    pub fn check(&self, key: Key, field: u16, value: &[u8]) -> Option<u64> {
        let (min, max) = self.spec.length.bounds();
        if field >= self.spec.fields || value.len() < min as usize || value.len() > max as usize {
            return None;
        }
        let of_field = self.of_field(key, field);
        let (random, filler) = value.split_at(self.spec.compressibility.random(value.len()));
        let version = value::check(of_field, random)?;
        let version = value::stated(mask(of_field, version), random.len());
        if filler.iter().any(|&byte| byte != value::FILLER) {
            return None;
        }
        // A long value contains its whole version, which determines its length.
        let whole = self.stated(u64::MAX, value.len()) == u64::MAX;
        let fits = !whole || self.length(of_field, version) == value.len();
        fits.then_some(version)
    }

    /// Appends the JSON document of record number `n` as loaded: its fields, each with version 0.
    pub fn append(&self, n: u64, out: &mut Vec<u8>) {
        let key = self.key(n);
        out.push(b'{');
        for field in 0..self.spec.fields {
            if field > 0 {
                out.push(b',');
            }
            out.push(b'"');
            self.append_field_name(field, out);
            out.extend_from_slice(b"\":\"");
            self.append_value(key, field, 0, out);
            out.push(b'"');
        }
        out.push(b'}');
    }

    /// The name of field number `field`.
    pub fn field_name(&self, field: u16) -> String {
        format!("{}{field}", self.spec.prefix)
    }

    fn append_field_name(&self, field: u16, out: &mut Vec<u8>) {
        let mut digits = [0u8; 28];
        let len = write_u64(u64::from(field), &mut digits);
        out.extend_from_slice(self.spec.prefix.as_str().as_bytes());
        out.extend_from_slice(&digits[..len]);
    }

    /// The stream of all values of a field. Only keys whose numbers differ by a multiple of 2^48
    /// could share one.
    #[inline(always)]
    fn of_field(&self, key: Key, field: u16) -> Stream {
        self.root.child(key.bits() ^ (u64::from(field) << 48))
    }

    /// The length of a version. It has another stream than the bytes, whose children are the
    /// versions.
    #[inline(always)]
    fn length(&self, of_field: Stream, version: u64) -> usize {
        match self.lengths {
            Lengths::Constant(n) => n,
            _ => self.lengths.draw(of_field.child(version).child(0)),
        }
    }
}

/// A version as its digits in a value say it, or the other way round. The loaded version, 0, would
/// have thirteen equal digits, which a compressor saves.
#[inline(always)]
fn mask(of_field: Stream, version: u64) -> u64 {
    version ^ of_field.at(MASK)
}
