//! Values of JSON as BSON and back, and the values at the paths of documents.

use hoap_database::Row;
use hoap_database::failure::{Done, Failure};
use hoap_database::path::{self, Step};
use mongodb::bson::raw::{RawBsonRef, RawDocument};
use mongodb::bson::{Bson, Document, doc};
use serde_json::{Map, Number, Value};

/// A value of JSON as BSON. Whole numbers are `int` where they fit, else `long`.
///
/// # Errors
/// A name with U+0000 in it.
pub(super) fn bson(value: &Value) -> Result<Bson, String> {
    Ok(match value {
        Value::Null => Bson::Null,
        Value::Bool(b) => Bson::Boolean(*b),
        Value::Number(n) => match n.as_i64() {
            Some(n) => whole(n),
            None => Bson::Double(n.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(s) => Bson::String(s.clone()),
        Value::Array(values) => Bson::Array(values.iter().map(bson).collect::<Result<_, _>>()?),
        Value::Object(fields) => Bson::Document(document(fields)?),
    })
}

/// The fields of a JSON object.
pub(super) fn document(fields: &Map<String, Value>) -> Result<Document, String> {
    let mut document = Document::new();
    for (name, value) in fields {
        if name.contains('\0') {
            return Err("a name in BSON cannot hold U+0000".to_owned());
        }
        document.insert(name, bson(value)?);
    }
    Ok(document)
}

/// A whole number, `int` where it fits.
pub(super) fn whole(n: i64) -> Bson {
    i32::try_from(n).map_or(Bson::Int64(n), Bson::Int32)
}

/// The depth of a document that is read. The server stores 180 levels (`BSONDepth`).
const DEEPEST: usize = 200;

/// A value of BSON as JSON.
///
/// # Errors
/// A type that JSON does not have, and none of the benchmarks writes; more than [`DEEPEST`] levels.
pub(super) fn json(value: RawBsonRef<'_>) -> Result<Value, String> {
    json_within(value, DEEPEST)
}

fn json_within(value: RawBsonRef<'_>, levels: usize) -> Result<Value, String> {
    let Some(levels) = levels.checked_sub(1) else {
        return Err(format!("a value has more than {DEEPEST} levels"));
    };
    Ok(match value {
        RawBsonRef::Null | RawBsonRef::Undefined => Value::Null,
        RawBsonRef::Boolean(b) => Value::Bool(b),
        RawBsonRef::Int32(n) => n.into(),
        RawBsonRef::Int64(n) => n.into(),
        RawBsonRef::Double(x) => match Number::from_f64(x) {
            Some(number) => Value::Number(number),
            None => return Err(format!("{x} is no number of JSON")),
        },
        RawBsonRef::Decimal128(d) => match serde_json::from_str(&d.to_string()) {
            Ok(number @ Value::Number(_)) => number,
            _ => return Err(format!("{d} is no number of JSON")),
        },
        RawBsonRef::String(s) => s.into(),
        RawBsonRef::Array(values) => {
            let mut out = Vec::new();
            for value in values {
                out.push(json_within(value.map_err(|e| e.to_string())?, levels)?);
            }
            Value::Array(out)
        }
        RawBsonRef::Document(fields) => {
            let mut out = Map::new();
            for field in fields {
                let (name, value) = field.map_err(|e| e.to_string())?;
                out.insert(name.as_str().to_owned(), json_within(value, levels)?);
            }
            Value::Object(out)
        }
        other => return Err(format!("a value is of the type {:?}", other.element_type())),
    })
}

/// A value of BSON for display: a type that JSON lacks is its text.
pub(super) fn shown(value: &Bson) -> Value {
    match value {
        Bson::Null => Value::Null,
        Bson::Boolean(b) => Value::Bool(*b),
        Bson::Int32(n) => (*n).into(),
        Bson::Int64(n) => (*n).into(),
        Bson::Double(x) => (*x).into(),
        Bson::String(s) => s.as_str().into(),
        Bson::Array(values) => values.iter().map(shown).collect(),
        Bson::Document(fields) => fields.iter().map(|(n, v)| (n.clone(), shown(v))).collect(),
        other => other.to_string().into(),
    }
}

/// The values at these paths.
pub(super) fn row(document: &RawDocument, fields: &[&str]) -> Done<Row> {
    fields.iter().map(|path| at(document, path).map_err(Failure::broken)).collect()
}

/// The value at a path such as `a.b[3]`, null where there is none.
fn at(document: &RawDocument, path: &str) -> Result<Value, String> {
    if path == path::WHOLE {
        let Value::Object(mut fields) = json(RawBsonRef::Document(document))? else {
            return Ok(Value::Null);
        };
        fields.shift_remove("_id");
        return Ok(fields.into());
    }
    let mut here = Some(RawBsonRef::Document(document));
    for step in path::steps(path) {
        let found = match (here, step) {
            (Some(RawBsonRef::Document(fields)), Step::Field(name)) => fields.get(name),
            (Some(RawBsonRef::Array(values)), Step::Position(n)) => values.get(n as usize),
            _ => Ok(None),
        };
        here = found.map_err(|e| e.to_string())?;
    }
    here.map_or(Ok(Value::Null), json)
}

/// The projection that returns these fields for [`row`]. It returns whole arrays, whose positions
/// projections cannot name, and all that is beside a field which they cannot name.
pub(super) fn projection(fields: &[&str]) -> Document {
    let stops = |step: Step<'_>| matches!(step, Step::Position(_)) || !is_named(step);
    let paths: Vec<&str> = fields.iter().map(|path| path::up_to(path, stops)).collect();
    if paths.contains(&"") {
        return Document::new();
    }
    let inside =
        |outer: &str, path: &str| path::is_within(path, outer) && !path::is_within(outer, path);
    let mut projection = doc! {"_id": 1};
    // A path inside another one of the projection would be a collision.
    for path in &paths {
        if !paths.iter().any(|outer| inside(outer, path)) {
            projection.insert(path::joined(path, "."), 1);
        }
    }
    projection
}

/// Whether a projection, an update or a condition can name a step.
fn is_named(step: Step<'_>) -> bool {
    match step {
        Step::Field(name) => !name.is_empty() && !name.contains('.') && !name.starts_with('$'),
        Step::Position(_) => true,
    }
}

/// A path as updates, conditions and indexes have it.
///
/// # Errors
/// [`hoap_record::ErrorKind::Invalid`] where they cannot name it.
pub(super) fn dotted(path: &str) -> Done<String> {
    match path::steps(path).all(is_named) {
        true => Ok(path::joined(path, ".")),
        false => Err(Failure::invalid(format!(
            "`{path}`: updates and indexes cannot name a field with a dot in it, or a dollar before"
        ))),
    }
}

/// The key of a document.
pub(super) fn key(document: &RawDocument) -> Done<&str> {
    match document.get("_id") {
        Ok(Some(RawBsonRef::String(key))) => Ok(key),
        _ => Err(Failure::broken("a document's _id is no string")),
    }
}

#[cfg(test)]
mod tests {
    use mongodb::bson::{RawDocumentBuf, oid::ObjectId};
    use serde_json::json;

    use super::*;

    #[test]
    fn values_come_back_as_they_went_in() {
        let values = json!({
            "null": null, "yes": true, "zero": 0, "large": i64::MAX, "small": i64::MIN, "real": 0.1,
            "money": 300000.0, "text": "it's \u{1}", "list": [1, [2.5, {"a": null}]], "none": {}
        });
        let Bson::Document(document) = bson(&values).unwrap() else { panic!() };
        assert_eq!(document.get("zero"), Some(&Bson::Int32(0)));
        let raw = RawDocumentBuf::try_from(&document).unwrap();
        assert_eq!(json(RawBsonRef::Document(&raw)), Ok(values));
        let fields = ["list[1][1].a", "list[1][0]", "list[9]", "absent.x", "money", "none"];
        let expected = json!([null, 2.5, null, null, 300000.0, {}]);
        assert_eq!(json!(row(&raw, &fields).unwrap()), expected);
        let odd = RawDocumentBuf::try_from(&doc! {"x": ObjectId::new()}).unwrap();
        assert!(row(&odd, &["x"]).unwrap_err().answer.contains("ObjectId"));
    }

    /// A server's answer of megabytes may be nothing but levels.
    #[test]
    fn a_value_without_a_bottom_is_refused() {
        let nested = |levels: usize| {
            // Of each level its length, a document without a name, and the end.
            let mut bytes = Vec::new();
            for level in (0..levels).rev() {
                bytes.extend_from_slice(&(level as i32 * 7 + 5).to_le_bytes());
                bytes.extend_from_slice(if level > 0 { &[3, 0] } else { &[] });
            }
            bytes.resize(bytes.len() + levels, 0);
            RawDocumentBuf::from_bytes(bytes).unwrap()
        };
        let read = |levels| json(RawBsonRef::Document(&nested(levels)));
        assert_eq!(read(2), Ok(json!({"": {}})));
        assert!(read(DEEPEST).is_ok());
        for levels in [DEEPEST + 1, 1_000_000] {
            assert!(read(levels).unwrap_err().contains("more than 200 levels"));
        }
    }

    #[test]
    fn a_projection_names_no_path_inside_another() {
        let fields = ["a.b", "c[3]", "a.b.c", "d", "d", "dd", "c[1].x"];
        let expected = doc! {"_id": 1, "a.b": 1, "c": 1, "d": 1, "dd": 1};
        assert_eq!(projection(&fields), expected);
        assert_eq!(projection(&["a.'b.c'.d", "'e'.f"]), doc! {"_id": 1, "a": 1, "e.f": 1});
        for whole in ["$", "'$x'", "'a.b'"] {
            assert_eq!(projection(&["d", whole]), doc! {}, "{whole}");
        }
        assert_eq!(dotted("a[1].b"), Ok("a.1.b".to_owned()));
        for path in ["'a.b'", "a.'$b'", "''"] {
            assert_eq!(dotted(path).unwrap_err().kind, hoap_record::ErrorKind::Invalid, "{path}");
        }
    }
}
