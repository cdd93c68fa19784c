//! Finding the secrets in a URL, and writing it without them.

use super::form::{FILES, PLACES, ambiguous, authority, port_colon};

/// What stands for a secret.
pub const HIDDEN: &str = "***";

/// Whether the URL carries a password, or an option whose name says that its value is a secret.
pub fn has_secret(url: &str) -> bool {
    !secrets(url, false).is_empty()
}

/// The URL with [`HIDDEN`] in place of each secret, and of what may be one.
///
/// ```
/// # use hoap_databases::url::redact;
/// assert_eq!(redact("postgres://me:top@db:5432/d?sslmode=require"), "postgres://me:***@db:5432/d?sslmode=require");
/// assert_eq!(redact("sqlite:bench.db"), "sqlite:bench.db");
/// ```
pub fn redact(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    let mut copied = 0;
    for (start, end) in secrets(url, true) {
        out.push_str(&url[copied..start]);
        out.push_str(HIDDEN);
        copied = end;
    }
    out.push_str(&url[copied..]);
    out
}

/// A text, such as an error in a driver's words, with every URL in it redacted. A URL ends at white
/// space, or at the quote that it began with: white space in a password must be encoded, as
/// [`Parts::of`] asks for.
///
/// [`Parts::of`]: super::Parts::of
pub fn scrub(text: &str) -> String {
    let words = text.split_inclusive(char::is_whitespace);
    let whole: String = words.map(|word| quoted(word).unwrap_or_else(|| word.to_owned())).collect();
    let mut out = String::with_capacity(text.len());
    for (at, part) in whole.split_inclusive(QUOTES).enumerate() {
        // A value in quotes may hold spaces.
        if at > 0 && scheme_at(part) == Some(0) {
            out.push_str(&redact(part));
        } else {
            for word in part.split_inclusive(char::is_whitespace) {
                let text = word.trim_end();
                out.push_str(&redact(text));
                out.push_str(&word[text.len()..]);
            }
        }
    }
    out
}

/// What URLs in a text are quoted with.
const QUOTES: [char; 5] = ['"', '\'', '`', '<', '>'];

/// The word redacted as a whole, where a quote is part of its URL: it stands between the begin and
/// a secret.
fn quoted(word: &str) -> Option<String> {
    // What stands behind a URL is none of it.
    let core = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    let (_, end) = *secrets(core, true).last()?;
    let begin = place(core).or_else(|| core.find('?')).unwrap_or(0).min(end);
    let text = word.trim_end();
    core[begin..end].contains(QUOTES).then(|| redact(text) + &word[text.len()..])
}

/// Where the secrets are, as byte ranges in ascending order; `doubtful`: and what may be one.
fn secrets(url: &str, doubtful: bool) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let (mut at, mut first) = (0, None);
    // An option may hold one more URL.
    while let Some(start) = place(&url[at..]).map(|place| at + place) {
        first = first.or(Some(start));
        at = start;
        if let Some((from, to)) = password(&url[start..], doubtful) {
            found.push((start + from, start + to));
            at = start + to;
        }
    }
    let options = match first.or_else(|| url.find('?')) {
        Some(at) => at,
        None if doubtful && !is_file(url) => 0,
        None => return found,
    };
    let values = secret_options(&url[options..]).into_iter();
    let values = values.map(|(from, to)| (options + from, options + to));
    let values: Vec<_> = values.filter(|v| !found.iter().any(|f| f.0 < v.1 && v.0 < f.1)).collect();
    found.extend(values);
    found.sort_unstable();
    found
}

/// Where a place with a user may begin: after `://`, or after a scheme that lacks it.
fn place(text: &str) -> Option<usize> {
    if is_file(text) {
        return None;
    }
    let scheme = scheme_at(text)
        .and_then(|start| Some(start + text[start..].find(':')? + 1))
        // `redis::Error` and `redis: refused` are no URLs.
        .filter(|after| !text[*after..].starts_with(|c: char| c == ':' || c.is_whitespace()))
        .map(|after| text.len() - text[after..].trim_start_matches('/').len());
    let slashes = text.find("://").map(|at| at + 3);
    [scheme, slashes].into_iter().flatten().min()
}

/// Whether it is a URL of [`FILES`], and names no host.
fn is_file(text: &str) -> bool {
    let (scheme, rest) = text.split_once(':').unwrap_or((text, ""));
    let scheme = scheme.rsplit('=').next().unwrap_or_default();
    let host = rest.starts_with("//") && !rest.starts_with("///");
    FILES.iter().any(|file| scheme.eq_ignore_ascii_case(file)) && !host
}

/// Where one of [`PLACES`] and its colon begin, in whatever case, at the begin of a word.
fn scheme_at(text: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let begins = |at: &usize| {
        lower[..*at].chars().next_back().is_none_or(|c| c.is_whitespace() || "=([{".contains(c))
    };
    let of = |name: &str| lower.match_indices(&format!("{name}:")).map(|(at, _)| at).find(begins);
    PLACES.iter().filter_map(|name| of(name)).min()
}

/// The password in what follows `://`, or all of it where a password may end at one of several
/// places; `doubtful`: and a port that is no number, which may be one whose host is missing.
fn password(rest: &str, doubtful: bool) -> Option<(usize, usize)> {
    if ambiguous(rest) {
        return Some((0, rest.len()));
    }
    let place = authority(rest);
    if let Some(at) = place.rfind('@') {
        let colon = place[..at].find(':')?;
        return (colon + 1 < at).then_some((colon + 1, at));
    }
    let mut start = 0;
    for host in place.split(',') {
        if let Some(colon) = port_colon(host).filter(|_| doubtful)
            && !host[colon + 1..].bytes().all(|b| b.is_ascii_digit())
        {
            return Some((start + colon + 1, rest.len()));
        }
        start += host.len() + 1;
    }
    None
}

/// The values of options whose names say that they are secrets.
fn secret_options(text: &str) -> Vec<(usize, usize)> {
    let in_name = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
    let name_before = |equals: usize| {
        let name = text.as_bytes()[..equals].iter().rev().take_while(|b| in_name(**b)).count();
        &text[equals - name..equals]
    };
    let mut found: Vec<(usize, usize)> = Vec::new();
    // A value ends where the next name=value begins: it may hold & and spaces that should have been
    // encoded.
    let mut open = None;
    let ends = text.match_indices('=').map(|(equals, _)| (name_before(equals), equals));
    for (name, equals) in ends {
        let before = text[..equals - name.len()].char_indices().next_back();
        let separator = before.filter(|(_, c)| c.is_whitespace() || "&;".contains(*c));
        if let (Some(from), Some((to, _)), false) = (open, separator, name.is_empty()) {
            found.push((from, to));
            open = None;
        }
        if open.is_none() && is_secret(name, &text[equals + 1..]) {
            open = Some(equals + 1);
        }
    }
    found.extend(open.map(|from| (from, text.len())));
    found.retain(|(from, to)| from < to);
    found
}

/// Whether an option of this name holds a secret: `password`, `sslpassword`, `auth_token`,
/// `secret_key`, …. The name of a file with one is none.
fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let file = ["file", "path"].iter().any(|end| name.ends_with(end)) || name == "passfile";
    let words =
        ["password", "passwd", "passphrase", "pwd", "secret", "credential", "apikey", "api_key"];
    // MongoDB's holds a session token of AWS among others.
    let properties =
        name == "authmechanismproperties" && value.to_ascii_lowercase().contains("session_token");
    !file
        && (name == "pass"
            || name.ends_with("token")
            || properties
            || words.iter().any(|word| name.contains(word)))
}
