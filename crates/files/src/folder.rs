//! A folder of files that one call writes: existing files, names, and the manifest.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use hoap_data::Part;

use crate::error::{Error, Result};
use crate::manifest::{
    FileEntry, Manifest, Parameters, manifest_path, part_suffix, unfinished_path,
};
use crate::sink::Sink;
use crate::valid::Known;

/// What to do where files exist already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Refuse.
    Refuse,
    /// Remove the files of an earlier call.
    Replace,
    /// Keep the complete files of an interrupted call and write the rest.
    Resume,
}

/// What is to be done about a file that no manifest lists as it is.
const FOREIGN: &str = "no manifest lists it as it is, so it stays; move it away, or choose another \
                       folder";

/// The folder, and the manifest of its complete files.
pub(crate) struct Folder {
    dir: PathBuf,
    part: Part,
    extension: String,
    split: bool,
    manifest: Manifest,
    /// Whether the earlier call was complete.
    whole: bool,
}

impl Folder {
    /// Checks that the files of `tables` may be written.
    ///
    /// # Errors
    /// Files that exist or have other parameters; a folder that cannot be created.
    pub(crate) fn begin(
        dir: &Path,
        parameters: Parameters,
        extension: String,
        tables: &[&str],
        (existing, known): (Existing, &Known<'_>),
    ) -> Result<Folder> {
        fs::create_dir_all(dir).map_err(|e| Error::write(dir, &e))?;
        let part = Part { part: parameters.part, of: parameters.of };
        let split = parameters.split.is_some();
        let mut folder = Folder {
            dir: dir.to_owned(),
            part,
            extension,
            split,
            manifest: Manifest::new(parameters),
            whole: false,
        };
        let (whole, unfinished) = (manifest_path(dir, part), unfinished_path(dir, part));
        match existing {
            Existing::Refuse => {
                let advice = "choose another folder, replace what hoap wrote with --replace, or go \
                              on with --resume";
                folder.refuse(tables, &BTreeSet::new(), advice)?;
            }
            Existing::Replace => {
                let mut listed = BTreeSet::new();
                for path in [&whole, &unfinished] {
                    // What cannot be read as one is no manifest of hoap's.
                    let Some(manifest) = Manifest::read(path, known).ok().flatten() else {
                        continue;
                    };
                    // A file of another size, or a link, is not what the manifest lists.
                    let is_whole = |entry: &&FileEntry| {
                        let same = |m: fs::Metadata| m.is_file() && m.len() == entry.bytes;
                        fs::symlink_metadata(dir.join(&entry.file)).is_ok_and(same)
                    };
                    listed.extend(manifest.files.iter().filter(is_whole).map(|f| f.file.clone()));
                    listed.insert(name(path));
                }
                folder.refuse(tables, &listed, FOREIGN)?;
                for name in &listed {
                    remove(&dir.join(name))?;
                }
            }
            Existing::Resume => {
                // The unfinished one is newer where both exist.
                if let Some(theirs) = Manifest::read(&unfinished, known)? {
                    folder.take_over(&unfinished, theirs)?;
                } else if let Some(theirs) = Manifest::read(&whole, known)? {
                    folder.take_over(&whole, theirs)?;
                    folder.whole = true;
                }
                let files = folder.manifest.files.iter().map(|f| f.file.clone());
                let is_ours =
                    |path: &&PathBuf| Manifest::read(path, known).is_ok_and(|m| m.is_some());
                let manifests = [&whole, &unfinished].into_iter().filter(is_ours).map(|p| name(p));
                folder.refuse(tables, &files.chain(manifests).collect(), FOREIGN)?;
            }
        }
        if !folder.whole {
            folder.manifest.write(&unfinished)?;
        }
        Ok(folder)
    }

    /// Refuses where a file that this call would write, or a manifest, exists and is not `known`.
    fn refuse(&self, tables: &[&str], known: &BTreeSet<String>, advice: &str) -> Result<()> {
        let Some(name) = self.first_of_ours(tables, known)? else { return Ok(()) };
        let path = self.dir.join(name);
        Err(Error::usage(format!("write {}: it exists already; {advice}", path.display())))
    }

    /// Takes over the files of an earlier call.
    fn take_over(&mut self, path: &Path, theirs: Manifest) -> Result<()> {
        if let Some(difference) = theirs.parameters.difference(&self.manifest.parameters) {
            return Err(Error::usage(format!(
                "resume {}: other files were begun there: {difference}; repeat the first call's \
                 flags, or replace them with --replace",
                path.display()
            )));
        }
        self.manifest.files = theirs.files;
        Ok(())
    }

    /// A file in the folder that this call would write, or a manifest, and that is not `known`.
    fn first_of_ours(&self, tables: &[&str], known: &BTreeSet<String>) -> Result<Option<String>> {
        let suffix = part_suffix(self.part);
        let mut names: BTreeSet<String> =
            tables.iter().map(|t| format!("{t}{suffix}.{}", self.extension)).collect();
        names.insert(name(&manifest_path(&self.dir, self.part)));
        names.insert(name(&unfinished_path(&self.dir, self.part)));
        let numbered = |name: &str| {
            self.split
                && tables.iter().any(|table| {
                    name.strip_prefix(&format!("{table}{suffix}."))
                        .and_then(|rest| rest.strip_suffix(&format!(".{}", self.extension)))
                        .is_some_and(|n| n.len() >= 4 && n.bytes().all(|b| b.is_ascii_digit()))
                })
        };
        let mut found = Vec::new();
        let read = |e: io::Error| Error::read(&self.dir, &e);
        for entry in fs::read_dir(&self.dir).map_err(read)? {
            let name = entry.map_err(read)?.file_name().to_string_lossy().into_owned();
            if (names.contains(&name) || numbered(&name)) && !known.contains(&name) {
                found.push(name);
            }
        }
        Ok(found.into_iter().min())
    }

    /// Keeps the complete files of an earlier call for the collection of this name, up to the first
    /// gap, and removes the others. Returns the number of existing files of each table and the
    /// remaining documents; nothing where all files exist.
    pub(crate) fn keep(
        &mut self,
        name: &str,
        tables: usize,
        range: &Range<u64>,
    ) -> Result<Option<(u64, Range<u64>)>> {
        let mine: Vec<FileEntry> =
            self.manifest.files.iter().filter(|f| f.collection == name).cloned().collect();
        let (mut next, mut number) = (range.start, 0);
        for group in mine.chunks(tables) {
            let there = |f: &FileEntry| {
                let bytes = fs::metadata(self.dir.join(&f.file)).map(|m| m.len());
                let same = f.first == next && f.documents == group[0].documents;
                same && bytes.is_ok_and(|bytes| bytes == f.bytes)
            };
            if group.len() < tables || !group.iter().all(there) {
                break;
            }
            next += group[0].documents;
            number += 1;
        }
        let keep = number as usize * tables;
        let mut seen = 0;
        self.manifest.files.retain(|f| {
            seen += usize::from(f.collection == name);
            f.collection != name || seen <= keep
        });
        // The manifest no longer names them.
        for file in mine.iter().skip(keep) {
            remove(&self.dir.join(&file.file))?;
        }
        let all = number > 0 && next == range.end;
        Ok((!all).then_some((number, next..range.end)))
    }

    /// The complete files.
    pub(crate) fn files(&self) -> &[FileEntry] {
        &self.manifest.files
    }

    /// Creates the file of a table, the `number`-th from 1 where files are split.
    pub(crate) fn create(&self, table: &str, number: u64) -> Result<Sink> {
        let suffix = part_suffix(self.part);
        let number = if self.split { format!(".{number:04}") } else { String::new() };
        let path = self.dir.join(format!("{table}{suffix}{number}.{}", self.extension));
        Sink::create(&path).map_err(|e| Error::write(&path, &e))
    }

    /// Adds complete files to the manifest.
    pub(crate) fn note(&mut self, files: impl IntoIterator<Item = FileEntry>) -> Result<()> {
        self.manifest.files.extend(files);
        self.manifest.write(&unfinished_path(&self.dir, self.part))
    }

    /// Writes the manifest of the complete folder.
    pub(crate) fn finish(mut self) -> Result<Manifest> {
        let order = &self.manifest.parameters.collections;
        let place = |f: &FileEntry| order.iter().position(|c| *c == f.collection);
        // A resumed call adds the missing files after the existing ones.
        self.manifest.files.sort_by_key(|f| (place(f), f.first));
        self.manifest.write(&manifest_path(&self.dir, self.part))?;
        remove(&unfinished_path(&self.dir, self.part))?;
        Ok(self.manifest)
    }
}

/// The name of a file.
fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(Error::write(path, &e)),
        _ => Ok(()),
    }
}
