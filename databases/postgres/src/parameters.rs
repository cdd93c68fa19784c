//! Parameters of query texts: `$name` in the text, `$1` for PostgreSQL.

use std::error::Error;

use bytes::{BufMut, BytesMut};
use serde_json::Value;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use super::numeric;

/// A text as PostgreSQL prepares it, and the names of its parameters by their numbers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Numbered<'a> {
    pub text: String,
    pub names: Vec<&'a str>,
}

/// Numbers the parameters in the order in which they first appear, outside of strings, names in
/// quotes and comments (section 4.1 of PostgreSQL's manual).
///
/// # Errors
/// A parameter that is not written `$name`.
pub(super) fn number(text: &str) -> Result<Numbered<'_>, String> {
    let mut out = String::with_capacity(text.len());
    let mut names: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' => quoted(rest, '\'', ends_in_e(&out)),
            '"' => quoted(rest, '"', false),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => comment(rest),
            '$' => match dollar(rest) {
                Dollar::String(length) => length,
                Dollar::Name(name) => {
                    let known = names.iter().position(|known| *known == name);
                    let number = known.unwrap_or_else(|| {
                        names.push(name);
                        names.len() - 1
                    });
                    out.push_str(&format!("${}", number + 1));
                    rest = &rest[1 + name.len()..];
                    continue;
                }
                Dollar::Other => {
                    let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
                    return Err(format!("parameter {} is not written $name", &rest[..=digits]));
                }
            },
            // A name may contain dollars.
            c if is_name_start(c) => {
                rest.find(|c| !is_name_part(c) && c != '$').unwrap_or(rest.len())
            }
            c if c.is_ascii_digit() => rest.find(|c: char| !is_name_part(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (token, left) = rest.split_at(length);
        out.push_str(token);
        rest = left;
    }
    Ok(Numbered { text: out, names })
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || !c.is_ascii()
}

fn is_name_part(c: char) -> bool {
    is_name_start(c) || c.is_ascii_digit()
}

/// Whether the text ends in the `E` that makes the next string one with backslash escapes.
fn ends_in_e(before: &str) -> bool {
    let mut chars = before.chars().rev();
    matches!(chars.next(), Some('e' | 'E')) && !chars.next().is_some_and(is_name_part)
}

/// The length of a quoted part. A doubled quote is two such parts in a row.
fn quoted(text: &str, quote: char, backslashes: bool) -> usize {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if backslashes => drop(chars.next()),
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// The length of a comment, which may contain others.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    loop {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            match rest.chars().next() {
                Some(c) => at += c.len_utf8(),
                None => return at,
            }
        }
    }
}

enum Dollar<'a> {
    /// A parameter's name.
    Name(&'a str),
    /// The length of a string `$tag$…$tag$`.
    String(usize),
    Other,
}

fn dollar(text: &str) -> Dollar<'_> {
    let name = &text[1..];
    let end = name.find(|c: char| !is_name_part(c)).unwrap_or(name.len());
    let starts = !name[..end].starts_with(|c: char| c.is_ascii_digit());
    if starts && name[end..].starts_with('$') {
        let tag = &text[..end + 2];
        let length = text[tag.len()..].find(tag).map_or(text.len(), |at| at + 2 * tag.len());
        return Dollar::String(length);
    }
    if starts && end > 0 { Dollar::Name(&name[..end]) } else { Dollar::Other }
}

/// A value as a parameter, in the binary format of the type that the server reports.
#[derive(Debug)]
pub(super) struct Bound(Option<Vec<u8>>);

impl Bound {
    /// Makes a parameter of a scalar.
    ///
    /// # Errors
    /// Why it does not fit the type.
    pub fn new(name: &str, value: &Value, wanted: &Type) -> Result<Bound, String> {
        let unfit = || {
            format!(
                "parameter ${name} is {wanted} and its value {value}: cast it to the type of its \
                 values, as in ${name}::text, int8, float8, numeric or bool"
            )
        };
        let raw = match (value, wanted) {
            (Value::Array(_) | Value::Object(_), _) => {
                return Err(format!("the value of parameter ${name} is no scalar of SQL: {value}"));
            }
            (Value::Null, _) => return Ok(Bound(None)),
            (Value::String(s), &Type::TEXT | &Type::VARCHAR | &Type::BPCHAR | &Type::NAME) => {
                s.clone().into_bytes()
            }
            (Value::Bool(b), &Type::BOOL) => vec![u8::from(*b)],
            (Value::Number(n), wanted) => {
                let whole = n.as_i64();
                let raw = match *wanted {
                    Type::INT2 => {
                        whole.and_then(|n| i16::try_from(n).ok()).map(|n| n.to_be_bytes().to_vec())
                    }
                    Type::INT4 => {
                        whole.and_then(|n| i32::try_from(n).ok()).map(|n| n.to_be_bytes().to_vec())
                    }
                    Type::INT8 => whole.map(|n| n.to_be_bytes().to_vec()),
                    Type::FLOAT4 => n.as_f64().map(|x| (x as f32).to_be_bytes().to_vec()),
                    Type::FLOAT8 => n.as_f64().map(|x| x.to_be_bytes().to_vec()),
                    Type::NUMERIC => numeric::encode(&n.to_string()),
                    _ => None,
                };
                raw.ok_or_else(unfit)?
            }
            _ => return Err(unfit()),
        };
        Ok(Bound(Some(raw)))
    }
}

impl ToSql for Bound {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match &self.0 {
            Some(raw) => {
                out.put_slice(raw);
                Ok(IsNull::No)
            }
            None => Ok(IsNull::Yes),
        }
    }

    // The value was encoded for its type.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parameters_are_numbered_where_they_are_parameters() {
        for (text, numbered, names) in [
            ("SELECT 1", "SELECT 1", &[][..]),
            ("$a::int8 + $b - $a", "$1::int8 + $2 - $1", &["a", "b"]),
            ("'$a' || \"$b\" || $c", "'$a' || \"$b\" || $1", &["c"]),
            ("'it''s $a' $b", "'it''s $a' $1", &["b"]),
            (r"E'\'$a' $b", r"E'\'$a' $1", &["b"]),
            (r"'\' $b", r"'\' $1", &["b"]),
            (r"type'\' $b", r"type'\' $1", &["b"]),
            ("-- $a\n$b -- $c", "-- $a\n$1 -- $c", &["b"]),
            ("/* $a /* */ $b */ $c", "/* $a /* */ $b */ $1", &["c"]),
            ("$$ $a $$ $b", "$$ $a $$ $1", &["b"]),
            ("$t$ $a $$ $t$ $b", "$t$ $a $$ $t$ $1", &["b"]),
            ("a$b $c", "a$b $1", &["c"]),
            ("doc ->> 'x' >= $from_2::text;", "doc ->> 'x' >= $1::text;", &["from_2"]),
            ("'open $a", "'open $a", &[]),
            ("/* open $a", "/* open $a", &[]),
            ("$t$ open $a", "$t$ open $a", &[]),
            ("ä$x 'ä' $ä", "ä$x 'ä' $1", &["ä"]),
        ] {
            let names = names.to_vec();
            let expected = Numbered { text: numbered.to_owned(), names };
            assert_eq!(number(text), Ok(expected), "{text}");
        }
        for bad in ["$1", "a + $", "$ a", "$12::text"] {
            let e = number(bad).unwrap_err();
            assert!(e.contains("is not written $name"), "{bad}: {e}");
        }
    }

    #[test]
    fn values_fit_the_type_or_say_what_to_cast() {
        let bound = |value: Value, wanted: &Type| Bound::new("p", &value, wanted).map(|b| b.0);
        assert_eq!(bound(json!(null), &Type::TEXT), Ok(None));
        assert_eq!(bound(json!("ä"), &Type::TEXT), Ok(Some("ä".into())));
        assert_eq!(bound(json!(true), &Type::BOOL), Ok(Some(vec![1])));
        assert_eq!(bound(json!(-2), &Type::INT2), Ok(Some(vec![0xFF, 0xFE])));
        assert_eq!(bound(json!(7), &Type::INT4), Ok(Some(vec![0, 0, 0, 7])));
        assert_eq!(bound(json!(7), &Type::FLOAT8), Ok(Some(7f64.to_be_bytes().to_vec())));
        assert_eq!(bound(json!(0.5), &Type::NUMERIC), Ok(numeric::encode("0.5")));
        for (value, wanted) in [
            (json!(7), Type::TEXT),
            (json!("7"), Type::INT8),
            (json!(0.5), Type::INT8),
            (json!(40_000), Type::INT2),
            (json!(true), Type::INT4),
            (json!("2021-01-01"), Type::DATE),
        ] {
            let e = bound(value, &wanted).unwrap_err();
            assert!(e.contains("cast it"), "{wanted}: {e}");
        }
        assert!(bound(json!([1]), &Type::TEXT).unwrap_err().contains("$p is no scalar"));
    }
}
