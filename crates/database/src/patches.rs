//! Patches of one document: which of them one statement may hold, and what they want of it.

use serde_json::Value;

use crate::{Change, Patch};

/// The longest parts of the list in which no patch touches what another one changes: every value
/// of an UPDATE is computed from the document as it was before.
pub fn independent(patches: &[Patch]) -> impl Iterator<Item = &[Patch]> {
    let mut rest = patches;
    std::iter::from_fn(move || {
        let overlaps = |n: &usize| rest[..*n].iter().any(|p| overlap(p.path, rest[*n].path));
        let end = (1..rest.len()).find(overlaps).unwrap_or(rest.len());
        let (part, left) = rest.split_at(end);
        rest = left;
        (!part.is_empty()).then_some(part)
    })
}

/// Whether the paths are the same or one lies inside the other.
fn overlap(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    long.strip_prefix(short)
        .is_some_and(|rest| matches!(rest.as_bytes().first(), None | Some(b'.' | b'[')))
}

/// What a patch wants of a document.
pub struct Wanted {
    /// The place that it looks at.
    pub place: &'static str,
    /// Whether a kind of value there fits.
    pub fits: fn(&str) -> bool,
    /// What it cannot do with any other, in words.
    pub wish: &'static str,
}

/// What a patch wants; `None` where every document fits.
pub fn wants(patch: &Patch) -> Option<Wanted> {
    let path = patch.path;
    let (place, fits, wish): (_, fn(&str) -> bool, _) = match patch.change {
        Change::AddInteger(_) => (path, |k| k == "integer", "add a whole number to it"),
        Change::AddCents(_) => (path, |k| matches!(k, "integer" | "real"), "add an amount to it"),
        Change::Append(_) => (path, |k| k == "array", "append to it"),
        Change::Set(_) if path.ends_with(']') => (path, |k| k != "absent", "set that field in it"),
        Change::Set(_) => (path.rsplit_once('.')?.0, |k| k == "object", "set that field in it"),
    };
    Some(Wanted { place, fits, wish })
}

/// Why these patches do not fit a document, in words.
pub fn why_not(document: Option<&Value>, patches: &[Patch]) -> String {
    let Some(document) = document else { return "no such key".to_owned() };
    for patch in patches {
        let Some(Wanted { place, fits, wish }) = wants(patch) else { continue };
        let found = kind_at(document, place);
        if !fits(found) {
            return format!("`{place}` is {found}: cannot {wish}");
        }
    }
    "a sum does not fit in 64 bits".to_owned()
}

/// What is at a path.
fn kind_at(document: &Value, path: &str) -> &'static str {
    let mut here = Some(document);
    for step in path.split(['.', '[']) {
        here = here.and_then(|value| match step.strip_suffix(']') {
            Some(position) => position.parse::<usize>().ok().and_then(|n| value.get(n)),
            None => value.get(step),
        });
    }
    kind(here)
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

    fn set(path: &'static str) -> Patch {
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
