//! Patches of one document: which of them one statement may hold.

use hoap_workload::capability::Patch;

/// The longest parts of the list in which no patch touches what another one changes: every value
/// of an UPDATE is computed from the document as it was before.
pub(crate) fn independent(patches: &[Patch]) -> impl Iterator<Item = &[Patch]> {
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

#[cfg(test)]
mod tests {
    use hoap_workload::capability::Change;
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
