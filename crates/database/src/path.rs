//! Paths of fields, `c_name.c_last`, `s_dists[3]`: names joined by dots, with array positions. They
//! are read here alone; a database writes their steps in its own language.

use std::fmt;

use hoap_record::{Error, ErrorKind, Result};
use serde_json::Value;

use crate::names::is_name;

/// A step of a path, displayed without its dot or brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// To the member of an object that has this name.
    Field(&'a str),
    /// To an element of an array; the first is 0.
    Position(u32),
}

impl Step<'_> {
    /// The value that the step leads to.
    pub fn of(self, value: &Value) -> Option<&Value> {
        match self {
            Step::Field(name) => value.as_object()?.get(name),
            Step::Position(n) => value.as_array()?.get(n as usize),
        }
    }
}

impl fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Field(name) => f.write_str(name),
            Step::Position(n) => write!(f, "{n}"),
        }
    }
}

/// Refuses text that is no path.
///
/// # Errors
/// [`ErrorKind::Invalid`].
pub fn check(path: &str) -> Result<&str> {
    let position = |text: &str| {
        text.strip_suffix(']')
            .is_some_and(|n| !n.is_empty() && n.len() < 10 && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let segment = |segment: &str| {
        let mut parts = segment.split('[');
        parts.next().is_some_and(is_name) && parts.all(position)
    };
    if !path.split('.').all(segment) {
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("read the path `{path}`"),
            "a path is names joined by dots, with array positions, such as a.b[3]",
        ));
    }
    Ok(path)
}

/// The steps of a checked path, of which the first is a name.
pub fn steps(path: &str) -> impl Iterator<Item = Step<'_>> {
    path.split(['.', '[']).map(step)
}

fn step(text: &str) -> Step<'_> {
    match text.strip_suffix(']') {
        // Nine digits at most: it fits.
        Some(position) => Step::Position(position.parse().unwrap_or(u32::MAX)),
        None => Step::Field(text),
    }
}

/// The last step of a checked path, and the path before it, if there is one.
pub fn last(path: &str) -> (Option<&str>, Step<'_>) {
    match path.rfind(['.', '[']) {
        Some(at) => (Some(&path[..at]), step(&path[at + 1..])),
        None => (None, Step::Field(path)),
    }
}

/// The member of the document that a checked path begins with.
pub fn member(path: &str) -> &str {
    &path[..path.find(['.', '[']).unwrap_or(path.len())]
}

/// A checked path up to the first array on its way: `a.b` of `a.b[3].c`.
pub fn up_to_array(path: &str) -> &str {
    &path[..path.find('[').unwrap_or(path.len())]
}

/// What follows the [`member`] of a checked path, as a JSON pointer: `/b/3` of `a.b[3]`.
pub fn pointer(path: &str) -> String {
    steps(path).skip(1).map(|step| format!("/{step}")).collect()
}

/// The steps of a checked path with this between them: `a.b.3` of `a.b[3]`.
pub fn joined(path: &str, between: &str) -> String {
    steps(path).map(|step| step.to_string()).collect::<Vec<_>>().join(between)
}

/// Whether a path is `outer` or lies inside it.
pub fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The value at a checked path.
pub fn get<'v>(document: &'v Value, path: &str) -> Option<&'v Value> {
    steps(path).try_fold(document, |here, step| step.of(here))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_is_names_and_positions() {
        for good in ["a", "_a1", "Orders", "c_name.c_last", "s_dists[3]", "a[0][12].b"] {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            ".",
            "a.",
            "1a",
            "a b",
            "a'",
            "a\"",
            "a[",
            "a[]",
            "a[x]",
            "a[1",
            "a[1]b",
            "a]",
            "[1]",
            "a[-1]",
            "a[1234567890]",
            "ä",
            "$",
            "a;b",
            "a\0",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_path_is_steps() {
        use Step::{Field, Position};
        for (path, pointer_of, parent, last_of) in [
            ("a", "", None, Field("a")),
            ("c_name.c_last", "/c_last", Some("c_name"), Field("c_last")),
            ("a[0][012].b", "/0/12/b", Some("a[0][012]"), Field("b")),
            ("a.b[3]", "/b/3", Some("a.b"), Position(3)),
        ] {
            assert_eq!((pointer(path).as_str(), last(path)), (pointer_of, (parent, last_of)));
            assert_eq!(steps(path).last(), Some(last_of));
            assert_eq!(steps(path).next(), Some(Field(member(path))));
        }
        assert_eq!((joined("a.b[3].c", "."), up_to_array("a.b[3].c")), ("a.b.3.c".into(), "a.b"));
    }

    #[test]
    fn a_path_leads_into_a_document() {
        let document = json!({"s": "x", "o": {"a": [{"b": 7}]}, "n": null, "7": 1});
        for (path, there) in [
            ("s", Some(json!("x"))),
            ("o.a[0].b", Some(json!(7))),
            ("n", Some(json!(null))),
            ("o.a[1]", None),
            ("o[0]", None),
            ("o.a.b", None),
            ("s.a", None),
            ("absent.a", None),
        ] {
            assert_eq!(get(&document, path), there.as_ref(), "{path}");
        }
        for (path, outer, within) in
            [("a", "a", true), ("a.b", "a", true), ("a[1]", "a", true), ("ab", "a", false)]
        {
            assert_eq!(is_within(path, outer), within, "{path} in {outer}");
        }
    }
}
