//! Patches of one document: which of them one statement may hold, and what they want of it.

use serde_json::Value;

use crate::path::{self, Step, is_within};
use crate::{Change, Patch};

/// The longest parts of the list in which no patch touches what another one changes: every value
/// of an UPDATE is computed from the document as it was before.
pub fn independent<'p, 'a>(patches: &'p [Patch<'a>]) -> impl Iterator<Item = &'p [Patch<'a>]> {
    let mut rest = patches;
    std::iter::from_fn(move || {
        let overlaps = |n: &usize| {
            rest[..*n].iter().any(|p| {
                let (a, b) = (p.path, rest[*n].path);
                is_within(a, b) || is_within(b, a)
            })
        };
        let end = (1..rest.len()).find(overlaps).unwrap_or(rest.len());
        let (part, left) = rest.split_at(end);
        rest = left;
        (!part.is_empty()).then_some(part)
    })
}

/// What a patch wants of a document.
pub struct Wanted<'a> {
    /// The place that it looks at.
    pub place: &'a str,
    /// What is to be there.
    pub there: There,
}

/// What is to be at a place of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum There {
    /// A whole number, to which this can be added within 64 bits.
    Integer(i64),
    /// A number.
    Number,
    /// An array.
    Array,
    /// An object.
    Object,
    /// Anything, null too.
    Anything,
}

impl There {
    /// Whether a [`kind`] of value fits.
    pub fn fits(self, kind: &str) -> bool {
        match self {
            There::Integer(_) => kind == "integer",
            There::Number => matches!(kind, "integer" | "real"),
            There::Array => kind == "array",
            There::Object => kind == "object",
            There::Anything => kind != "absent",
        }
    }

    /// What cannot be done with any other, in words.
    pub fn wish(self) -> &'static str {
        match self {
            There::Integer(_) => "add a whole number to it",
            There::Number => "add an amount to it",
            There::Array => "append to it",
            There::Object | There::Anything => "set that field in it",
        }
    }
}

/// What a patch wants; `None` where every document fits.
pub fn wants<'a>(patch: &Patch<'a>) -> Option<Wanted<'a>> {
    let path = patch.path;
    let (place, there) = match (&patch.change, path::last(path)) {
        (Change::AddInteger(n), _) => (path, There::Integer(*n)),
        (Change::AddCents(_), _) => (path, There::Number),
        (Change::Append(_), _) => (path, There::Array),
        (Change::Set(_), (_, Step::Position(_))) => (path, There::Anything),
        (Change::Set(_), (parent, Step::Field(_))) => (parent?, There::Object),
    };
    Some(Wanted { place, there })
}

/// Why these patches do not fit a document, in words.
pub fn why_not(document: Option<&Value>, patches: &[Patch<'_>]) -> String {
    let Some(document) = document else { return "no such key".to_owned() };
    for patch in patches {
        let Some(Wanted { place, there }) = wants(patch) else { continue };
        let found = kind(path::get(document, place));
        if !there.fits(found) {
            return format!("`{place}` is {found}: cannot {}", there.wish());
        }
    }
    "a sum does not fit in 64 bits".to_owned()
}

/// What a value is, in the words of messages.
pub fn kind(value: Option<&Value>) -> &'static str {
    match value {
        None => "absent",
        Some(Value::Null) => "null",
        Some(Value::Bool(true)) => "true",
        Some(Value::Bool(false)) => "false",
        Some(Value::Number(n)) if n.is_f64() => "real",
        Some(Value::Number(_)) => "integer",
        Some(Value::String(_)) => "text",
        Some(Value::Array(_)) => "array",
        Some(Value::Object(_)) => "object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(path: &str) -> Patch<'_> {
        Patch { path, change: Change::Set(json!(1)) }
    }

    #[test]
    fn patches_that_touch_each_other_run_one_after_the_other() {
        let parts = |paths: &[&'static str]| {
            let patches: Vec<_> = paths.iter().map(|p| set(p)).collect();
            independent(&patches).map(<[Patch]>::len).collect::<Vec<_>>()
        };
        assert_eq!(parts(&[]), [0usize; 0]);
        assert_eq!(parts(&["a", "b", "ab"]), [3]);
        assert_eq!(parts(&["a", "b", "a"]), [2, 1]);
        assert_eq!(parts(&["a", "a.b", "a[1]"]), [1, 2]);
        assert_eq!(parts(&["a[1].b", "a[10].b", "a[1]"]), [2, 1]);
    }
}
