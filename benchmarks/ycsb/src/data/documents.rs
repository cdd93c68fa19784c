//! Records as documents that hold their key.

use std::ops::Range;

use hoap_data::json::{JsonWriter, SCRATCH};
use hoap_data::writer::{Field, TEXT_SLACK, Writer};
use hoap_data::{Buffer, field};

use super::Records;

/// The records of a table as self-contained documents: `_id`, the key, then the fields as they are
/// loaded. A database keeps the key beside a record; a file must contain it.
#[derive(Clone, Debug)]
pub struct Documents {
    records: Records,
    /// Names of the fields in JSON form.
    names: Vec<String>,
    /// Bytes for any document, with the writer's scratch after it.
    room: usize,
}

impl Documents {
    /// The documents of these records.
    pub fn new(records: Records) -> Documents {
        let spec = records.spec();
        let names: Vec<String> =
            (0..spec.fields).map(|f| format!("\"{}\":", records.field_name(f))).collect();
        // A value has quotes and a comma. A key has a name, "user", and a number of up to 20 digits
        // or more with zero padding.
        let (_, longest) = spec.length.bounds();
        let values: usize = names.iter().map(|name| name.len() + longest as usize + 3).sum();
        let key = 16 + usize::from(spec.zero_padding).max(20);
        Documents { records, names, room: values + key + SCRATCH + TEXT_SLACK }
    }

    /// The records.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// Number of documents. The index of a document is its position: record `start` has index 0.
    pub fn count(&self) -> u64 {
        self.records.spec().count
    }

    /// Appends the documents of a range as JSON, each followed by `end`.
    ///
    /// # Panics
    /// Where the range goes beyond [`Documents::count`].
    pub fn append_range(&self, range: Range<u64>, end: &[u8], out: &mut Buffer) {
        assert!(range.end <= self.count(), "there are no records {range:?}");
        let mut key = String::new();
        for index in range {
            out.append(self.room + end.len(), |out| {
                let mut writer = JsonWriter::new(out);
                self.write_with(index, &mut key, &mut writer);
                let len = writer.finish();
                out[len..len + end.len()].copy_from_slice(end);
                len + end.len()
            });
        }
    }

    /// Writes a document in the writer's form.
    ///
    /// # Panics
    /// Where `index` is not below [`Documents::count`].
    pub fn write<W: Writer>(&self, index: u64, w: &mut W) {
        assert!(index < self.count(), "there is no record {index}");
        self.write_with(index, &mut String::new(), w);
    }

    #[inline]
    fn write_with<W: Writer>(&self, index: u64, text: &mut String, w: &mut W) {
        let key = self.records.key(self.records.spec().start + index);
        text.clear();
        self.records.append_key(key, text);
        w.begin_object(Field::ELEMENT);
        w.str(field!("_id"), text);
        for (field, name) in (0..).zip(&self.names) {
            self.records.write_value(key, field, Field::of_text(name), w);
        }
        w.end_object();
    }
}
