//! A histogram of an interval log: HdrHistogram V2, three significant digits, unit 1.
//!
//! Written from the format's description, so that nothing which counts for the report counts here.

use std::collections::BTreeMap;
use std::io::Read;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// A bucket of three significant digits has 2048 values, of which all but the first bucket use the
/// upper half.
const HALF: u64 = 1024;
/// The most places: beyond 2^40 µs. Hoap's own have less than 24,000.
const MOST_PLACES: u64 = 32_768;
/// The longest decoded histogram: a byte a place at least, nine at most.
const MOST_BYTES: u64 = 9 * MOST_PLACES + 40;

/// Counts by place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    counts: BTreeMap<u64, u64>,
    /// All counts together.
    pub total: u64,
}

/// The lowest and the highest value of a place.
pub fn values(place: u64) -> (u64, u64) {
    let (bucket, within) = match place / HALF {
        0 => (0, place),
        of => (of - 1, place % HALF + HALF),
    };
    (within << bucket, ((within + 1) << bucket) - 1)
}

impl Histogram {
    /// Reads one from its text: base64 of a deflated payload.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn decode(text: &str) -> Result<Histogram, String> {
        let bytes = BASE64_STANDARD.decode(text).map_err(|e| e.to_string())?;
        let word = |at: usize, of: &[u8]| {
            let four: Option<[u8; 4]> = of.get(at..at + 4).and_then(|b| b.try_into().ok());
            four.map(u32::from_be_bytes).ok_or("it is cut off")
        };
        if word(0, &bytes)? != 0x1c84_9314 {
            return Err("it is no compressed histogram of version 2".into());
        }
        let mut payload = Vec::new();
        let inflate = flate2::read::ZlibDecoder::new(bytes.get(8..).unwrap_or_default());
        inflate.take(MOST_BYTES + 1).read_to_end(&mut payload).map_err(|e| e.to_string())?;
        if payload.len() as u64 > MOST_BYTES {
            return Err(format!("it is longer than {MOST_BYTES} bytes"));
        }
        if word(0, &payload)? != 0x1c84_9313 || word(12, &payload)? != 3 {
            return Err("it is no histogram of version 2 with three significant digits".into());
        }
        let length = word(4, &payload)? as usize;
        let counts = payload.get(40..).filter(|counts| counts.len() == length);
        Histogram::counts(counts.ok_or("its length is another one")?)
    }

    /// Counts in zigzag LEB128; a number below 0 is a run of so many places without any.
    fn counts(mut bytes: &[u8]) -> Result<Histogram, String> {
        let (mut of, mut place) = (Histogram::default(), 0u64);
        while !bytes.is_empty() {
            let (raw, rest) = varint(bytes).ok_or("a count is cut off")?;
            bytes = rest;
            let number = (raw >> 1) as i64 ^ -((raw & 1) as i64);
            match number {
                ..0 => place = place.saturating_add(number.unsigned_abs()),
                0 => place += 1,
                _ => {
                    of.add(place, number as u64);
                    place += 1;
                }
            }
            if place > MOST_PLACES {
                return Err(format!("it has more than {MOST_PLACES} places"));
            }
        }
        Ok(of)
    }

    fn add(&mut self, place: u64, count: u64) {
        let there = self.counts.entry(place).or_default();
        *there = there.saturating_add(count);
        self.total = self.total.saturating_add(count);
    }

    /// Adds another one.
    pub fn join(&mut self, other: &Histogram) {
        other.counts.iter().for_each(|(place, count)| self.add(*place, *count));
    }

    /// The highest value of the place of the `share`th of all counts: 0 of none.
    pub fn quantile(&self, share: f64) -> u64 {
        let wanted = ((share * self.total as f64).ceil() as u64).max(1);
        let mut seen = 0u64;
        let at = self.counts.iter().find(|(_, count)| {
            seen = seen.saturating_add(**count);
            seen >= wanted
        });
        at.map_or(0, |(place, _)| values(*place).1)
    }

    /// The bounds between which the longest is.
    pub fn top(&self) -> (u64, u64) {
        self.counts.last_key_value().map_or((0, 0), |(place, _)| values(*place))
    }

    /// The bounds between which the mean is: values were rounded to whole numbers.
    pub fn mean(&self) -> (f64, f64) {
        let sum = |of: fn((u64, u64)) -> f64| {
            let each = self.counts.iter().map(|(place, n)| of(values(*place)) * *n as f64);
            each.sum::<f64>() / self.total.max(1) as f64
        };
        (
            sum(|(lowest, _)| (lowest as f64 - 0.5).max(0.0)),
            sum(|(_, highest)| highest as f64 + 0.5),
        )
    }

    /// Those of value 0.
    pub fn zeros(&self) -> u64 {
        self.counts.get(&0).copied().unwrap_or(0)
    }
}

/// Seven bits a byte, the lowest first; a ninth byte has eight.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0u64;
    for (at, byte) in bytes.iter().enumerate().take(9) {
        let bits = if at == 8 { u64::from(*byte) } else { u64::from(byte & 0x7f) };
        value |= bits << (7 * at);
        if at == 8 || byte & 0x80 == 0 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}
