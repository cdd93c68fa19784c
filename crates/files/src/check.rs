//! Checks files against their manifests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use hoap_data::words::counted;
use hoap_record::whole::is_temporary;
use twox_hash::XxHash3_128;

use crate::error::{Error, ErrorKind, Result};
use crate::generate::{FilesWatch, Progress};
use crate::manifest::{FileEntry, Manifest};
use crate::parallel::in_order;
use crate::sink::hexadecimal;

/// Bytes per read.
const READ: usize = 1 << 20;

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Files that manifests name.
    pub files: u64,
    /// Documents that they hold.
    pub documents: u64,
    /// Bytes read.
    pub bytes: u64,
    /// The problems found, a line each.
    pub problems: Vec<String>,
}

/// Reads the files of a folder and compares them with its manifests.
///
/// # Errors
/// A folder without a manifest or that cannot be read; the caller's stop. A file that differs from
/// its manifest is not an error but a problem in the result.
pub fn check(dir: &Path, threads: usize, watch: FilesWatch<'_>) -> Result<Checked> {
    let mut checked = Checked::default();
    let names = names(dir)?;
    let mut manifests = Vec::new();
    for name in &names {
        if is_manifest(name) && name.ends_with(".unfinished.json") {
            checked.problems.push(format!("{name}: not finished; go on with --resume"));
        } else if is_manifest(name) {
            match Manifest::read(&dir.join(name), watch.known) {
                Ok(manifest) => manifests.extend(manifest),
                Err(e) if e.kind == ErrorKind::Broken => checked.problems.push(e.to_string()),
                Err(e) => return Err(e),
            }
        }
    }
    if manifests.is_empty() && checked.problems.is_empty() {
        return Err(Error::usage(format!(
            "check {}: no manifest.json in it; name a folder that `hoap gen --out` wrote",
            dir.display()
        )));
    }
    checked.problems.extend(missing_parts(&manifests));
    let entries: Vec<&FileEntry> = manifests.iter().flat_map(|m| &m.files).collect();
    checked.problems.extend(strangers(&names, &manifests));
    let mut so_far = Progress { of: total(entries.iter().map(|f| f.bytes)), ..Progress::default() };
    let fill = |entry: &&FileEntry, problem: &mut Option<String>| {
        *problem = examine(dir, entry, watch.stop)?;
        Ok(())
    };
    in_order(threads, entries.into_iter(), fill, |entry, problem| {
        checked.problems.extend(problem.take());
        checked.files += 1;
        checked.bytes = checked.bytes.saturating_add(entry.bytes);
        so_far.documents = so_far.documents.saturating_add(entry.documents);
        so_far.bytes = checked.bytes;
        so_far.done = so_far.bytes;
        (watch.progress)(so_far);
        Ok(())
    })?;
    // A CSV table holds parts of documents that another table counts already.
    let documents: BTreeMap<_, _> = manifests
        .iter()
        .flat_map(|m| &m.files)
        .map(|f| ((&f.collection, f.first), f.documents))
        .collect();
    checked.documents = total(documents.into_values());
    Ok(checked)
}

/// The sum of numbers that any manifest may state.
fn total(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, u64::saturating_add)
}

fn is_manifest(name: &str) -> bool {
    name.starts_with("manifest.") && name.ends_with(".json")
}

fn names(dir: &Path) -> Result<BTreeSet<String>> {
    let read = |e: io::Error| match e.kind() {
        io::ErrorKind::NotFound => {
            let dir = dir.display();
            Error::usage(format!("check {dir}: {e}; name a folder that `hoap gen --out` wrote"))
        }
        _ => Error::read(dir, &e),
    };
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(dir).map_err(read)? {
        names.insert(entry.map_err(read)?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}

/// The missing or inconsistent parts, where a folder holds one of several parts.
fn missing_parts(manifests: &[Manifest]) -> Vec<String> {
    let Some(first) = manifests.first() else { return Vec::new() };
    let mut problems = Vec::new();
    let mut there = BTreeSet::new();
    for manifest in manifests {
        let part = manifest.parameters.part;
        there.insert(part);
        let same = crate::manifest::Parameters { part, ..first.parameters.clone() };
        if let Some(difference) = manifest.parameters.difference(&same) {
            problems.push(format!("part {part}: made from something else: {difference}"));
        }
    }
    let of = first.parameters.of;
    let missing: Vec<u64> = (1..=of).filter(|p| !there.contains(p)).take(10).collect();
    if let Some(part) = missing.first() {
        let count = of.saturating_sub(there.len() as u64);
        problems.push(format!("part {part} of {of} is missing ({count} missing in all)"));
    }
    problems
}

/// Files that a loader would read and that no manifest lists.
fn strangers(names: &BTreeSet<String>, manifests: &[Manifest]) -> Vec<String> {
    let known: BTreeSet<&str> =
        manifests.iter().flat_map(|m| &m.files).map(|f| f.file.as_str()).collect();
    let ending = |name: &str| name.split_once('.').map(|(_, rest)| rest.to_owned());
    let kind = |ending: String| {
        ending.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit()).to_owned()
    };
    let kinds: BTreeSet<String> = known.iter().filter_map(|n| ending(n)).map(kind).collect();
    let mut problems = Vec::new();
    for name in names.iter().filter(|n| !known.contains(n.as_str())) {
        if is_temporary(name) {
            problems.push(format!("{name}: left by an interrupted call; remove it"));
        } else if !is_manifest(name) && ending(name).is_some_and(|e| kinds.contains(&kind(e))) {
            problems.push(format!("{name}: in no manifest; move it away"));
        }
    }
    problems
}

/// Checks one file.
fn examine(
    dir: &Path,
    entry: &FileEntry,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Option<String>> {
    let FileEntry { file: name, bytes: expected, xxh3_128, .. } = entry;
    let path = dir.join(name);
    // Before it is opened: opening a pipe waits for a writer.
    let found = match fs::metadata(&path) {
        Ok(found) => found,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return Ok(Some(format!("{name}: missing; go on with --resume")));
        }
        Err(e) => return Err(Error::read(&path, &e)),
    };
    if !found.is_file() {
        return Ok(Some(format!("{name}: no regular file; remove it and go on with --resume")));
    }
    if found.len() != *expected {
        let bytes = counted(found.len(), "byte", "bytes");
        return Ok(Some(format!("{name}: {bytes}, not {expected}; go on with --resume")));
    }
    let file = File::open(&path).map_err(|e| Error::read(&path, &e))?;
    // Only what the manifest lists is read, also of a file that grows.
    let mut file = file.take(*expected);
    let mut buffer = vec![0; READ];
    let mut hash = XxHash3_128::new();
    loop {
        if stop() {
            let what = format!("check {}", dir.display());
            return Err(Error::interrupted(&what, "run again"));
        }
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => hash.write(&buffer[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => (),
            Err(e) => return Err(Error::read(&path, &e)),
        }
    }
    let same = hexadecimal(&hash) == *xxh3_128;
    let advice = "make it anew with --replace";
    Ok((!same).then(|| format!("{name}: other bytes than were written; {advice}")))
}
