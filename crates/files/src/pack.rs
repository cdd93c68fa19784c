//! Compression of text, chunk by chunk: gzip members and Zstandard frames may follow one another,
//! so chunks are compressed by all threads at once, and the bytes do not depend on how many there
//! are.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use zstd::bulk::Compressor;

use crate::options::Codec;

/// How text is compressed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packer {
    pub(crate) codec: Codec,
    pub(crate) level: u32,
}

/// The state that a thread keeps between chunks.
#[derive(Default)]
pub(crate) struct State(Option<Compressor<'static>>);

impl Packer {
    /// Whether text is compressed.
    pub(crate) fn packs(&self) -> bool {
        self.codec != Codec::None
    }

    /// Replaces the content of `packed` by `raw`, compressed.
    pub(crate) fn pack(
        &self,
        raw: &[u8],
        packed: &mut Vec<u8>,
        state: &mut State,
    ) -> io::Result<()> {
        packed.clear();
        match self.codec {
            Codec::Gzip => {
                let mut encoder = GzEncoder::new(packed, Compression::new(self.level));
                encoder.write_all(raw)?;
                encoder.finish()?;
            }
            Codec::Zstd => {
                if state.0.is_none() {
                    state.0 = Some(Compressor::new(self.level as i32)?);
                }
                packed.reserve(zstd::zstd_safe::compress_bound(raw.len()));
                if let Some(compressor) = &mut state.0 {
                    compressor.compress_to_buffer(raw, packed)?;
                }
            }
            Codec::None | Codec::Snappy => packed.extend_from_slice(raw),
        }
        Ok(())
    }
}
