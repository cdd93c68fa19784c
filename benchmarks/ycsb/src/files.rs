//! The records of YCSB.

use std::ops::Range;

use hoap_data::Buffer;
use hoap_data::writer::Writer;
use hoap_files::{AnyWriter, FileSource, Flat, Visit};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::{Map, Value};

use crate::data::{DATA_VERSION, Documents, Records};

/// The most characters of a table's name: the rest of a file name is for part, number and
/// extension.
const MOST_NAME: usize = 100;

/// The records of a table, each with its key as the field `_id`.
#[derive(Clone, Debug)]
pub struct YcsbTable {
    name: String,
    documents: Documents,
}

impl YcsbTable {
    /// The table of this name.
    ///
    /// # Errors
    /// A name that is not possible in a file name.
    pub fn new(name: &str, records: Records) -> Result<YcsbTable> {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        // The file of a JSON array with that name would be the manifest.
        if name.is_empty()
            || name.len() > MOST_NAME
            || name == "manifest"
            || !name.chars().all(fits)
        {
            let answer = "it cannot be the name of a file";
            let advice = format!(
                "use 1 to {MOST_NAME} ASCII letters, digits, '_' or '-', and not \"manifest\""
            );
            let tried = format!("make files of table {name:?}");
            return Err(Error::new(ErrorKind::Invalid, tried, answer).advise(advice));
        }
        Ok(YcsbTable { name: name.to_owned(), documents: Documents::new(records) })
    }
}

static FLAT: Flat = Flat { qualified: false, spread: &[], tables: &[] };

/// A document by its index.
struct Document<'a>(&'a Documents, u64);

impl Visit for Document<'_> {
    fn write<W: Writer>(self, to: &mut W) {
        self.0.write(self.1, to);
    }
}

impl FileSource for YcsbTable {
    fn benchmark(&self) -> &'static str {
        "ycsb"
    }

    fn data_version(&self) -> u32 {
        DATA_VERSION
    }

    fn parameters(&self) -> Map<String, Value> {
        let spec = self.documents.records().spec();
        let pairs: [(&str, Value); 9] = [
            ("table", self.name.as_str().into()),
            ("seed", spec.seed.into()),
            ("start", spec.start.into()),
            ("records", spec.count.into()),
            ("fields", spec.fields.into()),
            ("field_length", spec.length.to_string().into()),
            ("order", spec.order.name().into()),
            ("zero_padding", spec.zero_padding.into()),
            ("field_prefix", spec.prefix.as_str().into()),
        ];
        let compressibility = spec.compressibility.share();
        let compressibility = compressibility.map(|share| ("compressibility", share.into()));
        let pairs = pairs.into_iter().chain(compressibility);
        pairs.map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn collections(&self) -> Vec<&str> {
        vec![&self.name]
    }

    fn count(&self, _: usize) -> u64 {
        self.documents.count()
    }

    fn append_range(&self, _: usize, range: Range<u64>, end: &[u8], out: &mut Buffer) {
        self.documents.append_range(range, end, out);
    }

    fn write(&self, _: usize, index: u64, to: AnyWriter<'_, '_>) {
        to.take(Document(&self.documents, index));
    }

    fn flat(&self) -> &'static Flat {
        &FLAT
    }
}
