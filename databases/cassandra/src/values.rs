//! Values of statements and of answers, written to and read from the driver's buffers directly.

use hoap_database::failure::Done;
use hoap_database::key_value::{Fields, Record};
use scylla::deserialize::row::ColumnIterator;
use scylla::serialize::SerializationError;
use scylla::serialize::row::{RowSerializationContext, SerializeRow};
use scylla::serialize::writers::RowWriter;

use super::error::misfit;
use crate::error::OrFail;

fn put(writer: &mut RowWriter<'_>, value: &[u8]) -> Result<(), SerializationError> {
    writer.make_cell_writer().set_value(value).map(drop).map_err(SerializationError::new)
}

/// All fields of a table, those that the record lacks left as they are, with the key before or
/// after them.
pub(super) struct Whole<'a> {
    pub key: &'a str,
    pub record: &'a Record,
    pub fields: u16,
    pub key_first: bool,
}

impl SerializeRow for Whole<'_> {
    fn serialize(
        &self,
        _: &RowSerializationContext<'_>,
        writer: &mut RowWriter<'_>,
    ) -> Result<(), SerializationError> {
        if self.key_first {
            put(writer, self.key.as_bytes())?;
        }
        // Records mostly have every field, in the order of the table's.
        let mut next = self.record.iter();
        for field in 0..self.fields {
            let value = match next.next() {
                Some((number, value)) if number == field => Some(value),
                _ => {
                    self.record.iter().find(|(number, _)| *number == field).map(|(_, value)| value)
                }
            };
            match value {
                Some(value) => put(writer, value)?,
                None => drop(writer.make_cell_writer().set_unset()),
            }
        }
        if !self.key_first {
            put(writer, self.key.as_bytes())?;
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        false
    }
}

/// A value and the key after it.
pub(super) struct One<'a> {
    pub value: &'a [u8],
    pub key: &'a str,
}

impl SerializeRow for One<'_> {
    fn serialize(
        &self,
        _: &RowSerializationContext<'_>,
        writer: &mut RowWriter<'_>,
    ) -> Result<(), SerializationError> {
        put(writer, self.value)?;
        put(writer, self.key.as_bytes())
    }

    fn is_empty(&self) -> bool {
        false
    }
}

/// What a write leaves in the place of a text that is missing.
#[derive(Clone, Copy)]
pub(super) enum Missing {
    /// What is there.
    AsItIs,
    /// Nothing.
    Null,
}

/// Texts of a row, in the order of its columns.
pub(super) struct Texts<'a>(pub &'a [Option<&'a str>], pub Missing);

impl SerializeRow for Texts<'_> {
    fn serialize(
        &self,
        _: &RowSerializationContext<'_>,
        writer: &mut RowWriter<'_>,
    ) -> Result<(), SerializationError> {
        for value in self.0 {
            match (value, self.1) {
                (Some(text), _) => put(writer, text.as_bytes())?,
                (None, Missing::AsItIs) => drop(writer.make_cell_writer().set_unset()),
                (None, Missing::Null) => drop(writer.make_cell_writer().set_null()),
            }
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The next column of a row; `None` for a null.
pub(super) fn next<'frame>(row: &mut ColumnIterator<'frame, '_>) -> Done<Option<&'frame [u8]>> {
    let column = row.next().ok_or_else(|| misfit("a column is missing"))?;
    Ok(column.or_fail()?.slice.map(|slice| slice.as_slice()))
}

/// The next column of a row, as text.
pub(super) fn next_text<'frame>(row: &mut ColumnIterator<'frame, '_>) -> Done<Option<&'frame str>> {
    next(row)?.map(|bytes| std::str::from_utf8(bytes).map_err(misfit)).transpose()
}

/// Adds the columns that are left, those of `fields`, to a record.
pub(super) fn take(row: ColumnIterator<'_, '_>, fields: Fields, record: &mut Record) -> Done<()> {
    let first = match fields {
        Fields::All => 0,
        Fields::One(number) => number,
        Fields::None => return Ok(()),
    };
    for (number, column) in (first..).zip(row) {
        if let Some(value) = column.or_fail()?.slice {
            record.push(number, |out| out.extend_from_slice(value.as_slice()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(row: &impl SerializeRow) -> Vec<u8> {
        let mut bytes = Vec::new();
        row.serialize(&RowSerializationContext::empty(), &mut RowWriter::new(&mut bytes)).unwrap();
        bytes
    }

    /// A value as the protocol has it: its length, then its bytes.
    fn cells(values: &[Option<&str>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for value in values {
            let length = value.map_or(-2, |text| text.len() as i32);
            bytes.extend_from_slice(&length.to_be_bytes());
            bytes.extend_from_slice(value.unwrap_or_default().as_bytes());
        }
        bytes
    }

    #[test]
    fn fields_go_to_their_places_whatever_their_order() {
        for (fields, expected) in [
            (vec![(0, "a"), (1, "b"), (2, "c")], [Some("a"), Some("b"), Some("c")]),
            (vec![(2, "c"), (0, "a")], [Some("a"), None, Some("c")]),
            (vec![(1, "")], [None, Some(""), None]),
            (vec![], [None, None, None]),
        ] {
            let mut record = Record::default();
            for (field, value) in fields {
                record.push(field, |out| out.extend_from_slice(value.as_bytes()));
            }
            let mut row = Whole { key: "k", record: &record, fields: 3, key_first: true };
            let [a, b, c] = expected;
            assert_eq!(written(&row), cells(&[Some("k"), a, b, c]));
            row.key_first = false;
            assert_eq!(written(&row), cells(&[a, b, c, Some("k")]));
            assert_eq!(written(&Texts(&expected, Missing::AsItIs)), cells(&expected));
        }
        assert_eq!(written(&One { value: b"v", key: "k" }), cells(&[Some("v"), Some("k")]));
    }
}
