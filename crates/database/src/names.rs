//! Names and paths that go into the text of a statement: checked here, never quoted blindly.

use hoap_record::{Error, ErrorKind, Result};

/// Refuses a collection name that is no plain identifier, is longer than `longest` bytes, or begins
/// (in whatever case) with one of the `reserved` prefixes, which belong to the database or to
/// `hoap`.
pub fn collection<'a>(name: &'a str, reserved: &[&str], longest: usize) -> Result<&'a str> {
    let begins = |prefix: &&str| {
        let head = name.as_bytes().get(..prefix.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()))
    };
    let answer = if !is_name(name) || reserved.iter().any(begins) {
        let reserved = reserved.join(" or ");
        format!("a name is letters, digits and _, and does not begin with {reserved}")
    } else if name.len() > longest {
        format!("it has {} letters, and the database leaves room for {longest}", name.len())
    } else {
        return Ok(name);
    };
    Err(Error::new(ErrorKind::Invalid, format!("name a collection `{name}`"), answer))
}

/// Refuses the name of a field at the top of a document that is no plain identifier.
pub fn field(field: &str) -> Result<&str> {
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
pub fn path(path: &str) -> Result<&str> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_are_checked_identifiers() {
        for good in ["a", "_a1", "Orders", "c_name.c_last", "s_dists[3]", "a[0][12].b"] {
            assert!(path(good).is_ok(), "{good}");
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
            assert!(path(bad).is_err(), "{bad}");
        }
        for bad in [
            "",
            "a.b",
            "a[1]",
            "sqlite_schema",
            "SQLite_x",
            "hoap_note",
            "a\"b",
            "a b",
            "nine_long",
        ] {
            assert!(collection(bad, &["sqlite_", "hoap_"], 8).is_err(), "{bad}");
        }
        assert!(collection("hoaporde", &["sqlite_", "hoap_"], 8).is_ok());
    }
}
