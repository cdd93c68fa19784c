//! What a manifest must say to be believed. Whoever edits or damages one gets an error that names
//! the entry, and no call writes, keeps or removes a file because of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;

use hoap_data::words::counted;
use hoap_data::{Part, SpecError};
use hoap_record::input;
use serde_json::{Map, Value};

use crate::error::{Error, ErrorKind};
use crate::manifest::{FileEntry, Manifest, Parameters, part_suffix};
use crate::options::{Codec, Format, Layout, extension};
use crate::source::FileSource;

/// What this program makes of a benchmark: the version of its data, and the data set of the
/// parameters of a manifest, as far as they decide the numbers of documents.
pub type Versioned = (u32, Result<Box<dyn FileSource>, String>);

/// Makes it; `None` if no benchmark has this name.
pub type Known<'a> = dyn Fn(&str, &Map<String, Value>) -> Option<Versioned> + 'a;

/// The most bytes of a manifest: of some million files.
const MOST: u64 = 256 << 20;

/// The files of one table so far.
struct Table<'a> {
    collection: &'a str,
    number: u64,
    /// The index after its last document.
    next: u64,
}

impl Manifest {
    /// Reads a manifest; `None` where there is none.
    ///
    /// # Errors
    /// A file that cannot be read, is not a manifest, or lists what no call wrote.
    pub(crate) fn read(path: &Path, known: &Known<'_>) -> crate::error::Result<Option<Manifest>> {
        let text = match input::bytes(path, MOST).and_then(input::unmarked) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::read(path, &e)),
        };
        let broken = |what: String| {
            let advice = "make the files anew in another folder";
            let message = format!("read {}: no manifest: {what}; {advice}", path.display());
            Error::new(ErrorKind::Broken, message)
        };
        let manifest: Manifest = serde_json::from_str(&text).map_err(|e| broken(e.to_string()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        validate(&manifest, &name, known).map_err(broken)?;
        Ok(Some(manifest))
    }
}

/// Checks the manifest of the file `name`. The error names the entry and its value.
fn validate(manifest: &Manifest, name: &str, known: &Known<'_>) -> Result<(), String> {
    let Manifest { parameters, files, .. } = manifest;
    let Parameters { part, of, .. } = *parameters;
    if part == 0 || part > of {
        return Err(format!("part {part} of {of} does not exist"));
    }
    let suffix = part_suffix(Part { part, of });
    let whole = format!("manifest{suffix}.json");
    if name != whole && name != format!("manifest{suffix}.unfinished.json") {
        return Err(format!("part {part} of {of} has {whole}, and this is {name}"));
    }
    let extension =
        extension(word::<Format>(&parameters.format)?, word::<Codec>(&parameters.compression)?);
    word::<Layout>(&parameters.schema)?;
    let ranges = ranges(parameters, known)?;
    let mut seen = BTreeSet::new();
    let mut tables: BTreeMap<&str, Table<'_>> = BTreeMap::new();
    let mut bytes = 0u64;
    for (at, entry) in files.iter().enumerate() {
        let wrong = |what: String| format!("files[{at}], {:?}: {what}", short(&entry.file));
        let FileEntry { file, collection, first, documents, .. } = entry;
        let named = file.split('.').next().unwrap_or_default();
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if named.is_empty() || named == "manifest" || !named.chars().all(fits) {
            return Err(wrong("not a file name that hoap writes".into()));
        }
        if !seen.insert(file) {
            return Err(wrong("listed twice".into()));
        }
        let Some(range) = ranges.get(collection.as_str()) else {
            return Err(wrong(format!(
                "of the collection {:?}, which is not listed",
                short(collection)
            )));
        };
        let begin = range.as_ref().map_or(*first, |range| range.start);
        let table = tables.entry(named).or_insert(Table { collection, number: 0, next: begin });
        table.number += 1;
        let number = match parameters.split {
            Some(_) => format!(".{:04}", table.number),
            None => String::new(),
        };
        let expected = format!("{named}{suffix}{number}.{extension}");
        if *file != expected || table.collection != collection {
            return Err(wrong(format!("the next file of {} is {expected}", table.collection)));
        }
        if *first != table.next {
            return Err(wrong(format!("begins with document {first}, not {}", table.next)));
        }
        let end = range.as_ref().map_or(u64::MAX, |range| range.end);
        match first.checked_add(*documents).filter(|next| *next <= end) {
            Some(next) if parameters.split.is_none() && range.is_some() && next != end => {
                return Err(wrong(format!("ends before document {next}, not {end}")));
            }
            Some(next) => table.next = next,
            None => {
                let documents = counted(*documents, "document", "documents");
                return Err(wrong(format!("{documents} from {first} on, of {end}")));
            }
        }
        if !is_hash(&entry.xxh3_128) {
            let hash = short(&entry.xxh3_128);
            return Err(wrong(format!("xxh3_128 {hash:?} is not 32 hexadecimal digits")));
        }
        bytes = bytes
            .checked_add(entry.bytes)
            .ok_or_else(|| wrong(format!("{} bytes are not possible", entry.bytes)))?;
    }
    for (collection, range) in &ranges {
        let ends: Vec<u64> =
            tables.values().filter(|t| t.collection == *collection).map(|t| t.next).collect();
        if ends.iter().any(|end| *end != ends[0]) {
            return Err(format!("the tables of {collection} end at different documents"));
        }
        let end = range.as_ref().map(|range| range.end);
        if name == whole && end.is_some() && ends.first().copied() != end {
            return Err(format!("files of {collection} are missing"));
        }
    }
    Ok(())
}

fn word<T: FromStr<Err = SpecError>>(text: &str) -> Result<T, String> {
    short(text).parse().map_err(|e: SpecError| e.to_string())
}

fn is_hash(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// The beginning of a text that may be of any length.
fn short(text: &str) -> &str {
    text.char_indices().nth(100).map_or(text, |(end, _)| &text[..end])
}

/// The indexes of each collection in the manifest's part, from the data set's own sizes; `None` in
/// the place of a range where another version made the data.
fn ranges<'a>(
    p: &'a Parameters,
    known: &Known<'_>,
) -> Result<BTreeMap<&'a str, Option<Range<u64>>>, String> {
    let wrong = |what: String| format!("no {} data set: {what}", short(&p.benchmark));
    let part = Part { part: p.part, of: p.of };
    let (version, data) = known(&p.benchmark, &p.data)
        .ok_or_else(|| wrong("this hoap knows none of that name".into()))?;
    let same = p.data_version == version;
    let sizes = if same { of(&*data.map_err(wrong)?, part) } else { Vec::new() };
    let mut ranges = BTreeMap::new();
    for name in &p.collections {
        let range = sizes.iter().find(|(known, _)| known == name).map(|(_, range)| range.clone());
        if range.is_none() && same {
            return Err(format!("{} has no collection {:?}", short(&p.benchmark), short(name)));
        }
        if ranges.insert(name.as_str(), range).is_some() {
            return Err(format!("the collection {:?} is listed twice", short(name)));
        }
    }
    Ok(ranges)
}

fn of(data: &dyn FileSource, part: Part) -> Vec<(String, Range<u64>)> {
    let names = data.collections().into_iter().enumerate();
    names.map(|(at, name)| (name.to_owned(), part.range(0..data.count(at)))).collect()
}

/// A whole number among the parameters of a data set.
///
/// # Errors
/// Says that it is missing, or what is there.
pub fn number<T: TryFrom<u64>>(data: &Map<String, Value>, name: &str) -> Result<T, String> {
    let value = data.get(name);
    let number = value.and_then(Value::as_u64).and_then(|n| T::try_from(n).ok());
    number.ok_or_else(|| match value {
        None => format!("{name} is missing"),
        Some(value) => format!("{name} is {}", short(&value.to_string())),
    })
}
