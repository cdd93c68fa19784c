//! What a document must be, and how one that was read differs.

use serde_json::{Map, Value};

use crate::alike::{alike, short, unlike};
use crate::load::LoadSource;
use crate::{Error, ErrorKind, Result};

/// What a key must hold.
pub enum Expected<'a> {
    /// No document.
    Absent,
    /// This document.
    There(Document<'a>),
    /// This document or none: the outcome of what made or removed it is unknown.
    Perhaps(Document<'a>),
}

/// A document: its fields as they must be, but for some.
pub struct Document<'a> {
    made: Map<String, Value>,
    but: Vec<(String, Wanted<'a>)>,
}

/// What a field may be that need not be as it was made.
pub enum Wanted<'a> {
    /// A number that is no smaller than the one made.
    AtLeast,
    /// Any value of the type of the one made; any but an array or object where that is null.
    Typed,
    /// What this finds nothing wrong with, beside the other fields. It says what is wrong.
    Fits(Box<Fits<'a>>),
}

/// Says what is wrong with a value, beside the other fields of its document.
pub type Fits<'a> = dyn Fn(&Value, Found<'_>) -> Option<String> + 'a;

/// A document that was read.
#[derive(Clone, Copy)]
pub struct Found<'r> {
    /// Its fields.
    pub fields: &'r Map<String, Value>,
    /// Whether one that is null was told from one that is not there.
    pub tells: bool,
}

impl<'r> Found<'r> {
    /// The value of a field of the document itself.
    pub fn get(&self, name: &str) -> Option<&'r Value> {
        self.fields.get(name)
    }
}

impl<'a> Document<'a> {
    /// A document of these fields.
    pub fn of(made: Map<String, Value>) -> Document<'a> {
        Document { made, but: Vec::new() }
    }

    /// Document `index` of the collection at `at` as a load makes it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`] where that is no JSON object.
    pub fn loaded(source: &dyn LoadSource, at: usize, index: u64) -> Result<Document<'a>> {
        let (mut key, mut text) = (String::new(), Vec::new());
        source.append(at, index, &mut key, &mut text);
        let made = serde_json::from_slice(&text);
        let made = made.map_err(|e| Error::new(ErrorKind::Broken, format!("make {key}"), e))?;
        Ok(Document::of(made))
    }

    /// The same but for the field at a path, such as `address.zip`. Elements of an array have the
    /// array's path.
    #[must_use]
    pub fn but(mut self, path: impl Into<String>, wanted: Wanted<'a>) -> Document<'a> {
        self.but.push((path.into(), wanted));
        self
    }

    /// The value of a field as it was made.
    pub fn made(&mut self, name: &str) -> Option<&mut Value> {
        self.made.get_mut(name)
    }

    /// The names of its fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.made.keys().map(String::as_str)
    }

    /// What is wrong with a document: fields that are missing, that are too many, and that are not
    /// what they must be.
    pub fn wrong(&self, found: Found<'_>) -> Vec<String> {
        let beyond = found.fields.keys().filter(|name| !self.made.contains_key(*name));
        let differs = |name: &String| {
            self.differs(name, (self.made.get(name), found.fields.get(name)), found)
        };
        self.made.keys().chain(beyond).filter_map(differs).collect()
    }

    fn differs(
        &self,
        path: &str,
        (made, found): (Option<&Value>, Option<&Value>),
        document: Found<'_>,
    ) -> Option<String> {
        let but = self.but.iter().find(|(other, _)| other == path).map(|(_, wanted)| wanted);
        if let Some(Wanted::Fits(wrong)) = but {
            return wrong(found.unwrap_or(&Value::Null), document);
        }
        let (made, found) = match (made, found) {
            (Some(made), Some(found)) => (made, found),
            (one, other) if !document.tells && one.or(other).is_none_or(Value::is_null) => {
                return None;
            }
            (made, None) => {
                let made = short(made.unwrap_or(&Value::Null));
                return Some(format!("{path} is missing, it must be {made}"));
            }
            (None, Some(found)) => {
                return Some(format!("{path} is {}, and must not be there", short(found)));
            }
        };
        if let Some(wanted) = but {
            return wanted.differs(path, made, found);
        }
        let within = |other: &str| other.strip_prefix(path).is_some_and(|r| r.starts_with('.'));
        let inside = self.but.iter().any(|(path, _)| within(path));
        match (made, found) {
            (Value::Object(a), Value::Object(b)) if inside => {
                let mut names = a.keys().chain(b.keys());
                names.find_map(|name| {
                    self.differs(&format!("{path}.{name}"), (a.get(name), b.get(name)), document)
                })
            }
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() && inside => {
                let mut both = a.iter().zip(b);
                both.find_map(|(a, b)| self.differs(path, (Some(a), Some(b)), document))
            }
            _ => (!alike(made, found, document.tells)).then(|| unlike(path, found, made)),
        }
    }
}

impl Wanted<'_> {
    fn differs(&self, path: &str, made: &Value, found: &Value) -> Option<String> {
        match self {
            // It is asked before a field that is missing is told of.
            Wanted::Fits(_) => None,
            Wanted::AtLeast => {
                let numbers = made.as_f64().zip(found.as_f64());
                let holds = numbers.is_some_and(|(made, found)| found >= made - 1e-9 * made.abs());
                (!holds).then(|| format!("{path} is {found}, it must be at least {made}"))
            }
            Wanted::Typed => {
                let kind = std::mem::discriminant::<Value>;
                let holds = match made {
                    Value::Null => !found.is_array() && !found.is_object(),
                    made => kind(made) == kind(found),
                };
                (!holds).then(|| {
                    format!("{path} is {}, not of the type of {}", short(found), short(made))
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What need not be as it was made, and how it may be.
    type But = (&'static str, fn() -> Wanted<'static>);

    /// What is wrong with `found` where `{"n": 5, "l": [{"a": 1, "d": null}], "t": "x"}` was made.
    fn wrong(found: Value, but: &[But]) -> Vec<String> {
        let made = json!({"n": 5, "l": [{"a": 1, "d": null}], "t": "x"});
        let mut document = Document::of(made.as_object().unwrap().clone());
        for (path, wanted) in but {
            document = document.but(*path, wanted());
        }
        document.wrong(Found { fields: found.as_object().unwrap(), tells: true })
    }

    #[test]
    fn a_document_is_compared_with_its_shape() {
        let least: But = ("n", || Wanted::AtLeast);
        let typed: But = ("l.d", || Wanted::Typed);
        let text: But = ("t", || Wanted::Typed);
        for (found, but, faults) in [
            (json!({"n": 5, "l": [{"a": 1, "d": null}], "t": "x"}), &[][..], 0),
            (json!({"n": 5.0, "l": [{"a": 1, "d": null}], "t": "x"}), &[], 0),
            // Missing, of another type, extra, another value.
            (json!({"l": [{"a": 1, "d": null}], "t": "x"}), &[], 1),
            (json!({"n": 5, "l": [{"a": 1}], "t": "x"}), &[], 1),
            (json!({"n": "5", "l": [{"a": 1, "d": null}], "t": null}), &[], 2),
            (json!({"n": 5, "l": [{"a": 1, "d": null, "b": 0}], "t": "x"}), &[], 1),
            (json!({"n": 5, "l": [{"a": 1, "d": null, "b": null}], "t": "x"}), &[], 1),
            (json!({"n": 5, "l": [{"a": 1, "d": null}], "t": "x", "b": null, "c": 1}), &[], 2),
            (json!({"n": 5, "l": [{"a": 1, "d": null}, {"a": 1}], "t": "x"}), &[], 1),
            (json!({"n": 6, "l": [{"a": 1, "d": null}], "t": "x"}), &[], 1),
            // At least.
            (json!({"n": 6, "l": [{"a": 1, "d": null}], "t": "x"}), &[least], 0),
            (json!({"n": 4, "l": [{"a": 1, "d": null}], "t": "x"}), &[least], 1),
            (json!({"n": "6", "l": [{"a": 1, "d": null}], "t": "x"}), &[least], 1),
            (json!({"l": [{"a": 1, "d": null}], "t": "x"}), &[least], 1),
            // Exempt, but not of any type and not from being there; what is beside it is compared.
            (json!({"n": 5, "l": [{"a": 1, "d": "now"}], "t": "y"}), &[typed, text], 0),
            (json!({"n": 5, "l": [{"a": 1, "d": [1]}], "t": "y"}), &[typed, text], 1),
            (json!({"n": 5, "l": [{"a": 2, "d": "now"}], "t": 7}), &[typed, text], 2),
            (json!({"n": 5, "l": [{"a": 1}]}), &[typed, text], 2),
            (json!({"n": 5, "l": [{"a": 1, "d": null, "e": 1}], "t": "x"}), &[typed], 1),
        ] {
            let told = wrong(found.clone(), but);
            assert_eq!(told.len(), faults, "{found}: {told:?}");
        }
    }

    /// Where a read does not tell null from absent.
    #[test]
    fn what_cannot_be_told_is_no_fault() {
        let made = |value: &Value| value.as_object().unwrap().clone();
        let whole = json!({"n": 5, "o": null, "l": [{"d": null}]});
        let lacks = json!({"n": 5, "l": [{}], "x": null});
        let document = Document::of(made(&whole)).but("o", Wanted::Typed);
        let found = Found { fields: &made(&lacks), tells: false };
        assert_eq!(document.wrong(found), [""; 0]);
        assert_eq!(document.wrong(Found { tells: true, ..found }).len(), 3);
    }
}
