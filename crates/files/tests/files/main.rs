//! Files as users and loaders meet them: what is in them, and what happens when things go wrong.

mod folder;
mod same_data;
mod speed_independent;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hoap_data::{Collection, DataSet, ExtraFields, Schema, Spec};
use hoap_files::{
    Codec, Existing, Form, Format, Layout, Options, Part, Request, Result, Watch, Written,
};
use serde_json::Value;

/// A small data set whose collections still have many documents.
fn data_set(schema: Schema) -> DataSet {
    let mut spec = Spec { scale_down: 100, ..Spec::new(schema, 2) };
    if schema == Schema::Ch2pp {
        spec.extra_fields = ExtraFields { customer: 3, orders: 64, item: 1 };
    }
    DataSet::new(spec).unwrap()
}

/// Everything of a data set, uncompressed NDJSON by two threads.
fn request(data: &DataSet) -> Request<'_> {
    Request {
        data,
        collections: &Collection::ALL,
        part: Part::WHOLE,
        form: form(Options::NDJSON),
        threads: 2,
    }
}

fn form(options: Options) -> Form {
    Form::try_from(options).unwrap()
}

/// A format with the layout that it can hold.
fn options(format: Format, codec: Codec) -> Options {
    let layout = if format == Format::Csv { Layout::Flat } else { Layout::Documents };
    Options { format, layout, codec: Some(codec), ..Options::NDJSON }
}

fn write(request: &Request<'_>, dir: &Path, existing: Existing) -> Result<Written> {
    let watch = Watch { stop: &|| false, progress: &mut |_| () };
    hoap_files::to_files(request, dir, existing, watch)
}

/// Writes files to a new folder and reads them back: names and bytes, without the manifest.
fn written(request: &Request<'_>) -> BTreeMap<String, Vec<u8>> {
    let dir = tempfile::tempdir().unwrap();
    write(request, dir.path(), Existing::Refuse).unwrap();
    let mut files = read(dir.path());
    files.retain(|name, _| !name.starts_with("manifest"));
    files
}

fn read(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let paths = fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    paths.map(|path| (name(&path), fs::read(&path).unwrap())).collect()
}

/// The documents as text, one after the other.
fn lines(data: &DataSet, collection: Collection) -> Vec<u8> {
    let mut text = Vec::new();
    for index in 0..data.count(collection) {
        data.append(collection, index, &mut text);
        text.push(b'\n');
    }
    text
}

fn documents(data: &DataSet, collection: Collection) -> Vec<Value> {
    let lines = lines(data, collection);
    let lines = lines.split(|&b| b == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}
