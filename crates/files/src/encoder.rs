//! The seam between what a format is and how files come about.

use std::io;
use std::ops::Range;

use crate::error::Result;
use crate::sink::Sink;

/// A format: fills chunks on any thread, appends them to files in order.
pub(crate) trait Encoder: Sync {
    /// One of the collections whose documents it encodes.
    type Collection: Copy;
    /// The documents of a range, encoded; recycled by its thread.
    type Chunk: Default + Send;
    /// A file that is being written.
    type File: Send;

    /// The files that a collection's documents go to, the one of the documents themselves first.
    fn tables(&self, collection: Self::Collection) -> &[String];
    /// Documents of a chunk, at least one.
    fn step(&self, collection: Self::Collection) -> u64;
    /// Encodes a range of documents in place of what the chunk holds.
    fn fill(&self, of: Self::Collection, range: Range<u64>, chunk: &mut Self::Chunk) -> Result<()>;

    /// Bytes of a file so far.
    fn size(&self, file: &Self::File) -> u64;
    /// Bytes that a file of a table ends up with at most if it takes this chunk and no other.
    fn size_with(&self, file: &Self::File, chunk: &Self::Chunk, table: usize) -> u64;
    /// Rows of a table in a chunk, where they are not its documents.
    fn rows(&self, chunk: &Self::Chunk, table: usize) -> Option<u64>;
    /// Begins the file of a table.
    fn open(&self, of: Self::Collection, table: usize, sink: Sink) -> io::Result<Self::File>;
    /// Appends a table's share of a chunk.
    fn append(
        &self,
        file: &mut Self::File,
        table: usize,
        chunk: &mut Self::Chunk,
    ) -> io::Result<()>;
    /// Ends a file.
    fn close(&self, file: Self::File) -> io::Result<Sink>;
}
