//! The words of Rust source.

/// Names, `::`, texts with their quotes, and single other characters, in order. Comments, characters
/// and lifetimes are left out.
pub fn words(source: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let (length, counts) = next(rest, first);
        if counts {
            words.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
    words
}

/// The length of what comes next, and whether it counts as a word.
fn next(rest: &str, first: char) -> (usize, bool) {
    if first.is_whitespace() {
        return (first.len_utf8(), false);
    }
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), false);
    }
    if rest.starts_with("/*") {
        return (comment(rest), false);
    }
    if let Some(length) = text(rest) {
        return (length, true);
    }
    if first == '\'' || rest.starts_with("b'") {
        return (character(rest), false);
    }
    if is_name(rest) {
        return (rest.find(|c: char| !continues(c)).unwrap_or(rest.len()), true);
    }
    if rest.starts_with("::") {
        return (2, true);
    }
    (first.len_utf8(), true)
}

/// Whether a name, or a number, begins here.
pub fn is_name(word: &str) -> bool {
    word.starts_with(continues)
}

fn continues(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of a comment, which may hold others.
fn comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let here = &rest[at..];
        if here.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if here.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                break;
            }
        } else {
            at += here.chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// The length of a text, `"…"`, `r#"…"#` or one with a `b` or a `c` before it.
fn text(rest: &str) -> Option<usize> {
    let prefix = usize::from(rest.starts_with(['b', 'c']));
    if let Some(raw) = rest[prefix..].strip_prefix('r') {
        let fences = raw.len() - raw.trim_start_matches('#').len();
        if raw[fences..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(fences));
            let begin = prefix + 1 + fences + 1;
            let length = rest[begin..].find(&end).map(|at| begin + at + end.len());
            return Some(length.unwrap_or(rest.len()));
        }
    }
    rest[prefix..].starts_with('"').then(|| prefix + 1 + quoted(&rest[prefix + 1..], '"'))
}

/// The length of a character or of a lifetime.
fn character(rest: &str) -> usize {
    let begin = rest.find('\'').map_or(1, |at| at + 1);
    let mut within = rest[begin..].chars();
    let first = within.next().unwrap_or('\'');
    if first == '\\' || within.next() == Some('\'') {
        return begin + quoted(&rest[begin..], '\'');
    }
    rest[begin..].find(|c: char| !continues(c)).map_or(rest.len(), |at| begin + at)
}

/// The length up to and with the closing quote.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    rest.len()
}

#[test]
fn comments_characters_and_lifetimes_are_no_words() {
    let source = r##"a::b /* x /* y */ z */ '"' '\'' 'é' b'"' &'a c // "d
        r#"super::e"# "f\"g" b"h" 'static 1.5 r#type"##;
    let expected = [
        "a",
        "::",
        "b",
        "&",
        "c",
        r##"r#"super::e"#"##,
        r#""f\"g""#,
        r#"b"h""#,
        "1",
        ".",
        "5",
        "r",
        "#",
        "type",
    ];
    assert_eq!(words(source), expected);
}
