//! Parameters of query texts.

use serde_json::Value;

/// The names after `$` in a text, outside of its strings, quoted names and comments.
///
/// # Errors
/// A parameter that is not written `$name`.
pub(super) fn names(text: &str) -> Result<Vec<&str>, String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '`', '-', '/', '$', '?']) {
        rest = &rest[at..];
        let length = match rest.as_bytes() {
            [quote @ (b'\'' | b'"' | b'`'), ..] => quoted(rest, char::from(*quote)),
            [b'-', b'-', ..] | [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            [b'$', ..] => {
                let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let name = &rest[1..];
                let name = &name[..name.find(|c| !is_part(c)).unwrap_or(name.len())];
                if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
                    return Err(format!("parameter ${name} is not written $name"));
                }
                if !names.contains(&name) {
                    names.push(name);
                }
                1 + name.len()
            }
            [b'?', ..] => return Err("parameter ? is not written $name".to_owned()),
            _ => 1,
        };
        rest = &rest[length..];
    }
    Ok(names)
}

/// The length of a quoted part, in which a backslash escapes.
fn quoted(text: &str, quote: char) -> usize {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Refuses values that a text does not name, and names that have no value.
///
/// # Errors
/// Which parameter, and what about it.
pub(super) fn check(text: &str, given: &[(String, Value)]) -> Result<(), String> {
    let names = names(text)?;
    if let Some((name, _)) = given.iter().find(|(name, _)| !names.contains(&name.as_str())) {
        return Err(format!("the text has no parameter ${name}"));
    }
    match names.iter().find(|name| !given.iter().any(|(given, _)| given == *name)) {
        Some(name) => Err(format!("parameter ${name} has no value")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_where_they_are_parameters() {
        for (text, found) in [
            ("SELECT 1", &[][..]),
            ("$a + $b_2 - $a", &["a", "b_2"]),
            (r#"'$a' || "$b" || `$c` || 'it\'s $d' || $e"#, &["e"]),
            ("-- $a\n$b /* $c */ // $d\n/*+ indexnl */ $e", &["b", "e"]),
            ("'never closed $a", &[]),
            ("/* never closed $a", &[]),
        ] {
            assert_eq!(names(text).unwrap(), found, "{text}");
        }
        for bad in ["$1", "a = ?", "$ a"] {
            assert!(names(bad).unwrap_err().contains("is not written $name"), "{bad}");
        }
    }
}
