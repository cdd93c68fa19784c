//! URLs of databases: taking them apart, finding the secrets in them, writing them without these.
//!
//! All have in common `scheme://user:password@host…` and options `?name=value&…`; the databases
//! read what is their own. People write more than the standard allows: passwords that should have
//! been percent-encoded, one slash, a connection string of another form. Where a URL has several
//! readings, it is refused ([`Parts::of`]), and what may be a secret is hidden ([`redact`]).
//!
//! Crate `url` is no help: it takes one host, and MongoDB, PostgreSQL, Couchbase and Cassandra take
//! several.

mod form;
mod secrets;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use form::{ambiguous, authority, port_colon};
use hoap_record::{Error, ErrorKind};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

pub use form::{FILES, PLACES};
pub use secrets::{HIDDEN, has_secret, redact, scrub};

/// Why a URL is refused whose password may end at one of several places.
const AMBIGUOUS: &str = "there is an @ after the first / ? or #, so that it is not clear where a \
                         password ends";

/// `scheme://[user[:password]@]hosts[/path][?query]`, taken apart.
#[derive(Debug)]
pub struct Parts<'a> {
    /// As it is spelled there.
    pub scheme: &'a str,
    /// Decoded; empty where the URL names none.
    pub user: String,
    /// Decoded; empty where the URL names none.
    pub password: String,
    /// `HOST` or `HOST:PORT`, with commas where there are several.
    pub hosts: &'a str,
    /// What follows the slash; empty without one.
    pub path: &'a str,
    /// What follows the question mark.
    pub query: Option<&'a str>,
}

impl<'a> Parts<'a> {
    /// Takes a URL apart.
    ///
    /// # Errors
    /// What is wrong, with nothing of the URL in it: it is not clear which part is the password.
    pub fn of(url: &'a str) -> Result<Parts<'a>, &'static str> {
        let (scheme, rest) = url.split_once("://").ok_or("it names no host")?;
        if scheme.contains([':', '?']) {
            return Err("it names no host");
        }
        if ambiguous(rest) {
            return Err(AMBIGUOUS);
        }
        let authority = authority(rest);
        let (path, query) = match rest[authority.len()..].split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (&rest[authority.len()..], None),
        };
        if path.starts_with('#') {
            return Err("a part after # means nothing here");
        }
        let path = path.strip_prefix('/').unwrap_or(path);
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
pub fn host(text: &str) -> Result<(&str, Option<u16>), &'static str> {
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

/// Whether a host is this machine, so that nobody else sees what is said to it in clear.
pub fn is_this_machine(host: &str) -> bool {
    let name = host.trim_matches(['[', ']']);
    let loopback = |address: std::net::IpAddr| address.is_loopback();
    name.is_empty() || name == "localhost" || name.parse().is_ok_and(loopback)
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

/// Splits `scheme:PATH[?query]` into the absolute path of a file and the query.
///
/// The path is taken literally (a `?` ends it); `scheme:///a/b` is `scheme:/a/b`.
///
/// # Errors
/// [`ErrorKind::Invalid`] where it names no file.
pub fn file_path<'a>(
    scheme: &str,
    url: &'a str,
) -> hoap_record::Result<(PathBuf, Option<&'a str>)> {
    let invalid =
        |answer: String| Error::new(ErrorKind::Invalid, format!("open {}", redact(url)), answer);
    let rest = url.strip_prefix(scheme).and_then(|rest| rest.strip_prefix(':')).unwrap_or(url);
    let (path, query) = match rest.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (rest, None),
    };
    if path == ":memory:" || path == "//:memory:" {
        return Err(invalid(
            "a database in memory belongs to one connection, and this needs several".into(),
        )
        .advise("name a file, on a memory file system such as /dev/shm if it is to be in memory"));
    }
    let path = match path.strip_prefix("//") {
        Some(absolute) if absolute.starts_with('/') => absolute,
        Some(_) => {
            return Err(invalid("a file has no host".into()).advise(format!(
                "write {scheme}:PATH for a relative and {scheme}:/PATH for an absolute path"
            )));
        }
        None => path,
    };
    if path.is_empty() {
        return Err(invalid("it names no file".into()).advise(format!("write {scheme}:PATH")));
    }
    // A database may give names such as `file:…` a meaning of their own, an absolute path never has
    // one.
    let path = std::path::absolute(Path::new(path)).map_err(|e| invalid(e.to_string()))?;
    Ok((path, query))
}

/// The error of a URL of which no part is shown, as long as it is not clear which one is the
/// password.
pub fn malformed(scheme: &str, form: &str, answer: &str) -> Error {
    Error::new(ErrorKind::Invalid, format!("open {scheme}:…"), answer).advise(format!(
        "write {form}[?option=value&…], with / ? # @ : and % in user, password and options as %2F \
         %3F %23 %40 %3A and %25; or leave the password to the environment or a file, as the \
         database's page in docs/targets says"
    ))
}

/// Percent-decoding; `None` where an escape is wrong, or no text comes out.
pub fn decode(text: &str) -> Option<String> {
    // The crate leaves a wrong escape as it is.
    let escapes =
        |part: &str| part.len() >= 2 && part.bytes().take(2).all(|digit| digit.is_ascii_hexdigit());
    let good = text.split('%').skip(1).all(escapes);
    good.then(|| percent_decode_str(text).decode_utf8().ok()).flatten().map(Into::into)
}

/// A text as a part of a URL.
pub fn encode(text: &str) -> String {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(text, KEPT).to_string()
}
