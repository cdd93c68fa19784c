//! What some of a collection's documents tell of all.

use hoap_data::Buffer;

use crate::shape::{Shape, Tree, Value};
use crate::source::{AnyWriter, FileSource};

/// Number of probed documents, spread evenly over the collection.
const PROBES: u64 = 256;
/// Approximate total bytes of the probed documents; at least one document is probed.
const PROBED_BYTES: u64 = 16 << 20;

/// One document as a tree of values.
pub fn document(data: &dyn FileSource, at: usize, index: u64) -> Value {
    let mut tree = Tree::default();
    data.write(at, index, AnyWriter::Tree(&mut tree));
    tree.root
}

/// Average bytes of a collection's documents as JSON, at least one.
pub(crate) fn average_bytes(data: &dyn FileSource, at: usize) -> u64 {
    let mut text = Buffer::new();
    let probes = probes(data, at);
    let (count, mut bytes) = (probes.len() as u64, 0);
    for index in probes {
        text.clear();
        data.append_range(at, index..index + 1, b"", &mut text);
        bytes += text.len() as u64;
    }
    bytes / count.max(1) + 1
}

/// Indexes of the probed documents.
fn probes(data: &dyn FileSource, at: usize) -> impl ExactSizeIterator<Item = u64> + use<> {
    let count = data.count(at);
    let mut first = Buffer::new();
    data.append_range(at, 0..count.min(1), b"", &mut first);
    let affordable = (PROBED_BYTES / (first.len() as u64).max(1)).max(1);
    let probes = PROBES.min(affordable).min(count) as u32;
    (0..probes).map(move |n| (u128::from(n) * u128::from(count) / u128::from(probes)) as u64)
}

/// The shape of a collection's documents, equal for every part of a data set.
pub(crate) fn shape(data: &dyn FileSource, at: usize) -> Shape {
    let documents: Vec<Value> = probes(data, at).map(|index| document(data, at, index)).collect();
    let mut example = Tree::default();
    match data.example(at, AnyWriter::Tree(&mut example)) {
        true => Shape::like(&example.root, &documents),
        false => Shape::of(&documents),
    }
}
