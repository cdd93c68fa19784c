//! Samples: files, folders of them and standard input, a document at a time.

mod csv;
mod extended;
mod json;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
mod source;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use hoap_record::output::STANDARD;
use hoap_workload::Result;
use serde_json::Value;

use source::{Each, Held, Source, Within};

/// Reads all documents of a file, of all files of a folder, or of standard input. Returns the names of
/// files whose last document is cut off, and left out.
///
/// # Errors
/// [`hoap_workload::ErrorKind::Invalid`] with file and line of what is no document, and those of `each`.
pub fn read(path: &Path, each: Each<'_>) -> Result<Vec<String>> {
    let held = Held::default();
    let mut plain = |mut document: Value| {
        held.whole();
        extended::plain(&mut document);
        each(document)
    };
    let mut cut = Vec::new();
    for path in files(path)? {
        let name = if path == Path::new(STANDARD) {
            "standard input".into()
        } else {
            path.display().to_string()
        };
        if one(&Source { name: &name }, (&path, &held), &mut plain)? {
            cut.push(name);
        }
    }
    Ok(cut)
}

/// The file, or those of the folder in the order of their names.
fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let name = path.display().to_string();
    let source = Source { name: &name };
    let entries = fs::read_dir(path).map_err(|e| source.unread(&e))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<io::Result<Vec<_>>>().map_err(|e| source.unread(&e))?;
    paths.retain(|path| path.is_file());
    paths.sort();
    Ok(paths)
}

/// Reads one file. Returns whether its last document is cut off.
fn one(source: &Source<'_>, (path, held): (&Path, &Held), each: Each<'_>) -> Result<bool> {
    let extension = path.extension().map(|of| of.to_string_lossy().to_lowercase());
    let extension = extension.unwrap_or_default();
    if extension == "parquet" {
        return columns(source, path, each).map(|()| false);
    }
    let from: Box<dyn Read> = match path == Path::new(STANDARD) {
        true => Box::new(io::stdin().lock()),
        false => Box::new(File::open(path).map_err(|e| source.unread(&e))?),
    };
    let mut from = BufReader::with_capacity(1 << 18, Within { from, held });
    let head = from.fill_buf().map_err(|e| source.unread(&e))?;
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return Err(source.wrong(1, "this is UTF-16: save it as UTF-8"));
    }
    if head.starts_with("\u{feff}".as_bytes()) {
        from.consume(3);
    }
    match extension.as_str() {
        "csv" | "tsv" => csv::read(source, from, extension == "tsv", each).map(|()| false),
        _ => json::read(source, from, each),
    }
}

#[cfg(feature = "parquet")]
fn columns(source: &Source<'_>, path: &Path, each: Each<'_>) -> Result<()> {
    parquet::read(source, path, each)
}

#[cfg(not(feature = "parquet"))]
fn columns(source: &Source<'_>, _: &Path, _: Each<'_>) -> Result<()> {
    Err(source
        .unread(&"this program was built without Parquet")
        .advise("build it with --features parquet"))
}
