//! The histograms of an interval log (V2, compressed), decoded into one buffer.
//!
//! `hdrhistogram` makes room for whatever length and range a line states, and an array of all
//! buckets for each line. This decoder checks both before it makes room, and a line costs what it
//! holds.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::{Decompress, FlushDecompress, Status};

use crate::limits;

const COOKIE: u32 = 0x1c84_9313;
/// The cookie of a compressed histogram.
const COMPRESSED: u32 = 0x1c84_9314;
/// The most significant digits of a histogram.
pub const MOST_DIGITS: u32 = 3;
/// The highest value, in microseconds, that a histogram may have room for: two hours and 23
/// minutes, twice the room for [`LONGEST_US`](crate::histogram::LONGEST_US).
pub const HIGHEST_US: u64 = 1 << 33;
/// Bytes before the counts.
const HEAD: usize = 40;
/// The most bytes of a histogram: three digits up to [`HIGHEST_US`] are 24,576 buckets, and a count
/// has nine bytes at most.
const MOST_BYTES: usize = HEAD + 9 * 24_576;

/// Decodes one histogram after the other.
pub(crate) struct Decoder {
    packed: Vec<u8>,
    inflate: Decompress,
    raw: Vec<u8>,
    times: Vec<(u64, u64)>,
}

impl Default for Decoder {
    fn default() -> Self {
        let (raw, inflate) = (vec![0; MOST_BYTES], Decompress::new(true));
        Decoder { packed: Vec::new(), inflate, raw, times: Vec::new() }
    }
}

impl Decoder {
    /// The lowest value of each bucket that has a count, rising, with the count.
    pub fn decode(&mut self, text: &str) -> Result<&[(u64, u64)], String> {
        self.packed.clear();
        BASE64_STANDARD.decode_vec(text, &mut self.packed).map_err(|e| e.to_string())?;
        let raw = match word(&self.packed, 0)? {
            COMPRESSED => {
                let packed = self.packed.get(8..).unwrap_or_default();
                let wanted = word(&self.packed, 4)? as usize;
                let packed = packed.get(..wanted).ok_or("it ends before its stated length")?;
                inflate(&mut self.inflate, packed, &mut self.raw)?
            }
            COOKIE if self.packed.len() <= MOST_BYTES => &self.packed[..],
            COOKIE => return Err(format!("it is longer than {MOST_BYTES} bytes")),
            _ => return Err("it is not of the format V2".into()),
        };
        let range = Range::read(raw)?;
        let payload = &raw[HEAD..];
        let payload =
            payload.get(..word(raw, 4)? as usize).ok_or("it ends before its stated length")?;
        range.counts(payload, &mut self.times)?;
        Ok(&self.times)
    }
}

fn inflate<'a>(
    state: &mut Decompress,
    packed: &[u8],
    raw: &'a mut [u8],
) -> Result<&'a [u8], String> {
    state.reset(true);
    let status =
        state.decompress(packed, raw, FlushDecompress::Finish).map_err(|e| e.to_string())?;
    match status {
        Status::StreamEnd => Ok(&raw[..state.total_out() as usize]),
        _ => Err(format!("it is cut off, or longer than {MOST_BYTES} bytes")),
    }
}

fn word(bytes: &[u8], at: usize) -> Result<u32, String> {
    let word = bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_be_bytes);
    word.ok_or_else(|| "it is too short".into())
}

fn long(bytes: &[u8], at: usize) -> Result<u64, String> {
    Ok(u64::from(word(bytes, at)?) << 32 | u64::from(word(bytes, at + 4)?))
}

/// How a histogram's values are divided into buckets.
struct Range {
    /// The exponent of the lowest discernible value.
    unit: u32,
    /// The exponent of half the number of steps between two powers of two.
    half: u32,
    /// The number of its counts.
    buckets: usize,
}

impl Range {
    fn read(raw: &[u8]) -> Result<Range, String> {
        let (offset, digits) = (word(raw, 8)?, word(raw, 12)?);
        let (low, high, ratio) = (long(raw, 16)?, long(raw, 24)?, f64::from_bits(long(raw, 32)?));
        if word(raw, 0)? != COOKIE || offset != 0 || ratio != 1.0 {
            return Err("it is not of the format V2, or its values are scaled".into());
        }
        if digits > MOST_DIGITS {
            return Err(format!("it has {digits} significant digits, more than {MOST_DIGITS}"));
        }
        if low < 1 || low > high / 2 || high > HIGHEST_US {
            return Err(format!("its range is {low} to {high}, not within 1 to {HIGHEST_US}"));
        }
        // The least power of two of steps that are as fine as the digits ask for.
        let steps = (2 * 10u64.pow(digits)).next_power_of_two();
        let (unit, half) = (low.ilog2(), steps.ilog2() - 1);
        let doublings = (0..).find(|n| steps << unit << n > high).unwrap_or(0);
        Ok(Range { unit, half, buckets: (doublings + 2) << half })
    }

    /// The lowest value of a bucket.
    fn value(&self, bucket: usize) -> u64 {
        let (half, within) = (1u64 << self.half, bucket as u64 & ((1 << self.half) - 1));
        match bucket >> self.half {
            0 => within << self.unit,
            doubling => (half + within) << (self.unit + doubling as u32 - 1),
        }
    }

    /// Reads the counts: numbers of variable length, of which a negative one is so many zeros.
    fn counts(&self, payload: &[u8], times: &mut Vec<(u64, u64)>) -> Result<(), String> {
        times.clear();
        let (mut at, mut bucket) = (0, 0usize);
        while at < payload.len() {
            let (mut number, mut shift) = (0u64, 0);
            loop {
                let byte = *payload.get(at).ok_or("it ends within a count")?;
                at += 1;
                // The ninth byte has eight bits.
                let bits = if shift == 56 { byte } else { byte & 0x7f };
                number |= u64::from(bits) << shift;
                if byte & 0x80 == 0 || shift == 56 {
                    break;
                }
                shift += 7;
            }
            let count = (number >> 1) as i64 ^ -((number & 1) as i64);
            let step = if count < 0 { count.unsigned_abs() } else { 1 };
            let next = (bucket as u64).saturating_add(step);
            if next > self.buckets as u64 {
                return Err(format!("it has more counts than its {} buckets", self.buckets));
            }
            if count > 0 {
                limits::count("a count", count as u64)?;
                let value = self.value(bucket);
                // Wide buckets reach beyond the range that the histogram states.
                if value >= HIGHEST_US {
                    return Err(format!("it has a value of {value}, not below {HIGHEST_US}"));
                }
                times.push((value, count as u64));
            }
            bucket = next as usize;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::{Serializer, V2DeflateSerializer, V2Serializer};
    use hoap_data::random::Stream;
    use std::io::Write;

    use super::*;

    fn text(serializer: &mut impl Serializer, histogram: &Histogram<u64>) -> String {
        let mut bytes = Vec::new();
        assert!(serializer.serialize(histogram, &mut bytes).is_ok());
        BASE64_STANDARD.encode(bytes)
    }

    /// What `hdrhistogram` writes comes back value by value, whatever the range and the digits.
    #[test]
    fn a_histogram_comes_back() {
        let mut decoder = Decoder::default();
        let mut stream = Stream::new(5, &[]);
        for (low, high, digits) in [
            (1, 1_000_000, 3),
            (1, HIGHEST_US, 3),
            (1, 3_600_000_000, 2),
            (7, 90_000, 1),
            (1024, 1 << 30, 0),
        ] {
            for number in [0, 1, 5, 20_000] {
                let mut histogram = Histogram::<u64>::new_with_bounds(low, high, digits).unwrap();
                for _ in 0..number {
                    let value = (high as f64).powf(stream.unit()) as u64;
                    histogram.record_n(value, stream.uniform(1..=1 << 40) as u64).unwrap();
                }
                let expected: Vec<(u64, u64)> = histogram
                    .iter_recorded()
                    .map(|b| {
                        (histogram.lowest_equivalent(b.value_iterated_to()), b.count_at_value())
                    })
                    .collect();
                let plain = text(&mut V2Serializer::new(), &histogram);
                let packed = text(&mut V2DeflateSerializer::new(), &histogram);
                for text in [plain, packed] {
                    assert_eq!(decoder.decode(&text).unwrap(), expected, "{low} {high} {digits}");
                }
            }
        }
    }

    /// A histogram of these parts, packed; the stated length is that of the counts.
    fn made(digits: u32, low: u64, high: u64, counts: &[u8], stated: Option<u32>) -> String {
        let mut raw = COOKIE.to_be_bytes().to_vec();
        raw.extend(stated.unwrap_or(counts.len() as u32).to_be_bytes());
        raw.extend([0; 4]);
        raw.extend(digits.to_be_bytes());
        raw.extend(low.to_be_bytes());
        raw.extend(high.to_be_bytes());
        raw.extend(1f64.to_be_bytes());
        raw.extend(counts);
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&raw).unwrap();
        let packed = packed.finish().unwrap();
        let mut bytes = COMPRESSED.to_be_bytes().to_vec();
        bytes.extend((packed.len() as u32).to_be_bytes());
        bytes.extend(packed);
        BASE64_STANDARD.encode(bytes)
    }

    #[test]
    fn a_line_that_states_more_than_it_may_hold_is_refused_before_room_is_made() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.decode(&made(3, 1, 1000, &[2, 4], None)).unwrap(), [(0, 1), (1, 2)]);
        let room = decoder.raw.len();
        // A count of -2^62: as many zeros.
        let zeros = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        let much = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        for (text, says) in [
            (made(3, 1, 1000, &[2, 4], Some(u32::MAX)), "before its stated length"),
            (made(5, 1, 1000, &[2], None), "5 significant digits, more than 3"),
            (made(3, 1, u64::MAX, &[2], None), "1 to 18446744073709551615"),
            (made(3, 0, 1000, &[2], None), "0 to 1000"),
            (made(3, u64::MAX, 1000, &[2], None), "to 1000"),
            (made(3, 1, 1000, &vec![0; 10_000_000], None), "longer than 221224 bytes"),
            (made(3, 1, 1000, &vec![2; 5000], None), "more counts than its 2048 buckets"),
            (made(3, 1, 1000, &zeros, None), "more counts than"),
            (made(3, 1, 1000, &much, None), "more than 9007199254740992"),
            (made(3, 1, 1000, &[0x80], None), "ends within a count"),
            // 1,000 zeros, then a count: a value of 1,000 · 2²⁸.
            (
                made(3, 1 << 28, 1 << 30, &[0xcf, 0x0f, 2], None),
                "a value of 268435456000, not below",
            ),
            ("QUJD".to_owned(), "too short"),
            ("QUJDREVGR0g=".to_owned(), "not of the format V2"),
            ("?".to_owned(), "Invalid"),
            (String::new(), "too short"),
        ] {
            let told = decoder.decode(&text).unwrap_err();
            assert!(told.contains(says), "no {says:?} in {told:?}");
        }
        let whole = made(3, 1, 1_000_000, &[2; 100], None);
        for end in (0..whole.len()).step_by(4) {
            assert!(decoder.decode(&whole[..end]).is_err(), "{end}");
        }
        assert_eq!(decoder.raw.len(), room);
    }
}
