//! The interface between a format and the writing of files.

use std::io;
use std::ops::Range;

use crate::error::Result;
use crate::sink::Sink;

/// A format: it fills chunks on any thread and appends them to files in order. `at` is a
/// collection's position in [`FileSource::collections`](crate::FileSource::collections).
pub(crate) trait Encoder: Sync {
    /// The encoded documents of a range; reused by its thread.
    type Chunk: Default + Send;
    /// A file that is being written.
    type File: Send;

    /// The tables of a collection, a file each; the one of the documents themselves is first and
    /// has the collection's name.
    fn tables(&self, at: usize) -> &[String];
    /// Number of documents of a chunk, at least one.
    fn step(&self, at: usize) -> u64;
    /// Encodes a range of documents and replaces the content of the chunk.
    fn fill(&self, at: usize, range: Range<u64>, chunk: &mut Self::Chunk) -> Result<()>;

    /// Bytes of a file so far.
    fn size(&self, file: &Self::File) -> u64;
    /// The most bytes of a finished file of a table if it takes this chunk and no other.
    fn size_with(&self, file: &Self::File, chunk: &Self::Chunk, table: usize) -> u64;
    /// Rows of a table in a chunk, where they are not documents.
    fn rows(&self, chunk: &Self::Chunk, table: usize) -> Option<u64>;
    /// Begins the file of a table.
    fn open(&self, at: usize, table: usize, sink: Sink) -> io::Result<Self::File>;
    /// Appends a table's part of a chunk.
    fn append(
        &self,
        file: &mut Self::File,
        table: usize,
        chunk: &mut Self::Chunk,
    ) -> io::Result<()>;
    /// Ends a file.
    fn close(&self, file: Self::File) -> io::Result<Sink>;
}
