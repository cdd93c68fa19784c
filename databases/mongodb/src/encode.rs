//! JSON text as BSON, without an intermediate tree of values.
//!
//! BSON (bsonspec.org, version 1.1): a document is its length, elements, a zero byte; an element is
//! a type, a name that a zero byte ends, a value. The names of an array's elements are their
//! positions.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

const DOUBLE: u8 = 0x01;
const STRING: u8 = 0x02;
const DOCUMENT: u8 = 0x03;
const ARRAY: u8 = 0x04;
const BOOLEAN: u8 = 0x08;
const NULL: u8 = 0x0A;
const INT: u8 = 0x10;
const LONG: u8 = 0x12;

/// Appends a document under a key: `_id` first, then the fields of the JSON text but for an `_id`.
///
/// # Errors
/// Why the text is no document: no JSON object, or a name with U+0000 in it.
pub(super) fn document(key: &str, json: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    let start = begin(out);
    name(STRING, "_id", out);
    string(key, out);
    let mut reader = serde_json::Deserializer::from_slice(json);
    reader.deserialize_map(Fields(out)).map_err(|e| format!("it is no JSON object: {e}"))?;
    reader.end().map_err(|e| format!("it is no JSON object: {e}"))?;
    end(start, out);
    Ok(())
}

/// Reserves space for a length and returns its position.
pub(super) fn begin(out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    start
}

/// Ends the document that begins at this position.
pub(super) fn end(start: usize, out: &mut Vec<u8>) {
    out.push(0);
    // No server takes a message of 2 GiB.
    let length = i32::try_from(out.len() - start).unwrap_or(i32::MAX);
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

fn name(kind: u8, name: &str, out: &mut Vec<u8>) {
    out.push(kind);
    out.extend_from_slice(name.as_bytes());
    out.push(0);
}

/// Appends an element that is a string.
pub(super) fn string_element(field: &str, value: &str, out: &mut Vec<u8>) {
    name(STRING, field, out);
    string(value, out);
}

fn string(value: &str, out: &mut Vec<u8>) {
    let length = i32::try_from(value.len() + 1).unwrap_or(i32::MAX);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(value.as_bytes());
    out.push(0);
}

/// The fields of the outermost object.
struct Fields<'a>(&'a mut Vec<u8>);

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        elements(map, self.0, |name| name != "_id")
    }
}

fn elements<'de, A: MapAccess<'de>>(
    mut map: A,
    out: &mut Vec<u8>,
    wanted: impl Fn(&str) -> bool,
) -> Result<(), A::Error> {
    loop {
        // The type is known once the value is read.
        let at = out.len();
        out.push(0);
        if map.next_key_seed(Name(out))?.is_none() {
            out.truncate(at);
            return Ok(());
        }
        let keep = std::str::from_utf8(&out[at + 1..]).is_ok_and(&wanted);
        out.push(0);
        out[at] = map.next_value_seed(Element(out))?;
        if !keep {
            out.truncate(at);
        }
    }
}

/// Appends a name without the zero byte at its end.
struct Name<'a>(&'a mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<(), E> {
        if name.contains('\0') {
            return Err(E::custom("a name in BSON cannot hold U+0000"));
        }
        self.0.extend_from_slice(name.as_bytes());
        Ok(())
    }
}

/// Appends a value and returns its type.
struct Element<'a>(&'a mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = u8;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u8, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Element<'_> {
    type Value = u8;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<u8, E> {
        Ok(NULL)
    }

    fn visit_bool<E>(self, value: bool) -> Result<u8, E> {
        self.0.push(value.into());
        Ok(BOOLEAN)
    }

    fn visit_i64<E>(self, value: i64) -> Result<u8, E> {
        match i32::try_from(value) {
            Ok(value) => {
                self.0.extend_from_slice(&value.to_le_bytes());
                Ok(INT)
            }
            Err(_) => {
                self.0.extend_from_slice(&value.to_le_bytes());
                Ok(LONG)
            }
        }
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<u8, E> {
        match i64::try_from(value) {
            Ok(value) => self.visit_i64(value),
            Err(_) => self.visit_f64(value as f64),
        }
    }

    fn visit_f64<E>(self, value: f64) -> Result<u8, E> {
        self.0.extend_from_slice(&value.to_le_bytes());
        Ok(DOUBLE)
    }

    fn visit_str<E>(self, value: &str) -> Result<u8, E> {
        string(value, self.0);
        Ok(STRING)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<u8, A::Error> {
        use std::io::Write;
        let start = begin(self.0);
        for position in 0.. {
            let at = self.0.len();
            self.0.push(0);
            let _ = write!(self.0, "{position}");
            self.0.push(0);
            match values.next_element_seed(Element(self.0))? {
                Some(kind) => self.0[at] = kind,
                None => {
                    self.0.truncate(at);
                    break;
                }
            }
        }
        end(start, self.0);
        Ok(ARRAY)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<u8, A::Error> {
        let start = begin(self.0);
        elements(map, self.0, |_| true)?;
        end(start, self.0);
        Ok(DOCUMENT)
    }
}

#[cfg(test)]
mod tests {
    use mongodb::bson::{Document, RawDocumentBuf, doc};

    use super::*;

    fn read(key: &str, json: &str) -> Document {
        let mut out = Vec::new();
        document(key, json.as_bytes(), &mut out).unwrap();
        Document::try_from(&RawDocumentBuf::from_bytes(out).unwrap()).unwrap()
    }

    #[test]
    fn json_becomes_bson_with_its_key_first() {
        let json = r#" {"a": 1, "b": [true, null, {"c": -2.5}, []], "_id": {"x": 9}, "d\u00e9": "\u20ac\n",
            "big": 9223372036854775807, "int": -2147483648, "long": 2147483648, "money": 300000.0,
            "huge": 18446744073709551615, "e": {}} "#;
        let expected = doc! {
            "_id": "k.1", "a": 1i32, "b": [true, null, {"c": -2.5}, []], "dé": "€\n",
            "big": i64::MAX, "int": i32::MIN, "long": 2_147_483_648i64, "money": 300000.0,
            "huge": 18_446_744_073_709_551_615.0, "e": {}
        };
        assert_eq!(read("k.1", json), expected);
        assert_eq!(read("", "{}"), doc! {"_id": ""});
        assert_eq!(read("a\0b", "{\"x\": \"\\u0000\"}"), doc! {"_id": "a\0b", "x": "\0"});
    }

    #[test]
    fn what_is_no_document_is_refused() {
        for bad in ["", "[1]", "7", "{\"a\": }", "{} {}", "{\"a\\u0000b\": 1}", "{\"a\": 1"] {
            let e = document("k", bad.as_bytes(), &mut Vec::new()).unwrap_err();
            assert!(e.contains("no JSON object"), "{bad}: {e}");
        }
    }
}
