//! The workload file: TOML in, what it says out, with line and column in every error.

mod collection;
mod dist;
pub mod draw;
mod field;
mod keys;
pub mod model;
pub mod name;
pub mod operand;
pub mod operation;
mod pattern;
pub mod range;
pub mod step;
pub mod wrong;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

use hoap_record::{input, limits};
use hoap_workload::{Error, ErrorKind, Result};
use toml::de::DeTable;
use twox_hash::XxHash3_128;

use field::Reader;
use keys::{Keys, Read, Value};
use model::Collection;
use operation::{Operation, Query};
use wrong::Wrong;

/// The format of files that this program reads.
const FORMAT: i64 = 1;

/// The most collections, operations and queries of a file: a record has no more kinds of each.
const MOST: usize = limits::MOST_KINDS;

/// A workload file.
#[derive(Debug)]
pub struct File {
    /// Its name without folder and extension.
    pub name: String,
    /// A line for people.
    pub about: Option<String>,
    /// The seed of all data.
    pub seed: u64,
    /// A digest of what decides the data, at scale 1.
    pub digest: String,
    /// A digest of the operations.
    pub actions: String,
    /// A digest of the queries, with their texts.
    pub questions: String,
    /// The collections, in the order of the file.
    pub collections: Vec<Collection>,
    /// The operations, in the order of the file.
    pub operations: Vec<Operation>,
    /// The queries.
    pub queries: Vec<Query>,
}

/// A workload file that was read, and its text, for errors that are found later.
#[derive(Debug)]
pub struct Text {
    /// The path that the user typed.
    pub path: String,
    /// The text.
    pub text: String,
}

impl Text {
    /// Reads a file.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`], with the path, if it cannot be read.
    pub fn open(path: &Path) -> Result<Text> {
        let name = path.display().to_string();
        let text = input::text(path).map_err(|e| {
            Error::new(ErrorKind::Invalid, format!("read the workload file {name}"), e)
                .advise("`hoap init own` prints an example")
        })?;
        Ok(Text { path: name, text })
    }

    /// What the file says.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`], with line and column of what is wrong first.
    pub fn read(&self) -> Result<File> {
        let path = Path::new(&self.path);
        let folder = path.parent().unwrap_or(Path::new(""));
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let files = RefCell::default();
        self.at(read(&self.text, &name, Reader { folder, files: &files }))
    }

    /// An error of the file with its place.
    ///
    /// # Errors
    /// The error.
    pub fn at<T>(&self, read: Read<T>) -> Result<T> {
        read.map_err(|wrong| wrong.of_file(&self.path, &self.text))
    }
}

/// Reads the text of a file of this name.
#[allow(clippy::too_many_lines, reason = "a row for each table of a file")]
fn read(text: &str, name: &str, reader: Reader<'_>) -> Read<File> {
    let table = DeTable::parse(text).map_err(|e| {
        let message = e.message().split_whitespace().collect::<Vec<_>>().join(" ");
        Wrong::new(e.span().map_or(0, |span| span.start), message)
    })?;
    let mut keys = Keys::of_file(table.get_ref());
    let format = keys.need("hoap")?;
    if format.integer()? != FORMAT {
        return Err(
            format.wrong(format!("this program reads format {FORMAT}; write hoap = {FORMAT}"))
        );
    }
    let name = match keys.take("name") {
        None => name.to_owned(),
        Some(value) => match value.text()? {
            name if name::is_title(name) => name.to_owned(),
            name => {
                return Err(value.wrong(format!(
                    "{name:?} cannot name a workload: a name is of letters, digits, _ and -"
                )));
            }
        },
    };
    let about = keys.take("about").map(Value::text).transpose()?.map(str::to_owned);
    let seed = match keys.take("seed") {
        None => 1,
        Some(value) => {
            u64::try_from(value.integer()?).map_err(|_| value.wrong("a seed is not negative"))?
        }
    };
    let collections = keys.need("collections")?;
    let (mut actions, mut questions) = (String::new(), String::new());
    let operations = match keys.take("operations") {
        None => Vec::new(),
        Some(value) => {
            value.canonical(&mut actions);
            value.list()?.into_iter().map(operation::operation).collect::<Read<_>>()?
        }
    };
    let queries = match keys.take("queries") {
        None => Vec::new(),
        Some(value) => {
            value.canonical(&mut questions);
            let query = |entry| operation::query(entry, reader);
            value.entries()?.into_iter().map(query).collect::<Read<Vec<Query>>>()?
        }
    };
    keys.end()?;
    let mut canonical = format!("{seed}");
    for collection in collections.entries()? {
        canonical.push_str(&format!("\n{}", collection.key));
        for entry in collection.value.entries()?.iter().filter(|entry| entry.key != "indexes") {
            canonical.push_str(&format!("\n{}=", entry.key));
            entry.value.canonical(&mut canonical);
        }
    }
    let entries = collections.entries()?;
    for (what, count) in [
        ("collections", entries.len()),
        ("operations", operations.len()),
        ("queries", queries.len()),
    ] {
        if count > MOST {
            return Err(collections.wrong(format!("a workload has {MOST} {what} at most")));
        }
    }
    if entries.is_empty() {
        return Err(collections.wrong("a workload has a collection at least"));
    }
    let collections: Vec<Collection> =
        entries.into_iter().map(|entry| reader.collection(entry)).collect::<Read<_>>()?;
    let mut names = BTreeSet::new();
    let again = collections.iter().find(|of| !names.insert(of.name.text.to_lowercase()));
    if let Some(Collection { name, .. }) = again {
        let message = format!("some databases take {} for another collection's name", name.text);
        return Err(Wrong::new(name.at, message));
    }
    canonical.push_str(&reader.files.borrow());
    let of = |text: &str| format!("{:032x}", XxHash3_128::oneshot(text.as_bytes()));
    queries.iter().flat_map(|of| &of.texts).for_each(|(_, text)| questions.push_str(text));
    let [digest, actions, questions] = [canonical, actions, questions].map(|text| of(&text));
    Ok(File { name, about, seed, digest, actions, questions, collections, operations, queries })
}
