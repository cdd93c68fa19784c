//! Names and paths that go into the text of a statement: checked here, never quoted blindly.

use hoap_workload::{Error, ErrorKind, Result};

/// Refuses a collection name that is no plain identifier, or begins (in whatever case) with one of
/// the `reserved` prefixes, which belong to the database or to `hoap`.
pub(crate) fn collection<'a>(name: &'a str, reserved: &[&str]) -> Result<&'a str> {
    let lower = name.to_ascii_lowercase();
    if !is_name(name) || reserved.iter().any(|prefix| lower.starts_with(prefix)) {
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("name a collection `{name}`"),
            format!(
                "a name is letters, digits and _, and does not begin with {}",
                reserved.join(" or ")
            ),
        ));
    }
    Ok(name)
}

/// Refuses the name of a field at the top of a document that is no plain identifier.
pub(crate) fn field(field: &str) -> Result<&str> {
    if !is_name(field) {
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("name a field `{field}`"),
            "a name is letters, digits and _",
        ));
    }
    Ok(field)
}

/// Refuses a path that is not names joined by dots, with array positions: `a.b[3]`.
pub(crate) fn path(path: &str) -> Result<&str> {
    let segment = |segment: &str| {
        let (name, positions) = segment.split_at(segment.find('[').unwrap_or(segment.len()));
        let whole = |p: &str| {
            p.strip_suffix(']').is_some_and(|n| {
                !n.is_empty() && n.len() < 10 && n.bytes().all(|b| b.is_ascii_digit())
            })
        };
        is_name(name) && (positions.is_empty() || positions.split('[').skip(1).all(whole))
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

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
