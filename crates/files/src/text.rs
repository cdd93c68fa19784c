//! Text files: NDJSON, JSON arrays, CSV; compressed or not.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

use hoap_data::Buffer;

use crate::encoder::Encoder;
use crate::error::{Error, ErrorKind, Result};
use crate::flat::Relation;
use crate::options::{Form, Format};
use crate::pack::{Packer, State};
use crate::probe::{average_bytes, shape};
use crate::sink::Sink;
use crate::source::{AnyWriter, FileSource};

/// Bytes of text per chunk: large enough to amortise the wait for the turn and a compressed frame,
/// small enough for the processor's cache.
pub(crate) const CHUNK: u64 = 4 << 20;

/// Writes text.
pub(crate) struct Text<'a> {
    data: &'a dyn FileSource,
    format: Format,
    packer: Packer,
    collections: BTreeMap<usize, Prepared>,
    /// The text between two chunks of a file, and at its end.
    between: Vec<u8>,
    end: Vec<u8>,
    /// The content of an otherwise empty file: zero bytes are not a valid compressed file.
    nothing: Vec<u8>,
}

/// The state of a collection before its documents are generated.
struct Prepared {
    tables: Vec<String>,
    step: u64,
    /// The head of each table's file.
    heads: Vec<Vec<u8>>,
    /// CSV only.
    relation: Option<Relation>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(
        data: &'a dyn FileSource,
        collections: &[usize],
        form: &Form,
    ) -> Result<Self> {
        let packer = Packer { codec: form.codec, level: form.level };
        let chunk = form.split.map_or(CHUNK, |split| CHUNK.min(split / 4));
        // Text outside of documents is a compressed frame of its own.
        let pack = |text: &[u8]| {
            let mut packed = Vec::new();
            let done = packer.pack(text, &mut packed, &mut State::default());
            done.map(|()| packed).map_err(|e| failed(&e))
        };
        let frame = |text: &[u8]| if text.is_empty() { Ok(Vec::new()) } else { pack(text) };
        let names = data.collections();
        let mut prepared = BTreeMap::new();
        for &at in collections {
            let name = names[at];
            let relation = match form.format {
                Format::Csv => Some(Relation::new(name, data.flat(), &shape(data, at))?),
                _ => None,
            };
            let (tables, heads) = match &relation {
                Some(relation) => {
                    let heads = relation.tables.iter().map(|t| frame(t.header().as_bytes()));
                    let names = relation.tables.iter().map(|t| t.name.clone()).collect();
                    (names, heads.collect::<Result<_>>()?)
                }
                None if form.format == Format::Json => {
                    (vec![name.to_owned()], vec![frame(b"[\n")?])
                }
                None => (vec![name.to_owned()], vec![Vec::new()]),
            };
            let step = (chunk / average_bytes(data, at)).max(1);
            prepared.insert(at, Prepared { tables, step, heads, relation });
        }
        let json = form.format == Format::Json;
        let between = frame(if json { b",\n" } else { b"" })?;
        let end = frame(if json { b"\n]\n" } else { b"" })?;
        let nothing = pack(b"")?;
        Ok(Text { data, format: form.format, packer, collections: prepared, between, end, nothing })
    }

    fn of(&self, at: usize) -> &Prepared {
        &self.collections[&at]
    }
}

fn failed(e: &io::Error) -> Error {
    let message = format!("compress: {e}; choose another --compress or --level");
    Error::new(ErrorKind::Environment, message)
}

/// The text of documents, for each table.
#[derive(Default)]
pub(crate) struct TextChunk {
    /// Documents as JSON.
    documents: Buffer,
    /// For CSV the rows; for both the compressed text.
    tables: Vec<TableText>,
    state: State,
}

#[derive(Default)]
struct TableText {
    rows: Vec<u8>,
    count: u64,
    packed: Vec<u8>,
}

/// A text file that is being written.
pub(crate) struct TextFile {
    sink: Sink,
    /// Whether it has no document yet.
    empty: bool,
}

impl Text<'_> {
    fn bytes<'c>(&self, chunk: &'c TextChunk, table: usize) -> &'c [u8] {
        let TableText { rows, packed, .. } = &chunk.tables[table];
        match (self.packer.packs(), self.format) {
            (true, _) => packed,
            (false, Format::Csv) => rows,
            (false, _) => &chunk.documents,
        }
    }

    /// The documents of a chunk as one byte slice. Only where a collection is one table.
    pub(crate) fn run<'c>(&self, chunk: &'c TextChunk) -> &'c [u8] {
        self.bytes(chunk, 0)
    }
}

impl Encoder for Text<'_> {
    type Chunk = TextChunk;
    type File = TextFile;

    fn tables(&self, at: usize) -> &[String] {
        &self.of(at).tables
    }

    fn step(&self, at: usize) -> u64 {
        self.of(at).step
    }

    fn fill(&self, at: usize, range: Range<u64>, chunk: &mut TextChunk) -> Result<()> {
        let prepared = self.of(at);
        let TextChunk { documents, tables, state } = chunk;
        documents.clear();
        tables.resize_with(prepared.tables.len(), TableText::default);
        match (&prepared.relation, self.format) {
            (Some(relation), _) => {
                tables.iter_mut().for_each(|t| t.rows.clear());
                let mut csv = relation.writer(tables.iter_mut().map(|t| &mut t.rows).collect());
                for index in range {
                    csv.begin_document();
                    self.data.write(at, index, AnyWriter::Csv(&mut csv));
                    csv.end_row();
                }
                let counts = csv.rows;
                tables.iter_mut().zip(counts).for_each(|(t, count)| t.count = count);
            }
            (None, Format::Json) => {
                self.data.append_range(at, range, b",\n", documents);
                documents.truncate(documents.len().saturating_sub(2));
            }
            (None, _) => self.data.append_range(at, range, b"\n", documents),
        }
        if self.packer.packs() {
            for TableText { rows, packed, .. } in tables.iter_mut() {
                packed.clear();
                let raw: &[u8] = if self.format == Format::Csv { rows } else { documents };
                if !raw.is_empty() {
                    self.packer.pack(raw, packed, state).map_err(|e| failed(&e))?;
                }
            }
        }
        Ok(())
    }

    fn size(&self, file: &TextFile) -> u64 {
        file.sink.bytes()
    }

    fn size_with(&self, file: &TextFile, chunk: &TextChunk, table: usize) -> u64 {
        let frames = self.between.len() + self.end.len();
        file.sink.bytes() + (self.bytes(chunk, table).len() + frames) as u64
    }

    fn rows(&self, chunk: &TextChunk, table: usize) -> Option<u64> {
        (self.format == Format::Csv).then(|| chunk.tables[table].count)
    }

    fn open(&self, at: usize, table: usize, mut sink: Sink) -> io::Result<TextFile> {
        sink.write_all(&self.of(at).heads[table])?;
        Ok(TextFile { sink, empty: true })
    }

    fn append(&self, file: &mut TextFile, table: usize, chunk: &mut TextChunk) -> io::Result<()> {
        let bytes = self.bytes(chunk, table);
        if bytes.is_empty() {
            return Ok(());
        }
        if !file.empty {
            file.sink.write_all(&self.between)?;
        }
        file.empty = false;
        file.sink.write_all(bytes)
    }

    fn close(&self, mut file: TextFile) -> io::Result<Sink> {
        // "[\n" followed by "\n]\n" is also an empty array.
        file.sink.write_all(&self.end)?;
        if file.sink.bytes() == 0 {
            file.sink.write_all(&self.nothing)?;
        }
        Ok(file.sink)
    }
}
