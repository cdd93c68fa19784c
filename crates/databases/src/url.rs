//! Secrets in URLs: finding them, and writing URLs without them.
//!
//! This knows no database's URLs, but what all of them have in common: `scheme://user:password@host…`
//! and options `?name=value&…`. Drivers take more than the standard allows (several hosts, passwords that
//! should have been percent-encoded), so that a doubtful one is taken for a secret.

/// What stands for a secret.
pub const HIDDEN: &str = "***";

/// Percent-decoding; `None` where an escape is wrong, or no text comes out.
#[cfg(any(feature = "couchbase", feature = "couchbase-analytics"))]
pub(crate) fn decode(text: &str) -> Option<String> {
    let digit = |b: u8| char::from(b).to_digit(16);
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let &[high, low, ..] = after else { return None };
        bytes.push((digit(high)? * 16 + digit(low)?) as u8);
        rest = &after[2..];
    }
    String::from_utf8(bytes).ok()
}

/// Whether the URL carries a password, or an option whose name says that its value is a secret.
pub fn has_secret(url: &str) -> bool {
    secrets(url).next().is_some()
}

/// The URL with [`HIDDEN`] in place of each secret.
///
/// ```
/// # use hoap_databases::url::redact;
/// assert_eq!(redact("postgres://me:top@db:5432/d?sslmode=require"), "postgres://me:***@db:5432/d?sslmode=require");
/// assert_eq!(redact("sqlite:bench.db"), "sqlite:bench.db");
/// ```
pub fn redact(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    let mut copied = 0;
    for (start, end) in secrets(url) {
        out.push_str(&url[copied..start]);
        out.push_str(HIDDEN);
        copied = end;
    }
    out.push_str(&url[copied..]);
    out
}

/// A text, such as an error in a driver's words, with every URL in it redacted.
pub fn scrub(text: &str) -> String {
    let stops = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>');
    let mut out = String::with_capacity(text.len());
    for part in text.split_inclusive(stops) {
        match part.contains("://") {
            true => out.push_str(&redact(part)),
            false => out.push_str(part),
        }
    }
    out
}

/// Where the secrets are, as byte ranges in ascending order.
fn secrets(url: &str) -> impl Iterator<Item = (usize, usize)> {
    let rest = url.find("://").map(|at| at + 3);
    let password = rest.and_then(|rest| {
        let (start, end) = password(&url[rest..])?;
        Some((rest + start, rest + end))
    });
    // What a password hides is not looked into.
    let after = password.map_or(rest.unwrap_or(0), |(_, end)| end);
    let options = rest.and_then(|_| url[after..].find('?')).map(|at| after + at + 1);
    password.into_iter().chain(options.into_iter().flat_map(|start| secret_options(url, start)))
}

/// The password in what follows `://`.
fn password(rest: &str) -> Option<(usize, usize)> {
    let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let info = match rest[..authority].rfind('@') {
        Some(at) => at,
        // A password with a slash or a question mark in it cuts the authority short: there is a colon
        // that no port follows, and an at sign later.
        None => {
            let (_, port) = rest[..authority].rsplit_once(':')?;
            let is_port = port.chars().all(|c| c.is_ascii_digit()) || port.ends_with(']');
            if is_port { return None } else { rest.rfind('@')? }
        }
    };
    let colon = rest[..info].find(':')?;
    (colon + 1 < info).then_some((colon + 1, info))
}

/// The values of options whose names say that they are secrets. `start` is after the question mark.
fn secret_options(url: &str, start: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut at = start;
    url[start..].split('&').filter_map(move |pair| {
        let begin = at;
        at += pair.len() + 1;
        let (name, value) = pair.split_once('=')?;
        let value = value.split('#').next().unwrap_or(value);
        let from = begin + name.len() + 1;
        (is_secret(name) && !value.is_empty()).then_some((from, from + value.len()))
    })
}

/// Whether an option of this name holds a secret: `password`, `sslpassword`, `auth_token`, `secret_key`, ….
/// The name of a file with one is none.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let file = ["file", "path"].iter().any(|end| name.ends_with(end)) || name == "passfile";
    let words = [
        "password",
        "passwd",
        "passphrase",
        "pwd",
        "secret",
        "token",
        "credential",
        "apikey",
        "api_key",
    ];
    !file && (name == "pass" || words.iter().any(|word| name.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_secret_options_are_hidden_and_nothing_else_is() {
        for (url, redacted) in [
            ("postgres://u:secret@h/d", "postgres://u:***@h/d"),
            ("postgres://u:se:c@ret@h:5432/d?a=b@c", "postgres://u:***@h:5432/d?a=b@c"),
            ("redis://:secret@h:6379", "redis://:***@h:6379"),
            ("mongodb://u:secret@h1:1,h2:2/d?w=1", "mongodb://u:***@h1:1,h2:2/d?w=1"),
            ("postgres://u:se/cr?et@h/d", "postgres://u:***@h/d"),
            ("postgres://h/d?user=u&password=s&x=1", "postgres://h/d?user=u&password=***&x=1"),
            ("dynamodb://eu?SessionToken=abc&x=1", "dynamodb://eu?SessionToken=***&x=1"),
            ("postgres://u:p@h/d?sslpassword=q", "postgres://u:***@h/d?sslpassword=***"),
        ] {
            assert!(has_secret(url), "{url}");
            assert_eq!(redact(url), redacted);
            assert_eq!(redact(redacted), redacted, "twice is as once");
        }
        for plain in [
            "sqlite:a:b@c.db?synchronous=off",
            "postgres://u@h:5432/d",
            "postgres://h:5432/d?application_name=me@home",
            "postgres://[::1]:5432/d",
            "postgres://[::1]/d?x=a@b",
            "postgres://u:@h/d",
            "postgres://h/d?passfile=/home/u/.pgpass&sslkey=a.key",
            "null:",
            "",
            "://",
            "://@",
            "a://:",
            "a://é:é",
        ] {
            assert!(!has_secret(plain), "{plain}");
            assert_eq!(redact(plain), plain);
        }
    }

    #[test]
    fn urls_within_a_text_are_redacted() {
        let text = "invalid value 'redis://u:p@h' for '--target': connect \"redis://u:p@h\" failed";
        let scrubbed =
            "invalid value 'redis://u:***@h' for '--target': connect \"redis://u:***@h\" failed";
        assert_eq!(scrub(text), scrubbed);
        assert_eq!(scrub("--target=postgres://u:p w@h"), "--target=postgres://u:p w@h");
        assert_eq!(scrub("a\u{a0}b  c\n"), "a\u{a0}b  c\n");
    }
}
