//! Finds the parameters in a query text.

use std::collections::BTreeSet;

/// The names of the parameters of a text in this dialect.
pub fn of<'a>(dialect: &str, text: &'a str) -> BTreeSet<&'a str> {
    if dialect == "mongodb" { json_parameters(text) } else { parameters(text) }
}

/// The names after `$` in a text, outside its strings, quoted names and comments.
///
/// The same is skipped for all dialects of SQL and SQL++: `'…'`, `"…"`, `` `…` ``, `-- …` and `/* …
/// */`. A doubled quote inside quotes reads as two adjacent quotations.
fn parameters(text: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '`', '-', '/', '$']) {
        rest = &rest[at..];
        rest = match rest.as_bytes() {
            [quote @ (b'\'' | b'"' | b'`'), ..] => after(&rest[1..], char::from(*quote)),
            [b'-', b'-', ..] => after(rest, '\n'),
            [b'/', b'*', ..] => rest[2..].find("*/").map_or("", |end| &rest[2 + end + 2..]),
            [b'$', ..] => {
                let name = &rest[1..];
                let end = name.find(|c: char| c != '_' && !c.is_ascii_alphanumeric());
                let (name, rest) = name.split_at(end.unwrap_or(name.len()));
                names.insert(name);
                rest
            }
            _ => &rest[1..],
        };
    }
    names
}

/// The names in `{"$param": "name"}`, the form of parameters in a text in JSON.
fn json_parameters(text: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for after in text.split("\"$param\"").skip(1) {
        let after = after.trim_start().strip_prefix(':').unwrap_or(after).trim_start();
        let name = after.strip_prefix('"').and_then(|name| name.split_once('"'));
        // A value that is not a string counts as an unknown name.
        names.insert(name.map_or("", |(name, _)| name));
    }
    names
}

/// The text after the first `end`, or nothing.
fn after(text: &str, end: char) -> &str {
    text.find(end).map_or("", |at| &text[at + end.len_utf8()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&str> {
        parameters(text).into_iter().collect()
    }

    #[test]
    fn a_name_ends_where_its_letters_digits_and_underlines_end() {
        assert_eq!(names("a > $after AND b<$w_11)"), ["after", "w_11"]);
        assert_eq!(names("$x+$x-$y"), ["x", "y"]);
        assert_eq!(names("ends with $last"), ["last"]);
        assert_eq!(names("no parameter at all – ü"), [""; 0]);
    }

    #[test]
    fn strings_quoted_names_and_comments_hold_no_parameters() {
        assert_eq!(names("doc ->> '$.a' = $a"), ["a"]);
        assert_eq!(names("'it''s $b' || \"$c\" || `$d` || $e"), ["e"]);
        assert_eq!(names("-- it's $f\n$g - 1 /* $h * / '$i */ / $j"), ["g", "j"]);
        assert_eq!(names("'never closed $k"), [""; 0]);
        assert_eq!(names("/* never closed $l"), [""; 0]);
    }

    #[test]
    fn in_json_a_parameter_is_an_object() {
        let text = r#"{"a": {"$gt": {"$param": "from"}}, "b": [{"$param" : "x_1"}, "$y", "$$z"]}"#;
        assert_eq!(json_parameters(text).into_iter().collect::<Vec<_>>(), ["from", "x_1"]);
        assert_eq!(json_parameters(r#"{"$param": 7}"#).into_iter().collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn a_lonely_dollar_is_an_empty_name_that_no_query_has() {
        assert_eq!(names("5 $ 7"), [""]);
    }
}
