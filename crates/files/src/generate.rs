//! Documents to files, and to a pipe.

use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use hoap_data::Part;

use crate::encoder::Encoder;
use crate::error::{Error, ErrorKind, Result};
use crate::folder::{Existing, Folder};
use crate::manifest::{FileEntry, Manifest, Parameters};
use crate::options::{Form, Format};
use crate::parallel::in_order;
use crate::probe::average_bytes;
use crate::sink::Sink;
use crate::source::FileSource;
use crate::text::Text;
use crate::valid::Known;

/// What to write.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The source of the documents.
    pub data: &'a dyn FileSource,
    /// Positions of the collections in [`FileSource::collections`], in the order in which they are
    /// written.
    pub collections: &'a [usize],
    /// The part of each collection; in a pipe, the part of all collections in sequence.
    pub part: Part,
    /// Format and options of the files.
    pub form: Form,
    /// Number of threads, at least one. It changes only the duration.
    pub threads: usize,
}

/// The progress of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Documents written.
    pub documents: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Work done and total work, in estimated bytes of NDJSON.
    pub done: u64,
    #[allow(missing_docs)]
    pub of: u64,
}

/// The result of a call.
#[derive(Clone, Debug)]
pub struct Written {
    /// Documents and bytes that this call wrote.
    pub documents: u64,
    #[allow(missing_docs)]
    pub bytes: u64,
    /// Files of an earlier call that were kept.
    pub kept: usize,
    /// All files.
    pub manifest: Manifest,
}

/// Progress reports and the request to stop.
pub struct FilesWatch<'a> {
    /// Returns whether to stop soon.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Called with the progress after each chunk.
    pub progress: &'a mut (dyn FnMut(Progress) + Send),
    /// Makes the data set of a manifest that is there.
    pub known: &'a Known<'a>,
}

/// Writes files to a folder, a file for each collection or table, and their manifest.
///
/// # Errors
/// Existing files, a file system that refuses, the caller's stop. Complete files stay, and the next
/// call can resume from them; incomplete files are removed.
pub fn to_files(
    request: &Request<'_>,
    dir: &Path,
    existing: Existing,
    watch: FilesWatch<'_>,
) -> Result<Written> {
    let Request { data, collections, form, .. } = *request;
    match form.format {
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            let encoder = crate::parquet::Parquet::new(data, collections, &form)?;
            files_of(&encoder, request, dir, existing, watch)
        }
        _ => files_of(&Text::new(data, collections, &form)?, request, dir, existing, watch),
    }
}

/// A range of documents that one thread encodes.
struct Job {
    /// Position in the list of work.
    work: usize,
    range: Range<u64>,
    last: bool,
}

/// The remaining work of a collection.
struct Work {
    /// The collection's position.
    at: usize,
    /// Number of existing files of each table.
    number: u64,
    range: Range<u64>,
    step: u64,
    /// Bytes of a document as JSON, on average.
    weight: u64,
}

impl Work {
    /// At least one job: an empty collection has its files, too.
    fn jobs(&self, work: usize) -> impl Iterator<Item = Job> + Send + use<> {
        let (Range { start, end }, step) = (self.range.clone(), self.step);
        (0..(end - start).div_ceil(step).max(1)).map(move |n| {
            let first = start + n * step;
            let next = first.saturating_add(step).min(end);
            Job { work, range: first..next, last: next == end }
        })
    }
}

fn all_jobs(work: &[Work]) -> impl Iterator<Item = Job> + Send {
    work.iter().enumerate().flat_map(|(place, w)| w.jobs(place))
}

/// Counts the written documents and bytes and reports them.
struct Tally<'a> {
    so_far: Progress,
    progress: &'a mut (dyn FnMut(Progress) + Send),
}

impl<'a> Tally<'a> {
    fn new(work: &[Work], progress: &'a mut (dyn FnMut(Progress) + Send)) -> Self {
        let bytes = |w: &Work| (w.range.end - w.range.start).saturating_mul(w.weight);
        let of = work.iter().map(bytes).fold(0, u64::saturating_add);
        Tally { so_far: Progress { of, ..Progress::default() }, progress }
    }

    fn add(&mut self, work: &Work, documents: u64, bytes: u64) {
        self.so_far.documents += documents;
        self.so_far.bytes = bytes;
        let done = documents.saturating_mul(work.weight);
        self.so_far.done = self.so_far.done.saturating_add(done);
        (self.progress)(self.so_far);
    }
}

fn files_of<E: Encoder>(
    encoder: &E,
    request: &Request<'_>,
    dir: &Path,
    existing: Existing,
    watch: FilesWatch<'_>,
) -> Result<Written> {
    let Request { data, collections, part, form, threads } = *request;
    let parameters = Parameters::of(data, collections, part, &form);
    let tables: Vec<&str> =
        collections.iter().flat_map(|&at| encoder.tables(at)).map(String::as_str).collect();
    let mut folder =
        Folder::begin(dir, parameters, form.extension(), &tables, (existing, watch.known))?;
    let mut work = Vec::new();
    for &at in collections {
        let range = part.range(0..data.count(at));
        let tables = encoder.tables(at);
        if let Some((number, range)) = folder.keep(&tables[0], tables.len(), &range)? {
            let step = encoder.step(at);
            let weight = average_bytes(data, at);
            work.push(Work { at, number, range, step, weight });
        }
    }
    let kept = folder.files().len();
    let mut files = Files {
        encoder,
        folder,
        split: form.split,
        tally: Tally::new(&work, watch.progress),
        closed: 0,
        open: Vec::new(),
        number: 0,
        first: 0,
    };
    let fill = |job: &Job, chunk: &mut E::Chunk| {
        if (watch.stop)() {
            let what = format!("write {}", dir.display());
            let advice = "files that are done are whole; go on with --resume";
            return Err(Error::interrupted(&what, advice));
        }
        encoder.fill(work[job.work].at, job.range.clone(), chunk)
    };
    in_order(threads, all_jobs(&work), fill, |job, chunk| files.take(&work, &job, chunk))?;
    let (documents, bytes) = (files.tally.so_far.documents, files.closed);
    Ok(Written { documents, bytes, kept, manifest: files.folder.finish()? })
}

/// The open files: one for each table of a collection, all with the same documents.
struct Files<'a, E: Encoder> {
    encoder: &'a E,
    folder: Folder,
    split: Option<u64>,
    tally: Tally<'a>,
    /// Bytes of complete files.
    closed: u64,
    open: Vec<Open<E::File>>,
    number: u64,
    /// Index of the first document in the open files.
    first: u64,
}

struct Open<F> {
    name: PathBuf,
    file: F,
    rows: Option<u64>,
}

impl<E: Encoder> Files<'_, E> {
    fn take(&mut self, work: &[Work], job: &Job, chunk: &mut E::Chunk) -> Result<()> {
        let of = &work[job.work];
        let Range { start, end } = job.range;
        if start == of.range.start {
            self.number = of.number;
            self.begin(of.at, start)?;
        } else if self.is_full(chunk) {
            self.end(of.at, start)?;
            self.begin(of.at, start)?;
        }
        for (table, open) in self.open.iter_mut().enumerate() {
            let appended = self.encoder.append(&mut open.file, table, chunk);
            appended.map_err(|e| Error::write(&open.name, &e))?;
            if let Some(rows) = self.encoder.rows(chunk, table) {
                *open.rows.get_or_insert(0) += rows;
            }
        }
        let open = self.open.iter().map(|o| self.encoder.size(&o.file)).sum::<u64>();
        self.tally.add(of, end - start, self.closed + open);
        if job.last { self.end(of.at, end) } else { Ok(()) }
    }

    /// Whether a chunk would make one of the files exceed the size limit.
    fn is_full(&self, chunk: &E::Chunk) -> bool {
        self.split.is_some_and(|most| {
            let mut open = self.open.iter().enumerate();
            open.any(|(table, o)| self.encoder.size_with(&o.file, chunk, table) > most)
        })
    }

    fn begin(&mut self, at: usize, first: u64) -> Result<()> {
        self.number += 1;
        self.first = first;
        for (table, name) in self.encoder.tables(at).iter().enumerate() {
            let sink = self.folder.create(name, self.number)?;
            let name = sink.path().to_owned();
            let file = self.encoder.open(at, table, sink);
            let file = file.map_err(|e| Error::write(&name, &e))?;
            self.open.push(Open { name, file, rows: None });
        }
        Ok(())
    }

    fn end(&mut self, at: usize, next: u64) -> Result<()> {
        let (mut entries, mut sinks) = (Vec::new(), Vec::new());
        for open in self.open.drain(..) {
            let sink = self.encoder.close(open.file).map_err(|e| Error::write(&open.name, &e))?;
            let (bytes, xxh3_128) = (sink.bytes(), sink.hash());
            self.closed += bytes;
            let file = open.name.file_name().unwrap_or_default().to_string_lossy().into_owned();
            entries.push(FileEntry {
                file,
                collection: self.encoder.tables(at)[0].clone(),
                first: self.first,
                documents: next - self.first,
                rows: open.rows,
                bytes,
                xxh3_128,
            });
            sinks.push((open.name, sink));
        }
        // Named before they are there: whoever kills this leaves no file that nobody knows.
        self.folder.note(entries)?;
        let put =
            |(name, sink): (PathBuf, Sink)| sink.commit().map_err(|e| Error::write(&name, &e));
        sinks.into_iter().try_for_each(put)
    }
}

/// Writes all collections in sequence to a pipe. A part is a part of this whole stream: the parts
/// in sequence are the stream. Returns the documents and bytes written.
///
/// # Errors
/// A format other than NDJSON; a reader that has closed the pipe ([`ErrorKind::Closed`]) or
/// refuses; the caller's stop.
pub fn to_pipe(
    request: &Request<'_>,
    out: &mut (dyn Write + Send),
    watch: FilesWatch<'_>,
) -> Result<(u64, u64)> {
    let Request { data, collections, part, form, threads } = *request;
    if form.format != Format::Ndjson || form.split.is_some() {
        let what = if form.split.is_some() { "split files" } else { "this format" };
        return Err(Error::usage(format!(
            "standard output takes ndjson in one piece: write {what} to a folder with --out"
        )));
    }
    let text = Text::new(data, collections, &form)?;
    let work: Vec<Work> = stream_part(data, collections, part)
        .into_iter()
        .filter(|(_, range)| !range.is_empty())
        .map(|(at, range)| {
            let weight = average_bytes(data, at);
            Work { at, number: 0, range, step: text.step(at), weight }
        })
        .collect();
    let mut tally = Tally::new(&work, watch.progress);
    let fill = |job: &Job, chunk: &mut _| {
        if (watch.stop)() {
            return Err(Error::interrupted("write standard output", "run again"));
        }
        text.fill(work[job.work].at, job.range.clone(), chunk)
    };
    in_order(threads, all_jobs(&work), fill, |job, chunk| {
        let bytes = text.run(chunk);
        out.write_all(bytes).map_err(|e| pipe_failed(&e))?;
        let so_far = tally.so_far.bytes + bytes.len() as u64;
        tally.add(&work[job.work], job.range.end - job.range.start, so_far);
        Ok(())
    })?;
    let Progress { documents, bytes, .. } = tally.so_far;
    out.flush().map_err(|e| pipe_failed(&e))?;
    Ok((documents, bytes))
}

fn pipe_failed(e: &io::Error) -> Error {
    let kind = match e.kind() {
        io::ErrorKind::BrokenPipe => ErrorKind::Closed,
        _ => ErrorKind::Environment,
    };
    Error::new(kind, format!("write standard output: {e}; choose where it goes and run again"))
}

/// The part of the concatenated collections, as ranges of each.
fn stream_part(
    data: &dyn FileSource,
    collections: &[usize],
    part: Part,
) -> Vec<(usize, Range<u64>)> {
    let all: u128 = collections.iter().map(|&at| u128::from(data.count(at))).sum();
    let cut = |i: u64| (all * u128::from(i) / u128::from(part.of)) as u64;
    let (from, to) = (cut(part.part - 1), cut(part.part));
    let mut start = 0;
    let mut ranges = Vec::new();
    for &at in collections {
        let end = start + data.count(at);
        let range = from.clamp(start, end) - start..to.clamp(start, end) - start;
        ranges.push((at, range));
        start = end;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use hoap_data::Buffer;
    use serde_json::{Map, Value};

    use super::*;
    use crate::flat::Flat;
    use crate::source::AnyWriter;

    /// Collections of which only the sizes are known.
    struct Counts([u64; 3]);

    impl FileSource for Counts {
        fn benchmark(&self) -> &'static str {
            "counts"
        }
        fn data_version(&self) -> u32 {
            1
        }
        fn parameters(&self) -> Map<String, Value> {
            Map::new()
        }
        fn collections(&self) -> Vec<&str> {
            vec!["a", "b", "c"]
        }
        fn count(&self, at: usize) -> u64 {
            self.0[at]
        }
        fn append_range(&self, _: usize, _: Range<u64>, _: &[u8], _: &mut Buffer) {}
        fn write(&self, _: usize, _: u64, _: AnyWriter<'_, '_>) {}
        fn flat(&self) -> &'static Flat {
            &Flat { qualified: false, spread: &[], tables: &[] }
        }
    }

    #[test]
    fn parts_of_the_stream_are_the_stream() {
        let data = Counts([25, 5, 300]);
        let positions = [1, 2, 0];
        for of in [1, 2, 3, 7, 1000] {
            let mut next = [0; 3];
            for part in 1..=of {
                let ranges = stream_part(&data, &positions, Part { part, of });
                for (i, (_, range)) in ranges.into_iter().enumerate() {
                    if !range.is_empty() {
                        assert_eq!(range.start, next[i]);
                        assert!(i == 2 || next[i + 1] == 0, "collections out of order");
                        next[i] = range.end;
                    }
                }
            }
            assert_eq!(next, positions.map(|at| data.count(at)));
        }
    }
}
