//! Documents split into columns, before Parquet encodes them.

mod layout;

use hoap_data::Timestamp;
use hoap_data::writer::{ExtraField, Field, TEXT_SLACK, Writer, extra_text};

use crate::shape::Scalar;
use crate::typed::TypedWriter;

pub(crate) use layout::{Layout, Leaf};

/// The values of one column.
#[derive(Debug, Default)]
pub(crate) struct Column {
    pub(crate) values: Values,
    /// Whether there is a value, for every place; empty where values cannot be missing.
    pub(crate) present: Vec<bool>,
}

impl Column {
    /// Approximate bytes of the values.
    pub(crate) fn bytes(&self) -> usize {
        match &self.values {
            Values::Bool(values) => values.len(),
            Values::Long(values) => size_of_val(values.as_slice()),
            Values::Short(values) => size_of_val(values.as_slice()),
            Values::Double(values) => size_of_val(values.as_slice()),
            Values::Text { bytes, .. } => bytes.len(),
        }
    }
}

/// The values present.
#[derive(Debug)]
pub(crate) enum Values {
    Bool(Vec<bool>),
    Long(Vec<i64>),
    Short(Vec<i32>),
    Double(Vec<f64>),
    /// Texts one after the other, and where each ends.
    Text {
        bytes: Vec<u8>,
        ends: Vec<u32>,
    },
}

impl Default for Values {
    fn default() -> Self {
        Values::Long(Vec::new())
    }
}

impl Values {
    /// Removes the values and keeps the memory where it has the right kind.
    fn reset(&mut self, scalar: Scalar) {
        match (&mut *self, scalar) {
            (Values::Bool(values), Scalar::Bool) => values.clear(),
            (
                Values::Long(values),
                Scalar::Int | Scalar::Cents | Scalar::Decimal(_) | Scalar::Instant,
            ) => values.clear(),
            (Values::Double(values), Scalar::Number) => values.clear(),
            (Values::Short(values), Scalar::Ratio) => values.clear(),
            (Values::Text { bytes, ends }, Scalar::Timestamp | Scalar::Text | Scalar::Extra) => {
                bytes.clear();
                ends.clear();
            }
            (_, Scalar::Bool) => *self = Values::Bool(Vec::new()),
            (_, Scalar::Int | Scalar::Cents | Scalar::Decimal(_) | Scalar::Instant) => {
                *self = Values::Long(Vec::new());
            }
            (_, Scalar::Number) => *self = Values::Double(Vec::new()),
            (_, Scalar::Ratio) => *self = Values::Short(Vec::new()),
            _ => *self = Values::Text { bytes: Vec::new(), ends: Vec::new() },
        }
    }
}

/// The values of documents, column by column.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    pub(crate) leaves: Vec<Column>,
    /// Number of elements of each array at each occurrence: once per document, or per enclosing
    /// element.
    pub(crate) lists: Vec<Vec<u32>>,
    pub(crate) documents: usize,
}

impl Columns {
    /// Prepares for the documents of a layout.
    pub(crate) fn begin(&mut self, layout: &Layout) {
        self.leaves.resize_with(layout.leaves.len(), Column::default);
        for (column, leaf) in self.leaves.iter_mut().zip(&layout.leaves) {
            column.values.reset(leaf.scalar);
            column.present.clear();
        }
        self.lists.resize_with(layout.lists.len(), Vec::new);
        self.lists.iter_mut().for_each(Vec::clear);
        self.documents = 0;
    }

    /// Begins the next document.
    pub(crate) fn document<'a>(&'a mut self, layout: &'a Layout) -> Shredder<'a> {
        self.documents += 1;
        Shredder { layout, columns: self, leaf: 0, list: 0, open: Vec::new(), wrong: false }
    }
}

/// Splits one document into columns. The position of a value determines its column, because all
/// documents of a collection have the same fields in the same order.
pub struct Shredder<'a> {
    layout: &'a Layout,
    columns: &'a mut Columns,
    /// The next column, and the next array.
    leaf: usize,
    list: usize,
    /// Open arrays, the outermost first: number and count of elements so far.
    open: Vec<(usize, u32)>,
    /// Whether a value had no column.
    wrong: bool,
}

impl Shredder<'_> {
    /// Whether every value had a column and every column its value.
    pub(crate) fn is_whole(&self) -> bool {
        let Layout { leaves, lists, .. } = self.layout;
        !self.wrong && self.leaf == leaves.len() && self.list == lists.len() && self.open.is_empty()
    }

    /// Begins an element of an array: its values go to the columns from the array's first one on.
    #[inline]
    fn element(&mut self, field: Field<'_>) {
        if field.is_element()
            && let Some((list, elements)) = self.open.last_mut()
        {
            self.leaf = self.layout.lists[*list].first;
            self.list = *list + 1;
            *elements += 1;
        }
    }

    /// The column of the next value.
    #[inline]
    fn next(&mut self, field: Field<'_>) -> Option<&mut Values> {
        self.element(field);
        self.place(true)
    }

    #[inline]
    fn place(&mut self, present: bool) -> Option<&mut Values> {
        let place = self.leaf;
        let (Some(leaf), Some(column)) =
            (self.layout.leaves.get(place), self.columns.leaves.get_mut(place))
        else {
            self.wrong = true;
            return None;
        };
        self.leaf += 1;
        if leaf.nullable {
            column.present.push(present);
        } else if !present {
            self.wrong = true;
        }
        Some(&mut column.values)
    }

    #[inline]
    fn long(&mut self, field: Field<'_>, value: i64) {
        match self.next(field) {
            Some(Values::Long(values)) => values.push(value),
            _ => self.wrong = true,
        }
    }

    #[inline]
    fn bytes(&mut self, field: Field<'_>, value: &[u8]) {
        self.text(field, value.len(), |out| out[..value.len()].copy_from_slice(value));
    }
}

impl Writer for Shredder<'_> {
    #[inline]
    fn begin_object(&mut self, field: Field<'_>) {
        self.element(field);
    }

    #[inline]
    fn end_object(&mut self) {}

    #[inline]
    fn begin_array(&mut self, field: Field<'_>) {
        self.element(field);
        let around = self.open.last().map(|(list, _)| *list);
        match self.layout.lists.get(self.list) {
            Some(list) if list.first == self.leaf && list.parent == around => {
                self.open.push((self.list, 0));
                self.list += 1;
            }
            _ => self.wrong = true,
        }
    }

    #[inline]
    fn end_array(&mut self) {
        if let Some((number, elements)) = self.open.pop() {
            let list = &self.layout.lists[number];
            self.wrong |= elements > 0 && (self.leaf, self.list) != (list.end, list.next);
            (self.leaf, self.list) = (list.end, list.next);
            self.columns.lists[number].push(elements);
        }
    }

    #[inline]
    fn null(&mut self, field: Field<'_>) {
        self.element(field);
        self.place(false);
    }

    #[inline]
    fn bool(&mut self, field: Field<'_>, value: bool) {
        match self.next(field) {
            Some(Values::Bool(values)) => values.push(value),
            _ => self.wrong = true,
        }
    }

    #[inline]
    fn int(&mut self, field: Field<'_>, value: u64) {
        self.wrong |= value > i64::MAX as u64;
        self.long(field, value as i64);
    }

    #[inline]
    fn cents(&mut self, field: Field<'_>, value: i64) {
        self.long(field, value);
    }

    #[inline]
    fn ratio(&mut self, field: Field<'_>, value: u32) {
        self.wrong |= value > i32::MAX as u32;
        match self.next(field) {
            Some(Values::Short(values)) => values.push(value as i32),
            _ => self.wrong = true,
        }
    }

    #[inline]
    fn timestamp(&mut self, field: Field<'_>, value: Timestamp) {
        self.bytes(field, &value.to_bytes());
    }

    #[inline]
    fn text(&mut self, field: Field<'_>, len: usize, fill: impl FnOnce(&mut [u8])) {
        match self.next(field) {
            Some(Values::Text { bytes, ends }) => {
                let start = bytes.len();
                bytes.resize(start + len + TEXT_SLACK, 0);
                fill(&mut bytes[start..]);
                bytes.truncate(start + len);
                // A row group is smaller than 4 GiB: `MOST_ROW_GROUP`.
                ends.push(bytes.len() as u32);
            }
            _ => self.wrong = true,
        }
    }

    #[inline]
    fn extra(&mut self, _: &'static ExtraField, words: [u64; 2]) {
        match self.place(true) {
            Some(Values::Text { bytes, ends }) => {
                bytes.extend_from_slice(&extra_text(words));
                ends.push(bytes.len() as u32);
            }
            _ => self.wrong = true,
        }
    }
}

impl TypedWriter for Shredder<'_> {
    #[inline]
    fn signed(&mut self, field: Field<'_>, value: i64) {
        self.long(field, value);
    }

    #[inline]
    fn decimal(&mut self, field: Field<'_>, units: i64, _: u8) {
        self.long(field, units);
    }

    #[inline]
    fn number(&mut self, field: Field<'_>, value: f64) {
        match self.next(field) {
            Some(Values::Double(values)) => values.push(value),
            _ => self.wrong = true,
        }
    }

    #[inline]
    fn instant(&mut self, field: Field<'_>, micros: i64, _: &str) {
        self.long(field, micros);
    }
}
