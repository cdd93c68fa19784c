//! Names that go into the text of a statement: checked here, never quoted blindly.

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

pub(crate) fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_identifiers() {
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
