//! What the tests share: data sets and parsed documents.

use hoap_ch2::data::{Collection, DataSet, ExtraFields, Schema, Spec};
use hoap_data::Timestamp;
use serde_json::Value;

pub fn data_set(schema: Schema, warehouses: u32, scale_down: u32) -> DataSet {
    let mut spec = Spec::new(schema, warehouses);
    spec.scale_down = scale_down;
    if schema == Schema::Ch2pp {
        spec.extra_fields = ExtraFields::all(2);
    }
    DataSet::new(spec).expect("a valid specification")
}

pub fn text(data: &DataSet, collection: Collection, index: u64) -> String {
    let mut out = Vec::new();
    data.append(collection, index, &mut out);
    String::from_utf8(out).expect("UTF-8")
}

pub fn key(data: &DataSet, collection: Collection, index: u64) -> String {
    let mut out = String::new();
    data.append_key(collection, index, &mut out);
    out
}

pub fn document(data: &DataSet, collection: Collection, index: u64) -> Value {
    serde_json::from_str(&text(data, collection, index)).expect("JSON")
}

/// The document with this key.
pub fn document_at(data: &DataSet, collection: Collection, key: &str) -> Value {
    document(data, collection, data.index_of(collection, key).expect("a key of the load"))
}

/// All documents of a collection, parsed.
pub fn documents(data: &DataSet, collection: Collection) -> impl Iterator<Item = Value> + use<> {
    let data = *data;
    (0..data.count(collection)).map(move |index| document(&data, collection, index))
}

pub fn int(document: &Value, field: &str) -> i64 {
    document[field].as_i64().unwrap_or_else(|| panic!("{field} of {document} is no integer"))
}

pub fn string<'a>(document: &'a Value, field: &str) -> &'a str {
    document[field].as_str().unwrap_or_else(|| panic!("{field} of {document} is no string"))
}

pub fn list<'a>(document: &'a Value, field: &str) -> &'a [Value] {
    document[field].as_array().unwrap_or_else(|| panic!("{field} of {document} is no array"))
}

/// A number in units of 1 / `per`.
pub fn scaled(document: &Value, field: &str, per: f64) -> i64 {
    let number = document[field].as_f64();
    (number.unwrap_or_else(|| panic!("{field} of {document} is no number")) * per).round() as i64
}

pub fn cents(document: &Value, field: &str) -> i64 {
    scaled(document, field, 100.0)
}

/// Microseconds since 1970 of a date string.
pub fn micros(document: &Value, field: &str) -> i64 {
    string(document, field).parse::<Timestamp>().expect("a timestamp").micros()
}

/// The eight characters that ORIGINAL stands for are gone; the rest counts.
pub fn without_original(data: &str) -> (bool, String) {
    match data.split_once("ORIGINAL") {
        Some((head, tail)) => (true, format!("{head}{tail}")),
        None => (false, data.to_owned()),
    }
}
