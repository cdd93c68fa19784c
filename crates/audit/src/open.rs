//! Reading a bundle that nobody vouches for: nothing is written to a disk, and what exceeds a
//! limit is refused before it costs memory or time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use hoap_record::{Error, ErrorKind, Execution, MachineRow, Result, Run, input, names};

use crate::finding::Findings;
use crate::log::{self, Log};
use crate::manifest::{
    FORMAT, MANIFEST, MOST_ALL, MOST_FILE, MOST_FILES, MOST_MANIFEST, Manifest, is_name,
};
use crate::pack;
use crate::rows::{self, Samples};

/// Memory that the decompressor may take, as a power of two: what `hoap bundle` writes needs 8 MiB.
const WINDOW: u32 = 26;
/// The most bytes of `run.json`.
const MOST_RUN: u64 = 32 << 20;
/// The most bytes of a file that is held in memory while numbers are made of it.
const MOST_READ: u64 = 256 << 20;
/// The most bytes of all answers that are held; of more the first are.
const MOST_ANSWERS: u64 = 128 << 20;
/// The most lines of logs and rows, and values of `run.json`, of all folders together: each takes some 300 bytes.
const MOST_HELD: usize = 2_000_000;

/// A bundle, read.
#[derive(Debug)]
pub struct Bundle {
    /// What it says of itself.
    pub manifest: Manifest,
    /// Its run folders.
    pub folders: Vec<Folder>,
    /// What is wrong with its files.
    pub findings: Findings,
    /// How many bytes of answers are still held.
    answers_left: u64,
    /// Lines and values that its folders hold.
    held: usize,
}

/// A run folder, as far as numbers are made of it.
#[derive(Debug, Default)]
pub struct Folder {
    /// Where it is in the bundle.
    pub at: String,
    /// What it was called.
    pub name: String,
    /// `run.json`, if it reads.
    pub run: Option<Run>,
    /// Whether it counts answers without a row, as every run does since these are counted.
    pub counts_empty: bool,
    /// `samples.csv`.
    pub samples: Samples,
    /// `queries.csv`.
    pub executions: Vec<Execution>,
    /// `machine.csv`.
    pub machine: Option<Vec<MachineRow>>,
    /// The logs by the number of their step.
    pub logs: BTreeMap<usize, Log>,
    /// Answers that it kept, by the name of their file: "answers/q01.json".
    pub answers: BTreeMap<String, Vec<u8>>,
}

/// Reads a bundle.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where it is no bundle, is cut off, or exceeds a limit.
pub fn open(file: impl Read) -> Result<Bundle> {
    let mut bundle: Option<Bundle> = None;
    let seen = each(file, &mut |name, entry| match &mut bundle {
        None => {
            bundle = Some(begun(entry)?);
            Ok(())
        }
        Some(bundle) => bundle.take(entry, name),
    })?;
    let mut bundle = bundle.expect("the manifest is there");
    for missing in bundle.manifest.files.keys().filter(|name| !seen.contains(*name)) {
        bundle.findings.void(missing, "the manifest lists it, and it is not there");
    }
    for folder in bundle.folders.iter().filter(|folder| folder.run.is_none()) {
        bundle.findings.void(&folder.at, "it has no run.json that reads");
    }
    Ok(bundle)
}

/// Writes the files of a bundle whose names are `wanted` below a folder, which has none of them.
///
/// # Errors
/// Those of [`open`]; [`ErrorKind::Invalid`] where a file is not what the manifest lists, and
/// [`ErrorKind::Unavailable`] where it cannot be written.
pub fn unpack(file: impl Read, to: &Path, wanted: impl Fn(&str) -> bool) -> Result<Manifest> {
    let mut manifest: Option<Manifest> = None;
    each(file, &mut |name, entry| match &manifest {
        None => {
            manifest = Some(begun(entry)?.manifest);
            Ok(())
        }
        Some(_) if !wanted(name) => Ok(()),
        Some(manifest) => {
            let path = to.join(name);
            let written = fs::create_dir_all(path.parent().unwrap_or(to))
                .and_then(|()| pack::fact(entry, &mut File::create_new(&path)?));
            let tried = || format!("unpack {}", path.display());
            let fact = written.map_err(|e| Error::new(ErrorKind::Unavailable, tried(), e))?;
            match manifest.files.get(name) {
                Some(told) if *told == fact => Ok(()),
                _ => Err(refused(format!("{name} is not what the manifest lists"))),
            }
        }
    })?;
    Ok(manifest.expect("the manifest is there"))
}

/// What is done with a file of a bundle, by its name.
type Take<'a> = &'a mut dyn FnMut(&str, &mut dyn Read) -> Result<()>;

/// Hands over each file, the manifest first; their names.
fn each(mut file: impl Read, take: Take<'_>) -> Result<BTreeSet<String>> {
    let refuse = |e: io::Error| refused(e.to_string());
    let mut begin = Vec::new();
    file.by_ref().take(pack::BEGIN.len() as u64).read_to_end(&mut begin).map_err(refuse)?;
    if begin != pack::BEGIN {
        return Err(refused("it does not begin as a bundle does".into()));
    }
    let mut zstd = zstd::Decoder::new(file).map_err(refuse)?;
    zstd.window_log_max(WINDOW).map_err(refuse)?;
    let mut zstd = zstd.take(MOST_ALL);
    let mut tar = tar::Archive::new(&mut zstd);
    let mut seen = BTreeSet::new();
    // Raw: an entry that renames, links or thins out another one is refused as what it is.
    for entry in tar.entries().map_err(refuse)?.raw(true) {
        let mut entry = entry.map_err(refuse)?;
        let name = name_of(&entry)?;
        let length = entry.header().entry_size().map_err(refuse)?;
        let most = match name.rsplit('/').next().unwrap_or_default() {
            MANIFEST => MOST_MANIFEST,
            "run.json" => MOST_RUN,
            file if Folder::reads(file) || name.contains("/answers/") => MOST_READ,
            _ => MOST_FILE,
        };
        if length > most {
            return Err(refused(format!("{name} has {length} bytes, more than {most}")));
        }
        if seen.is_empty() && name != MANIFEST {
            return Err(refused(format!("it begins with {name}, not {MANIFEST}")));
        }
        if !seen.insert(name.clone()) {
            return Err(refused(format!("{name} is there twice")));
        }
        take(&name, &mut entry)?;
    }
    // The end of the archive is zeros up to the end of the file, and the file has a checksum.
    let rest = io::copy(&mut zstd, &mut Zeros).map_err(refuse)?;
    if zstd.limit() == 0 {
        return Err(refused(format!(
            "it holds more than {MOST_ALL} bytes (after {rest} of its end)"
        )));
    }
    if seen.is_empty() { Err(refused("it is empty".into())) } else { Ok(seen) }
}

/// Takes nothing but zeros.
struct Zeros;

impl io::Write for Zeros {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match bytes.iter().all(|byte| *byte == 0) {
            true => Ok(bytes.len()),
            false => Err(io::Error::other("something stands behind its end")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn refused(what: String) -> Error {
    Error::new(ErrorKind::Invalid, "read the bundle", what)
        .advise("audit a whole file that `hoap bundle` wrote")
}

/// The name of an entry, which must be that of a plain file.
fn name_of(entry: &tar::Entry<impl Read>) -> Result<String> {
    let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
    if entry.header().entry_type() != tar::EntryType::Regular {
        return Err(refused(format!("{name:?} is no plain file")));
    }
    match is_name(&name) {
        true => Ok(name),
        false => Err(refused(format!("{name:?} is no name of a file of a bundle"))),
    }
}

fn begun(entry: &mut dyn Read) -> Result<Bundle> {
    let wrong = |what: String| refused(format!("{MANIFEST}: {what}"));
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes).map_err(|e| wrong(e.to_string()))?;
    input::record(&bytes, input::MOST_VALUES).map_err(wrong)?;
    let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|e| wrong(e.to_string()))?;
    if manifest.format != FORMAT {
        let format = manifest.format;
        return Err(wrong(format!("its format is {format}; this program reads {FORMAT}")));
    }
    if manifest.files.len().max(manifest.runs.len()) > MOST_FILES {
        return Err(wrong(format!("it lists more than {MOST_FILES} files or runs")));
    }
    let folder = |of: &crate::manifest::BundledRun| Folder {
        at: of.at.clone(),
        name: of.name.clone(),
        ..Folder::default()
    };
    let folders: Vec<Folder> = manifest.runs.iter().map(folder).collect();
    if folders.is_empty() {
        return Err(wrong("it lists no run".into()));
    }
    if let Some(run) = manifest.runs.iter().find(|run| !is_name(&run.at)) {
        return Err(wrong(format!("{:?} is no place of a run", run.at)));
    }
    let mut findings = Findings::default();
    for run in &manifest.runs {
        let first =
            |at: &String| manifest.runs.iter().any(|of| of.at == *at && of.repeats.is_none());
        let Some(repeats) = &run.repeats else { continue };
        if repeats.of.is_empty() || !repeats.of.iter().all(first) {
            findings.void(&run.at, "it repeats what is no run of the bundle");
        }
    }
    Ok(Bundle { manifest, folders, findings, answers_left: MOST_ANSWERS, held: 0 })
}

impl Bundle {
    /// Takes a file: its digest, and what numbers are made of.
    fn take(&mut self, entry: &mut dyn Read, name: &str) -> Result<()> {
        let within =
            |folder: &Folder| name.strip_prefix(&folder.at)?.strip_prefix('/').map(str::to_owned);
        let of = self.folders.iter_mut().find_map(|folder| Some((within(folder)?, folder)));
        let told = self.manifest.files.get(name).map_or(u64::MAX, |fact| fact.bytes);
        let fits = told <= self.answers_left;
        let wanted =
            of.as_ref().is_some_and(|(file, _)| Folder::reads(file) || is_answer(file) && fits);
        let mut bytes = Vec::new();
        let fact = match wanted {
            true => pack::fact(entry, &mut bytes),
            false => pack::fact(entry, &mut io::sink()),
        };
        let fact = fact.map_err(|e| refused(format!("{name}: {e}")))?;
        match self.manifest.files.get(name) {
            None => self.findings.void(name, "the manifest does not list it"),
            Some(told) if *told != fact => {
                let what = format!("its SHA-256 is {}, not {}", fact.sha256, told.sha256);
                self.findings.void(name, what);
            }
            Some(_) => {}
        }
        match of {
            Some((file, folder)) if wanted => {
                self.held += weight(&file, &bytes);
                if self.held > MOST_HELD {
                    return Err(refused(format!(
                        "with {name} there are more than {MOST_HELD} lines of logs and rows and values of run.json"
                    )));
                }
                if is_answer(&file) {
                    self.answers_left -= told;
                }
                if let Err(what) = folder.take(&file, &bytes) {
                    self.findings.void(name, what);
                }
            }
            Some((file, _)) if !names::is_ours(file.as_ref()) => {
                self.findings.void(name, "no run folder has a file of this name");
            }
            _ => {}
        }
        Ok(())
    }
}

impl Folder {
    /// Whether numbers are made of a file of this name.
    fn reads(file: &str) -> bool {
        ["run.json", "samples.csv", "queries.csv", "machine.csv"].contains(&file)
            || step_of(file).is_some()
    }

    /// Takes a file that numbers are made of.
    pub(crate) fn take(&mut self, file: &str, bytes: &[u8]) -> std::result::Result<(), String> {
        match file {
            "run.json" => {
                input::record(bytes, input::MOST_VALUES)?;
                let run: Run = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
                let value: serde_json::Value =
                    serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
                ["steps", "checks", "search"]
                    .iter()
                    .try_for_each(|part| value.get(part).map_or(Ok(()), rows::counts))?;
                if run.format != hoap_record::FORMAT {
                    return Err(format!("its format is {}", run.format));
                }
                self.counts_empty = bytes.windows(8).any(|word| word == b"\"empty\":");
                self.run = Some(run);
            }
            "samples.csv" => self.samples = rows::samples(bytes)?,
            "queries.csv" => self.executions = rows::executions(bytes)?,
            "machine.csv" => self.machine = Some(rows::machine(bytes)?),
            file if is_answer(file) => {
                self.answers.insert(file.to_owned(), bytes.to_vec());
            }
            _ => {
                let text = std::str::from_utf8(bytes).map_err(|e| e.to_string())?;
                let step = step_of(file).ok_or("no run folder has a file of this name")?;
                self.logs.insert(step, log::read(text)?);
            }
        }
        Ok(())
    }
}

/// Whether it is an answer that a run kept.
fn is_answer(file: &str) -> bool {
    file.starts_with("answers/")
}

/// Lines of a log or of rows, or values of `run.json`, before they are made.
fn weight(file: &str, bytes: &[u8]) -> usize {
    let begins = |byte: &&u8| match file {
        "run.json" => matches!(byte, b',' | b'[' | b'{'),
        _ => **byte == b'\n',
    };
    bytes.iter().filter(begins).count()
}

/// The number of the step whose log has this name.
fn step_of(file: &str) -> Option<usize> {
    let digits = file.strip_prefix("step-")?.strip_suffix(".hlog")?;
    let plain = (2..=4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}
