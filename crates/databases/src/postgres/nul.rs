//! The character that PostgreSQL's text cannot hold.
//!
//! Neither `text` nor the strings of `jsonb` can hold U+0000. It is stored as U+0001 U+0001, and
//! U+0001 as U+0001 U+0002: every string is read back unchanged, and the order by bytes is kept.
//! Strings with neither character, which all benchmark data are, are stored unchanged.

use std::borrow::Cow;

use memchr::memmem;

/// A string as PostgreSQL stores it.
pub(super) fn encode(text: &str) -> Cow<'_, str> {
    // Without a way out of the loop the compiler looks at many bytes at a time.
    if !text.bytes().fold(false, |found, b| found | (b <= 1)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\0' => out.push_str("\u{1}\u{1}"),
            '\u{1}' => out.push_str("\u{1}\u{2}"),
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The string before [`encode`].
pub(super) fn decode(stored: &str) -> Cow<'_, str> {
    if memchr::memchr(1, stored.as_bytes()).is_none() {
        return Cow::Borrowed(stored);
    }
    let mut out = String::with_capacity(stored.len());
    let mut chars = stored.chars();
    while let Some(c) = chars.next() {
        match c {
            '\u{1}' => match chars.next() {
                Some('\u{1}') => out.push('\0'),
                // U+0002, or text of another program.
                _ => out.push('\u{1}'),
            },
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// JSON text as PostgreSQL stores it.
pub(super) fn encode_json(json: &[u8]) -> Cow<'_, [u8]> {
    // In JSON text both are escapes, the other spelling of which is `\u0000` alone.
    if !has(json, b"\\u000") {
        return Cow::Borrowed(json);
    }
    rewrite(json, |escape, _| match escape {
        b"0000" => Some((b"\\u0001\\u0001", 0)),
        b"0001" => Some((b"\\u0001\\u0002", 0)),
        _ => None,
    })
}

/// The JSON text before [`encode_json`].
pub(super) fn decode_json(stored: &[u8]) -> Cow<'_, [u8]> {
    if !has(stored, b"\\u0001") {
        return Cow::Borrowed(stored);
    }
    rewrite(stored, |escape, rest| match escape {
        b"0001" if rest.starts_with(b"\\u0001") => Some((b"\\u0000", 6)),
        b"0001" if rest.starts_with(b"\\u0002") => Some((b"\\u0001", 6)),
        _ => None,
    })
}

/// Whether a text has this escape. Most texts have none, which one byte tells.
fn has(json: &[u8], escape: &[u8]) -> bool {
    memchr::memchr(b'\\', json).is_some_and(|at| memmem::find(&json[at..], escape).is_some())
}

/// Replaces `\u` escapes: `change` gets the four digits of each and what follows, and says what
/// stands for it and how many of the following bytes go with it.
fn rewrite(
    json: &[u8],
    change: impl Fn(&[u8], &[u8]) -> Option<(&'static [u8], usize)>,
) -> Cow<'_, [u8]> {
    let mut out = Vec::with_capacity(json.len() + 16);
    let mut rest = json;
    // A backslash is always the first byte of an escape, and every escape has two bytes or more.
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (before, escape) = rest.split_at(at);
        out.extend_from_slice(before);
        let digits = if escape.get(1) == Some(&b'u') { escape.get(2..6) } else { None };
        let changed = digits.and_then(|digits| change(digits, &escape[6..]));
        rest = match changed {
            Some((new, more)) => {
                out.extend_from_slice(new);
                &escape[6 + more..]
            }
            None => {
                let (kept, left) = escape.split_at(escape.len().min(2));
                out.extend_from_slice(kept);
                left
            }
        };
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const STRINGS: [&str; 10] = [
        "",
        "plain",
        "\0",
        "\u{1}",
        "\u{1}\u{1}",
        "\u{1}\u{2}",
        "\0\u{1}\u{2}\0",
        "\\u0000 \\u0001",
        "\\\0\\\u{1}\"",
        "€\0😀",
    ];

    #[test]
    fn every_string_comes_back_and_none_is_stored_with_nul() {
        for text in STRINGS {
            let stored = encode(text);
            assert!(!stored.contains('\0'), "{text:?}");
            assert_eq!(decode(&stored), text);
        }
    }

    #[test]
    fn the_order_of_the_bytes_is_kept() {
        for a in STRINGS {
            for b in STRINGS {
                assert_eq!(a.cmp(b), encode(a).as_bytes().cmp(encode(b).as_bytes()), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn json_text_comes_back_and_its_strings_are_stored_like_text() {
        for text in STRINGS {
            let original = json!({ text: [text, {"a": text}], "n": 1 });
            let written = original.to_string();
            let stored = encode_json(written.as_bytes());
            assert!(!written.contains("\\u000") || text.contains(['\0', '\u{1}', '\\']));
            let seen: Value = serde_json::from_slice(&stored).unwrap();
            assert_eq!(seen[&*encode(text)][0], *encode(text), "{text:?}");
            let back: Value = serde_json::from_slice(&decode_json(&stored)).unwrap();
            assert_eq!(back, original);
        }
    }

    #[test]
    fn text_that_is_no_json_is_no_panic() {
        for text in ["\\", "\\u", "\\u000", "\\u0000", "a\\u0001\\", "\\u0001\\u000"] {
            for end in 0..=text.len() {
                encode_json(&text.as_bytes()[..end]);
                decode_json(&text.as_bytes()[..end]);
            }
        }
    }
}
