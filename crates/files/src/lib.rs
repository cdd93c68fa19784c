//! Documents as files: NDJSON, JSON arrays, CSV of the flat relational form, Parquet with nested
//! columns; compressed, split, in parts; with a manifest that [`check`] compares them with.
//!
//! Several threads encode documents in chunks, which are written in order. The bytes do not depend
//! on the number of threads, and memory does not depend on the amount of data: one chunk per
//! thread, about 4 MB of text or a row group of Parquet.
//!
//! Files are hashed with XXH3 of 128 bits. The manifest detects errors of disks and networks, not
//! forgery. XXH3 reads memory several times as fast as documents are generated; a cryptographic
//! hash would halve the speed. `xxhsum -H128` prints the same.

mod check;
#[cfg(feature = "parquet")]
mod columns;
mod encoder;
mod error;
mod flat;
mod folder;
mod generate;
mod manifest;
mod options;
mod pack;
mod parallel;
#[cfg(feature = "parquet")]
mod parquet;
mod probe;
mod shape;
mod sink;
mod source;
mod text;
mod typed;
mod valid;

pub use check::{Checked, check};
pub use error::{Error, ErrorKind, Result};
pub use flat::{Child, Flat};
pub use folder::Existing;
pub use generate::{FilesWatch, Progress, Request, Written, to_files, to_pipe};
pub use manifest::{FileEntry, Manifest, Parameters};
pub use options::{Codec, Form, Format, LEAST_SIZE, Layout, MOST_ROW_GROUP, Options, ROW_GROUP};
pub use probe::document;
pub use shape::Value;
pub use source::{AnyWriter, FileSource, Visit};
pub use typed::TypedWriter;
pub use valid::{Known, Versioned, number};
