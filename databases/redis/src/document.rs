//! Documents as hashes.
//!
//! A member of a document's object is a field of the hash: a string under the member's own name, as
//! it is; any other value as JSON text under the name followed by `:json`. So records of strings
//! look as YCSB's own binding writes them, and what a query reads of a document it reads without
//! the rest. A string with an ambiguous name (empty, or ending in `:json`) is stored as JSON text
//! too. Redis has no empty hash: a document without members has a field without name.

use hoap_database::failure::{Done, Failure};
use hoap_database::{json, path};
use redis::Value as Answer;
use serde_json::{Map, Value};

/// The end of the field's name of a member that is not a string.
const JSON: &str = ":json";

/// The field of a document without members.
pub(super) const EMPTY: (&str, &str) = ("", "");

/// Calls `each` with the name, in two parts, and the value of every field of the document in this
/// JSON text, which is UTF-8, and returns their number, or what is wrong with the text.
pub(super) fn fields(
    text: &[u8],
    mut each: impl FnMut([&[u8]; 2], &[u8]),
) -> std::result::Result<usize, String> {
    let count = json::members(text, |name, value| match value {
        json::Value::Text(text) if std::str::from_utf8(name).is_ok_and(is_plain) => {
            each([name, b""], text);
        }
        json::Value::Text(text) => {
            let text = Value::from(String::from_utf8_lossy(text)).to_string();
            each([name, JSON.as_bytes()], text.as_bytes());
        }
        json::Value::Json(text) => each([name, JSON.as_bytes()], text),
    });
    match count.map_err(|e| format!("it is no JSON object: {e}"))? {
        0 => {
            each([EMPTY.0.as_bytes(), b""], EMPTY.1.as_bytes());
            Ok(1)
        }
        count => Ok(count),
    }
}

/// Whether a member of this name is stored under it, where it is a string.
pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.ends_with(JSON)
}

/// The document whose fields HGETALL has returned; `None` where there is none.
pub(super) fn whole(answer: Answer) -> Done<Option<Value>> {
    let pairs: Vec<(Answer, Answer)> = match answer {
        Answer::Map(pairs) => pairs,
        Answer::Array(all) => {
            let mut all = all.into_iter();
            std::iter::from_fn(|| all.next().zip(all.next())).collect()
        }
        other => return Err(Failure::broken(format!("HGETALL answered {other:?}"))),
    };
    if pairs.is_empty() {
        return Ok(None);
    }
    let mut document = Map::new();
    for pair in pairs {
        let (Answer::BulkString(name), Answer::BulkString(value)) = pair else {
            return Err(Failure::broken("a field is no text"));
        };
        let text = |bytes| {
            String::from_utf8(bytes).map_err(|_| Failure::broken("a name or value is not UTF-8"))
        };
        let name = text(name)?;
        match name.strip_suffix(JSON) {
            Some(member) => {
                let value = serde_json::from_slice(&value)
                    .map_err(|e| Failure::broken(format!("{name}: {e}")))?;
                document.insert(member.to_owned(), value);
            }
            None if name == EMPTY.0 => {}
            None => drop(document.insert(name, Value::from(text(value)?))),
        }
    }
    Ok(Some(Value::Object(document)))
}

/// A path into a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    /// The fields that may hold the member: as a string, as JSON text.
    pub fields: [String; 2],
    /// The rest of the path, as a JSON pointer.
    pointer: String,
    /// Whether the first of the fields is the member's.
    plain: bool,
}

impl Path {
    /// A checked path, `a.b[3]`.
    pub fn new(path: &str) -> Path {
        let member = path::member(path);
        let fields = [member.to_owned(), format!("{member}{JSON}")];
        Path { fields, pointer: path::pointer(path), plain: is_plain(member) }
    }

    /// The value at the path, from the answers for the two fields.
    pub fn value(&self, answers: &[Answer]) -> Done<Value> {
        match answers {
            [Answer::BulkString(text), _] if self.plain && self.pointer.is_empty() => {
                let text = std::str::from_utf8(text)
                    .map_err(|_| Failure::broken(format!("{} is not UTF-8", self.fields[0])))?;
                Ok(Value::from(text))
            }
            [_, Answer::BulkString(text)] => {
                let mut whole: Value = serde_json::from_slice(text)
                    .map_err(|e| Failure::broken(format!("{}: {e}", self.fields[1])))?;
                Ok(whole.pointer_mut(&self.pointer).map_or(Value::Null, Value::take))
            }
            _ => Ok(Value::Null),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn stored(document: &Value) -> Vec<(String, Vec<u8>)> {
        let mut stored = Vec::new();
        let add = |name: [&[u8]; 2], value: &[u8]| {
            stored.push((String::from_utf8(name.concat()).unwrap(), value.to_vec()));
        };
        let count = fields(document.to_string().as_bytes(), add).unwrap();
        assert_eq!(count, stored.len());
        stored
    }

    fn read(document: &Value, path: &str) -> Value {
        let (stored, path) = (stored(document), Path::new(path));
        let answer = |name: &String| {
            let there = stored.iter().find(|(field, _)| field == name);
            there.map_or(Answer::Nil, |(_, value)| Answer::BulkString(value.clone()))
        };
        path.value(&path.fields.each_ref().map(answer)).unwrap()
    }

    #[test]
    fn strings_are_fields_as_they_are_and_everything_else_is_json() {
        let document = json!({
            "s": "it's \"so\"", "n": 1.5, "t": "1.5", "nothing": null, "yes": true,
            "o": {"a": [{"b": "x"}, 7], "s": "y"}, "l": ["p", "q"], "big": u64::MAX
        });
        assert_eq!(stored(&document)[0], ("s".into(), b"it's \"so\"".to_vec()));
        assert_eq!(stored(&document)[1], ("n:json".into(), b"1.5".to_vec()));
        for (path, expected) in [
            ("s", json!("it's \"so\"")),
            ("n", json!(1.5)),
            ("t", json!("1.5")),
            ("nothing", json!(null)),
            ("yes", json!(true)),
            ("o", document["o"].clone()),
            ("o.a[0].b", json!("x")),
            ("o.a[1]", json!(7)),
            ("o.a[2]", json!(null)),
            ("o.s", json!("y")),
            ("l[1]", json!("q")),
            ("s.a", json!(null)),
            ("absent", json!(null)),
            ("absent.a[0]", json!(null)),
            ("big", json!(u64::MAX)),
        ] {
            assert_eq!(read(&document, path), expected, "{path}");
        }
    }

    #[test]
    fn names_that_would_be_mistaken_are_not() {
        let document = json!({"a": 1, "a:json": "text", "": "empty"});
        let names: Vec<String> = stored(&document).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a:json", "a:json:json", ":json"]);
        assert_eq!(read(&document, "a"), json!(1));
        assert_eq!(read(&document, "'a:json'"), json!("text"));
        assert_eq!(read(&document, "''"), json!("empty"));
        let bytes = |text: &str| Answer::BulkString(text.as_bytes().to_vec());
        let pair = |(name, value): (String, Vec<u8>)| (bytes(&name), Answer::BulkString(value));
        let pairs: Vec<_> = stored(&document).into_iter().map(pair).collect();
        assert_eq!(whole(Answer::Map(pairs)), Ok(Some(document)));
        let empty = Answer::Array(vec![bytes(""), bytes("")]);
        assert_eq!((whole(empty), whole(Answer::Map(vec![]))), (Ok(Some(json!({}))), Ok(None)));
        assert_eq!(stored(&json!({})), [(String::new(), Vec::new())]);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in ["", "[1]", "7", "{", "{\"a\":1}x", "\"a\""] {
            let e = fields(text.as_bytes(), |_, _| ()).unwrap_err();
            assert!(e.starts_with("it is no JSON object"), "{e}");
        }
    }
}
