//! The histograms of an interval log, encoded (V2, compressed).

use std::io::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use hdrhistogram::Counter;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer, V2Serializer};

use crate::decoder::COMPRESSED;

/// A histogram of at most so many bytes is stored in its zlib stream as it is. Compressed, a
/// second's histogram of 121 bytes, as a month's log has millions, takes 102 bytes and twice the
/// time to read.
const STORED: usize = 512;

/// Encodes one histogram after the other.
#[derive(Default)]
pub(crate) struct HistogramEncoder {
    plain: V2Serializer,
    packed: V2DeflateSerializer,
    raw: Vec<u8>,
}

impl Serializer for HistogramEncoder {
    type SerializeError = String;

    fn serialize<T: Counter, W: Write>(
        &mut self,
        histogram: &Histogram<T>,
        writer: &mut W,
    ) -> Result<usize, String> {
        self.raw.clear();
        self.plain.serialize(histogram, &mut self.raw).map_err(|e| e.to_string())?;
        if self.raw.len() > STORED {
            return self.packed.serialize(histogram, writer).map_err(|e| e.to_string());
        }
        let stored = self.stored().map_err(|e| e.to_string())?;
        let head = [COMPRESSED.to_be_bytes(), (stored.len() as u32).to_be_bytes()].concat();
        writer
            .write_all(&head)
            .and_then(|()| writer.write_all(&stored))
            .map_err(|e| e.to_string())?;
        Ok(head.len() + stored.len())
    }
}

impl HistogramEncoder {
    /// As a line of a log has it, in Base64.
    pub fn text(&mut self, histogram: &Histogram<u64>) -> Result<String, String> {
        let mut bytes = Vec::new();
        self.serialize(histogram, &mut bytes)?;
        Ok(BASE64_STANDARD.encode(bytes))
    }

    fn stored(&self) -> std::io::Result<Vec<u8>> {
        let room = Vec::with_capacity(self.raw.len() + 16);
        let mut stream = ZlibEncoder::new(room, Compression::none());
        stream.write_all(&self.raw)?;
        stream.finish()
    }
}

#[cfg(test)]
mod tests {
    use hdrhistogram::serialization::Deserializer;

    use super::*;
    use crate::histogram::histogram;

    /// `hdrhistogram`, which is not the reader here, reads back what was written.
    #[test]
    fn small_ones_are_stored_large_ones_are_compressed_and_all_come_back() {
        let (mut encoder, mut sizes) = (HistogramEncoder::default(), Vec::new());
        for number in [0u64, 1, 50, 5_000] {
            let mut times = histogram();
            (0..number).for_each(|n| times.record(100 + n * 37).unwrap());
            let mut bytes = Vec::new();
            let written = encoder.serialize(&times, &mut bytes).unwrap();
            assert_eq!(written, bytes.len());
            let read: Histogram<u64> = Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
            assert_eq!(read, times);
            // After cookie, length and the head of zlib: the kind of the first block.
            let stored = bytes[10] >> 1 & 3 == 0;
            assert_eq!(stored, encoder.raw.len() <= STORED, "{number}");
            sizes.push((stored, bytes.len(), encoder.raw.len()));
        }
        assert!(sizes[0].0 && !sizes[3].0 && sizes[3].1 < sizes[3].2, "{sizes:?}");
    }
}
