//! URLs of databases: taking them apart, finding the secrets in them, writing them without these.
//!
//! All have in common `scheme://user:password@host…` and options `?name=value&…`; the databases read
//! what is their own. People write more than the standard allows (passwords that should have been
//! percent-encoded, one slash, a connection string of another form), so that a doubtful part is
//! taken for a secret.
//!
//! Crate `url` is no help: it takes one host, and MongoDB, PostgreSQL, Couchbase and Cassandra take
//! several.

use hoap_workload::{Error, ErrorKind};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What stands for a secret.
pub const HIDDEN: &str = "***";

/// Databases that are files, or nothing: what follows the scheme is no place with a user.
pub(crate) const FILES: [&str; 2] = ["sqlite", "null"];

/// The other schemes, whose URLs may have a user although their `//` is missing.
pub(crate) const PLACES: [&str; 13] = [
    "asterixdb",
    "cassandra",
    "couchbase",
    "couchbase-analytics",
    "couchbases",
    "couchbases-analytics",
    "dynamodb",
    "mongodb",
    "mongodb+srv",
    "postgres",
    "postgresql",
    "redis",
    "rediss",
];

/// `scheme://[user[:password]@]hosts[/path][?query]`, taken apart.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    pub scheme: &'a str,
    /// Decoded; empty where the URL names none.
    pub user: String,
    /// Decoded; empty where the URL names none.
    pub password: String,
    /// `HOST` or `HOST:PORT`, with commas where there are several.
    pub hosts: &'a str,
    /// What follows the slash; empty without one.
    pub path: &'a str,
    pub query: Option<&'a str>,
}

impl<'a> Parts<'a> {
    /// Takes a URL apart.
    ///
    /// # Errors
    /// What is wrong, with nothing of the URL in it: it is not clear which part is the password.
    pub fn of(url: &'a str) -> Result<Parts<'a>, &'static str> {
        let (base, query) = match url.split_once('?') {
            Some((base, query)) => (base, Some(query)),
            None => (url, None),
        };
        let parts = base.split_once("://").filter(|(scheme, _)| !scheme.contains(':'));
        let (scheme, rest) = parts.ok_or("it names no host")?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        if authority.contains('#') {
            return Err("a part after # means nothing here");
        }
        let secret = password(&url[scheme.len() + 3..], false);
        if secret.is_some_and(|(_, end)| end > authority.len()) {
            return Err("there is an @ after the host");
        }
        let (info, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (user, password) = info.split_once(':').unwrap_or((info, ""));
        let user = decode(user).ok_or("the user's name does not decode")?;
        let password = decode(password).ok_or("the password does not decode")?;
        for host in hosts.split(',') {
            split_port(host)?;
        }
        Ok(Parts { scheme, user, password, hosts, path, query })
    }

    /// The URL without user, password and secret options: for errors and the run folder.
    pub fn shown(&self) -> String {
        let Parts { scheme, hosts, path, query, .. } = self;
        let slash = if path.is_empty() { "" } else { "/" };
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        redact(&format!("{scheme}://{hosts}{slash}{path}{query}"))
    }

    /// Name and port of each host.
    ///
    /// # Errors
    /// Those of [`host`].
    pub fn hosts(&self) -> Result<Vec<(&'a str, Option<u16>)>, &'static str> {
        self.hosts.split(',').map(host).collect()
    }
}

/// Name and port of `HOST` or `HOST:PORT`, where HOST may be an IPv6 address in brackets.
///
/// # Errors
/// What is wrong; the text is not repeated.
pub(crate) fn host(text: &str) -> Result<(&str, Option<u16>), &'static str> {
    let good = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_');
    let address = |text: &str| text.parse::<std::net::Ipv6Addr>().is_ok();
    let (name, port) = split_port(text)?;
    match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(within) if address(within.split('%').next().unwrap_or_default()) => Ok((name, port)),
        Some(_) => Err("what is in [] is no IPv6 address"),
        None if !name.is_empty() && name.chars().all(good) => Ok((name, port)),
        None => Err("it names no host"),
    }
}

/// The text before a port and the port; an empty port is none, as in RFC 3986.
fn split_port(text: &str) -> Result<(&str, Option<u16>), &'static str> {
    if text.starts_with('[') && !text.contains(']') {
        return Err("an IPv6 address lacks its ]");
    }
    let Some(colon) = port_colon(text) else { return Ok((text, None)) };
    let (name, port) = (&text[..colon], &text[colon + 1..]);
    match port.parse() {
        Ok(port) if port > 0 => Ok((name, Some(port))),
        _ if port.is_empty() => Ok((name, None)),
        _ => Err("a port is not a number from 1 to 65535"),
    }
}

/// Where the colon before a host's port is.
fn port_colon(host: &str) -> Option<usize> {
    let name = host.rfind(']').unwrap_or(0);
    host[name..].find(':').map(|colon| name + colon)
}

/// The error of a URL of which no part is shown, as long as it is not clear which one is the password.
pub(crate) fn malformed(scheme: &str, form: &str, answer: &str) -> Error {
    Error::new(ErrorKind::Invalid, format!("open {scheme}:…"), answer).advise(format!(
        "write {form}[?option=value&…], with / ? # @ : and % in user and password as %2F %3F %23 %40 \
         %3A and %25"
    ))
}

/// Percent-decoding; `None` where an escape is wrong, or no text comes out.
pub(crate) fn decode(text: &str) -> Option<String> {
    // The crate leaves a wrong escape as it is.
    let escapes =
        |part: &str| part.len() >= 2 && part.bytes().take(2).all(|digit| digit.is_ascii_hexdigit());
    let good = text.split('%').skip(1).all(escapes);
    good.then(|| percent_decode_str(text).decode_utf8().ok()).flatten().map(Into::into)
}

/// A text as a part of a URL.
pub(crate) fn encode(text: &str) -> String {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(text, KEPT).to_string()
}

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

/// A text, such as an error in a driver's words, with every URL in it redacted.
pub fn scrub(text: &str) -> String {
    let quotes = |c: char| matches!(c, '"' | '\'' | '`' | '<' | '>');
    let mut out = String::with_capacity(text.len());
    for (at, part) in text.split_inclusive(quotes).enumerate() {
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

/// The password in what follows `://`; `doubtful`: and a port that is no number, which may be one
/// whose host is missing.
fn password(rest: &str, doubtful: bool) -> Option<(usize, usize)> {
    // A question mark begins the options unless an @ comes before the first `=`: then it is part of
    // a password that should have been encoded, as a slash before an @ is.
    let begins_options = |at: &usize| {
        let options = &rest[at + 1..];
        options.find('@').is_none_or(|at| options.find('=').is_some_and(|equals| equals < at))
    };
    let end = rest.match_indices('?').map(|(at, _)| at).find(begins_options);
    let place = &rest[..end.unwrap_or(rest.len())];
    if let Some(at) = place.rfind('@') {
        let colon = place[..at].find(':')?;
        return (colon + 1 < at).then_some((colon + 1, at));
    }
    let mut start = 0;
    for host in place[..place.find('/').unwrap_or(place.len())].split(',') {
        if let Some(colon) = port_colon(host).filter(|_| doubtful)
            && !host[colon + 1..].bytes().all(|b| b.is_ascii_digit())
        {
            return Some((start + colon + 1, place.len()));
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

/// Whether an option of this name holds a secret: `password`, `sslpassword`, `auth_token`, `secret_key`, ….
/// The name of a file with one is none.
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
            ("postgres://u:p@ss/w@h/d", "postgres://u:***@h/d"),
            ("postgres://u:1?p@h/d", "postgres://u:***@h/d"),
            ("postgres://h/d?password=x&y z#&bogus=1", "postgres://h/d?password=***&bogus=1"),
            ("postgres:/u:p@h", "postgres:/u:***@h"),
            ("postgres:u:p@h/d", "postgres:u:***@h/d"),
            ("--target=POSTGRES:/u:p@h", "--target=POSTGRES:/u:***@h"),
            ("postgres:host=h password=x y", "postgres:host=h password=***"),
            ("postgres:password='x y' host=h", "postgres:password=*** host=h"),
            (
                "dynamodb://eu?endpoint=http://k:p@h&x=1",
                "dynamodb://eu?endpoint=http://k:***@h&x=1",
            ),
            ("postgres:password=é\u{a0}host=é", "postgres:password=***\u{a0}host=é"),
            ("sqlite:x.db?password=s", "sqlite:x.db?password=***"),
        ] {
            assert!(has_secret(url), "{url}");
            assert_eq!(redact(url), redacted);
            assert_eq!(redact(redacted), redacted, "twice is as once");
        }
        for (doubtful, redacted) in [
            ("postgres://u:pass", "postgres://u:***"),
            ("postgres:u:pass/word", "postgres:u:***"),
            ("mongodb://h:1,u:é", "mongodb://h:1,u:***"),
            ("password=x", "password=***"),
        ] {
            assert!(!has_secret(doubtful), "{doubtful}");
            assert_eq!(redact(doubtful), redacted);
        }
        for plain in [
            "sqlite:a:b@c.db?synchronous=off",
            "--target=sqlite:///a:b@c.db",
            "mongodb://mongodb:27017,redis:1/d",
            "cassandra://h/k?token_aware=off&password_file=x",
            "redis::RedisError",
            "redis: refused: later",
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
        assert_eq!(
            scrub("bad 'postgres:host=h password=x y'"),
            "bad 'postgres:host=h password=***"
        );
        assert_eq!(scrub("unexpected 'password=x'"), "unexpected 'password=***");
        for plain in
            ["a\u{a0}b  c\n", "open postgres:…: it names no host", "redis: it is down: why"]
        {
            assert_eq!(scrub(plain), plain);
        }
    }

    #[test]
    fn a_url_is_taken_apart() {
        let parts = Parts::of("x://us%2Fer:p@s%3As%25%C3%A9@a,b:70,[::1]:71/d/e?f=g").unwrap();
        assert_eq!((&*parts.user, &*parts.password), ("us/er", "p@s:s%é"));
        assert_eq!(parts.hosts(), Ok(vec![("a", None), ("b", Some(70)), ("[::1]", Some(71))]));
        assert_eq!((parts.path, parts.query), ("d/e", Some("f=g")));
        assert_eq!(parts.shown(), "x://a,b:70,[::1]:71/d/e?f=g");
        for (url, why) in [
            ("x:/h", "no host"),
            ("x:u:secret://h", "no host"),
            ("x://u:secret%@h", "password does not decode"),
            ("x://%ff:secret@h", "name does not decode"),
            ("x://u:%+1@h", "password does not decode"),
            ("x://u:sec#ret@h", "after #"),
            ("x://u:1/secret@h", "an @ after"),
            ("x://u:1?secret@h", "an @ after"),
            ("x://u:secret", "a port is not"),
            ("x://h:0", "a port is not"),
            ("x://[::1", "lacks its ]"),
            ("x://h:65536", "a port is not"),
        ] {
            let e = Parts::of(url).unwrap_err();
            assert!(e.contains(why) && !e.contains("sec"), "{url}: {e}");
        }
        for bad in ["x://", "x://h,", "x://h h", "x://[x]", "x://[::1]9", "x://h%20"] {
            assert!(Parts::of(bad).unwrap().hosts().is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_encoded_is_decoded_again() {
        assert_eq!(encode("p w/é~"), "p%20w%2F%C3%A9~");
        assert_eq!(decode(&encode("p%w/é~")).as_deref(), Some("p%w/é~"));
    }
}
