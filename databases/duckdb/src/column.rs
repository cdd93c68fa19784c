//! Documents as typed nested columns, and the types that they need.
//!
//! No schema is declared: the types are those of the values that came so far, and grow with them
//! ([`Kind`]). A column of values that have no type in common holds their JSON text.

use std::sync::Arc;

use duckdb::arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, StringArray, StructArray,
};
use duckdb::arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use duckdb::arrow::datatypes::{Field, Fields};
use duckdb::arrow::error::ArrowError;
use hoap_database::failure::{Done, Failure};

use super::kind::Kind;

/// Integers up to this one are doubles as well.
pub(super) const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;

/// The values of one field in some documents, or of the elements of an array.
#[derive(Debug)]
pub(super) struct Column {
    /// Whether there is a value, for every place.
    pub valid: Vec<bool>,
    pub values: Values,
}

/// What is at a place without a value counts for nothing.
#[derive(Debug)]
pub(super) enum Values {
    Unknown,
    Bool(Vec<bool>),
    Int(Vec<i64>),
    Double(Vec<f64>),
    Text(Texts),
    Json(Texts),
    /// Where each array begins in the column of elements, and the end of the last one.
    List(Vec<i32>, Box<Column>),
    Object(Vec<(String, Column)>),
}

/// Texts one after the other; each begins where the one before ends.
#[derive(Debug)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    starts: Vec<i32>,
}

impl Texts {
    fn new(empty: usize) -> Texts {
        Texts { bytes: Vec::new(), starts: vec![0; empty + 1] }
    }

    /// Appends a text: UTF-8, which the array of them checks.
    pub fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        // A batch is far smaller than 2 GiB; an overflow would be an error of Arrow's checks.
        self.starts.push(i32::try_from(self.bytes.len()).unwrap_or(-1));
    }

    fn array(self, valid: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
        let offsets = offsets(self.starts)?;
        Ok(Arc::new(StringArray::try_new(offsets, Buffer::from_vec(self.bytes), valid)?))
    }
}

fn offsets(starts: Vec<i32>) -> Result<OffsetBuffer<i32>, ArrowError> {
    match starts.is_sorted() && starts.first().is_some_and(|first| *first >= 0) {
        true => Ok(OffsetBuffer::new(ScalarBuffer::from(starts))),
        false => Err(ArrowError::InvalidArgumentError("2 GiB in one column of a batch".into())),
    }
}

impl Column {
    /// A column of a kind with this many nulls.
    pub fn of(kind: &Kind, nulls: usize) -> Column {
        let values = match kind {
            Kind::Unknown => Values::Unknown,
            Kind::Bool => Values::Bool(vec![false; nulls]),
            Kind::Int => Values::Int(vec![0; nulls]),
            Kind::Double => Values::Double(vec![0.0; nulls]),
            Kind::Text => Values::Text(Texts::new(nulls)),
            Kind::Json => Values::Json(Texts::new(nulls)),
            Kind::List(element) => {
                Values::List(vec![0; nulls + 1], Box::new(Column::of(element, 0)))
            }
            Kind::Object(fields) => {
                let of = |(name, kind): &(String, Kind)| (name.clone(), Column::of(kind, nulls));
                Values::Object(fields.iter().map(of).collect())
            }
        };
        Column { valid: vec![false; nulls], values }
    }

    /// What it holds.
    pub fn kind(&self) -> Kind {
        match &self.values {
            Values::Unknown => Kind::Unknown,
            Values::Bool(_) => Kind::Bool,
            Values::Int(_) => Kind::Int,
            Values::Double(_) => Kind::Double,
            Values::Text(_) => Kind::Text,
            Values::Json(_) => Kind::Json,
            Values::List(_, element) => Kind::List(Box::new(element.kind())),
            Values::Object(fields) => {
                Kind::Object(fields.iter().map(|(name, of)| (name.clone(), of.kind())).collect())
            }
        }
    }

    /// The number of places.
    pub fn len(&self) -> usize {
        self.valid.len()
    }

    /// Its kind without those of elements and fields.
    pub fn kind_of_values(&self) -> Kind {
        match &self.values {
            Values::List(..) => Kind::List(Box::new(Kind::Unknown)),
            Values::Object(_) => Kind::Object(Vec::new()),
            _ => self.kind(),
        }
    }

    /// Appends a text to a column of texts.
    pub fn push_text(&mut self, text: &[u8]) {
        if let Values::Text(texts) = &mut self.values {
            texts.push(text);
            self.valid.push(true);
        }
    }

    /// Appends a place without a value.
    pub fn push_null(&mut self) {
        self.valid.push(false);
        match &mut self.values {
            Values::Unknown => {}
            Values::Bool(values) => values.push(false),
            Values::Int(values) => values.push(0),
            Values::Double(values) => values.push(0.0),
            Values::Text(texts) | Values::Json(texts) => texts.push(b""),
            Values::List(starts, element) => starts.push(place(element)),
            Values::Object(fields) => fields.iter_mut().for_each(|(_, field)| field.push_null()),
        }
    }

    /// The columns of documents: their names and values.
    ///
    /// # Errors
    /// Where a column is longer than Arrow allows.
    pub fn into_fields(self) -> Done<Vec<(String, ArrayRef)>> {
        let Values::Object(fields) = self.values else { return Ok(Vec::new()) };
        let made = fields.into_iter().map(|(name, column)| Ok((name, column.array()?)));
        made.collect::<Result<_, ArrowError>>().map_err(Failure::invalid)
    }

    /// The values.
    ///
    /// # Errors
    /// As [`Column::into_fields`].
    pub fn array(self) -> Result<ArrayRef, ArrowError> {
        let len = self.len();
        let all = self.valid.iter().all(|valid| *valid);
        let valid = (!all).then(|| NullBuffer::from(self.valid));
        Ok(match self.values {
            Values::Unknown => Arc::new(StringArray::new_null(len)),
            Values::Bool(values) => Arc::new(BooleanArray::new(BooleanBuffer::from(values), valid)),
            Values::Int(values) => Arc::new(Int64Array::try_new(values.into(), valid)?),
            Values::Double(values) => Arc::new(Float64Array::try_new(values.into(), valid)?),
            Values::Text(texts) | Values::Json(texts) => texts.array(valid)?,
            Values::List(starts, element) => {
                let elements = element.array()?;
                let field = Field::new("element", elements.data_type().clone(), true);
                let starts = offsets(starts)?;
                Arc::new(ListArray::try_new(Arc::new(field), starts, elements, valid)?)
            }
            // A STRUCT has a field at least.
            Values::Object(fields) if fields.is_empty() => {
                let mut texts = Texts::new(0);
                (0..len).for_each(|_| texts.push(b"{}"));
                texts.array(valid)?
            }
            Values::Object(fields) => {
                let (mut types, mut arrays) = (Vec::new(), Vec::new());
                for (name, column) in fields {
                    let array = column.array()?;
                    types.push(Field::new(name, array.data_type().clone(), true));
                    arrays.push(array);
                }
                Arc::new(StructArray::try_new(Fields::from(types), arrays, valid)?)
            }
        })
    }
}

/// The position of a field by its name, `next` where it is the one expected. A field that is not
/// there yet gets a column with `len` nulls.
///
/// # Errors
/// Where the document has the field already, or no column can have the name.
pub(super) fn field(
    fields: &mut Vec<(String, Column)>,
    next: usize,
    len: usize,
    name: &str,
) -> Result<usize, String> {
    let there = match fields.get(next) {
        Some((there, _)) if there == name => Some(next),
        _ => fields.iter().position(|(there, _)| there == name),
    };
    if let Some(at) = there {
        return match fields[at].1.len() > len {
            true => Err(format!("field {name} is there twice")),
            false => Ok(at),
        };
    }
    // DuckDB's names of columns and fields are equal without regard to case.
    let same = fields.iter().find(|(there, _)| there.eq_ignore_ascii_case(name));
    if let Some((there, _)) = same {
        return Err(format!("fields {there} and {name} differ in case only"));
    }
    if name.is_empty() || name.contains('\0') {
        return Err("a field has a name that no column can have".to_owned());
    }
    fields.push((name.to_owned(), Column::of(&Kind::Unknown, len)));
    Ok(fields.len() - 1)
}

/// The number of elements so far.
pub(super) fn place(element: &Column) -> i32 {
    i32::try_from(element.len()).unwrap_or(-1)
}
