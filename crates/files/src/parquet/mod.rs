//! Apache Parquet: documents as nested columns.
//!
//! | in the document | in Parquet |
//! |---|---|
//! | true or false | BOOLEAN |
//! | a number without fraction | INT64 |
//! | money | DECIMAL(18, 2) on INT64: exact |
//! | a tax or a discount | DECIMAL(9, 4) on INT32: exact |
//! | a decimal of a workload file | DECIMAL(18, its digits) on INT64: exact |
//! | a double | DOUBLE |
//! | an instant | STRING, as the documents write it; TIMESTAMP of a workload file |
//! | text | STRING |
//! | an object | a group |
//! | an array | a LIST of three levels |
//!
//! All threads encode and compress row groups at once, each whole in memory, and the row groups are
//! joined to files in order.

mod encode;

use std::collections::BTreeMap;
use std::io::{self, BufWriter};
use std::ops::Range;

use ::parquet::column::writer::ColumnCloseResult;
use ::parquet::errors::ParquetError;
use ::parquet::file::writer::SerializedFileWriter;
use bytes::Bytes;

use crate::columns::{Columns, Layout};
use crate::encoder::Encoder;
use crate::error::{Error, ErrorKind, Result};
use crate::options::Form;
use crate::probe::{average_bytes, shape};
use crate::sink::Sink;
use crate::source::{AnyWriter, FileSource};

/// Bytes per write.
const BUFFER: usize = 1 << 20;
/// The most bytes in the footer for one column of one row group, and for the rest.
const FOOTER: (u64, u64) = (400, 8 << 10);

/// Writes Parquet.
pub(crate) struct Parquet<'a> {
    data: &'a dyn FileSource,
    collections: BTreeMap<usize, Prepared>,
}

/// The state of a collection before its documents are generated.
struct Prepared {
    tables: [String; 1],
    step: u64,
    layout: Layout,
}

impl<'a> Parquet<'a> {
    pub(crate) fn new(
        data: &'a dyn FileSource,
        collections: &[usize],
        form: &Form,
    ) -> Result<Self> {
        let bytes = form.split.map_or(form.row_group, |split| form.row_group.min(split));
        let names = data.collections();
        let mut prepared = BTreeMap::new();
        for &at in collections {
            let shape = shape(data, at);
            let step = (bytes / average_bytes(data, at)).max(1);
            let layout = Layout::new(names[at], &shape, form)?;
            let tables = [names[at].to_owned()];
            prepared.insert(at, Prepared { tables, step, layout });
        }
        Ok(Parquet { data, collections: prepared })
    }
}

/// A row group: its columns in the form of a file.
#[derive(Default)]
pub(crate) struct RowGroup {
    columns: Columns,
    encoded: Vec<(Bytes, ColumnCloseResult)>,
}

/// A Parquet file that is being written.
pub(crate) struct ParquetFile {
    writer: SerializedFileWriter<BufWriter<Sink>>,
    columns: u64,
}

impl ParquetFile {
    /// Bytes of the file if it ended after `more` row groups.
    fn size(&self, more: u64) -> u64 {
        let groups = self.writer.flushed_row_groups().len() as u64 + more;
        self.writer.bytes_written() as u64 + groups * self.columns * FOOTER.0 + FOOTER.1
    }
}

impl Encoder for Parquet<'_> {
    type Chunk = RowGroup;
    type File = ParquetFile;

    fn tables(&self, at: usize) -> &[String] {
        &self.collections[&at].tables
    }

    fn step(&self, at: usize) -> u64 {
        self.collections[&at].step
    }

    fn fill(&self, at: usize, range: Range<u64>, chunk: &mut RowGroup) -> Result<()> {
        let Prepared { tables: [name], layout, .. } = &self.collections[&at];
        let RowGroup { columns, encoded } = chunk;
        encoded.clear();
        if range.is_empty() {
            return Ok(());
        }
        let failed = |what: String| {
            let message = format!("encode {name} {}..{}: {what}", range.start, range.end);
            Error::new(ErrorKind::Broken, format!("{message}; choose another format"))
        };
        columns.begin(layout);
        for index in range.clone() {
            let mut shredder = columns.document(layout);
            self.data.write(at, index, AnyWriter::Columns(&mut shredder));
            if !shredder.is_whole() {
                return Err(failed(format!("document {index} is not of the others' shape")));
            }
        }
        encode::columns(layout, columns, encoded).map_err(|e| failed(e.to_string()))
    }

    fn size(&self, file: &ParquetFile) -> u64 {
        file.writer.bytes_written() as u64
    }

    fn size_with(&self, file: &ParquetFile, chunk: &RowGroup, _: usize) -> u64 {
        file.size(1) + chunk.encoded.iter().map(|(bytes, _)| bytes.len() as u64).sum::<u64>()
    }

    fn rows(&self, _: &RowGroup, _: usize) -> Option<u64> {
        None
    }

    fn open(&self, at: usize, _: usize, sink: Sink) -> io::Result<ParquetFile> {
        let layout = &self.collections[&at].layout;
        let out = BufWriter::with_capacity(BUFFER, sink);
        let (schema, properties) = (layout.schema.clone(), layout.properties.clone());
        let writer = SerializedFileWriter::new(out, schema, properties).map_err(io_error)?;
        Ok(ParquetFile { writer, columns: layout.leaves.len() as u64 })
    }

    fn append(&self, file: &mut ParquetFile, _: usize, chunk: &mut RowGroup) -> io::Result<()> {
        if chunk.encoded.is_empty() {
            return Ok(());
        }
        let mut group = file.writer.next_row_group().map_err(io_error)?;
        for (bytes, close) in chunk.encoded.drain(..) {
            group.append_column(&bytes, close).map_err(io_error)?;
        }
        group.close().map_err(io_error)?;
        Ok(())
    }

    fn close(&self, file: ParquetFile) -> io::Result<Sink> {
        let buffered = file.writer.into_inner().map_err(io_error)?;
        buffered.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

/// The error of the file system within an error of the format.
fn io_error(e: ParquetError) -> io::Error {
    match e {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(inner) => *inner,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
