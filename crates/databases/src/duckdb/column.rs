//! Documents as typed nested columns, and the types that they need.
//!
//! No schema is declared: the types are those of the values that came so far, and grow with them
//! ([`Kind`]). A column of values that have no type in common holds their JSON text.

use std::fmt;
use std::sync::Arc;

use duckdb::arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, StringArray, StructArray,
};
use duckdb::arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use duckdb::arrow::datatypes::{Field, Fields};
use duckdb::arrow::error::ArrowError;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::kind::Kind;
use crate::failure::{Done, Failure};

/// Integers up to this one are doubles as well.
const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;

/// The values of one field in some documents, or of the elements of an array.
#[derive(Debug)]
pub(super) struct Column {
    /// Whether there is a value, for every place.
    valid: Vec<bool>,
    values: Values,
}

/// What is at a place without a value counts for nothing.
#[derive(Debug)]
enum Values {
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
struct Texts {
    bytes: Vec<u8>,
    starts: Vec<i32>,
}

impl Texts {
    fn new(empty: usize) -> Texts {
        Texts { bytes: Vec::new(), starts: vec![0; empty + 1] }
    }

    fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
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

    fn len(&self) -> usize {
        self.valid.len()
    }

    fn push_null(&mut self) {
        self.valid.push(false);
        match &mut self.values {
            Values::Unknown => {}
            Values::Bool(values) => values.push(false),
            Values::Int(values) => values.push(0),
            Values::Double(values) => values.push(0.0),
            Values::Text(texts) | Values::Json(texts) => texts.push(""),
            Values::List(starts, element) => starts.push(place(element)),
            Values::Object(fields) => fields.iter_mut().for_each(|(_, field)| field.push_null()),
        }
    }

    /// Appends a document. Where that changes the kind the values are of no use: all documents have
    /// to be appended anew to a column of the new kind.
    ///
    /// # Errors
    /// Why it is none that columns can hold. The column is then of no use.
    pub fn push_document(&mut self, text: &[u8]) -> Result<(), String> {
        let mut reader = serde_json::Deserializer::from_slice(text);
        Fill(self).deserialize(&mut reader).map_err(|e| e.to_string())?;
        reader.end().map_err(|e| e.to_string())?;
        match self.values {
            Values::Object(_) => Ok(()),
            _ => Err("it is no JSON object".to_owned()),
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

    fn array(self) -> Result<ArrayRef, ArrowError> {
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
                (0..len).for_each(|_| texts.push("{}"));
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

/// The number of elements so far.
fn place(element: &Column) -> i32 {
    i32::try_from(element.len()).unwrap_or(-1)
}

/// Appends one value to a column. Where the column has another type it gets a wider one, without its
/// values: all have to be appended anew to a column of that kind.
struct Fill<'a>(&'a mut Column);

impl Fill<'_> {
    /// Makes the column one of another type.
    fn widen(&mut self, kind: &Kind) {
        let nulls = self.0.len();
        *self.0 = Column::of(kind, nulls);
    }

    /// Widens the column as far as a value of this kind makes it necessary.
    fn make_room(&mut self, kind: &Kind) {
        let now = self.0.kind_of_values();
        if now != *kind && now != Kind::Json && !(now == Kind::Double && *kind == Kind::Int) {
            let wider = match (&now, kind) {
                (Kind::Unknown, _) => kind.clone(),
                (Kind::Int, Kind::Double) => Kind::Double,
                _ => Kind::Json,
            };
            self.widen(&wider);
        }
    }

    fn json(&mut self, value: &serde_json::Value) {
        if let Values::Json(texts) = &mut self.0.values {
            texts.push(&value.to_string());
            self.0.valid.push(true);
        }
    }
}

impl Column {
    /// Its kind without those of elements and fields.
    fn kind_of_values(&self) -> Kind {
        match &self.values {
            Values::List(..) => Kind::List(Box::new(Kind::Unknown)),
            Values::Object(_) => Kind::Object(Vec::new()),
            _ => self.kind(),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Fill<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(mut self, from: D) -> Result<(), D::Error> {
        if !matches!(self.0.values, Values::Json(_)) {
            return from.deserialize_any(self);
        }
        match <serde_json::Value as serde::Deserialize>::deserialize(from)? {
            serde_json::Value::Null => self.0.push_null(),
            value => self.json(&value),
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Fill<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.0.push_null();
        Ok(())
    }

    fn visit_bool<E: de::Error>(mut self, value: bool) -> Result<(), E> {
        self.make_room(&Kind::Bool);
        if let Values::Bool(values) = &mut self.0.values {
            values.push(value);
            self.0.valid.push(true);
        } else {
            self.json(&value.into());
        }
        Ok(())
    }

    fn visit_i64<E: de::Error>(mut self, value: i64) -> Result<(), E> {
        self.make_room(&Kind::Int);
        match &mut self.0.values {
            Values::Int(values) => values.push(value),
            Values::Double(values) if value.unsigned_abs() <= EXACT => values.push(value as f64),
            Values::Double(_) => {
                self.widen(&Kind::Json);
                self.json(&value.into());
                return Ok(());
            }
            _ => {
                self.json(&value.into());
                return Ok(());
            }
        }
        self.0.valid.push(true);
        Ok(())
    }

    fn visit_u64<E: de::Error>(mut self, value: u64) -> Result<(), E> {
        match i64::try_from(value) {
            Ok(value) => self.visit_i64(value),
            Err(_) => {
                self.make_room(&Kind::Json);
                self.json(&value.into());
                Ok(())
            }
        }
    }

    fn visit_f64<E: de::Error>(mut self, value: f64) -> Result<(), E> {
        self.make_room(&Kind::Double);
        if let Values::Double(values) = &mut self.0.values {
            values.push(value);
            self.0.valid.push(true);
        } else {
            self.json(&value.into());
        }
        Ok(())
    }

    fn visit_str<E: de::Error>(mut self, value: &str) -> Result<(), E> {
        self.make_room(&Kind::Text);
        if let Values::Text(texts) = &mut self.0.values {
            texts.push(value);
            self.0.valid.push(true);
        } else {
            self.json(&value.into());
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut values: A) -> Result<(), A::Error> {
        self.make_room(&Kind::List(Box::new(Kind::Unknown)));
        let Values::List(starts, element) = &mut self.0.values else {
            // Appended anew as JSON.
            while values.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        while values.next_element_seed(Fill(element))?.is_some() {}
        starts.push(place(element));
        self.0.valid.push(true);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        self.make_room(&Kind::Object(Vec::new()));
        let len = self.0.len();
        let Values::Object(fields) = &mut self.0.values else {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        // Fields mostly come in the order of the document before.
        let mut next = 0;
        while let Some(at) = map.next_key_seed(Name { fields: &mut *fields, next, len })? {
            let (name, column) = &mut fields[at];
            if column.len() > len {
                return Err(de::Error::custom(format!("field {name} is there twice")));
            }
            map.next_value_seed(Fill(column))?;
            next = at + 1;
        }
        for (_, column) in fields.iter_mut().filter(|(_, column)| column.len() <= len) {
            column.push_null();
        }
        self.0.valid.push(true);
        Ok(())
    }
}

/// Finds the position of a field by its name, or makes a new one.
struct Name<'a> {
    fields: &'a mut Vec<(String, Column)>,
    next: usize,
    len: usize,
}

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<usize, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<usize, E> {
        if self.fields.get(self.next).is_some_and(|(there, _)| there == name) {
            return Ok(self.next);
        }
        if let Some(at) = self.fields.iter().position(|(there, _)| there == name) {
            return Ok(at);
        }
        // DuckDB's names of columns and fields are equal without regard to case.
        let same = self.fields.iter().find(|(there, _)| there.eq_ignore_ascii_case(name));
        if let Some((there, _)) = same {
            return Err(E::custom(format!("fields {there} and {name} differ in case only")));
        }
        if name.is_empty() || name.contains('\0') {
            return Err(E::custom("a field has a name that no column can have"));
        }
        self.fields.push((name.to_owned(), Column::of(&Kind::Unknown, self.len)));
        Ok(self.fields.len() - 1)
    }
}
