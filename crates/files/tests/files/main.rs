//! Files as users and loaders meet them: what is in them, and what happens when things go wrong.

mod folder;
mod manifests;
mod same_data;
mod shop_and_ycsb;
mod speed_independent;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hoap_ch2::data::{DataSet, ExtraFields, Schema, Spec};
use hoap_data::{Buffer, Part};
use hoap_files::{
    Codec, Existing, FileSource, FilesWatch, Form, Format, Layout, Options, Request, Result,
    Written,
};
use hoap_shop::data::{ShopData, ShopSpec};
use hoap_suites::benchmarks::known;
use hoap_ycsb::data::{FieldLength, RecordSpec, Records};
use hoap_ycsb::files::YcsbTable;
use serde_json::Value;

/// A small data set whose collections still have many documents.
fn data_set(schema: Schema) -> DataSet {
    let mut spec = Spec { scale_down: 100, ..Spec::new(schema, 2) };
    if schema == Schema::Ch2pp {
        spec.extra_fields = ExtraFields { customer: 3, orders: 64, item: 1 };
    }
    DataSet::new(spec).unwrap()
}

/// Few customers, so that each collection is still more than a megabyte.
fn shop() -> ShopData {
    let spec = ShopSpec {
        orders_per_customer: 2,
        customers_per_country: 200,
        customers_per_zip: 50,
        ..ShopSpec::new(600)
    };
    ShopData::new(spec).unwrap()
}

/// Records whose values differ in length, not from the first record on, with long names and keys.
fn records() -> Records {
    let spec = RecordSpec {
        start: 7,
        count: 3000,
        length: FieldLength::Uniform { min: 1, max: 200 },
        zero_padding: 24,
        prefix: "a_rather-long_prefix_of_32_chars".parse().unwrap(),
        ..RecordSpec::default()
    };
    Records::new(spec).unwrap()
}

fn ycsb() -> YcsbTable {
    YcsbTable::new("usertable", records()).unwrap()
}

/// Everything of a data set, uncompressed NDJSON by two threads.
fn request(data: &dyn FileSource) -> Request<'_> {
    const POSITIONS: [usize; 11] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    let (form, collections) = (form(Options::NDJSON), &POSITIONS[..data.collections().len()]);
    Request { data, collections, part: Part::WHOLE, form, threads: 2 }
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
    let watch = FilesWatch { stop: &|| false, progress: &mut |_| (), known: &known };
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

/// The documents as text, each made alone.
fn lines(data: &dyn FileSource, at: usize) -> Vec<u8> {
    let (mut text, mut one) = (Vec::new(), Buffer::new());
    for index in 0..data.count(at) {
        one.clear();
        data.append_range(at, index..index + 1, b"\n", &mut one);
        text.extend_from_slice(&one);
    }
    text
}

fn documents(data: &dyn FileSource, at: usize) -> Vec<Value> {
    let lines = lines(data, at);
    let lines = lines.split(|&b| b == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}
