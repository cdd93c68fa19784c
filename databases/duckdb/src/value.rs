//! Values of DuckDB as JSON.

use duckdb::arrow::array::{Array, AsArray, StructArray};
use duckdb::arrow::datatypes::{
    DataType, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use duckdb::types::Value as Bound;
use hoap_database::failure::{Done, Failure};
use serde_json::{Number, Value};

use super::kind::Kind;
use crate::error::OrFail;

/// Calls `each` for every row of the answer of a statement that was executed.
pub(super) fn rows(
    statement: &duckdb::Statement<'_>,
    mut each: impl FnMut(&StructArray, usize) -> Done<()>,
) -> Done<()> {
    while let Some(batch) = statement.step().or_fail()? {
        (0..batch.len()).try_for_each(|row| each(&batch, row))?;
    }
    Ok(())
}

/// A value of a query's parameter: `None` for arrays, objects and numbers outside DuckDB's range.
pub(super) fn bound(value: &Value) -> Option<Bound> {
    Some(match value {
        Value::Null => Bound::Null,
        Value::Bool(b) => Bound::Boolean(*b),
        Value::Number(n) => match n.as_i64() {
            Some(i) => Bound::BigInt(i),
            None if n.is_u64() => return None,
            None => Bound::Double(n.as_f64()?),
        },
        Value::String(s) => Bound::Text(s.clone()),
        Value::Array(_) | Value::Object(_) => return None,
    })
}

/// The value at a place of a column of this kind; [`Kind::Unknown`] is what the column says.
pub(super) fn json(column: &dyn Array, at: usize, kind: &Kind) -> Done<Value> {
    if column.is_null(at) {
        return Ok(Value::Null);
    }
    Ok(match column.data_type() {
        DataType::Boolean => column.as_boolean().value(at).into(),
        DataType::Int8 => column.as_primitive::<Int8Type>().value(at).into(),
        DataType::Int16 => column.as_primitive::<Int16Type>().value(at).into(),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(at).into(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(at).into(),
        DataType::UInt8 => column.as_primitive::<UInt8Type>().value(at).into(),
        DataType::UInt16 => column.as_primitive::<UInt16Type>().value(at).into(),
        DataType::UInt32 => column.as_primitive::<UInt32Type>().value(at).into(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(at).into(),
        DataType::Float32 => real(column.as_primitive::<Float32Type>().value(at).into())?,
        DataType::Float64 => real(column.as_primitive::<Float64Type>().value(at))?,
        // HUGEINT, which the sum of integers is, and DECIMAL.
        DataType::Decimal128(_, scale) => {
            let value = column.as_primitive::<Decimal128Type>().value(at);
            match i64::try_from(value) {
                Ok(value) if *scale == 0 => value.into(),
                _ => real(value as f64 / 10f64.powi((*scale).into()))?,
            }
        }
        DataType::Utf8 => {
            let text = column.as_string::<i32>().value(at);
            // An object without fields is stored as JSON, too.
            match kind.sql() == "JSON" && *kind != Kind::Unknown {
                true => serde_json::from_str(text).map_err(Failure::broken)?,
                false => text.into(),
            }
        }
        DataType::List(_) => {
            let elements = column.as_list::<i32>().value(at);
            let of = if let Kind::List(element) = kind { element } else { &Kind::Unknown };
            (0..elements.len()).map(|at| json(&*elements, at, of)).collect::<Done<Vec<_>>>()?.into()
        }
        DataType::Struct(fields) => {
            let object = column.as_struct();
            let field = |(n, name): (usize, &str)| {
                let kind = kind.fields().get(n).map_or(&Kind::Unknown, |(_, kind)| kind);
                Ok((name.to_owned(), json(object.column(n), at, kind)?))
            };
            let names = fields.iter().map(|field| field.name().as_str());
            Value::Object(names.enumerate().map(field).collect::<Done<_>>()?)
        }
        other => {
            let answer = format!("a value of type {other}, which is no JSON: cast it");
            return Err(Failure::invalid(answer));
        }
    })
}

fn real(value: f64) -> Done<Value> {
    let number = Number::from_f64(value);
    number.map(Value::Number).ok_or_else(|| Failure::broken(format!("a value is {value}")))
}
