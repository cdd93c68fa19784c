//! Patches of one document: which of them one statement may hold, and what they want of it.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use serde_json::Value;

use crate::failure::{Done, Failure};
use crate::patch::{Bounds, Change, Condition, Is, Patch, Patched};
use crate::path::{self, Step, is_within};

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
            There::Object | There::Anything => "set or remove that field in it",
        }
    }
}

/// What a patch wants; `None` where every document fits.
pub fn wants<'a>(patch: &Patch<'a>) -> Option<Wanted<'a>> {
    let path = patch.path;
    let (place, there) = match (&patch.change, path::last(path)) {
        (Change::AddInteger(n), _) => (path, There::Integer(*n)),
        (Change::AddDecimal { .. }, _) => (path, There::Number),
        (Change::Append(_), _) => (path, There::Array),
        (Change::Set(_), (_, Step::Position(_))) => (path, There::Anything),
        (Change::Set(_), (parent, Step::Field(_))) | (Change::Remove, (parent, _)) => {
            (parent?, There::Object)
        }
    };
    Some(Wanted { place, there })
}

const TOO_LARGE: &str = "a sum does not fit in 64 bits";

/// Why a document was not patched by a statement that looks at all of this: the key is missing, a
/// condition does not hold, or a patch does not fit.
///
/// # Errors
/// [`ErrorKind::Broken`](crate::ErrorKind::Broken) with the patch that does not fit.
pub fn why_not(
    document: Option<&Value>,
    patches: &[Patch<'_>],
    conditions: &[Condition<'_>],
) -> Done<Patched> {
    let Some(document) = document else { return Ok(Patched::Missing) };
    if conditions.iter().any(|condition| !holds(condition, document)) {
        return Ok(Patched::Refused);
    }
    match misfit(document, patches) {
        Some(why) => Err(Failure::broken(why)),
        // It is not any more what the statement saw.
        None if !conditions.is_empty() => Ok(Patched::Refused),
        None => Err(Failure::broken(TOO_LARGE)),
    }
}

/// Whether a condition holds for a document.
pub fn holds(condition: &Condition<'_>, document: &Value) -> bool {
    let there = path::get(document, condition.path);
    match condition.is {
        Is::Equal(Value::Null) => there.is_none_or(Value::is_null),
        Is::Equal(value) => there.is_some_and(|there| compared(there, value) == Some(Equal)),
        Is::Within(Bounds { min, max }) => there.is_some_and(|there| {
            min.is_none_or(|min| matches!(compared(there, min), Some(Equal | Greater)))
                && max.is_none_or(|max| matches!(compared(there, max), Some(Equal | Less)))
        }),
    }
}

/// How two values of one type compare: numbers by what they are, texts by their bytes.
fn compared(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
        },
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => (a == b).then_some(Equal),
    }
}

/// Which of the patches does not fit a document, in words.
fn misfit(document: &Value, patches: &[Patch<'_>]) -> Option<String> {
    for patch in patches {
        let Some(Wanted { place, there }) = wants(patch) else { continue };
        let value = path::get(document, place);
        let found = kind(value);
        if !there.fits(found) {
            return Some(format!("`{place}` is {found}: cannot {}", there.wish()));
        }
        if let (There::Integer(n), Some(value)) = (there, value.and_then(Value::as_i64))
            && value.checked_add(n).is_none()
        {
            return Some(TOO_LARGE.to_owned());
        }
    }
    None
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
    fn a_condition_holds_by_type_and_value() {
        let document = json!({"n": 5, "x": 2.5, "s": "b", "o": {"nothing": null}, "yes": true});
        let (two, five, low, high) = (json!(2.0), json!(5), json!("a"), json!("b"));
        let within = |min, max| Is::Within(Bounds { min, max });
        for (path, is, expected) in [
            ("n", Is::Equal(&five), true),
            ("n", Is::Equal(&json!(5.0)), true),
            ("n", Is::Equal(&json!("5")), false),
            ("yes", Is::Equal(&json!(true)), true),
            ("o.nothing", Is::Equal(&json!(null)), true),
            ("absent", Is::Equal(&json!(null)), true),
            ("n", Is::Equal(&json!(null)), false),
            ("absent", Is::Equal(&five), false),
            ("x", within(Some(&two), Some(&five)), true),
            ("n", within(Some(&five), Some(&five)), true),
            ("n", within(None, Some(&two)), false),
            ("s", within(Some(&low), Some(&high)), true),
            ("s", within(Some(&two), None), false),
            ("absent", within(None, Some(&two)), false),
            ("o.nothing", within(None, Some(&two)), false),
        ] {
            assert_eq!(holds(&Condition { path, is }, &document), expected, "{path} {is:?}");
        }
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
