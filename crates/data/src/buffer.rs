//! The buffer that documents are written into.

use std::ops::Deref;

/// Appended bytes in memory that stays initialized when it is cleared. A vector would have to zero
/// the memory before documents are written.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    bytes: Vec<u8>,
    len: usize,
}

impl Buffer {
    /// An empty buffer, without an allocation.
    pub const fn new() -> Buffer {
        Buffer { bytes: Vec::new(), len: 0 }
    }

    /// Removes the bytes and keeps the memory.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Keeps only the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Appends bytes.
    pub fn extend_from_slice(&mut self, bytes: &[u8]) {
        self.append(bytes.len(), |out| {
            out.copy_from_slice(bytes);
            bytes.len()
        });
    }

    /// Lets `write` fill the next `room` bytes from their start; `write` returns how many it wrote.
    #[inline(always)]
    pub fn append(&mut self, room: usize, write: impl FnOnce(&mut [u8]) -> usize) {
        let end = self.len + room;
        if end > self.bytes.len() {
            self.grow(end);
        }
        self.len += write(&mut self.bytes[self.len..end]).min(room);
    }

    #[cold]
    fn grow(&mut self, end: usize) {
        self.bytes.resize(end.max(2 * self.bytes.len()), 0);
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appends_and_forgets() {
        let mut buffer = Buffer::new();
        assert!(buffer.is_empty());
        for round in 0..3 {
            for n in 0..1000u32 {
                buffer.extend_from_slice(&n.to_le_bytes());
                // Unused room is not part of the bytes.
                buffer.append(100, |out| {
                    out.fill(round);
                    1
                });
            }
            assert_eq!(buffer.len(), 5000);
            let chunks = buffer.chunks_exact(5);
            for (n, chunk) in chunks.enumerate() {
                assert_eq!(chunk, [&(n as u32).to_le_bytes()[..], &[round]].concat());
            }
            buffer.truncate(7);
            buffer.truncate(9);
            assert_eq!(*buffer, [0, 0, 0, 0, round, 1, 0]);
            buffer.clear();
            assert!(buffer.is_empty());
        }
    }
}
