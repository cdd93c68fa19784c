//! Parquet, row by row: a column that is null is absent.

use std::path::Path;

use hoap_data::Timestamp;
use hoap_workload::Result;
use parquet::file::reader::SerializedFileReader;
use parquet::record::{Field, Row};
use serde_json::{Map, Number, Value};

use super::pages::{Bounded, MOST_VALUES};
use super::source::{Each, Source};

/// Reads all rows.
pub fn read(source: &Source<'_>, path: &Path, each: Each<'_>) -> Result<()> {
    // Its end is read first: a pipe has none.
    let file = hoap_record::input::open(path).map_err(|e| source.unread(&e))?;
    let file = SerializedFileReader::new(file).map_err(|e| source.unread(&e))?;
    let file = Bounded::new(file, MOST_VALUES);
    for row in file.rows().map_err(|e| source.unread(&e))? {
        each(object(&row.map_err(|e| source.unread(&e))?))?;
    }
    Ok(())
}

fn object(row: &Row) -> Value {
    let there = row.get_column_iter().filter(|(_, field)| !matches!(field, Field::Null));
    Value::Object(there.map(|(name, field)| (name.clone(), value(field))).collect())
}

fn value(field: &Field) -> Value {
    let number = |n: f64| Number::from_f64(n).map_or(Value::Null, Value::Number);
    let instant = |micros: i64| {
        let text = Timestamp::from_micros(micros).to_string();
        Value::from(format!("{}T{}Z", &text[..10], &text[11..23]))
    };
    match field {
        Field::Null => Value::Null,
        Field::Bool(whether) => (*whether).into(),
        Field::Byte(n) => (*n).into(),
        Field::Short(n) => (*n).into(),
        Field::Int(n) => (*n).into(),
        Field::Long(n) => (*n).into(),
        Field::UByte(n) => (*n).into(),
        Field::UShort(n) => (*n).into(),
        Field::UInt(n) => (*n).into(),
        Field::ULong(n) => (*n).into(),
        Field::Float(n) => number((*n).into()),
        Field::Double(n) => number(*n),
        Field::Str(text) => text.as_str().into(),
        Field::Date(days) => {
            let micros = i64::from(*days) * hoap_data::DAY_MICROS;
            Timestamp::from_micros(micros).to_string()[..10].into()
        }
        Field::TimestampMillis(millis) => instant(millis.saturating_mul(1000)),
        Field::TimestampMicros(micros) => instant(*micros),
        Field::Group(row) => object(row),
        Field::ListInternal(list) => list.elements().iter().map(value).collect(),
        Field::MapInternal(map) => {
            let text = |key: &Field| match key {
                Field::Str(text) => text.clone(),
                key => key.to_string(),
            };
            let members = map.entries().iter().map(|(key, of)| (text(key), value(of)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        // Decimals, bytes, times of the day: as they print, a number if it is one.
        other => {
            let text = other.to_string();
            text.parse::<f64>().map_or_else(|_| text.as_str().into(), number)
        }
    }
}
