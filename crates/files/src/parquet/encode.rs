//! Encodes columns as pages: levels, encoding, compression.

use std::mem;
use std::ops::Range;

use ::parquet::column::writer::{
    ColumnCloseResult, ColumnWriterImpl, get_column_writer, get_typed_column_writer,
};
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type,
};
use ::parquet::errors::Result;
use ::parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use bytes::Bytes;

use crate::columns::{Column, Columns, Layout, Leaf, Values};

/// The least number of places of a column that are encoded at once; a document is never divided.
const BATCH: usize = 1024;

/// The places of a column's values: one for each document, or in an array one for each element and
/// one for an array without any.
struct Places {
    /// Arrays around the value.
    depth: i16,
    /// Number of enclosing arrays that continue at a place: 0 where a document begins. Empty
    /// outside of arrays, where every place begins a document.
    repetition: Vec<i16>,
    /// Number of enclosing arrays that have an element at a place. Empty outside of arrays.
    elements: Vec<i16>,
    /// Ranges of places that are encoded at once.
    batches: Vec<Range<usize>>,
}

impl Places {
    fn of_documents(documents: usize) -> Places {
        let batches = (0..documents).step_by(BATCH).map(|n| n..documents.min(n + BATCH));
        let (repetition, elements) = (Vec::new(), Vec::new());
        Places { depth: 0, repetition, elements, batches: batches.collect() }
    }

    /// The places in an array. `around` are those of the enclosing array, `None` where there is
    /// none, and `counts` are the numbers of elements at each occurrence.
    fn of_elements(around: Option<&Places>, counts: &[u32]) -> Places {
        let depth = around.map_or(0, |a| a.depth) + 1;
        let (mut repetition, mut elements) = (Vec::new(), Vec::new());
        // `there`: the number of enclosing arrays with an element in which it can occur.
        let mut occurs = |first: i16, there: i16, count: u32| {
            repetition.push(first);
            elements.push(if count > 0 { depth } else { there });
            repetition.extend((1..count).map(|_| depth));
            elements.extend((1..count).map(|_| depth));
        };
        match around {
            None => counts.iter().for_each(|&count| occurs(0, 0, count)),
            Some(around) => {
                let mut counts = counts.iter().copied();
                for (&first, &there) in around.repetition.iter().zip(&around.elements) {
                    let occurring = there == around.depth;
                    let count = if occurring { counts.next().unwrap_or(0) } else { 0 };
                    occurs(first, there, count);
                }
            }
        }
        let mut batches = Vec::new();
        let mut start = 0;
        for end in 1..=repetition.len() {
            let whole = end == repetition.len() || repetition[end] == 0;
            if whole && (end - start >= BATCH || end == repetition.len()) {
                batches.push(start..end);
                start = end;
            }
        }
        Places { depth, repetition, elements, batches }
    }
}

/// Encodes all columns, in the layout's order.
pub(super) fn columns(
    layout: &Layout,
    columns: &mut Columns,
    encoded: &mut Vec<(Bytes, ColumnCloseResult)>,
) -> Result<()> {
    let of_documents = Places::of_documents(columns.documents);
    let mut of_elements: Vec<Places> = Vec::with_capacity(layout.lists.len());
    for (list, counts) in layout.lists.iter().zip(&columns.lists) {
        let around = list.parent.map(|parent| &of_elements[parent]);
        let places = Places::of_elements(around, counts);
        of_elements.push(places);
    }
    for (number, leaf) in layout.leaves.iter().enumerate() {
        let places = leaf.list.map_or(&of_documents, |list| &of_elements[list]);
        let column = &mut columns.leaves[number];
        let mut out = TrackedWrite::new(Vec::with_capacity(column.bytes() / 2));
        let pages = Box::new(SerializedPageWriter::new(&mut out));
        let descriptor = layout.descriptor.column(number);
        let writer = get_column_writer(descriptor, layout.properties.clone(), pages);
        let Column { values, present } = column;
        let close = match values {
            Values::Bool(values) => {
                let writer = get_typed_column_writer::<BoolType>(writer);
                write(writer, leaf, places, present, |writer, range, definition, repetition| {
                    writer.write_batch(&values[range], definition, repetition)
                })
            }
            Values::Long(values) => {
                let writer = get_typed_column_writer::<Int64Type>(writer);
                write(writer, leaf, places, present, |writer, range, definition, repetition| {
                    writer.write_batch(&values[range], definition, repetition)
                })
            }
            Values::Short(values) => {
                let writer = get_typed_column_writer::<Int32Type>(writer);
                write(writer, leaf, places, present, |writer, range, definition, repetition| {
                    writer.write_batch(&values[range], definition, repetition)
                })
            }
            Values::Double(values) => {
                let writer = get_typed_column_writer::<DoubleType>(writer);
                write(writer, leaf, places, present, |writer, range, definition, repetition| {
                    writer.write_batch(&values[range], definition, repetition)
                })
            }
            Values::Text { bytes, ends } => {
                let writer = get_typed_column_writer::<ByteArrayType>(writer);
                let shared = Bytes::from(mem::take(bytes));
                let mut texts = Vec::with_capacity(2 * BATCH);
                let close = write(
                    writer,
                    leaf,
                    places,
                    present,
                    |writer, range, definition, repetition| {
                        cut(&shared, ends, range, &mut texts);
                        writer.write_batch(&texts, definition, repetition)
                    },
                );
                drop(texts);
                // The last reference: this takes the memory back for the next row group.
                *bytes = Vec::from(shared);
                close
            }
        }?;
        encoded.push((Bytes::from(out.into_inner()?), close));
    }
    Ok(())
}

/// Passes a column's values, batch by batch and with their levels, to `put`.
fn write<T: DataType>(
    mut writer: ColumnWriterImpl<'_, T>,
    leaf: &Leaf,
    places: &Places,
    present: &[bool],
    mut put: impl FnMut(
        &mut ColumnWriterImpl<'_, T>,
        Range<usize>,
        Option<&[i16]>,
        Option<&[i16]>,
    ) -> Result<usize>,
) -> Result<ColumnCloseResult> {
    let in_list = leaf.list.is_some();
    let has_definition = in_list || leaf.nullable;
    let mut definition = Vec::new();
    // `present` has an entry for each existing element, `values` for each one that is not null.
    let (mut elements, mut values) = (0, 0);
    for batch in &places.batches {
        definition.clear();
        let first = values;
        for place in batch.clone() {
            let around = if in_list { places.elements[place] } else { 0 };
            let there = around == places.depth;
            let value = there && (!leaf.nullable || present[elements]);
            elements += usize::from(there);
            values += usize::from(value);
            if has_definition {
                let level = if leaf.nullable { i16::from(value) } else { 0 };
                definition.push(level + around);
            }
        }
        let repetition = in_list.then(|| &places.repetition[batch.clone()]);
        put(&mut writer, first..values, has_definition.then_some(&definition), repetition)?;
    }
    writer.close()
}

/// The texts of a range of values, without a copy.
fn cut(shared: &Bytes, ends: &[u32], range: Range<usize>, texts: &mut Vec<ByteArray>) {
    texts.clear();
    let mut start = range.start.checked_sub(1).map_or(0, |before| ends[before] as usize);
    for &end in &ends[range] {
        texts.push(ByteArray::from(shared.slice(start..end as usize)));
        start = end as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An array without elements has one place, and no document is divided.
    #[test]
    fn places() {
        let places = Places::of_elements(None, &[2, 0, 3]);
        assert_eq!(places.repetition, [0, 1, 0, 0, 1, 1]);
        assert_eq!(places.elements, [1, 1, 0, 1, 1, 1]);
        assert_eq!(places.batches.first(), Some(&(0..6)));
        let long = Places::of_elements(None, &[BATCH as u32 - 1, 5, 7]);
        assert_eq!(long.batches, [0..BATCH + 4, BATCH + 4..BATCH + 11]);
        assert!(Places::of_elements(None, &[]).batches.is_empty());
        assert_eq!(Places::of_documents(BATCH + 1).batches, [0..BATCH, BATCH..BATCH + 1]);
    }

    /// The levels of `[[a, b], []]`, `[]` and `[[c]]`, as the format's definition derives them.
    #[test]
    fn places_in_arrays_of_arrays() {
        let outer = Places::of_elements(None, &[2, 0, 1]);
        let inner = Places::of_elements(Some(&outer), &[2, 0, 1]);
        assert_eq!(inner.repetition, [0, 2, 1, 0, 0]);
        assert_eq!(inner.elements, [2, 2, 1, 0, 2]);
        assert_eq!(inner.depth, 2);
    }
}
