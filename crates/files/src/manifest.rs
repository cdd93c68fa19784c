//! The manifest: the parameters and the content of the files in a folder.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hoap_data::Part;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::options::{Codec, Form, Format};
use crate::sink::Sink;
use crate::source::FileSource;

/// All parameters that decide the files' bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Parameters {
    /// Version of the documents' bytes.
    pub data_version: u32,
    pub benchmark: String,
    /// The parameters of the benchmark's documents: [`FileSource::parameters`].
    #[serde(flatten)]
    pub data: Map<String, Value>,
    pub collections: Vec<String>,
    pub part: u64,
    pub of: u64,
    pub format: String,
    pub schema: String,
    pub compression: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// Bytes of documents in a row group, Parquet only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_group: Option<u64>,
    /// The maximum size of a file, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<u64>,
}

impl Parameters {
    pub(crate) fn of(
        data: &dyn FileSource,
        collections: &[usize],
        part: Part,
        form: &Form,
    ) -> Parameters {
        let names = data.collections();
        let levels = !matches!(form.codec, Codec::None | Codec::Snappy);
        Parameters {
            data_version: data.data_version(),
            benchmark: data.benchmark().to_owned(),
            data: data.parameters(),
            collections: collections.iter().map(|&at| names[at].to_owned()).collect(),
            part: part.part,
            of: part.of,
            format: form.format.to_string(),
            schema: form.layout.to_string(),
            compression: form.codec.to_string(),
            level: levels.then_some(form.level),
            row_group: (form.format == Format::Parquet).then_some(form.row_group),
            split: form.split,
        }
    }

    /// The first parameter that differs, with both values: "seed 1, not 2".
    pub(crate) fn difference(&self, wanted: &Parameters) -> Option<String> {
        let fields = |p: &Parameters| match serde_json::to_value(p) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        let (theirs, ours) = (fields(self), fields(wanted));
        let names = theirs.keys().chain(ours.keys());
        let show = |v: Option<&Value>| match v {
            None => "none".to_owned(),
            Some(Value::String(s)) => s.clone(),
            Some(v) => v.to_string(),
        };
        names.into_iter().find(|name| theirs.get(*name) != ours.get(*name)).map(|name| {
            let (theirs, ours) = (show(theirs.get(name)), show(ours.get(name)));
            format!("{} {theirs}, not {ours}", name.replace('_', " "))
        })
    }
}

/// One file of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name in the folder.
    pub file: String,
    /// The collection of its documents or of their parts.
    pub collection: String,
    /// Index, in the collection, of the first document.
    pub first: u64,
    /// Documents.
    pub documents: u64,
    /// Rows, in CSV.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Bytes on disk.
    pub bytes: u64,
    /// XXH3, 128 bits, of the bytes on disk, as `xxhsum -H128` prints it.
    pub xxh3_128: String,
}

/// The parameters and the content of the files in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the program that wrote it.
    pub hoap: String,
    /// The parameters of the files.
    pub parameters: Parameters,
    /// The files, in the order of the documents.
    pub files: Vec<FileEntry>,
}

impl Manifest {
    pub(crate) fn new(parameters: Parameters) -> Manifest {
        Manifest { hoap: env!("CARGO_PKG_VERSION").to_owned(), parameters, files: Vec::new() }
    }

    /// Writes it atomically.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let write = || {
            let mut text = serde_json::to_string_pretty(self)?;
            text.push('\n');
            let mut sink = Sink::create(path)?;
            sink.write_all(text.as_bytes())?;
            sink.commit()
        };
        write().map_err(|e: io::Error| Error::write(path, &e))
    }
}

/// The path of the manifest: `manifest.json`, of one of several parts `manifest.<part>.json`.
pub(crate) fn manifest_path(dir: &Path, part: Part) -> PathBuf {
    dir.join(format!("manifest{}.json", part_suffix(part)))
}

/// The path of the manifest while files are missing: `manifest[.<part>].unfinished.json`.
pub(crate) fn unfinished_path(dir: &Path, part: Part) -> PathBuf {
    dir.join(format!("manifest{}.unfinished.json", part_suffix(part)))
}

/// The suffix of names of one of several parts, after the first word.
pub(crate) fn part_suffix(part: Part) -> String {
    if part.of == 1 { String::new() } else { format!(".{}", part.part) }
}
