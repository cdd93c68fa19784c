//! Writing a bundle: the same folders give the same bytes.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use hoap_record::output::Kind;
use hoap_record::{Error, ErrorKind, Result, input};
use sha2::{Digest, Sha256};

use crate::manifest::{
    BundledRun, FORMAT, Fact, MANIFEST, MOST_ALL, MOST_FILE, MOST_FILES, Manifest, Program,
};

/// A frame that decompressors skip: what a bundle begins with, so that it is known from other files.
pub(crate) const BEGIN: &[u8] = b"P*M\x18\x0e\0\0\0hoap bundle 1\n";

/// A bundle, among the files that may be replaced by one.
pub const KIND: Kind = Kind { name: "a bundle", begins: |head| head.as_bytes().starts_with(BEGIN) };

/// What a file of a bundle holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// What this file holds.
    File(PathBuf),
    /// These bytes.
    Bytes(Vec<u8>),
}

impl Content {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(match self {
            Content::File(path) => Box::new(input::open(path)?),
            Content::Bytes(bytes) => Box::new(bytes.as_slice()),
        })
    }

    fn failed(&self, e: impl std::fmt::Display) -> Error {
        let tried = match self {
            Content::File(path) => format!("bundle {}", path.display()),
            Content::Bytes(_) => "bundle a text".to_owned(),
        };
        Error::new(ErrorKind::Invalid, tried, e)
    }
}

/// What goes into a bundle.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The program that makes it.
    pub program: Program,
    /// The run folders.
    pub runs: Vec<BundledRun>,
    /// [`Manifest::reasons`].
    pub reasons: BTreeMap<String, String>,
    /// Every file by its name in the bundle.
    pub files: BTreeMap<String, Content>,
}

/// Writes a bundle and gives its SHA-256.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where a file cannot be read, changes while it is read or is too
/// long, and [`ErrorKind::Unavailable`] where the bundle cannot be written.
pub fn write(out: impl Write, parts: &Parts) -> Result<String> {
    let mut files = BTreeMap::new();
    for (name, content) in &parts.files {
        let fact = content.open().and_then(|mut file| fact(&mut file, &mut io::sink()));
        files.insert(name.clone(), fact.map_err(|e| content.failed(e))?);
    }
    let refuse = |what: String| Error::new(ErrorKind::Invalid, "make a bundle", what);
    let all: u64 = files.values().map(|fact| fact.bytes).sum();
    if let Some((name, fact)) = files.iter().find(|(_, fact)| fact.bytes > MOST_FILE) {
        let bytes = fact.bytes;
        return Err(refuse(format!("{name} has {bytes} bytes, more than {MOST_FILE}")));
    }
    if files.len() > MOST_FILES || all > MOST_ALL {
        let what = format!("{} files of {all} bytes are too many", files.len());
        return Err(refuse(what).advise(format!("at most {MOST_FILES} of {MOST_ALL} bytes")));
    }
    let Parts { program, runs, reasons, .. } = parts.clone();
    let manifest = Manifest { format: FORMAT, program, runs, reasons, files };
    let mut text = serde_json::to_vec_pretty(&manifest).expect("a manifest is JSON");
    text.push(b'\n');
    let failed = |e: io::Error| Error::new(ErrorKind::Unavailable, "write the bundle", e);
    let mut digest = Digesting { to: out, digest: Sha256::new() };
    digest.write_all(BEGIN).map_err(failed)?;
    let mut zstd = zstd::Encoder::new(&mut digest, 9).map_err(failed)?;
    zstd.include_checksum(true).map_err(failed)?;
    let mut tar = tar::Builder::new(zstd);
    let add = |tar: &mut tar::Builder<_>, name: &str, bytes, file: &mut dyn Read| {
        tar.append_data(&mut header(bytes), name, file)
    };
    add(&mut tar, MANIFEST, text.len() as u64, &mut text.as_slice()).map_err(failed)?;
    for (name, content) in &parts.files {
        let told = &manifest.files[name];
        let file = content.open().map_err(|e| content.failed(e))?;
        let mut seen = Digesting { to: file, digest: Sha256::new() };
        let mut some = (&mut seen).take(told.bytes);
        add(&mut tar, name, told.bytes, &mut some).map_err(failed)?;
        if hex(&seen.digest.finalize()) != told.sha256 {
            return Err(content.failed("it changed while it was read"));
        }
    }
    tar.into_inner().and_then(zstd::Encoder::finish).map_err(failed)?;
    digest.to.flush().map_err(failed)?;
    Ok(hex(&digest.digest.finalize()))
}

/// SHA-256 of a file.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where it cannot be read.
pub fn sha256(path: &Path) -> Result<String> {
    let content = Content::File(path.to_owned());
    let fact = content.open().and_then(|mut file| fact(&mut file, &mut io::sink()));
    Ok(fact.map_err(|e| content.failed(e))?.sha256)
}

/// Copies a file, with what is known of it then.
pub(crate) fn fact(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<Fact> {
    let mut digest = Digesting { to, digest: Sha256::new() };
    let bytes = io::copy(from, &mut digest)?;
    Ok(Fact { bytes, sha256: hex(&digest.digest.finalize()) })
}

/// Everything that could differ from machine to machine is left out.
fn header(bytes: u64) -> tar::Header {
    let mut header = tar::Header::new_ustar();
    header.set_size(bytes);
    header.set_mode(0o644);
    header.set_mtime(0);
    header.set_entry_type(tar::EntryType::Regular);
    header
}

/// Writes or reads, and digests what goes through.
struct Digesting<T> {
    to: T,
    digest: Sha256,
}

impl<T: Write> Write for Digesting<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.digest.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl<T: Read> Read for Digesting<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.to.read(bytes)?;
        self.digest.update(&bytes[..read]);
        Ok(read)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
