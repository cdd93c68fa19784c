//! `hoap gen`: a benchmark's documents as files or on standard output.

use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use hoap_data::{Collection, DataSet};
use hoap_workload::load::Part;
use serde_json::json;

use super::{Context, megabytes};
use crate::args::Gen;
use crate::console::Bar;
use crate::failure::Failure;

/// Bytes that are generated before they are written. The buffer is reused, so memory is the same for
/// every size of the data.
const BUFFER: usize = 1 << 20;

/// Writes the documents.
pub fn generate(context: &Context, args: &Gen) -> Result<(), Failure> {
    let data = args.data.data_set(args.benchmark.schema())?;
    let collections = match args.collections.as_slice() {
        [] => Collection::ALL.to_vec(),
        chosen => chosen.to_vec(),
    };
    match &args.out {
        Some(dir) => to_files(context, args, &data, &collections, dir),
        None => to_stdout(context, &data, &collections, args.part.0),
    }
}

/// All collections one after the other; a part is a part of the whole stream, so that the parts one
/// after the other are the stream.
fn to_stdout(
    context: &Context,
    data: &DataSet,
    collections: &[Collection],
    part: Part,
) -> Result<(), Failure> {
    let ranges = stream_part(data, collections, part);
    let mut out = Output { file: io::stdout().lock(), written: 0 };
    let failed = |e: io::Error| failure(Path::new("standard output"), e);
    for (collection, range) in ranges {
        match out.documents(context, data, collection, range, &mut |_, _| ()) {
            // Whoever reads has enough, `head` for example.
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            other => other.map_err(failed)?,
        }
    }
    out.file.flush().or_else(|e| match e.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(failed(e)),
    })
}

/// The part of the concatenated collections, as ranges of each.
fn stream_part(
    data: &DataSet,
    collections: &[Collection],
    part: Part,
) -> Vec<(Collection, Range<u64>)> {
    let all: u128 = collections.iter().map(|&c| u128::from(data.count(c))).sum();
    let cut = |i: u64| (all * u128::from(i) / u128::from(part.of)) as u64;
    let (from, to) = (cut(part.part - 1), cut(part.part));
    let mut start = 0;
    let mut ranges = Vec::new();
    for &c in collections {
        let end = start + data.count(c);
        let range = from.clamp(start, end) - start..to.clamp(start, end) - start;
        ranges.push((c, range));
        start = end;
    }
    ranges
}

fn to_files(
    context: &Context,
    args: &Gen,
    data: &DataSet,
    collections: &[Collection],
    dir: &Path,
) -> Result<(), Failure> {
    let part = args.part.0;
    let path = |c: Collection| match part.of {
        1 => dir.join(format!("{}.ndjson", c.name())),
        _ => dir.join(format!("{}.{}.ndjson", c.name(), part.part)),
    };
    fs::create_dir_all(dir).map_err(|e| failure(dir, e))?;
    if let Some(there) = collections.iter().map(|&c| path(c)).find(|p| p.exists())
        && !args.replace
    {
        return Err(Failure::usage(format!(
            "write {}: it exists already; choose another folder or overwrite with --replace",
            there.display()
        )));
    }

    let started = Instant::now();
    let all = collections.iter().map(|&c| data.part(c, part.part, part.of));
    let all: u64 = all.map(|r| r.end - r.start).sum();
    let mut bar = context.console.bar("gen", all);
    let mut files = Vec::new();
    let (mut documents, mut bytes) = (0, 0);
    for &c in collections {
        let range = data.part(c, part.part, part.of);
        let length = range.end - range.start;
        let path = path(c);
        let written = write_file(context, data, c, range, &path, &mut |d, b| {
            tell(&mut bar, documents + d, bytes + b, started);
        })
        .map_err(|e| failure(&path, e))?;
        documents += length;
        bytes += written;
        let path = path.display().to_string();
        files.push(json!({ "file": path, "documents": length, "bytes": written }));
    }
    drop(bar);
    let seconds = started.elapsed().as_secs_f64();
    let result = json!({
        "documents": documents, "bytes": bytes, "seconds": seconds, "files": files,
    });
    context.result(&result, || {
        let rate = bytes as f64 / 1e6 / seconds;
        let (size, dir) = (megabytes(bytes), dir.display());
        format!("{documents} documents, {size} in {seconds:.1} s ({rate:.0} MB/s) in {dir}")
    });
    Ok(())
}

/// Why a file is not written. Only [`Output::documents`] itself says that it was interrupted: a write
/// that a signal interrupts is tried again.
fn failure(path: &Path, e: io::Error) -> Failure {
    let path = path.display();
    match e.kind() {
        io::ErrorKind::Interrupted => {
            Failure::interrupted(format!("write {path}: interrupted; files before it are whole"))
        }
        _ => Failure::unavailable(format!(
            "write {path}: {e}; free or choose another disk and run again"
        )),
    }
}

fn tell(bar: &mut Bar, documents: u64, bytes: u64, started: Instant) {
    let rate = bytes as f64 / 1e6 / started.elapsed().as_secs_f64().max(1e-3);
    bar.set(documents, format!("{}, {rate:.0} MB/s", megabytes(bytes)));
}

/// Writes one file under a temporary name and renames it when it is whole, so that no half file looks
/// like a whole one. Returns its bytes.
fn write_file(
    context: &Context,
    data: &DataSet,
    collection: Collection,
    range: Range<u64>,
    path: &Path,
    tell: &mut dyn FnMut(u64, u64),
) -> io::Result<u64> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    let temporary = PathBuf::from(temporary);
    let write = || -> io::Result<u64> {
        let mut out = Output { file: File::create(&temporary)?, written: 0 };
        out.documents(context, data, collection, range, tell)?;
        fs::rename(&temporary, path)?;
        Ok(out.written)
    };
    write().inspect_err(|_| {
        // The error that matters is the one of the write.
        let _ = fs::remove_file(&temporary);
    })
}

struct Output<W> {
    file: W,
    written: u64,
}

impl<W: Write> Output<W> {
    /// Appends documents, a line each. `tell` hears how many documents and bytes are out.
    fn documents(
        &mut self,
        context: &Context,
        data: &DataSet,
        collection: Collection,
        range: Range<u64>,
        tell: &mut dyn FnMut(u64, u64),
    ) -> io::Result<()> {
        let start = range.start;
        let mut buffer = Vec::with_capacity(BUFFER + (64 << 10));
        for index in range.clone() {
            data.append(collection, index, &mut buffer);
            buffer.push(b'\n');
            if buffer.len() >= BUFFER || index + 1 == range.end {
                if context.stop.is_set() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                self.file.write_all(&buffer)?;
                self.written += buffer.len() as u64;
                buffer.clear();
                tell(index + 1 - start, self.written);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hoap_data::{Schema, Spec};

    #[test]
    fn parts_of_the_stream_are_the_stream() {
        let data = DataSet::new(Spec { scale_down: 100, ..Spec::new(Schema::Ch2, 1) }).unwrap();
        let collections = [Collection::Region, Collection::Customer, Collection::Nation];
        for of in [1, 2, 3, 7, 1000] {
            let mut next = [0; 3];
            for part in 1..=of {
                let ranges = stream_part(&data, &collections, Part { part, of });
                for (i, (_, range)) in ranges.into_iter().enumerate() {
                    if !range.is_empty() {
                        assert_eq!(range.start, next[i]);
                        assert!(i == 2 || next[i + 1] == 0, "collections out of order");
                        next[i] = range.end;
                    }
                }
            }
            assert_eq!(next.to_vec(), collections.map(|c| data.count(c)).to_vec());
        }
    }
}
