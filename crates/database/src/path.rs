//! Paths of fields, `c_name.c_last`, `s_dists[3]`: names joined by dots, with array positions. A
//! name that is not letters, digits and `_` stands in quotes, `'first.name'.x`, of the other kind
//! where it has one in it. `$` is the whole document. Paths are read here alone; a database writes
//! their steps in its own language.

use std::fmt;

use hoap_record::{Error, ErrorKind, Result};
use serde_json::Value;

use crate::names::is_name;

/// The path of the whole document, which alone tells a field that is null from one that is absent.
pub const WHOLE: &str = "$";

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

    /// Whether it is to a name of letters, digits and `_`, or to a position.
    pub fn is_plain(self) -> bool {
        match self {
            Step::Field(name) => is_name(name),
            Step::Position(_) => true,
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

/// Splits the first step off a path without its leading dot, and the rest off with it.
fn first(path: &str) -> Option<(Step<'_>, &str)> {
    if let Some(inside) = path.strip_prefix('[') {
        let (digits, rest) = inside.split_once(']')?;
        let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        let n = (is_number && digits.len() < 10).then(|| digits.parse().ok())??;
        return Some((Step::Position(n), rest));
    }
    if let Some(quote) = path.chars().next().filter(|c| ['\'', '"'].contains(c)) {
        let (name, rest) = path[1..].split_once(quote)?;
        return (!name.chars().any(char::is_control)).then_some((Step::Field(name), rest));
    }
    let (name, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
    is_name(name).then_some((Step::Field(name), rest))
}

/// The steps of a path, each with the path up to it; `None` in the place of what is no step.
fn walk(path: &str) -> impl Iterator<Item = Option<(Step<'_>, &str)>> {
    let mut rest = if path == WHOLE { "" } else { path };
    let mut begins = true;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let step = match (begins, rest.strip_prefix('.')) {
            // A document is an object.
            (true, _) if rest.starts_with('[') => None,
            (true, _) => first(rest),
            (false, Some(name)) if !name.starts_with('[') => first(name),
            (false, None) if rest.starts_with('[') => first(rest),
            _ => None,
        };
        begins = false;
        let Some((step, left)) = step else {
            rest = "";
            return Some(None);
        };
        rest = left;
        Some(Some((step, &path[..path.len() - left.len()])))
    })
}

/// Refuses text that is no path.
///
/// # Errors
/// [`ErrorKind::Invalid`].
pub fn check(path: &str) -> Result<&str> {
    if path.is_empty() || walk(path).any(|step| step.is_none()) {
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("read the path `{path}`"),
            "a path is names joined by dots, with array positions, such as a.b[3]; a name with \
             other than letters, digits and _ stands in quotes: 'first.name'",
        ));
    }
    Ok(path)
}

/// The path of members within each other, outermost first; `None` if no path has such names.
pub fn of(names: &[impl AsRef<str>]) -> Option<String> {
    let quoted = |name: &str| match name {
        plain if is_name(plain) => Some(plain.to_owned()),
        name if name.chars().any(char::is_control) => None,
        name if !name.contains('\'') => Some(format!("'{name}'")),
        name => (!name.contains('"')).then(|| format!("\"{name}\"")),
    };
    let names: Option<Vec<String>> = names.iter().map(|name| quoted(name.as_ref())).collect();
    names.map(|names| names.join(".")).filter(|path| !path.is_empty())
}

/// The steps of a checked path, of which the first is a name.
pub fn steps(path: &str) -> impl Iterator<Item = Step<'_>> {
    walk(path).flatten().map(|(step, _)| step)
}

/// The last step of a checked path that is not [`WHOLE`], and the path before it, if there is one.
pub fn last(path: &str) -> (Option<&str>, Step<'_>) {
    let (mut before, mut last) = (None, (Step::Field(path), ""));
    for (number, step) in walk(path).flatten().enumerate() {
        before = (number > 0).then_some(last.1);
        last = step;
    }
    (before, last.0)
}

/// The member of the document that a checked path begins with; of [`WHOLE`] nothing.
pub fn member(path: &str) -> &str {
    match steps(path).next() {
        Some(Step::Field(name)) => name,
        _ => "",
    }
}

/// Whether a checked path is that of a member of the document.
pub fn is_member(path: &str) -> bool {
    steps(path).count() == 1
}

/// The longest beginning of a checked path, none of whose steps `stops` it.
pub fn up_to(path: &str, stops: impl Fn(Step<'_>) -> bool) -> &str {
    let along = walk(path).flatten().take_while(|(step, _)| !stops(*step));
    along.last().map_or("", |(_, up_to)| up_to)
}

/// What follows the [`member`] of a checked path, as a JSON pointer: `/b/3` of `a.b[3]`.
pub fn pointer(path: &str) -> String {
    let escaped = |step: Step<'_>| step.to_string().replace('~', "~0").replace('/', "~1");
    steps(path).skip(1).map(|step| format!("/{}", escaped(step))).collect()
}

/// The steps of a checked path with this between them: `a.b.3` of `a.b[3]`.
pub fn joined(path: &str, between: &str) -> String {
    steps(path).map(|step| step.to_string()).collect::<Vec<_>>().join(between)
}

/// Whether a path is `outer` or lies inside it.
pub fn is_within(path: &str, outer: &str) -> bool {
    let mut inner = steps(path);
    steps(outer).all(|step| inner.next() == Some(step))
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
        for good in [
            "a",
            "_a1",
            "Orders",
            "c_name.c_last",
            "s_dists[3]",
            "a[0][12].b",
            "$",
            "'first.name'.x",
            "a.'$x'[1].b",
            "'ä b'",
            "\"it's\"",
            "''",
            "'$'",
        ] {
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
            "$a",
            "$.a",
            "a.$",
            "a;b",
            "a\0",
            "'a\0'",
            "'a",
            "'a'b",
            "a'b'",
            "a.[1]",
            ".a",
            "a..b",
            "a[1][",
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
            ("'a.b'", "", None, Field("a.b")),
            ("a.'b/c'.'d~'", "/b~1c/d~0", Some("a.'b/c'"), Field("d~")),
        ] {
            assert_eq!((pointer(path).as_str(), last(path)), (pointer_of, (parent, last_of)));
            assert_eq!(steps(path).last(), Some(last_of));
            assert_eq!(steps(path).next(), Some(Field(member(path))));
        }
        assert_eq!(joined("a.b[3].c", "."), "a.b.3.c");
        let odd = |step: Step<'_>| !step.is_plain();
        for (path, plain) in [("a.b[3].'c.d'.e", "a.b[3]"), ("'$a'.b", ""), ("a", "a"), ("$", "")] {
            assert_eq!(up_to(path, odd), plain, "{path}");
        }
        assert_eq!((steps(WHOLE).count(), member(WHOLE)), (0, ""));
    }

    #[test]
    fn a_path_leads_into_a_document() {
        let document =
            json!({"s": "x", "o": {"a": [{"b": 7}], "a.b": 2}, "n": null, "7": 1, "$": "it"});
        for (path, there) in [
            ("s", Some(json!("x"))),
            ("o.a[0].b", Some(json!(7))),
            ("n", Some(json!(null))),
            ("o.'a.b'", Some(json!(2))),
            ("'7'", Some(json!(1))),
            ("'$'", Some(json!("it"))),
            ("$", Some(document.clone())),
            ("o.a[1]", None),
            ("o[0]", None),
            ("o.a.b", None),
            ("s.a", None),
            ("absent.a", None),
        ] {
            assert_eq!(get(&document, path), there.as_ref(), "{path}");
        }
        for (path, outer, within) in [
            ("a", "a", true),
            ("a.b", "a", true),
            ("a[1]", "a", true),
            ("ab", "a", false),
            ("'a'.b", "a", true),
            ("a", "$", true),
            ("$", "a", false),
        ] {
            assert_eq!(is_within(path, outer), within, "{path} in {outer}");
        }
    }
}
